package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Observed is what a frame's thread did, and the cell to which the time was added.
type Observed struct {
	// State is as in Perfetto's thread_state: Running, R, or the kernel's letter;
	// empty if unknown.
	State string
	Slice string // the innermost one; empty outside of all slices
	Cell  Cell
}

// Cell is where time of a frame was added.
type Cell struct {
	Stage place.Stage
	Wait  place.Wait
	Slice string
}

// Observe makes Explain report all the time of frames on their threads.
func (r *Recorder) Observe(see func(f *analyzer.Frame, p Observed, d trace.Duration)) {
	r.observe = func(f *analyzer.Frame, s threadState, id cellID, d trace.Duration) {
		p := Observed{Slice: r.keys.names[s.slice], Cell: Cell{Stage: id.stage, Wait: id.wait}}
		if id.wait != place.EarlierFrame {
			p.Cell.Slice = r.keys.names[id.key]
		}
		switch s.state {
		case running:
			p.State = "Running"
		case preempted, woken:
			p.State = "R"
		case blocked:
			p.State = string(rune(s.letter))
		}
		see(f, p, d)
	}
}

// Followed returns the number of threads with long rings of their past.
func (r *Recorder) Followed() int { return r.followed }
