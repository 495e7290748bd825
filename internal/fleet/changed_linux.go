package fleet

import (
	"io/fs"
	"syscall"
	"time"
)

// changed returns when a file was last changed. The system sets that time itself: a copy
// that keeps the time of modification is a change, too.
func changed(info fs.FileInfo) time.Time {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime()
	}
	return later(info.ModTime(), time.Unix(s.Ctim.Unix()))
}
