package dumpsys

import (
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/refresh"
)

// Dump describes the processes with tables or summaries in a dump, and what could not be read.
type Dump struct {
	Processes []*Process
	// NotRunning are the first packages that had no process. NotRunningMore is the
	// number of the others.
	NotRunning     []string
	NotRunningMore int
	// Skipped rows have a flag of frames that do not count, Unfinished rows no start or
	// no end.
	Skipped, Unfinished int
	// Damaged is the number of malformed rows, of rows below an unusable header, and of malformed
	// lines of summaries.
	Damaged int
	// Unusable is the number of tables that lack a necessary column.
	Unusable int
	// Cut: the input ends within a row or a table.
	Cut bool
	// TooLong is the number of lines beyond the limit. WindowsOver and FramesOver are the
	// numbers of rows skipped because of the limits on processes and windows, and on rows, and
	// SummariesOver that of summaries.
	TooLong, WindowsOver, FramesOver, SummariesOver int
}

// Process is an application.
type Process struct {
	PID     trace.PID
	Name    string // the package; empty if the dump does not name it
	Windows []*Window

	summaries []*analyzer.Summary
}

// Window is a window of an application, or anything else with a table of rows.
type Window struct {
	Name string // empty if the dump does not name it
	// Interval is the frame interval, 0 if unknown. Without it no frame is janky or
	// late.
	Interval trace.Duration

	// first: a summary shows that Android 8.1 or an earlier version printed the table.
	first  bool
	rows   []row
	seen   map[row]bool
	header header
}

// Warnings describes what was skipped and what is unknown.
func (d *Dump) Warnings() []trace.Warning {
	var list diag.Warnings
	for _, name := range d.NotRunning {
		list.Add(trace.WarnMissing, "%.60q is not running", name)
	}
	list.Count(trace.WarnMissing, d.NotRunningMore, "more package", "not running")
	if d.Cut {
		list.Add(trace.WarnDamaged, "the dump is truncated: it ends within a table")
	}
	list.Count(trace.WarnNotUnderstood, d.Damaged, "malformed row", "skipped")
	list.Count(trace.WarnSkipped, d.Skipped, "row", "with flag SurfaceCanvas or SkippedFrame skipped")
	list.Count(trace.WarnSkipped, d.Unfinished, "row", "of unfinished frames skipped")
	list.Count(trace.WarnNotUnderstood, d.Unusable, "table", "without the column IntendedVsync or FrameCompleted")
	list.Count(trace.WarnOverLimit, d.TooLong, "line", "longer than the limit skipped (limit: line)")
	list.Count(trace.WarnOverLimit, d.WindowsOver, "row", "of processes or windows beyond the limit skipped (limit: strings)")
	list.Count(trace.WarnOverLimit, d.SummariesOver, "summary", "beyond the limit skipped (limit: strings)")
	list.Count(trace.WarnOverLimit, d.FramesOver, "row", "beyond the limit skipped (limit: frames)")
	for _, p := range d.Processes {
		if slices.ContainsFunc(p.Windows, func(w *Window) bool { return len(w.rows) > 0 && w.Interval == 0 }) {
			list.Add(trace.WarnMissing, "the frame interval is unknown: no frame is janky or late")
			break
		}
	}
	return list
}

// findIntervals sets the frame interval of each window. It comes from the window's rows,
// else from its vsyncs, else from the vsyncs of all windows, which are on one display.
func (d *Dump) findIntervals() {
	var all []int64
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			vsyncs := w.values(intendedVsync)
			if w.Interval = w.stated(); w.Interval == 0 {
				w.Interval = infer(vsyncs)
			}
			all = append(all, vsyncs...)
		}
	}
	common := infer(all)
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			if w.Interval == 0 {
				w.Interval = common
			}
		}
	}
}

// stated returns the interval of most rows, or 0 if no row has one.
func (w *Window) stated() trace.Duration {
	counts := map[int64]int{}
	var most int64
	for _, n := range w.values(frameInterval) {
		if n <= 0 || n > int64(longestInterval) {
			continue
		}
		if counts[n]++; counts[n] > counts[most] {
			most = n
		}
	}
	return trace.Duration(most)
}

// values returns a column of the rows.
func (w *Window) values(c column) []int64 {
	list := make([]int64, len(w.rows))
	for i := range w.rows {
		list[i] = w.rows[i][c]
	}
	return list
}

// Displays refresh at 10 to 500 Hz.
const (
	shortestInterval = 2 * trace.Millisecond
	longestInterval  = 100 * trace.Millisecond
)

// infer returns the frame interval, or 0 if it is unknown. The shortest gap between
// intended vsyncs is one interval, the others are multiples of it, and the interval
// is their average.
func infer(vsyncs []int64) trace.Duration {
	_, gaps := refresh.Gaps(vsyncs, shortestInterval, math.MaxInt64)
	if len(gaps) == 0 || slices.Min(gaps) > longestInterval {
		return 0
	}
	return refresh.Mean(gaps, slices.Min(gaps))
}
