//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package fleet

import (
	"os"
	"syscall"
)

// tryLock locks an open file until it is closed or the process ends. It reports whether
// it could: not if another process has locked it, or if the file system has no locks.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
