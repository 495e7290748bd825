//go:build !windows

package hostiletest

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that the process has used.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
