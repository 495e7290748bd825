package reconstruct_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// shared is where traces lie that are no part of the repository.
const shared = "../../../../shared"

// analyze returns the validated timeline of a trace file.
func analyze(t *testing.T, path string, options reconstruct.Options) (*analyzer.Timeline, *hitrace.Totals) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), f, hitrace.Options{}, options))(t)
	if err := timeline.Validate(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return timeline, totals
}

// files returns the files that match a pattern, or skips the test.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	list := must.Get(filepath.Glob(filepath.Join(shared, pattern)))(t)
	if len(list) == 0 {
		t.Skipf("no %s/%s here", shared, pattern)
	}
	return list
}

// row is a row of the reference parser's frame table.
type row struct {
	tid      trace.TID
	expected bool
	start    trace.Time
	duration trace.Duration
	vsync    int64
	flag     string // empty for null
	dst      string // id of the actual row of the frame that took this one
}

func readRows(t *testing.T, path string) map[string]row {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	records := must.Get(csv.NewReader(f).ReadAll())(t)
	number := func(s string) int64 {
		n := must.Get(strconv.ParseInt(s, 10, 64))(t)
		return n
	}
	rows := map[string]row{}
	for _, r := range records[1:] { // pid,tid,kind,ts,dur,vsync,flag,id,src,dst
		rows[r[7]] = row{trace.TID(number(r[1])), r[2] == "expect", trace.Time(number(r[3])), trace.Duration(number(r[4])), number(r[5]), r[6], r[9]}
	}
	return rows
}

// TestReference compares timelines with the frame table of the system's own
// parser. That converts no clocks, so none are converted here; it ends a render
// frame with its GPU work; and it begins a worker's frame with OnVsyncEvent.
func TestReference(t *testing.T) {
	for _, path := range files(t, "oracle/*.trace_streamer.csv") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rows := readRows(t, path)
			timeline, _ := analyze(t, strings.TrimSuffix(path, ".trace_streamer.csv")+".ftrace", reconstruct.Options{ClockOffset: new(trace.Duration)})
			type key struct {
				tid   trace.TID
				vsync int64
			}
			frames := map[key]*analyzer.Frame{}
			for f := range timeline.Complete() {
				frames[key{f.TID, f.VsyncID}] = f
			}
			actual := 0
			for id, r := range rows {
				f := frames[key{r.tid, r.vsync}]
				if f == nil {
					t.Errorf("row %s: no frame %d of thread %d", id, r.vsync, r.tid)
					continue
				}
				worker := f.TID != trace.TID(f.Process.PID)
				switch {
				case !r.expected:
					actual++
					if flag, ok := f.Flag(); !ok || fmt.Sprint(flag) != r.flag {
						t.Errorf("row %s: flag %d, want %s: %s", id, flag, r.flag, f)
					}
					if f.End() != r.start.Add(r.duration) || !worker && f.Actual.Start != r.start {
						t.Errorf("row %s: %s to %s, want %s for %s: %s", id, f.Actual.Start, f.End(), r.start, r.duration, f)
					}
					var render int64
					if f.Render != nil {
						render = f.Render.VsyncID
					}
					if render != rows[r.dst].vsync {
						t.Errorf("row %s: taken by %d, want %d: %s", id, render, rows[r.dst].vsync, f)
					}
				case !worker:
					if f.Expected.Start != r.start || f.Expected.Duration() != r.duration {
						t.Errorf("row %s: expected %s, want %s for %s: %s", id, f.Expected, r.start, r.duration, f)
					}
					if empty := f.Facts.Has(analyzer.Empty); empty != (r.flag == "2") {
						t.Errorf("row %s: empty %v, flag %q of the expected row", id, empty, r.flag)
					}
				default:
					must.Equal(t, f.Deadline, r.start.Add(r.duration), "row %s: deadline", id)
				}
			}
			must.Equal(t, actual, len(frames), "frames")
		})
	}
}
