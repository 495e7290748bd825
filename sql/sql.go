// Package sql is the PerfettoSQL package ohos: modules with which Perfetto's
// trace processor answers questions about frames. They read the traces that
// this program writes:
//
//	ohos.frames           ohos_frame, ohos_whole_frame
//	  ▲
//	  ├─ ohos.jank        rates, blame, streaks, the worst frames
//	  ├─ ohos.fps         frames per second, hitches
//	  ├─ ohos.stages      where the time goes
//	  └─ ohos.compare_android   the same of a trace from Android
//
// A module's text documents its tables, in the way of Perfetto's own.
package sql

import (
	"embed"
	"io/fs"
)

// Name is the name under which the package is given to the trace processor.
const Name = "ohos"

//go:embed ohos/*.sql
var files embed.FS

// Files returns the modules, each a file NAME.sql.
func Files() fs.FS {
	dir, err := fs.Sub(files, Name)
	if err != nil {
		panic(err) // only for a malformed name
	}
	return dir
}
