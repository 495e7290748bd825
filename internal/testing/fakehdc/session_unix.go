//go:build unix && !linux

package fakehdc

import "syscall"

// ownSession does not terminate the command when hdc is killed: there is no way to.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
