package main

import (
	"os"
	"syscall"
)

// peakMemory returns the peak memory of a process that has ended, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss * 1024
}
