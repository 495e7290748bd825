package hdc

import "syscall"

// ownGroup keeps Ctrl-C of the console away from hdc.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
