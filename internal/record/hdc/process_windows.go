package hdc

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kill kills a process. Windows does not kill its children.
func kill(p *os.Process) error { return p.Kill() }
