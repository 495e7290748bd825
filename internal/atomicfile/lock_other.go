//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package atomicfile

import "os"

const deleteOnClose = 0

// tryLock reports that the file cannot be locked.
func tryLock(*os.File) bool { return false }

// removeUnused does nothing, because whether the file is used is unknown.
func removeUnused(string) {}
