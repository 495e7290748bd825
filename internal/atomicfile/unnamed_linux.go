package atomicfile

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// createUnnamed creates a file without a name in a folder, nil if the file system has no
// such files, or if link could not name it.
func createUnnamed(folder string, mode fs.FileMode) *os.File {
	f, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, mode)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(descriptor(f)); err != nil {
		f.Close()
		return nil
	}
	return f
}

// link gives a file without a name one. The name must be new.
func link(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, descriptor(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: err}
	}
	return nil
}

func descriptor(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
