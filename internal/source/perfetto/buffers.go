package perfetto

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// layers returns the layers of the surface frames that have a buffer, in order of their first
// frame. Those with one name and process are one layer.
func (a *assembly) layers() (list []*analyzer.Layer) {
	type key struct {
		process *analyzer.Process
		name    string
	}
	known := map[key]*analyzer.Layer{}
	for _, f := range a.frames {
		for i := range f.timeline.Surfaces {
			s := &f.timeline.Surfaces[i]
			if s.Buffer == analyzer.No || s.Name == "" { // without names layers cannot be distinguished
				continue
			}
			k := key{f.Process, s.Name}
			l := known[k]
			if l == nil {
				l = &analyzer.Layer{ID: len(list) + 1, Name: s.Name, Process: f.Process}
				known[k] = l
				list = append(list, l)
			}
			b := bufferOf(f.Frame, s)
			b.Layer = l
			l.Buffers = append(l.Buffers, b)
		}
	}
	return list
}

// bufferOf returns the buffer of a surface frame. A surface frame ends when its buffer was queued
// and drawn, or if it was dropped, when that happened. SurfaceFlinger takes buffers at the start
// of a display frame, also before they are drawn; when such a buffer was taken is unknown.
func bufferOf(f *analyzer.Frame, s *analyzer.SurfaceFrame) *analyzer.Buffer {
	b := &analyzer.Buffer{Frame: f, Render: s.Render, Surface: s}
	if s.Dropped() {
		b.Fate = analyzer.Discarded
		return b
	}
	if !f.Facts.Has(analyzer.Truncated) {
		b.Queued = s.Actual.End
	}
	var present trace.Time
	if r := s.Render; r != nil {
		present = r.Present
		if r.Actual.Start >= b.Queued {
			b.Acquired = r.Actual.Start
		}
	}
	if s.Present.Known() || present.Known() {
		b.Fate, b.Present = analyzer.Shown, present
	}
	return b
}
