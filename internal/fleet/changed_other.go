//go:build !linux && !darwin

package fleet

import (
	"io/fs"
	"time"
)

// changed returns when a file was last changed, as far as the system says.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }
