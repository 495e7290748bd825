package why

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Shown is how a render frame got to the display (docs/why.md 7).
type Shown struct {
	// At is when the display showed the frame, and Due when it would have shown a usual
	// frame. A longer Delay than usual makes Due later. Due is unknown if there are fewer than 8 frames to compare
	// with.
	Due, At trace.Time
	// Delay is the time before the commit in which its thread had nothing to do.
	// render_service puts commits off on purpose. It is 0 for frames that were not shown
	// later than usual.
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
	late  bool // by the time at which it is shown
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

// toCommitted and toShown are the times from the start to the end of the commit and until
// the display shows the frame.
func (p *passing) toCommitted() trace.Duration { return p.marks[4].Sub(p.marks[0]) }
func (p *passing) toShown() trace.Duration     { return p.marks[5].Sub(p.marks[0]) }

// explainShown finds out how render frames got to the display.
func (r *Recorder) explainShown(c *Causes, threads map[trace.TID][]*account, logs map[trace.TID][]*log) {
	type id struct {
		process *analyzer.Process
		period  trace.Duration
	}
	groups := map[id][]*passing{}
	for _, tid := range slices.Sorted(maps.Keys(threads)) {
		for _, a := range threads[tid] {
			if p := newPassing(a.frame, a.span.start); p != nil {
				k := id{p.frame.Process, roundPeriod(p.frame.Period)}
				groups[k] = append(groups[k], p)
				c.Frames[p.frame].Shown = &Shown{At: p.marks[5], Stages: p.stages()}
			}
		}
	}
	var ways []*usualWay
	var chosen []*passing // those whose threads are examined
	for _, group := range groups {
		if w := newUsualWay(group); w != nil {
			for _, p := range group {
				w.compare(p, c.Frames[p.frame].Shown)
			}
			if len(w.late) > 0 {
				ways = append(ways, w)
				chosen = append(chosen, slices.Concat(w.late, w.usuals)...)
			}
		}
	}
	main := r.fillPassings(chosen, threads, logs)
	for _, w := range ways {
		w.finish()
		for _, p := range w.late {
			r.judgeShown(c, w, p, main[p.frame.TID])
		}
	}
}

// fillPassings finds out what the threads did in frames on their way to the display. It
// returns what each main thread did.
func (r *Recorder) fillPassings(list []*passing, threads map[trace.TID][]*account, logs map[trace.TID][]*log) map[trace.TID][]*account {
	slices.SortFunc(list, func(a, b *passing) int {
		return cmp.Or(cmp.Compare(a.span.start, b.span.start), cmp.Compare(a.frame.TID, b.frame.TID))
	})
	work := map[trace.TID][]*account{}
	part := func(tid trace.TID, f *analyzer.Frame, start, actual, end trace.Time, stage place.Stage) *account {
		a := &account{frame: f, span: span{start: start, actual: actual, end: end}, aside: true, stage: stage}
		if start < end {
			work[tid] = append(work[tid], a)
		}
		return a
	}
	before := map[*analyzer.Frame]bool{}
	for _, p := range list {
		// What the main thread did before the frame may belong to earlier frames.
		frames := threads[p.frame.TID]
		i, _ := slices.BinarySearchFunc(frames, p.span.actual, func(a *account, t trace.Time) int { return cmp.Compare(a.span.actual, t) })
		for i--; i >= 0 && frames[i].span.end > p.span.start; i-- {
			if f := frames[i].frame; !before[f] {
				before[f] = true
				part(f.TID, f, frames[i].span.actual, frames[i].span.actual, frames[i].span.end, place.NoStage)
			}
		}
		tids := [4]trace.TID{p.frame.TID, r.passages.drawing[p.frame.Draw.Start], 0, r.passages.committing[p.frame.Commit.Start]}
		tids[2] = tids[3]
		for i, tid := range tids {
			start, end, stage := p.marks[i], p.marks[i+1], steps[i]
			actual := start
			if i == 0 {
				actual, stage = min(p.span.actual, end), place.NoStage
			}
			p.stage[i] = part(tid, p.frame, start, actual, end, stage)
		}
	}
	for tid, list := range work {
		slices.SortStableFunc(list, func(a, b *account) int { return cmp.Compare(a.span.actual, b.span.actual) })
		for i, a := range list {
			a.index = i
		}
		r.fill(list, logs[tid])
	}
	for _, p := range list {
		p.join()
	}
	return work
}

// join collects the cells of all stages, with those of the display.
func (p *passing) join() {
	p.index = p.stage[0].index
	for _, a := range p.stage {
		p.cells = append(p.cells, a.cells...)
		p.delay += a.idle
		p.culprits = append(p.culprits, a.culprits...)
		a.cells, a.culprits = nil, nil
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

// usualWay is how frames of one refresh period usually get to the display.
type usualWay struct {
	*usual
	toShown trace.Duration
	delay   trace.Duration // usual, of the commit
	// inTime is the longest time until the end of the commit of a frame that was shown on
	// time.
	inTime trace.Duration
	steps  [5]trace.Duration
	// usuals are some of the frames that were shown on time, and late those that were shown
	// late, delays included. Before has the frame before each.
	usuals, late []*passing
	before       map[*passing]*passing
}

// maxUsuals is how many frames it is looked into what is usual.
const maxUsuals = 512

// newUsualWay returns what is usual for frames in order of time, nil if they are too few.
func newUsualWay(group []*passing) *usualWay {
	slices.SortStableFunc(group, func(a, b *passing) int { return cmp.Compare(a.span.start, b.span.start) })
	times := make([]trace.Duration, 0, len(group))
	for _, p := range group {
		times = append(times, p.toShown())
	}
	w := &usualWay{usual: &usual{}, toShown: quantile(times, len(times), 1, 2), before: map[*passing]*passing{}}
	var lengths [5][]trace.Duration
	for i, p := range group {
		over := p.toShown() - w.toShown
		if over*2 > p.frame.Period {
			p.late = true
			w.late = append(w.late, p)
			if i > 0 {
				w.before[p] = group[i-1]
			}
		}
		if over.Abs()*2 > p.frame.Period {
			continue
		}
		w.inTime = max(w.inTime, p.toCommitted())
		w.usuals = append(w.usuals, p)
		for i := range lengths {
			lengths[i] = append(lengths[i], p.marks[i+1].Sub(p.marks[i]))
		}
	}
	n := len(w.usuals)
	if n < enoughFrames {
		return nil
	}
	for i := range lengths {
		w.steps[i] = quantile(lengths[i], n, 1, 2)
	}
	w.usuals = thinned(w.usuals, maxUsuals)
	return w
}

// compare sets what the frames alone say of a frame.
func (w *usualWay) compare(p *passing, s *Shown) {
	s.Due = p.marks[0].Add(w.toShown)
	for i := range s.Stages {
		s.Stages[i].Usual = w.steps[i]
	}
}

// finish computes what is usual on the threads.
func (w *usualWay) finish() {
	var delays []trace.Duration
	for _, p := range w.usuals {
		w.references = append(w.references, &p.account)
		delays = append(delays, p.delay)
	}
	w.delay = quantile(delays, len(delays), 1, 2)
	w.compute()
}

// judgeShown finds the causes of a frame that was shown late. A longer delay than usual is
// on purpose.
func (r *Recorder) judgeShown(c *Causes, w *usualWay, p *passing, main []*account) {
	s := c.Frames[p.frame].Shown
	s.Delay = p.delay
	s.Due = s.Due.Add(max(p.delay-w.delay, 0))
	late := s.At.Sub(s.Due)
	if late*2 <= p.frame.Period {
		return
	}
	s.Late = late
	values := p.components()
	usuals := w.within(w.toShown-w.delay, values)
	inTime := p.toCommitted() <= w.inTime+noiseFloor
	before := w.before[p]
	first := -1
	for _, x := range w.shares(values, usuals, s.Late) {
		share := r.detail(&p.account, main, w.usual, x)
		if share.Stage == place.Display && share.Wait == place.WaitFence && before != nil && before.late && before.marks[5] > s.Due.Add(-p.frame.Period/2) {
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
