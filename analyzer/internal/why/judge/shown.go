package judge

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// passing is a render frame on its way to the display.
//
//	start    actual   drawing   drawn    committing  committed     shown
//	  │ main thread    │ draw     │ wait     │ commit     │ display   │
type passing struct {
	frame         *analyzer.Frame
	start, actual trace.Time
	marks         [6]trace.Time // the times above, without actual
	late          bool          // by the time at which it is shown
	// last is the buffer of the frame that was ready last; nil if no such time is known.
	last *analyzer.Buffer
	// Account covers the whole way. It is nil if the threads of the frame are not examined.
	*account.Account
}

// stages are those between the marks of a passing.
var stages = [5]why.Stage{why.StageFrame, why.StageDraw, why.StageCommitWait, why.StageComposer, why.StageDisplay}

// newPassing returns the way of a frame to the display, nil if a part of it is unknown.
func newPassing(f *analyzer.Frame, start trace.Time) *passing {
	actual := max(f.Actual.Start, start)
	if f.Kind != analyzer.RenderFrame || f.Android != nil || !f.Present.Known() || f.PresentEstimated || !f.Commit.Known() || f.Present <= actual {
		return nil
	}
	p := &passing{frame: f, start: start, actual: actual}
	p.marks = marks(f, start, p.actual, f.Present)
	return p
}

// marks returns the times at which a frame passes from one step to the next.
func marks(f *analyzer.Frame, start, actual, shown trace.Time) [6]trace.Time {
	drawing, drawn, commit := f.Actual.End, f.Actual.End, f.Commit
	if f.Draw.Known() {
		drawing, drawn = f.Draw.Start, f.Draw.End
	}
	if !commit.Known() {
		commit = analyzer.Interval{Start: drawn, End: drawn}
	}
	// A commit may begin before the drawing thread has finished, and the display may show
	// the frame before the commit ends. Each mark is at most the next one.
	committed := min(commit.End, shown)
	committing := max(min(commit.Start, committed), actual)
	committed = max(committed, committing)
	drawn = max(min(drawn, committing), actual)
	drawing = max(min(drawing, drawn), actual)
	return [...]trace.Time{start, drawing, drawn, committing, committed, shown}
}

func (p *passing) steps() []why.Step {
	list := make([]why.Step, len(why.ShownSteps))
	for i, name := range why.ShownSteps {
		list[i] = why.Step{Name: name, Start: p.marks[i], Time: p.marks[i+1].Sub(p.marks[i])}
	}
	return list
}

// ready returns until when the display waited for the GPU, at least the end of the commit: for
// that of the frame, and for those of the producers of its buffers.
func (p *passing) ready() trace.Time {
	done := p.marks[4]
	for _, g := range p.frame.GPU {
		done = max(done, min(g.End, p.marks[5]))
	}
	if p.last != nil {
		done = max(done, min(p.last.Ready, p.marks[5]))
	}
	return done
}

// toCommitted, toReady and toShown are the times from the start to the end of the commit, until
// all GPU work is done, and until the display shows the frame.
func (p *passing) toCommitted() trace.Duration { return p.marks[4].Sub(p.marks[0]) }
func (p *passing) toReady() trace.Duration     { return p.ready().Sub(p.marks[0]) }
func (p *passing) toShown() trace.Duration     { return p.marks[5].Sub(p.marks[0]) }

// explainShown finds out how render frames got to the display.
func (j *judge) explainShown(t *analyzer.Timeline) {
	last := lastReady(t)
	type id struct {
		process *analyzer.Process
		period  trace.Duration
	}
	groups := map[id][]*passing{}
	for _, tid := range slices.Sorted(maps.Keys(j.book.Threads)) {
		for _, a := range j.book.Threads[tid] {
			if p := newPassing(a.Frame, a.Start); p != nil {
				p.last = last[p.frame]
				k := id{p.frame.Process, roundPeriod(p.frame.Period)}
				groups[k] = append(groups[k], p)
				j.causes.Frames[p.frame].Shown = &why.Explanation{Start: p.marks[0], End: p.marks[5], Steps: p.steps()}
			}
		}
	}
	var ways []*usualWay
	var chosen []*passing // those whose threads are examined
	for _, group := range groups {
		if w := newUsualWay(group); w != nil {
			for _, p := range group {
				w.compare(p, j.causes.Frames[p.frame].Shown)
			}
			if len(w.late) > 0 {
				ways = append(ways, w)
				chosen = append(chosen, slices.Concat(w.late, w.usuals)...)
			}
		}
	}
	j.distribute(chosen)
	for _, w := range ways {
		w.finish(&j.values)
		for _, p := range w.late {
			j.judgeShown(w, p)
		}
	}
	j.findShownRoots(ways)
}

// findShownRoots follows what made frames late to be shown to the first of the frames. Each is later
// than those that it comes from.
func (j *judge) findShownRoots(ways []*usualWay) {
	var late []*passing
	for _, w := range ways {
		late = append(late, w.late...)
	}
	slices.SortStableFunc(late, func(a, b *passing) int { return cmp.Compare(a.marks[0], b.marks[0]) })
	for _, p := range late {
		e := j.causes.Frames[p.frame]
		if !e.ShownLate() {
			continue
		}
		if earlier := j.causes.Of(e.Shown.Shares[0].Earlier); earlier.ShownLate() {
			e.Shown.Outcome = why.KnockOn
			e.Shown.Root = cmp.Or(earlier.Shown.Root, earlier.Frame)
			e.Shown.Confidence = max(e.Shown.Confidence, earlier.Shown.Confidence)
		}
	}
}

// lastReady returns the buffer of each render frame that was ready last.
func lastReady(t *analyzer.Timeline) map[*analyzer.Frame]*analyzer.Buffer {
	last := map[*analyzer.Frame]*analyzer.Buffer{}
	for _, l := range t.Layers {
		for _, b := range l.Buffers {
			if before := last[b.Render]; b.Render != nil && b.Ready.Known() && b.Fate == analyzer.Shown && (before == nil || b.Ready > before.Ready) {
				last[b.Render] = b
			}
		}
	}
	return last
}

// distribute finds out what the threads did in frames on their way to the display.
func (j *judge) distribute(list []*passing) {
	slices.SortFunc(list, func(a, b *passing) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.frame.TID, b.frame.TID))
	})
	work := map[trace.TID][]*account.Account{}
	add := func(tid trace.TID, f *analyzer.Frame, start, actual, end trace.Time, stage why.Stage) *account.Account {
		a := account.PartOfWay(f, start, actual, end, stage)
		if start < end {
			work[tid] = append(work[tid], a)
		}
		return a
	}
	earlier := map[*analyzer.Frame]bool{}
	steps := make([][4]*account.Account, len(list)) // of the first four steps
	for n, p := range list {
		p.Account = account.PartOfWay(p.frame, p.start, p.actual, p.frame.Present, why.NoStage)
		// What the main thread did before the frame may belong to earlier frames.
		frames := j.book.Threads[p.frame.TID]
		i, _ := slices.BinarySearchFunc(frames, p.actual, func(a *account.Account, t trace.Time) int { return cmp.Compare(a.Actual, t) })
		for i--; i >= 0 && frames[i].End > p.start; i-- {
			if f := frames[i].Frame; !earlier[f] {
				earlier[f] = true
				add(f.TID, f, frames[i].Actual, frames[i].Actual, frames[i].End, why.NoStage)
			}
		}
		committing := j.record.Committing(p.frame.Commit.Start)
		for i, tid := range [4]trace.TID{p.frame.TID, j.record.Drawing(p.frame.Draw.Start), committing, committing} {
			start, end, stage := p.marks[i], p.marks[i+1], stages[i]
			actual := start
			if i == 0 {
				actual, stage = min(p.actual, end), why.NoStage
			}
			steps[n][i] = add(tid, p.frame, start, actual, end, stage)
			if p.late {
				steps[n][i].Explain()
			}
		}
	}
	for tid, list := range work {
		j.book.Distribute(tid, list)
	}
	for n, p := range list {
		p.Join(steps[n][:])
		p.addDisplay()
	}
}

func (p *passing) addDisplay() {
	done := p.ready()
	p.Add(why.StageDisplay, why.WaitGPU, done.Sub(p.marks[4]))
	p.Add(why.StageDisplay, why.WaitFence, p.marks[5].Sub(done))
}

// usualWay is how frames of one refresh period usually get to the display.
type usualWay struct {
	*usual
	toShown trace.Duration
	delay   trace.Duration // usual, of the commit
	// inTime is the longest time until the end of the commit of a frame that was shown on
	// time, and readyInTime that until all GPU work was done.
	inTime, readyInTime trace.Duration
	// latest is the longest time until all is ready with which a frame still makes its refresh, without a
	// longer delay than usual.
	latest trace.Duration

	steps [5]trace.Duration
	// usuals are some of the frames that were shown on time, and late those that were shown
	// late, delays included. Before has the frame before each.
	usuals, late []*passing
	before       map[*passing]*passing
}

// maxUsuals is the number of frames on time from which usual times are computed.
const maxUsuals = 512

// newUsualWay returns what is usual for frames in order of time, nil if they are too few.
func newUsualWay(group []*passing) *usualWay {
	slices.SortStableFunc(group, func(a, b *passing) int { return cmp.Compare(a.start, b.start) })
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
		w.inTime, w.readyInTime = max(w.inTime, p.toCommitted()), max(w.readyInTime, p.toReady())
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
	w.findLatest()
	return w
}

// findLatest sets w.latest. A frame makes a refresh if it is ready before that, as far as the trace shows:
// if one was ready before and missed it, how much earlier the display needs frames is unknown, so that only
// those are sure that are ready as early as all that were shown on time. A frame after another one that was
// shown late may have missed its refresh because of that.
func (w *usualWay) findLatest() {
	w.latest = w.toShown
	for _, p := range w.late {
		if before := w.before[p]; before != nil && before.late || p.toReady() <= w.readyInTime+noiseFloor {
			continue
		}
		if period := p.frame.Period; p.toReady()-max(p.toShown()-w.toShown-period, 0) <= w.toShown-noiseFloor {
			w.latest = w.readyInTime + noiseFloor
			return
		}
	}
}

// saved returns by how much less a frame would be shown late if it had been ready earlier by a time. The
// display shows it a whole number of refreshes late.
func (w *usualWay) saved(p *passing, s *why.Explanation, earlier trace.Duration) trace.Duration {
	over := p.toReady() - earlier - w.latest - max(s.Delay-w.delay, 0)
	if over <= 0 {
		return s.Lost
	}
	period := p.frame.Period
	late := (over + period - 1) / period * period
	if s.Lost-late < period/2 {
		return 0 // refreshes are not exactly as long as their period
	}
	return s.Lost - late
}

// compare sets what the frames alone say of a frame.
func (w *usualWay) compare(p *passing, s *why.Explanation) {
	s.Due = p.marks[0].Add(w.toShown)
	for i := range s.Steps {
		s.Steps[i].Usual = w.steps[i]
	}
}

// finish computes what is usual on the threads.
func (w *usualWay) finish(v *values) {
	var delays []trace.Duration
	for _, p := range w.usuals {
		w.references = append(w.references, p.Account)
		delays = append(delays, p.Idle())
	}
	w.delay = quantile(delays, len(delays), 1, 2)
	w.compute(v)
}

// judgeShown finds the causes of a frame that was shown late. A longer delay than usual is
// on purpose.
func (j *judge) judgeShown(w *usualWay, p *passing) {
	s := j.causes.Frames[p.frame].Shown
	s.Delay = p.Idle()
	s.Due = s.Due.Add(max(p.Idle()-w.delay, 0))
	late := s.End.Sub(s.Due)
	if late*2 <= p.frame.Period {
		return
	}
	s.Lost, s.Outcome = late, why.NotKnown
	values := sums(nil).components(p.Account)
	usuals, _ := w.within(w.toShown-w.delay, values)
	inTime, readyInTime := p.toCommitted() <= w.inTime+noiseFloor, p.toReady() <= w.readyInTime+noiseFloor
	list := w.shares(values, usuals, s.Lost)
	caused := slices.DeleteFunc(slices.Clone(list), func(x excess) bool { return !stands(&x, inTime, readyInTime) })
	if len(caused) > 0 && len(caused) < len(list) {
		list = caused
		divideLost(list, s.Lost)
	}
	s.Shares = j.allDetails(&judged{
		Account: p.Account, of: w.usual, values: values, usuals: usuals, late: s.Lost,
		saved: func(earlier trace.Duration) trace.Duration { return w.saved(p, s, earlier) },
	}, list)
	if len(s.Shares) > 0 {
		s.Outcome, s.Confidence = why.OneCause, j.confidence(p.Account, s, &s.Shares[0], list)
		if s.Shares[0].Wait == why.WaitUnknown {
			s.Confidence = lowest
		}
	}
	for i := range s.Shares {
		share := &s.Shares[i]
		share.Earlier = cmp.Or(share.Earlier, w.stillBusy(p, share, s.Due))
	}
	if len(s.Shares) > 0 && s.Shares[0].Stage == why.StageDisplay && s.Shares[0].Wait == why.WaitGPU && p.last != nil && min(p.last.Ready, p.marks[5]) == p.ready() {
		s.Shares[0].Waited = p.last
	}
}

// stillBusy returns the frame that the display, the GPU or the threads that draw and commit were still busy
// with in most of the time of a share; nil if it was none that was shown late.
func (w *usualWay) stillBusy(p *passing, s *why.Share, due trace.Time) *analyzer.Frame {
	before := w.before[p]
	if before == nil || !before.late {
		return nil
	}
	switch {
	case s.Stage == why.StageHandOver: // without scheduling events, nothing says whom the main thread waited for
		if overlap(p.marks[0], p.marks[1], before.frame.Draw)*2 > s.Value {
			return before.frame
		}
	case s.Stage == why.StageDisplay && s.Wait == why.WaitFence:
		if before.marks[5] > due.Add(-p.frame.Period/2) {
			return before.frame
		}
	case s.Stage == why.StageDisplay && s.Wait == why.WaitGPU:
		if overlap(p.marks[4], p.ready(), before.frame.GPU...)*2 > p.ready().Sub(p.marks[4]) {
			return before.frame
		}
	case s.Stage == why.StageCommitWait:
		var commits []analyzer.Interval
		for x := before; x != nil && x.late && len(commits) < maxCommits; x = w.before[x] {
			commits = append(commits, x.frame.Commit)
		}
		if overlap(p.marks[2], p.marks[3], commits...)*2 > p.marks[3].Sub(p.marks[2])-p.Idle() {
			return before.frame
		}
	}
	return nil
}

// maxCommits bounds the commits that a frame may wait for.
const maxCommits = 8

// overlap returns how much of the time from start to end is in the intervals, which do not overlap.
func overlap(start, end trace.Time, list ...analyzer.Interval) (sum trace.Duration) {
	for _, i := range list {
		sum += max(min(end, i.End).Sub(max(start, i.Start)), 0)
	}
	return sum
}

// stands reports whether a step can be the cause of a frame that was shown late. A frame
// whose commit or GPU work was too late for its refresh waits for the next one, so that waiting
// for the display is a consequence. A frame that was in time was shown late by the display.
func stands(x *excess, inTime, readyInTime bool) bool {
	switch {
	case x.Wait == why.Variation:
		return false
	case x.Stage == why.StageDisplay && x.Wait == why.WaitFence:
		return inTime && readyInTime
	}
	return !inTime || x.Stage == why.StageDisplay
}
