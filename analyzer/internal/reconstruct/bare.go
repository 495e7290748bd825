package reconstruct

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Frames of a main thread without ReceiveVsync: a trace has none without the tag graphic, as those
// of OH_HiDebug_RequestTrace. docs/frames.md 1.11, 3.11
//
//	OnVsyncEvent now:N             or only      UIVsyncTask[timestamp:N][vsyncID:I]
//	  UIVsyncTask[timestamp:N][vsyncID:I]
//
// They are kept aside until the end of the trace, or its first ReceiveVsync.

// bareFrames are the frames of main threads without ReceiveVsync.
type bareFrames struct {
	off bool // the trace has a ReceiveVsync
	all []*draft
}

// dropBare forgets the frames: the trace has a ReceiveVsync.
func (b *builder) dropBare() {
	if b.bare.off {
		return
	}
	for _, t := range b.touched {
		t.bare, t.lastBare = nil, nil
	}
	b.bare = bareFrames{off: true}
	b.clock.sources[analyzer.ClockOnVsync], b.clock.all[analyzer.ClockOnVsync] = smallest{}, nil
}

// beginBare begins a frame with a slice of a main thread that has the time of a vsync, unless
// one is open.
func (b *builder) beginBare(t *thread, e *hitrace.Event, now trace.Monotonic) {
	if b.bare.off {
		return
	}
	if d := t.bare; d != nil {
		if now == 0 || d.now == 0 || now == d.now {
			return // within that, for another UI instance
		}
		d.frame.Facts |= analyzer.Truncated // its end is lost
		d.receiveEnd, d.handled = e.Time, e.Time
		t.bare = nil
	}
	b.clock.add(analyzer.ClockOnVsync, e, now, t.wasIdle(e))
	t.beginTask(e)
	t.topDraft, t.bareDepth = true, t.open.Depth()
	if d := t.lastBare; d != nil {
		if now != 0 && now == d.now {
			t.bare = d // another UI instance of the same vsync
			return
		}
		t.hasFrames = true // the one before may be in a ReceiveVsync that the trace lacks
	}
	if len(b.bare.all) > b.options.Limits.Frames {
		return
	}
	d := b.draftOf(t, e, e.Time)
	d.bare, d.now = true, now
	t.bare = d
	b.bare.all = append(b.bare.all, d)
}

// endBare ends the open frame with the slice that began it.
func (b *builder) endBare(t *thread, e *hitrace.Event) {
	d := t.bare
	d.receiveEnd, d.handled, d.handledCPU = e.Time, e.Time, b.cpuTime(d, t, e)
	t.bare, t.lastBare = nil, d
}

// frame returns the frame that is open on the thread, nil without one.
func (t *thread) frame() *draft {
	if t.draft != nil {
		return t.draft
	}
	return t.bare
}

// adoptBare adds the frames to those of the trace, which has no ReceiveVsync.
func (b *builder) adoptBare() {
	byThread := map[*thread][]*draft{}
	for _, d := range b.bare.all {
		t := d.thread
		if d.forced {
			continue
		}
		if d == t.bare {
			t.draft = d // it is open, as others that are
		}
		if o := t.orphan; o != nil && len(byThread[t]) == 0 {
			if o.frame.Actual.Start >= d.frame.Actual.Start {
				o.dropped, t.orphan = true, nil // it is made of the same markers
			} else {
				o.receiveEnd = min(o.receiveEnd, d.frame.Actual.Start)
			}
		}
		t.user = true
		d.hasVsync, d.namesReceiver = true, true
		byThread[t] = append(byThread[t], d)
		b.keep(d)
	}
	for _, list := range byThread {
		inferDeadlines(list)
	}
	b.bare.all = nil
}

const (
	// maxBareStep is the longest time between the vsyncs of two frames in a row that is a period.
	maxBareStep = 100 * trace.Millisecond
	// steadySteps is the number of equal times between vsyncs that show a rate, and sureSteps that
	// of a rate which is a part of another one, if vsyncs have no ids.
	steadySteps, sureSteps = 3, 8
	// nearStep is by how many percent equal ones differ, at most: those of the rates 60, 72, 90
	// and 120 Hz differ by 20 % and more.
	nearStep = 8
)

func sameStep(a, b trace.Duration) bool { return (a-b).Abs()*100 <= max(a, b)*nearStep }

// vsyncStep is the time from the vsync of a frame to that of the next one, 0 if that is unknown or no
// period, and the number of vsyncs in between and at its end, 0 if that is unknown.
type vsyncStep struct {
	time   trace.Duration
	vsyncs trace.Duration
}

// period returns the time from one vsync to the next.
func (s vsyncStep) period() trace.Duration { return s.time / max(1, s.vsyncs) }

// inferDeadlines sets the expected end of frames of a thread, in order: a period after the vsync.
//
//	vsyncs   |  |  |     |  |        |  |  |    |    |    |    |    |
//	step      8  8  16    8  24       8  8   11   11   11   11   11
//	period   8  8  8     8  8        8  8  11   11   11   11   11   11   no frame for some vsyncs, 90 Hz
//
// The period is that of a run of equal steps. If it has several vsyncs, most frames of the run are
// longer than the time between these, and late each time, or the application draws at a lower rate.
// For other frames it is the time between vsyncs.
func inferDeadlines(frames []*draft) {
	steps := make([]vsyncStep, len(frames))
	for i := 1; i < len(frames); i++ {
		a, b := frames[i-1], frames[i]
		if step := trace.Duration(b.now - a.now); a.now != 0 && step >= trace.Millisecond && step <= maxBareStep {
			steps[i-1].time = step
			if n := b.frame.VsyncID - a.frame.VsyncID; a.frame.VsyncID != 0 && n > 0 && step/trace.Duration(n) >= trace.Millisecond {
				steps[i-1].vsyncs = trace.Duration(n)
			}
		}
	}
	runs := steadyRuns(steps)
	shortest := shortestStep(steps)
	if shortest == 0 {
		return
	}
	period, slower := make([]trace.Duration, len(frames)), make([]bool, len(frames)) // of frames in a run
	for _, r := range runs {
		n := r.vsyncs
		if n == 0 { // a multiple of another step
			if n = (r.time + shortest/2) / shortest; !sameStep(r.time, n*shortest) {
				n = 1
			}
		}
		p := r.time
		if n > 1 && (r.vsyncs != 0 || r.to-r.from < sureSteps) && mostLonger(frames[r.from:r.to+1], r.time/n) {
			p = r.time / n
		}
		for i := r.from; i <= r.to; i++ {
			if period[i] == 0 || p < period[i] {
				period[i], slower[i] = p, p > r.period()
			}
		}
	}
	last, slow := shortest, false
	if len(runs) > 0 { // frames before the first run have its rate
		last, slow = period[runs[0].from], slower[runs[0].from]
	}
	for i, d := range frames {
		switch {
		case period[i] != 0:
			last, slow = period[i], slower[i]
		case steps[i].vsyncs == 1, steps[i].vsyncs > 1 && !slow:
			last, slow = steps[i].period(), false
		}
		if d.now != 0 {
			d.expectedEnd = d.now + trace.Monotonic(last)
		}
	}
}

// stepRun is a run of equal steps, from the vsync of one frame to that of another.
type stepRun struct {
	from, to  int
	vsyncStep // the median; of vsyncs only if all have the same number
}

func steadyRuns(steps []vsyncStep) (runs []stepRun) {
	for i := 0; i < len(steps); {
		k, vsyncs := i+1, steps[i].vsyncs
		for k < len(steps) && steps[i].time != 0 && sameStep(steps[k].time, steps[i].time) {
			if steps[k].vsyncs != vsyncs {
				vsyncs = 0
			}
			k++
		}
		if steps[i].time != 0 && k-i >= steadySteps {
			runs = append(runs, stepRun{i, k, vsyncStep{timesOf(steps[i:k])[(k-i)/2], vsyncs}})
		}
		i = k
	}
	return runs
}

// timesOf returns the known times of steps, sorted.
func timesOf(steps []vsyncStep) (times []trace.Duration) {
	for _, s := range steps {
		if s.time != 0 {
			times = append(times, s.time)
		}
	}
	slices.Sort(times)
	return times
}

// shortestStep returns the shortest step that another one equals, else the shortest one; 0 without
// steps.
func shortestStep(steps []vsyncStep) trace.Duration {
	times := timesOf(steps)
	for i := 1; i < len(times); i++ {
		if sameStep(times[i-1], times[i]) {
			return times[i-1]
		}
	}
	if len(times) == 0 {
		return 0
	}
	return times[0]
}

// mostLonger reports whether most of the frames took longer than a time.
func mostLonger(frames []*draft, than trace.Duration) bool {
	longer := 0
	for _, d := range frames {
		if d.handled.Sub(d.frame.Actual.Start) > than {
			longer++
		}
	}
	return 2*longer > len(frames)
}
