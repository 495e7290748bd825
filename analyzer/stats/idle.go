package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// minIdle and minIdlePeriods are what a time without anything new on the display is longer than
// if it is a pause and not a slow animation (docs/frames.md 9.6).
const (
	minIdle        = 100 * trace.Millisecond
	minIdlePeriods = 6
)

// isIdle reports whether a gap of a length is a pause. Half a period more than the bound is
// needed, because present times vary.
func isIdle(d, period trace.Duration) bool {
	return d >= max(minIdle, times(minIdlePeriods, period))+period/2
}

// activity is when a process was not idle although it showed nothing. Its intervals are in
// order, and apart.
type activity struct {
	// scenes are from the start of the first render frame of a scene to that of the last.
	scenes []analyzer.Interval
	// blocked are the hangs of the process, and shorter blocks.
	blocked []analyzer.Interval
}

func activities(t *analyzer.Timeline) map[processKey]*activity {
	list := map[processKey]*activity{}
	of := func(key processKey) *activity {
		if list[key] == nil {
			list[key] = &activity{}
		}
		return list[key]
	}
	for _, i := range t.Interactions {
		n := len(i.Frames)
		if n == 0 || !animated(i) {
			continue
		}
		first, last := i.Frames[0], i.Frames[n-1]
		scene := analyzer.Interval{Start: renderOf(first).Actual.Start, End: renderOf(last).Actual.Start}
		for _, f := range []*analyzer.Frame{first, renderOf(first)} {
			a := of(keyOf(kindOf(f), f.Process))
			a.scenes = append(a.scenes, scene)
		}
	}
	block := func(p *analyzer.Process, i analyzer.Interval) {
		a := of(keyOf(Application, p))
		a.blocked = append(a.blocked, i)
	}
	for _, h := range t.Hangs {
		block(h.Process, h.Interval)
	}
	for _, b := range t.Blocks {
		block(b.Process, b.Interval)
	}
	for _, a := range list {
		a.scenes, a.blocked = union(a.scenes), union(a.blocked)
	}
	return list
}

// renderOf returns the render frame that showed a frame, which may be that itself.
func renderOf(f *analyzer.Frame) *analyzer.Frame { return cmp.Or(f.Render, f) }

// animated reports whether an interaction is an animation from its begin to its end. A launch shows
// one picture. Of a scene without a begin or an end, it is unknown how long it was one.
func animated(i *analyzer.Interaction) bool { return !i.Launch() && i.Begin.Known() && i.End.Known() }

// union joins intervals that overlap, and sorts them.
func union(list []analyzer.Interval) []analyzer.Interval {
	slices.SortFunc(list, func(a, b analyzer.Interval) int { return cmp.Compare(a.Start, b.Start) })
	joined := list[:0]
	for _, i := range list {
		if n := len(joined); n > 0 && i.Start <= joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, i.End)
		} else {
			joined = append(joined, i)
		}
	}
	return joined
}

// firstEnding returns the index of the first of some intervals that ends after a time.
func firstEnding(list []analyzer.Interval, t trace.Time) int {
	n, _ := slices.BinarySearchFunc(list, t+1, func(i analyzer.Interval, t trace.Time) int { return cmp.Compare(i.End, t) })
	return n
}

// inScene reports whether two frames are of one scene.
func (r *records) inScene(a, b *shown) bool {
	if r.animation || r.activity == nil {
		return r.animation
	}
	list := r.activity.scenes
	n := firstEnding(list, b.start-1)
	return n < len(list) && list[n].Start <= a.start
}

// setBusy sets when the process worked on frames that at does not show and, if blocked is true, when
// it was blocked.
func (r *records) setBusy(at func(*shown) trace.Time, blocked bool) {
	r.busy = nil
	if r.animation || len(r.shown) < 2 {
		return // nothing is idle
	}
	if blocked && r.activity != nil {
		r.busy = slices.Clone(r.activity.blocked)
	}
	for i := range r.shown {
		if s := &r.shown[i]; !at(s).Known() && (s.work || s.commit.Known()) {
			r.busy = append(r.busy, analyzer.Interval{Start: s.begun, End: after(s.vsync, s.period)})
		}
	}
	r.busy = union(append(r.busy, r.unshown...))
}

// addUnshown adds a frame that no render frame showed. One that had nothing to draw, and was on
// time, is no work.
func (r *records) addUnshown(f *analyzer.Frame) {
	if j := f.Judgement(); j.Empty == analyzer.No || j.Late == analyzer.Yes || f.Facts.Has(analyzer.Dropped) {
		r.unshown = append(r.unshown, analyzer.Interval{Start: min(vsyncOf(f), f.Actual.Start), End: max(f.End(), f.Deadline)})
	}
}

// idle returns the idle time between two frames that were shown one after the other, at from and
// at to (docs/frames.md 9.6). The period must be known.
func (r *records) idle(a, b *shown, from, to trace.Time, period trace.Duration) (idle trace.Duration) {
	start, end := after(a.vsync, period), b.asked
	if !isIdle(end.Since(start)+period, period) || r.inScene(a, b) {
		return 0
	}
	for n := firstEnding(r.busy, start); start < end; n++ {
		next := end
		if n < len(r.busy) && r.busy[n].Start < end {
			next = r.busy[n].Start
		}
		if d := next.Since(start); d > 0 && isIdle(add(d, period), period) {
			idle = add(idle, d)
		}
		if next == end {
			break
		}
		start = r.busy[n].End
	}
	return min(idle, max(0, to.Since(from)-period))
}
