//go:build unix

package hdc

import (
	"errors"
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill kills a process and its children.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Exists reports whether a process runs.
func Exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
