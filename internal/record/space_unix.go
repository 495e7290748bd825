//go:build unix

package record

import "syscall"

// freeSpace returns the bytes that the user may write to a folder; -1 if unknown.
func freeSpace(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
