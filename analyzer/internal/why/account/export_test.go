package account

import (
	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
)

// Observed is what a frame's thread did.
type Observed struct {
	// State is as in Perfetto's thread_state: Running, R, or the kernel's letter;
	// empty if unknown.
	State string
	Slice string // the innermost one; empty outside of all slices
}

// NewObserved is New that reports all the time of frames on their threads.
func NewObserved(r *threads.Record, t *analyzer.Timeline, see func(f *analyzer.Frame, p Observed, d trace.Duration)) *Book {
	b := newBook(r, t)
	b.observe = func(f *replay, a *Account, _ ID, d trace.Duration) {
		var p Observed
		if n := len(f.stack); n > 0 {
			p.Slice = r.Name(f.stack[n-1].key)
		}
		switch f.state {
		case threads.Running:
			p.State = "Running"
		case threads.Preempted, threads.Woken:
			p.State = "R"
		case threads.Blocked:
			if f.wait != 0 {
				p.State = string(rune(f.waited().Letter))
			} else {
				p.State = "\x00"
			}
		}
		see(a.Frame, p, d)
	}
	b.fillAll(nil, 1)
	return b
}
