//go:build !linux

package main

import "os"

// peakMemory returns 0. Peak memory is read only on Linux.
func peakMemory(*os.ProcessState) int64 { return 0 }
