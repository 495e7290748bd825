package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Hang is a time in which a main thread did something else than frames for long.
type Hang struct {
	PID     trace.PID `json:"pid"`     // process id of the application
	Process string    `json:"process"` // its name
	Severe  bool      `json:"severe"`  // 500 ms or more
	Slice   string    `json:"slice"`   // name of the slice; empty if that began before the trace
	// its start and length, as far as they are in the trace or the window
	Start    trace.Time     `json:"start_ns"`
	Duration trace.Duration `json:"duration_ns"`
	BeginCut bool           `json:"begin_cut"` // it begins before or ends after that, and takes longer
	EndCut   bool           `json:"end_cut"`
	// Source is the hang that this describes.
	Source analyzer.Hang `json:"-"`
}

// hangs returns the hangs of the chosen processes.
func hangs(t *analyzer.Timeline, o Options) []Hang {
	list := []Hang{}
	for _, h := range t.Hangs {
		if o.Process == nil || o.Process(h.Process) {
			list = append(list, Hang{
				PID: h.Process.PID, Process: h.Process.Name, Severe: h.Duration() >= analyzer.SevereHang, Slice: h.Slice, Start: h.Start, Duration: h.Duration(),
				BeginCut: h.BeginCut != analyzer.NoEdge, EndCut: h.EndCut != analyzer.NoEdge, Source: h,
			})
		}
	}
	return list
}

// Hangs are the hangs of an application together.
type Hangs struct {
	Hangs   int            `json:"hangs" sum:"hangs"`
	Severe  int            `json:"severe" sum:"severe_hangs"`
	Hang    trace.Duration `json:"hang_ns" sum:"hanging_ns"`
	Ratio   *float64       `json:"hang_ms_per_s"`
	Longest trace.Duration `json:"longest_ns" peak:"longest_hang_ns"`
	// Time is the length of the trace, without the time between traces.
	Time trace.Duration `json:"-" sum:"hang_span_ns"`
}

// setHangs sets those of the applications, also of those without frames. Only traces of OpenHarmony show them.
func (c collector) setHangs(list []Hang, t *analyzer.Timeline, span *Span) {
	if t.Dump || span == nil {
		return
	}
	for _, h := range list {
		c.process(keyOf(Application, h.Source.Process), h.Source.Process)
	}
	for key, p := range c {
		if key.kind == Application {
			p.Hangs = &Hangs{Time: span.Length}
		}
	}
	for _, h := range list {
		p := c[keyOf(Application, h.Source.Process)]
		p.Hangs.Hangs++
		if h.Severe {
			p.Hangs.Severe++
		}
		p.Hangs.Hang = add(p.Hangs.Hang, h.Duration)
		p.Hangs.Longest = max(p.Hangs.Longest, h.Duration)
	}
}

// NotBegun counts the frames of an application that never began, because its main thread was busy with
// something else on their vsyncs (docs/frames.md 3.12).
type NotBegun struct {
	Frames  int            `json:"frames" sum:"not_begun_frames"`
	Time    trace.Duration `json:"time_ns" sum:"not_begun_ns"`
	Longest trace.Duration `json:"longest_ns" peak:"longest_not_begun_ns"`
	Rate    *float64       `json:"rate"`
	// Wanted are they and the frames that began.
	Wanted int `json:"-" sum:"wanted_frames"`
}

// notBegun returns nil without frames of ArkUI with a known refresh period.
func notBegun(kind Kind, frames []*analyzer.Frame) *NotBegun {
	n := &NotBegun{}
	for _, f := range frames {
		if kind != Application || f.Framework != analyzer.Platform || f.Android != nil || f.Period <= 0 {
			continue
		}
		missed := f.Missed()
		n.Frames, n.Time, n.Longest = n.Frames+f.NotBegun, add(n.Time, missed), max(n.Longest, missed)
		n.Wanted += 1 + f.NotBegun
	}
	if n.Wanted == 0 {
		return nil
	}
	return n
}
