package gfxinfo

import (
	"fmt"

	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
)

// Dump is what was read: of each process and window both what gfxinfo printed
// and what its rows come to.
type Dump struct {
	Processes []*Process
	// NotRunning are the first packages that had no process, and NotRunningMore
	// counts the others.
	NotRunning     []string
	NotRunningMore int
	// Damaged counts rows that are none, and rows below no usable header.
	Damaged int
	// Unusable counts tables without a column that a frame cannot do without.
	Unusable int
	// Cut: the input ends within a row or a table.
	Cut bool
	// TooLong counts lines beyond the limit; ProcessesOver, WindowsOver and
	// FramesOver count the rows that were left out because there are too many
	// processes, windows or rows.
	TooLong, ProcessesOver, WindowsOver, FramesOver int

	limits  limits.Limits
	byKey   map[processKey]*Process
	windows int // of all processes
	rows    int // of all windows
	flags   flagCounts
}

// processKey is what tells processes apart: their ids, or where these are unknown
// their names.
type processKey struct {
	pid  trace.PID
	name string
}

// Process is an application.
type Process struct {
	PID  trace.PID
	Name string // the package; empty if the dump does not name it
	// Printed has counted since the process was started or reset; nil if the
	// dump has none. Computed is that of all its windows' rows; nil if Read failed.
	Printed, Computed *Summary
	Windows           []*Window

	byKey map[string]*Window
}

// Window is a window of an application, or whatever else has a table of rows.
type Window struct {
	Name string // empty if the dump does not name it
	// Printed has counted since the window was opened or reset; nil if the dump
	// has none. Computed is that of the rows.
	Printed, Computed *Summary
	// Interval is the frame interval, zero if it is not known; then nothing is
	// janky or late.
	Interval     trace.Duration
	IntervalFrom IntervalSource
	// Frames counts the rows that are frames, and Flagged those of them that have
	// flags. Skipped counts the rows left out for their flags, SurfaceCanvas or
	// SkippedFrame, Unfinished those without start or end, and Repeated those that
	// an earlier dump of the window has too.
	Frames, Flagged, Skipped, Unfinished, Repeated int

	rows []row
	seen map[row]bool
	has  header
}

// IntervalSource is where a frame interval was found.
type IntervalSource uint8

// The sources.
const (
	IntervalUnknown  IntervalSource = iota
	IntervalInferred                // from how far apart vsyncs are
	IntervalGiven                   // by Options.FrameInterval
	IntervalStated                  // by the dump
)

// String says where the interval was found.
func (s IntervalSource) String() string {
	return [...]string{"not known", "inferred from vsyncs", "given", "stated by the dump"}[s]
}

// Warnings says in words what a user should know of.
func (d *Dump) Warnings() []string {
	var list []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	for _, name := range d.NotRunning {
		add(true, "%.60q is not running", name)
	}
	add(d.NotRunningMore > 0, "%d more packages are not running", d.NotRunningMore)
	add(d.Cut, "the dump is cut: it ends within a table")
	add(d.Damaged > 0, "%d rows are damaged", d.Damaged)
	unfinished, unknown := 0, false
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			unfinished += w.Unfinished
			unknown = unknown || w.Frames > 0 && w.Interval == 0
		}
	}
	list = append(list, d.flags.warnings()...)
	add(unfinished > 0, "%d rows of unfinished frames left out", unfinished)
	add(d.Unusable > 0, "%d tables lack the column %s or %s", d.Unusable, columnNames[intendedVsync], columnNames[frameCompleted])
	add(d.TooLong > 0, "%d lines longer than the limit passed over (--limit line)", d.TooLong)
	add(d.ProcessesOver > 0, "%d rows of processes beyond the limit left out (--limit strings)", d.ProcessesOver)
	add(d.WindowsOver > 0, "%d rows of windows beyond the limit left out (--limit strings)", d.WindowsOver)
	add(d.FramesOver > 0, "%d rows beyond the limit left out (--limit frames)", d.FramesOver)
	add(unknown, "the frame interval is not known: nothing is janky or late")
	return list
}

// process returns the process with the given id, or, if it is unknown, the last
// of that name; nil if there are too many.
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

// window returns the process's window with the given key, nil if there are too
// many.
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
