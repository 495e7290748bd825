package main

import (
	"os"
	"syscall"
)

// peakMemory returns how many bytes a process that has ended held at most.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss * 1024
}
