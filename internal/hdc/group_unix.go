//go:build unix

package hdc

import "syscall"

// ownGroup keeps signals of the terminal away from hdc.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
