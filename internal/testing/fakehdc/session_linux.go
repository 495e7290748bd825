package fakehdc

import "syscall"

// ownSession terminates the command when hdc is killed, as hdcd does.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}
