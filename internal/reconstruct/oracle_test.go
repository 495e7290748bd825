package reconstruct_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/reconstruct"
	"ohframe/internal/source/hitrace"
)

// shared is where traces lie that are no part of the repository.
const shared = "../../shared"

// analyze returns the validated timeline of a trace file.
func analyze(t *testing.T, path string, options reconstruct.Options) (*analyzer.Timeline, *hitrace.Totals) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	timeline, totals, err := reconstruct.Analyze(t.Context(), f, hitrace.Options{}, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return timeline, totals
}

// files returns the files that match a pattern, or skips the test.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(shared, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Skipf("no %s/%s here", shared, pattern)
	}
	return list
}

// truth is what the simulation that made a trace knows about its frames.
type truth struct {
	Period trace.Duration
	Offset int64
	Frames []truthFrame
}

type truthFrame struct {
	Kind       string
	PID        trace.PID
	TID        trace.TID
	Vsync      int64
	Start, End trace.Time
	ExpStart   trace.Time `json:"exp_start"`
	ExpEnd     trace.Time `json:"exp_end"`
	Index      *int64
	Empty      bool
	Late       bool
	Render     int64
	Misaligned *bool
	Sources    [][2]int64
	GPU        []trace.Time
	Present    trace.Time
}

func TestOracle(t *testing.T) {
	for _, path := range files(t, "oracle/*.frames.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want truth
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			got, totals := analyze(t, strings.TrimSuffix(path, ".frames.json")+".ftrace", reconstruct.Options{})
			if n := totals.Problems.Lost(); n > 0 {
				t.Errorf("%d lines not understood", n)
			}
			compareWithTruth(t, got, want)
		})
	}
}

func compareWithTruth(t *testing.T, got *analyzer.Timeline, want truth) {
	t.Helper()
	var tolerance trace.Duration
	if want.Offset != 0 {
		tolerance = trace.Millisecond / 2
	}
	near := func(a, b trace.Time) bool { return a.Sub(b).Abs() <= tolerance }
	if d := got.Clock.Offset - trace.Duration(want.Offset); d.Abs() > tolerance {
		t.Errorf("clock offset is off by %v", d)
	}
	type key struct {
		tid   trace.TID
		start trace.Time
	}
	frames := map[key]*analyzer.Frame{}
	for f := range got.Complete() {
		frames[key{f.TID, f.Actual.Start}] = f
	}
	for _, d := range got.Diagnostics.Counts {
		t.Errorf("%v on lines %v, in a trace where all fits", d, d.Lines)
	}
	if len(frames) != len(want.Frames) {
		t.Errorf("%d frames, want %d", len(frames), len(want.Frames))
	}
	for _, w := range want.Frames {
		name := fmt.Sprintf("%s frame %d of thread %d at %d", w.Kind, w.Vsync, w.TID, w.Start)
		f := frames[key{w.TID, w.Start}]
		if f == nil {
			t.Errorf("%s: not found", name)
			continue
		}
		check := func(ok bool, what string, got, want any) {
			if !ok {
				t.Errorf("%s: %s is %v, want %v", name, what, got, want)
			}
		}
		check(f.Kind.String() == w.Kind, "kind", f.Kind, w.Kind)
		check(f.Process.PID == w.PID, "pid", f.Process.PID, w.PID)
		check(f.VsyncID == w.Vsync, "vsync id", f.VsyncID, w.Vsync)
		check(f.Actual.End == w.End, "end", f.Actual.End, w.End)
		check(near(f.Expected.Start, w.ExpStart) && near(f.Expected.End, w.ExpEnd), "expected", f.Expected,
			analyzer.Interval{Start: w.ExpStart, End: w.ExpEnd})
		check(f.Late() == w.Late, "late", f.Late(), w.Late)
		// Periods are whole nanoseconds, half of an odd interval is not.
		check(f.Period == 0 && f.TID != trace.TID(f.Process.PID) || (f.Period-want.Period).Abs() <= 1, "period", f.Period, want.Period)
		if w.Kind == "app" {
			check(f.Facts.Has(analyzer.Empty) == w.Empty, "empty", !w.Empty, w.Empty)
			check((w.Index != nil) == (len(f.Transactions) == 1), "transactions", f.Transactions, w.Index)
			if w.Index != nil && len(f.Transactions) == 1 {
				check(f.Transactions[0].Index == *w.Index, "transaction", f.Transactions[0].Index, *w.Index)
			}
			var render int64
			if f.Render != nil {
				render = f.Render.VsyncID
			}
			check(render == w.Render, "render frame", render, w.Render)
			if w.Misaligned != nil {
				check(f.Facts.Has(analyzer.Misaligned) == *w.Misaligned, "misaligned", !*w.Misaligned, *w.Misaligned)
			}
			continue
		}
		check(f.Present == w.Present, "present", f.Present, w.Present)
		check(len(f.Applications) == len(w.Sources), "applications", f.Applications, w.Sources)
		for i, s := range w.Sources {
			if i < len(f.Applications) {
				a := f.Applications[i]
				check(int64(a.Process.PID) == s[0] && a.Transactions[0].Index == s[1], "application", a, s)
			}
		}
		check(len(f.GPU)*2 == len(w.GPU), "gpu work", f.GPU, w.GPU)
		for i, g := range f.GPU {
			check(len(w.GPU) > 2*i+1 && g.Start == w.GPU[2*i] && g.End == w.GPU[2*i+1], "gpu work", g, w.GPU)
		}
	}
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
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
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
					if flag := fmt.Sprint(f.Flag()); flag != r.flag {
						t.Errorf("row %s: flag %s, want %s: %s", id, flag, r.flag, f)
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
					if end := r.start.Add(r.duration); f.Deadline != end {
						t.Errorf("row %s: deadline %s, want %s", id, f.Deadline, end)
					}
				}
			}
			if actual != len(frames) {
				t.Errorf("%d frames, want %d", len(frames), actual)
			}
		})
	}
}
