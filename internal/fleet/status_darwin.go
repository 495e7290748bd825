package fleet

import (
	"io/fs"
	"syscall"
	"time"
)

// statusTime returns the time that the system sets itself when a file is changed, also by a
// copy that keeps the time of writing; zero if that is unknown.
func statusTime(info fs.FileInfo) (t time.Time) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		t = time.Unix(s.Ctimespec.Unix())
	}
	return t
}
