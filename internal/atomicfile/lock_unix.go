//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// deleteOnClose is zero: an open file can lose its name.
const deleteOnClose = 0

// tryLock locks an open file until it is closed or the process ends. It reports whether
// it could: not if another process has locked it, or if the file system has no locks.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// removeUnused removes a file unless a process has locked it.
func removeUnused(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f) {
		os.Remove(path)
	}
}
