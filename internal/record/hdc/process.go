package hdc

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

var (
	mutex   sync.Mutex
	running = map[*os.Process]struct{}{}
)

// RunAlone is cmd.Run in a process group of its own: signals of the terminal do not reach
// the program.
func RunAlone(cmd *exec.Cmd) error {
	cmd.SysProcAttr = ownGroup()
	mutex.Lock()
	err := cmd.Start()
	if err == nil {
		running[cmd.Process] = struct{}{}
	}
	mutex.Unlock()
	if err == nil {
		err = cmd.Wait()
		mutex.Lock()
		delete(running, cmd.Process)
		mutex.Unlock()
	}
	return err
}

// KillAll kills the groups of all programs that RunAlone has not finished, and keeps it
// from starting others. The caller must exit.
func KillAll() {
	mutex.Lock()
	for p := range running {
		Kill(p)
	}
}

// Exists reports whether a process runs.
func Exists(pid int) bool {
	p, err := os.FindProcess(pid) // fails on Windows if it does not run
	return err == nil && (runtime.GOOS == "windows" || !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone))
}
