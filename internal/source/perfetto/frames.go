package perfetto

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// assemble makes a timeline of everything that was decoded.
func (d *decoder) assemble() *analyzer.Timeline {
	t := &analyzer.Timeline{Clock: d.clocks.offset(), Wall: d.clocks.wall()}
	d.pair(t)

	a := assembly{
		expected: map[expectation]*slice{}, render: map[int64][]*analyzer.Frame{},
	}
	a.add(d.slices, d.processes, t.Span.End)
	a.link()
	a.judge()
	a.inferPeriods()
	for _, f := range a.frames {
		t.Frames = append(t.Frames, f.Frame)
	}
	t.Processes = d.processes.list()
	t.Layers = a.layers()
	t.JudgeLayers()
	return t
}

// edge is the time at the start and the end of a trace in which slices are expected to be
// cut. Few frames take that long.
const edge = trace.Second

// pair sets the start and end of each slice. It processes events in order of time, as
// Perfetto does, so an end before the start does not count.
func (d *decoder) pair(t *analyzer.Timeline) {
	for i := range d.events {
		e := &d.events[i]
		at, known := d.clocks.trace(e.clock, e.at)
		if !known {
			d.stats.UnknownClock++
		}
		if at == 0 {
			at = 1 // zero means unknown in the model
		}
		e.at = int64(at)
	}
	slices.SortStableFunc(d.events, func(x, y event) int { return cmp.Compare(x.at, y.at) })
	possible := slices.IndexFunc(d.events, func(e event) bool { return e.at > 0 })
	if possible < 0 {
		possible = len(d.events)
	}
	d.stats.Malformed += possible // before the device booted
	events := d.events[possible:]
	if n := len(events); n > 0 {
		t.Span = analyzer.Interval{Start: trace.Time(events[0].at), End: trace.Time(events[n-1].at)}
	}
	open := map[int64]int{}
	for _, e := range events {
		if e.slice >= 0 {
			open[e.cookie] = e.slice
			d.slices[e.slice].Start = trace.Time(e.at)
			continue
		}
		i, ok := open[e.cookie]
		if !ok {
			if trace.Time(e.at).Sub(t.Span.Start) > edge {
				d.stats.lostStarts++
			}
			continue
		}
		delete(open, e.cookie)
		d.slices[i].End = trace.Time(e.at)
	}
	d.events = nil
	d.slices = slices.DeleteFunc(d.slices, func(s slice) bool { return !s.Start.Known() })
	slices.SortStableFunc(d.slices, func(x, y slice) int { return cmp.Compare(x.Start, y.Start) })
	for i := range d.slices {
		if s := &d.slices[i]; !s.End.Known() && t.Span.End.Sub(s.Start) > edge {
			d.stats.lostEnds++
		}
	}
}

// assembly makes frames from slices.
type assembly struct {
	frames   []frame
	expected map[expectation]*slice
	render   map[int64][]*analyzer.Frame // by token, in order of start
}

// frame is a frame and its frame timeline.
type frame struct {
	*analyzer.Frame
	timeline *analyzer.FrameTimeline
}

// expectation identifies the frames that an expected slice belongs to.
type expectation struct {
	kind  analyzer.Kind
	pid   trace.PID
	token int64
}

// add makes a frame of each actual slice, or of several layers, with the expected
// slice of the same process and token. The slices are in order of start.
func (a *assembly) add(list []slice, processes *processes, end trace.Time) {
	for i := range list {
		s := &list[i]
		if s.expected && s.End > s.Start && s.timeline.Token > 0 {
			key := expectation{s.kind, s.pid, s.timeline.Token}
			if a.expected[key] == nil { // each layer of a frame repeats it
				a.expected[key] = s
			}
		}
	}
	latest := map[expectation]int{} // index of the last frame with the token
	for i := range list {
		s := &list[i]
		if s.expected {
			continue
		}
		process := processes.process(s.pid)
		if process == nil {
			continue
		}
		key := expectation{s.kind, s.pid, s.timeline.Token}
		if s.kind == analyzer.ApplicationFrame && s.timeline.Token > 0 { // it may have several layers
			if n, ok := latest[key]; ok && s.Start.Sub(a.frames[n].lastLayer().Actual.Start) <= layersApart {
				a.frames[n].addLayer(s, end)
				continue
			}
			latest[key] = len(a.frames)
		}
		timeline := s.timeline
		f := frame{&analyzer.Frame{
			Kind: s.kind, Process: process, TID: trace.TID(s.pid), VsyncID: max(0, timeline.Token),
			Actual: s.Interval, Android: &analyzer.Android{Timeline: &timeline},
		}, &timeline}
		if s.kind == analyzer.ApplicationFrame {
			f.addLayer(s, end)
		} else if !s.End.Known() {
			f.Actual.End = end
			f.Facts = analyzer.Truncated
		}
		if e := a.expected[key]; e != nil {
			f.Expected = e.Interval
			f.Vsync, f.Deadline = e.Start, e.End
			delete(a.expected, key)
		}
		a.frames = append(a.frames, f)
	}
	for _, f := range a.frames {
		f.combineLayers()
	}
}

// layersApart limits how much later a layer of a frame starts than the one before it.
// After a restart SurfaceFlinger reuses tokens, so the same token much later belongs to
// another frame.
const layersApart = 500 * trace.Millisecond

// link links application frames to the render frames that picked them up.
func (a *assembly) link() {
	for _, f := range a.frames {
		if f.Kind == analyzer.RenderFrame && f.timeline.Token > 0 {
			a.render[f.timeline.Token] = append(a.render[f.timeline.Token], f.Frame)
		}
	}
	for _, f := range a.frames {
		if f.Kind != analyzer.ApplicationFrame || f.Facts.Has(analyzer.Truncated) {
			continue
		}
		a.linkLayers(f)
		if r := f.Transactions[len(f.Transactions)-1].AppliedBy; r != nil {
			f.Render = r
			r.Applications = append(r.Applications, f.Frame)
		}
	}
}

// renderAt returns the render frame that picked up a frame with the given start: the
// first of the list that starts no earlier, or else the last. The list has the render
// frames with one token, in order of start. There are several if SurfaceFlinger
// restarted.
func renderAt(list []*analyzer.Frame, start trace.Time) *analyzer.Frame {
	if len(list) == 0 {
		return nil
	}
	i, _ := slices.BinarySearchFunc(list, start, func(r *analyzer.Frame, start trace.Time) int { return cmp.Compare(r.Actual.Start, start) })
	return list[min(i, len(list)-1)]
}
