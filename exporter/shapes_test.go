package exporter

import (
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine/enginetest"
)

// lineShapes has a slice for each shape of a line that writers beside the kernel
// use, and the kernel's own.
const lineShapes = `cpus=8
app-19    (   19) [001] .... 316.000019: tracing_mark_write: B|19|the kernel's
app-20    20 [001] .... 316.000020: tracing_mark_write: B|20|without parentheses
app-21    (     ) [001] .... 316.000021: tracing_mark_write: B|21|empty column
app-22    () [001] .... 316.000022: tracing_mark_write: B|22|nothing between
app-23    ----- [001] .... 316.000023: tracing_mark_write: B|23|dashes
pool 7-24 [001] .... 316.000024: tracing_mark_write: B|24|no column
old-25 [001] 316.000025: 0: B|25|an old kernel's
app-26    (   26) [001] .... 316.000026: tracing_mark_write: B|26|white space   	
app-27    (   27) [001] .... 316.000027: tracing_mark_write: B|27|two carriage returns` + "\r\r" + `
app-19    (   19) [001] .... 317.000000: tracing_mark_write: C|19|counter|5 
app-19    (   19) [001] .... 318.000000: tracing_mark_write: E|19
`

// Lines of all shapes are what Perfetto's import of text takes them for.
func TestLineShapesAsPerfettoImportsText(t *testing.T) {
	converted, _ := convert(t, lineShapes, Options{Reader: hitrace.Options{Strict: true}})
	for _, test := range []struct{ about, sql, row string }{
		{"slices", `
			SELECT slice.name, ts / 1000 AS us, dur / 1000 AS long, tid, pid
			FROM slice JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) LEFT JOIN process USING (upid)
			ORDER BY ts`,
			`"two carriage returns",316000027,0,27,27`},
		{"counters", `SELECT track.name, ts / 1000 AS us, value FROM counter JOIN track ON track.id = track_id`, `"counter",317000000,5`},
	} {
		got := enginetest.Query(t, enginetest.Load(t, converted), test.sql)
		want := enginetest.Query(t, enginetest.Load(t, []byte(lineShapes)), test.sql)
		if got.String() != want.String() || !strings.Contains(got.String(), "\n"+test.row+"\n") {
			t.Errorf("%s: got %s\nof the text %s\nwant %s among it", test.about, got, want, test.row)
		}
	}
}
