package perfetto

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// timeline makes frames of what was collected.
func (d *decoder) timeline() *analyzer.Timeline {
	t := &analyzer.Timeline{Clock: d.clocks.offset(), Wall: d.clocks.wall()}
	d.stats.Ours, d.stats.Converter = d.attributes.ours, d.attributes.version
	if d.attributes.offsetKnown {
		t.Clock = d.attributes.clock()
	}
	d.pair(t)

	a := assembly{
		stats: d.stats, ours: d.attributes.ours, expected: map[expectation]*slice{},
		render: map[int64][]*analyzer.Frame{},
	}
	a.add(d.slices, d.processes, t.Span.End)
	t.Processes = d.processes.list()
	a.link()
	a.judge()
	a.inferPeriods()
	a.restore(&d.notes)
	if a.ours {
		a.numberTransactions()
	}
	for _, f := range a.frames {
		t.Frames = append(t.Frames, f.Frame)
	}
	return t
}

// pair gives each slice its start and end. Events are taken in order of time,
// like Perfetto does: an end that is before its start is nobody's.
func (d *decoder) pair(t *analyzer.Timeline) {
	for i := range d.events {
		e := &d.events[i]
		at, known := d.clocks.trace(e.clock, e.at)
		if !known {
			d.stats.UnknownClock++
		}
		if at == 0 {
			at = 1 // time zero stands for unknown in the model
		}
		e.at = int64(at)
	}
	slices.SortStableFunc(d.events, func(x, y event) int { return cmp.Compare(x.at, y.at) })
	possible := slices.IndexFunc(d.events, func(e event) bool { return e.at > 0 })
	if possible < 0 {
		possible = len(d.events)
	}
	d.stats.Malformed += possible // before the device was started
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
			d.stats.UnpairedEnds++
			continue
		}
		delete(open, e.cookie)
		d.slices[i].End = trace.Time(e.at)
	}
	d.events = nil
	d.slices = slices.DeleteFunc(d.slices, func(s slice) bool { return !s.Start.Known() })
	slices.SortStableFunc(d.slices, func(x, y slice) int { return cmp.Compare(x.Start, y.Start) })
	for i := range d.slices {
		if !d.slices[i].End.Known() {
			d.stats.Unfinished++
		}
	}
}

// assembly makes frames of slices.
type assembly struct {
	stats    *Stats
	ours     bool
	frames   []frame
	expected map[expectation]*slice
	render   map[int64][]*analyzer.Frame // by token, in order of start
}

// frame is a frame and what its packet says.
type frame struct {
	*analyzer.Frame
	said *analyzer.FrameTimeline
}

// expectation is what an expected interval is for.
type expectation struct {
	kind  analyzer.Kind
	pid   trace.PID
	token int64
}

// add makes a frame of each actual slice, with the expected one that goes with
// it. The slices are in order of start.
func (a *assembly) add(list []slice, processes *processes, end trace.Time) {
	for i := range list {
		s := &list[i]
		if s.expected && s.End > s.Start && s.said.Token > 0 {
			key := expectation{s.kind, s.pid, s.said.Token}
			if a.expected[key] == nil { // each layer of a frame repeats it
				a.expected[key] = s
			}
		}
	}
	taken := map[*slice]bool{}
	latest := map[expectation]int{} // frame with the token, by index
	for i := range list {
		s := &list[i]
		if s.expected {
			continue
		}
		process := processes.process(s.pid)
		if process == nil {
			continue
		}
		key := expectation{s.kind, s.pid, s.said.Token}
		if a.hasLayers(s) {
			if n, ok := latest[key]; ok && s.Start.Sub(a.frames[n].lastLayer().Actual.Start) <= layersApart {
				a.frames[n].addLayer(s, end)
				continue
			}
			latest[key] = len(a.frames)
		}
		said := s.said
		f := frame{&analyzer.Frame{
			Kind: s.kind, Process: process, TID: trace.TID(s.pid), VsyncID: max(0, said.Token),
			Actual: s.Interval, Android: &analyzer.Android{Timeline: &said},
		}, &said}
		if s.kind == analyzer.ApplicationFrame {
			f.addLayer(s, end)
			if tid, ok := layerThread(s.layer); ok && a.ours {
				f.TID = tid
			}
		} else if !s.End.Known() {
			f.Actual.End = end
			f.Facts = analyzer.Truncated
		}
		e := a.expected[key]
		if e != nil && !taken[e] && (!a.ours || said.Prediction == analyzer.PredictionValid) {
			f.Expected = e.Interval
			f.Vsync, f.Deadline = e.Start, e.End
			taken[e] = true
		}
		a.frames = append(a.frames, f)
	}
	for _, f := range a.frames {
		f.combineLayers()
		if f.Facts.Has(analyzer.Dropped) {
			a.stats.Dropped++
		}
	}
	for _, e := range a.expected {
		if !taken[e] {
			a.stats.Unmatched++
		}
	}
}

// layersApart bounds how much later a layer of a frame starts than the one before
// it. SurfaceFlinger counts tokens from the beginning after a restart, so the
// same token much later is that of another frame.
const layersApart = 500 * trace.Millisecond

// hasLayers reports whether the slice may be one of several layers of a frame. The
// layers of ohframe's own traces are threads with frames of their own.
func (a *assembly) hasLayers(s *slice) bool {
	return !a.ours && s.kind == analyzer.ApplicationFrame && s.said.Token > 0
}

// link joins application frames to the render frames that took them.
func (a *assembly) link() {
	for _, f := range a.frames {
		if f.Kind == analyzer.RenderFrame && f.said.Token > 0 {
			a.render[f.said.Token] = append(a.render[f.said.Token], f.Frame)
		}
	}
	for _, f := range a.frames {
		if f.Kind != analyzer.ApplicationFrame || f.Facts.Has(analyzer.Truncated) {
			continue
		}
		a.linkLayers(f)
		if r := f.Transactions[len(f.Transactions)-1].Taken; r != nil {
			f.Render = r
			r.Applications = append(r.Applications, f.Frame)
		}
	}
}

// tookAt returns which of the render frames with one token, in order of start,
// took a frame that started at the given time: tokens come again when
// SurfaceFlinger is restarted.
func tookAt(list []*analyzer.Frame, start trace.Time) *analyzer.Frame {
	if len(list) == 0 {
		return nil
	}
	i, _ := slices.BinarySearchFunc(list, start, func(r *analyzer.Frame, start trace.Time) int { return cmp.Compare(r.Actual.Start, start) })
	return list[min(i, len(list)-1)]
}
