package gfxinfo

import (
	"fmt"

	"ohframe/analyzer/trace"
	"ohframe/internal/plural"
)

// Dump describes the processes and windows of a dump, and what could not be read.
type Dump struct {
	Processes []*Process
	// NotRunning are the first packages that had no process. NotRunningMore is the
	// number of the others.
	NotRunning     []string
	NotRunningMore int
	// Damaged is the number of malformed rows and of rows below an unusable header.
	Damaged int
	// Unusable is the number of tables that lack a necessary column.
	Unusable int
	// Cut: the input ends within a row or a table.
	Cut bool
	// TooLong is the number of lines beyond the limit. ProcessesOver, WindowsOver
	// and FramesOver are the numbers of rows skipped because of the limits on
	// processes, windows and rows.
	TooLong, ProcessesOver, WindowsOver, FramesOver int

	limits  trace.Limits
	byKey   map[processKey]*Process
	windows int // of all processes
	rows    int // of all windows
	flags   flagCounts
}

// processKey identifies a process: by its id, or by its name if the id is unknown.
type processKey struct {
	pid  trace.PID
	name string
}

// Process is an application.
type Process struct {
	PID     trace.PID
	Name    string // the package; empty if the dump does not name it
	Windows []*Window

	byKey map[string]*Window
}

// Window is a window of an application, or anything else with a table of rows.
type Window struct {
	Name string // empty if the dump does not name it
	// Interval is the frame interval, 0 if unknown. Without it no frame is janky or
	// late.
	Interval     trace.Duration
	IntervalFrom IntervalSource
	// Frames is the number of rows that are frames, and Flagged the number of those
	// with flags. Skipped rows have the flag SurfaceCanvas or SkippedFrame,
	// Unfinished rows have no start or no end, and Repeated rows are also in an
	// earlier dump of the window.
	Frames, Flagged, Skipped, Unfinished, Repeated int

	rows []row
	seen map[row]bool
	has  header
}

// IntervalSource is the source of a frame interval.
type IntervalSource uint8

// The sources.
const (
	IntervalUnknown  IntervalSource = iota
	IntervalInferred                // from the times between vsyncs
	IntervalGiven                   // by Options.FrameInterval
	IntervalStated                  // by the dump
)

// String describes the source.
func (s IntervalSource) String() string {
	return [...]string{"unknown", "inferred from vsyncs", "given", "stated by the dump"}[s]
}

// Warnings describes what was skipped and what is unknown.
func (d *Dump) Warnings() []string {
	var list []string
	add := func(isSo bool, format string, args ...any) {
		if isSo {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	count := func(n int, noun, format string, args ...any) {
		add(n > 0, "%s "+format, append([]any{plural.Count(n, noun)}, args...)...)
	}
	for _, name := range d.NotRunning {
		add(true, "%.60q is not running", name)
	}
	count(d.NotRunningMore, "more package", "not running")
	add(d.Cut, "the dump is truncated: it ends within a table")
	count(d.Damaged, "malformed row", "skipped")
	unfinished, unknown := 0, false
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			unfinished += w.Unfinished
			unknown = unknown || w.Frames > 0 && w.Interval == 0
		}
	}
	list = append(list, d.flags.warnings()...)
	count(unfinished, "row", "of unfinished frames skipped")
	count(d.Unusable, "table", "without the column %s or %s", columnNames[intendedVsync], columnNames[frameCompleted])
	count(d.TooLong, "line", "longer than the limit skipped (limit: line)")
	count(d.ProcessesOver, "row", "of processes beyond the limit skipped (limit: strings)")
	count(d.WindowsOver, "row", "of windows beyond the limit skipped (limit: strings)")
	count(d.FramesOver, "row", "beyond the limit skipped (limit: frames)")
	add(unknown, "the frame interval is unknown: no frame is janky or late")
	return list
}

// process returns the process with the given id, or with the given name if the id
// is unknown. It adds the process if necessary, and returns nil beyond the limit.
func (d *Dump) process(pid trace.PID, name string) *Process {
	key := processKey{pid: pid}
	if pid == trace.UnknownPID {
		key.name = name
	}
	p := d.byKey[key]
	if p == nil {
		if len(d.byKey) >= d.limits.Strings {
			return nil
		}
		p = &Process{PID: pid, byKey: map[string]*Window{}}
		d.byKey[key] = p
		d.Processes = append(d.Processes, p)
	}
	if name != "" {
		p.Name = name
	}
	return p
}

// window returns the process's window with the given key. It adds the window if
// necessary, and returns nil beyond the limit.
func (d *Dump) window(p *Process, key string) *Window {
	w := p.byKey[key]
	if w == nil {
		if d.windows >= d.limits.Strings {
			return nil
		}
		d.windows++
		w = &Window{seen: map[row]bool{}}
		p.byKey[key] = w
		p.Windows = append(p.Windows, w)
	}
	return w
}
