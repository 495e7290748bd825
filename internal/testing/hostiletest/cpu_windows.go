package hostiletest

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that the process has used.
func ProcessorTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(process, &created, &exited, &kernel, &user)
	}
	if err != nil {
		panic(err)
	}
	ticks := func(t syscall.Filetime) time.Duration {
		return time.Duration(t.HighDateTime)<<32 | time.Duration(t.LowDateTime)
	}
	return 100 * (ticks(kernel) + ticks(user))
}
