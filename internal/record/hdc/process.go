package hdc

import (
	"os"
	"os/exec"
	"sync"
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
	if err != nil {
		return err
	}
	defer func() {
		mutex.Lock()
		defer mutex.Unlock()
		delete(running, cmd.Process)
	}()
	return cmd.Wait()
}

// KillAll kills the groups of all programs that RunAlone has not finished, and keeps it
// from starting others. The caller must exit.
func KillAll() {
	mutex.Lock()
	for p := range running {
		Kill(p)
	}
}
