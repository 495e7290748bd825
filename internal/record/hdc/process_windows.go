package hdc

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Kill kills a program of RunAlone. Windows does not kill its children.
func Kill(p *os.Process) error { return p.Kill() }

// Terminate ends a program, but not what it has started.
func Terminate(p *os.Process) error { return p.Kill() }
