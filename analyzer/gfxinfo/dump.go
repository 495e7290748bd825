package gfxinfo

import (
	"fmt"

	"ohframe/analyzer/trace"
)

// Dump is what was read: of each process and window both what gfxinfo printed
// and what its rows come to.
type Dump struct {
	Processes []*Process
	// NotRunning are the packages that had no process.
	NotRunning []string
	// Damaged counts rows that are none, and rows below no usable header.
	Damaged int
	// Cut: the input ends within a row or a table.
	Cut bool
}

// Process is an application.
type Process struct {
	PID  trace.PID
	Name string // the package; empty if the dump does not name it
	// Printed has counted since the process was started or reset; nil if the
	// dump has none. Computed is that of all its windows' rows; nil if Read failed.
	Printed, Computed *Summary
	Windows           []*Window
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
	// Frames counts the rows that are frames, Flagged those whose flags are not
	// zero, Unfinished those without begin or end, and Repeated those that an
	// earlier dump of the window has too.
	Frames, Flagged, Unfinished, Repeated int

	key  string // what tells it from others of the process
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
		add(true, "%s is not running", name)
	}
	add(d.Cut, "the dump is cut: it ends within a table")
	add(d.Damaged > 0, "%d rows are damaged", d.Damaged)
	flagged, unfinished, unknown := 0, 0, false
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			flagged += w.Flagged
			unfinished += w.Unfinished
			unknown = unknown || w.Frames > 0 && w.Interval == 0
		}
	}
	add(flagged > 0, "%d rows with flags left out", flagged)
	add(unfinished > 0, "%d rows of unfinished frames left out", unfinished)
	add(unknown, "the frame interval is not known: nothing is janky or late")
	return list
}

// process returns the process with the given id, or, if it is unknown, the last
// of that name.
func (d *Dump) process(pid trace.PID, name string) *Process {
	for _, p := range d.Processes {
		if p.PID == pid && (pid != trace.UnknownPID || p.Name == name) {
			if name != "" {
				p.Name = name
			}
			return p
		}
	}
	p := &Process{PID: pid, Name: name}
	d.Processes = append(d.Processes, p)
	return p
}

// window returns the process's window with the given key.
func (p *Process) window(key string) *Window {
	for _, w := range p.Windows {
		if w.key == key {
			return w
		}
	}
	w := &Window{key: key, seen: map[row]bool{}}
	p.Windows = append(p.Windows, w)
	return w
}
