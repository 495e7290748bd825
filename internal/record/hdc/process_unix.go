//go:build unix

package hdc

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Kill kills a program of RunAlone and what is left of its process group.
func Kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Terminate ends a program, but not what it has started.
func Terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
