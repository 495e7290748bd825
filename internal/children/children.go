// Package children runs programs in process groups of their own, so that signals of the
// terminal do not reach them, and kills those that are left when this program exits.
package children

import (
	"os"
	"os/exec"
	"sync"
)

var (
	mutex   sync.Mutex
	running = map[*os.Process]struct{}{}
)

// Run is cmd.Run in a process group of its own.
func Run(cmd *exec.Cmd) error {
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

// KillAll kills the groups of all programs that Run has not finished, and keeps Run from
// starting others. The caller must exit.
func KillAll() {
	mutex.Lock()
	for p := range running {
		Kill(p)
	}
}
