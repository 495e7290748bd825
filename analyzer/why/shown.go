package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Shown is how a render frame got to the display (docs/why.md 7).
type Shown struct {
	// At is when the display showed the frame, and Due when it would have shown a usual
	// frame with the same Delay. Due is unknown if there are fewer than 8 frames to compare
	// with.
	Due, At trace.Time
	// Delay is the time before the commit in which its thread had nothing to do.
	// render_service puts commits off on purpose.
	Delay trace.Duration
	// Late is At − Due if that is more than half a refresh period, otherwise 0.
	Late trace.Duration
	// Stages are the steps from the frame's start to At, in order. Their sum is
	// At − Explanation.Start.
	Stages []ShownStage
	// Shares are the causes of Late: first the one that stands for the frame, then the
	// largest. Their sum is Late. It is nil for a frame that was not shown late.
	Shares []Share
}

// ShownStage is a step on the way to the display: place.Frame on the main thread,
// place.Draw, place.CommitWait, place.Composer and place.Display.
type ShownStage struct {
	Stage place.Stage
	// Time is the length of the step, Usual that in frames that are shown on time, and
	// After the part of Time that lies after the frame's deadline.
	Time, Usual, After trace.Duration
}

// passing is a render frame on its way to the display.
//
//	start    actual   drawing   drawn    committing  committed     shown
//	  │ main thread    │ draw     │ wait     │ commit     │ display   │
type passing struct {
	account
	marks [6]trace.Time // the times above, without actual
	stage [4]*account   // what the threads did in the first four steps
	delay trace.Duration
}

// steps are the stages between the marks of a passing.
var steps = [5]place.Stage{place.Frame, place.Draw, place.CommitWait, place.Composer, place.Display}

// newPassing returns the way of a frame to the display, nil if a part of it is unknown.
func newPassing(f *analyzer.Frame, start trace.Time) *passing {
	if f.Kind != analyzer.RenderFrame || f.Android != nil || !f.Present.Known() || f.PresentEstimated || !f.Commit.Known() || f.Present <= start {
		return nil
	}
	p := &passing{}
	p.frame = f
	p.span = span{start: start, actual: max(f.Actual.Start, start), end: f.Present}
	drawing, drawn := f.Actual.End, f.Actual.End
	if f.Draw.Known() {
		drawing, drawn = f.Draw.Start, f.Draw.End
	}
	// A commit may begin before the drawing thread has finished, and the display may show
	// the frame before the commit ends. Each mark is at most the next one.
	shown := f.Present
	committed := min(f.Commit.End, shown)
	committing := max(min(f.Commit.Start, committed), p.span.actual)
	committed = max(committed, committing)
	drawn = max(min(drawn, committing), p.span.actual)
	drawing = max(min(drawing, drawn), p.span.actual)
	p.marks = [...]trace.Time{start, drawing, drawn, committing, committed, shown}
	return p
}

func (p *passing) stages() []ShownStage {
	var list []ShownStage
	for i, stage := range steps {
		s := ShownStage{Stage: stage, Time: p.marks[i+1].Sub(p.marks[i])}
		if d := p.frame.Deadline; d.Known() {
			s.After = max(p.marks[i+1].Sub(max(p.marks[i], d)), 0)
		}
		list = append(list, s)
	}
	return list
}

// toCommitted is the time from the start to the end of the commit, without the delay.
func (p *passing) toCommitted() trace.Duration { return p.marks[4].Sub(p.marks[0]) - p.delay }

// toShown is the time from the start until the display shows the frame, without the delay.
func (p *passing) toShown() trace.Duration { return p.marks[5].Sub(p.marks[0]) - p.delay }

// explainShown finds out how render frames got to the display.
func (r *Recorder) explainShown(c *Causes, threads map[trace.TID][]*account, logs map[trace.TID][]*log) {
	var all []*passing
	work := map[trace.TID][]*account{}
	for _, list := range threads {
		for _, a := range list {
			if p := newPassing(a.frame, a.span.start); p != nil {
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, func(a, b *passing) int {
		return cmp.Or(cmp.Compare(a.span.start, b.span.start), cmp.Compare(a.frame.TID, b.frame.TID))
	})
	for _, p := range all {
		tids := [4]trace.TID{p.frame.TID, r.passages.drawing[p.frame.Draw.Start], 0, r.passages.committing[p.frame.Commit.Start]}
		tids[2] = tids[3]
		for i, tid := range tids {
			a := &account{frame: p.frame, span: span{start: p.marks[i], actual: p.marks[i], end: p.marks[i+1]}, by: map[cellID]int32{}, aside: true}
			if i == 0 {
				a.span.actual = min(p.span.actual, a.span.end)
			} else {
				a.stage = steps[i]
			}
			p.stage[i] = a
			if a.span.start < a.span.end {
				work[tid] = append(work[tid], a)
			}
		}
	}
	for tid, list := range work {
		slices.SortStableFunc(list, func(a, b *account) int { return cmp.Compare(a.span.actual, b.span.actual) })
		for i, a := range list {
			a.index = i
		}
		r.fill(list, logs[tid])
	}
	type id struct {
		process *analyzer.Process
		period  trace.Duration
	}
	groups := map[id][]*passing{}
	for _, p := range all {
		p.join()
		k := id{p.frame.Process, roundPeriod(p.frame.Period)}
		groups[k] = append(groups[k], p)
		c.Frames[p.frame].Shown = &Shown{At: p.marks[5], Delay: p.delay, Stages: p.stages()}
	}
	for _, group := range groups {
		if u := usualPassing(group); u != nil {
			for i, p := range group {
				var before *passing
				if i > 0 {
					before = group[i-1]
				}
				r.judgeShown(c, u, p, before, work)
			}
		}
	}
}

// join collects the cells of all stages, with those of the display.
func (p *passing) join() {
	p.index = p.stage[0].index
	for _, a := range p.stage {
		p.cells = append(p.cells, a.cells...)
		p.delay += a.idle
		p.culprits = append(p.culprits, a.culprits...)
	}
	done := p.marks[4]
	for _, g := range p.frame.GPU {
		done = max(done, min(g.End, p.marks[5]))
	}
	for _, c := range []cell{
		{stage: place.Display, wait: place.GPU, time: done.Sub(p.marks[4])},
		{stage: place.Display, wait: place.WaitFence, time: p.marks[5].Sub(done)},
	} {
		if c.time > 0 {
			p.cells = append(p.cells, c)
		}
	}
}

// usualWay is how frames usually get to the display.
type usualWay struct {
	*usual
	toShown trace.Duration
	// inTime is the longest time until the end of the commit of a frame that was shown on
	// time.
	inTime trace.Duration
	steps  [5]trace.Duration
}

// usualPassing returns what is usual for frames of one refresh period, nil if they are too
// few.
func usualPassing(group []*passing) *usualWay {
	times := make([]trace.Duration, 0, len(group))
	for _, p := range group {
		times = append(times, p.toShown())
	}
	w := &usualWay{usual: &usual{}, toShown: quantile(times, len(times), 1, 2)}
	var lengths [5][]trace.Duration
	for _, p := range group {
		if w.late(p) > 0 || (p.toShown()-w.toShown)*2 < -p.frame.Period {
			continue
		}
		w.inTime = max(w.inTime, p.toCommitted())
		w.references = append(w.references, &p.account)
		for i := range lengths {
			lengths[i] = append(lengths[i], p.marks[i+1].Sub(p.marks[i]))
		}
	}
	n := len(w.references)
	if n < enoughFrames {
		return nil
	}
	for i := range lengths {
		w.steps[i] = quantile(lengths[i], n, 1, 2)
	}
	w.references = thinned(w.references)
	w.compute()
	return w
}

// late returns by how much a frame was shown late: 0 if by half a refresh period or less.
func (w *usualWay) late(p *passing) trace.Duration {
	if over := p.toShown() - w.toShown; over*2 > p.frame.Period {
		return over
	}
	return 0
}

// judgeShown finds the causes of a frame that was shown late. before is the frame before
// it.
func (r *Recorder) judgeShown(c *Causes, w *usualWay, p, before *passing, work map[trace.TID][]*account) {
	s := c.Frames[p.frame].Shown
	s.Late = w.late(p)
	s.Due = p.marks[5].Add(w.toShown - p.toShown())
	for i := range s.Stages {
		s.Stages[i].Usual = w.steps[i]
	}
	if s.Late == 0 {
		return
	}
	values := p.components()
	usuals := w.within(w.toShown, values)
	main := work[p.frame.TID]
	inTime := p.toCommitted() <= w.inTime
	first := -1
	for _, x := range w.shares(values, usuals, s.Late) {
		share := r.detail(&p.account, main, w.usual, x)
		if share.Stage == place.Display && share.Wait == place.WaitFence && before != nil && w.late(before) > 0 && before.marks[5] > s.Due.Add(-p.frame.Period/2) {
			share.Earlier = before.frame
		}
		if first < 0 && share.stands(inTime) {
			first = len(s.Shares)
		}
		s.Shares = append(s.Shares, share)
	}
	if first > 0 {
		cause := s.Shares[first]
		s.Shares = slices.Insert(slices.Delete(s.Shares, first, first+1), 0, cause)
	}
}

// stands reports whether a share can be the cause of a frame that was shown late. A frame
// whose commit was too late for its refresh waits for the next one, so that waiting for the
// display is a consequence. A frame that was committed in time was shown late by the
// display.
func (s *Share) stands(inTime bool) bool {
	switch {
	case s.Wait == place.Variation:
		return false
	case s.Stage == place.Display && s.Wait == place.WaitFence:
		return inTime
	}
	return !inTime || s.Stage == place.Display
}
