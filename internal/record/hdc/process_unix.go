//go:build unix

package hdc

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill kills a process and its children.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
