// Package sql contains the PerfettoSQL package ohos: modules with tables of frames
// for Perfetto's trace processor. They read the traces that this program writes:
//
//	ohos.frames           ohos_frame, ohos_whole_frame
//	  ▲
//	  ├─ ohos.jank        rates, blame, streaks, the worst frames
//	  ├─ ohos.fps         frames per second, hitches
//	  ├─ ohos.stages      where the time goes
//	  └─ ohos.compare_android   the same for traces from Android
//
// The comments of a module document its tables in the format of Perfetto's modules.
package sql

import (
	"embed"
	"io/fs"
)

// Name is the name of the package in the trace processor.
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
