package sampling_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// usual is a scene that is aligned on any clock.
var usual = scene{
	threads: []workload{frames, frames, worker}, recorded: 3, length: 5 * trace.Second, to: 5 * trace.Second,
	frequency: 1000, states: true, hertz: 60, clock: sample.ClockPerf,
}

func (p *pair) aligned(t *testing.T, source sample.Source, warnings ...string) {
	t.Helper()
	worst, err := p.align(nil)
	if err != nil || worst > p.period || p.rec.Alignment.Source != source || len(p.rec.Samples) < 50 {
		t.Fatalf("%v, off by %d ns, %+v, %d samples", err, worst, p.rec.Alignment, len(p.rec.Samples))
	}
	p.expectWarnings(t, warnings...)
}

func (p *pair) expectWarnings(t *testing.T, warnings ...string) {
	t.Helper()
	ok := len(p.rec.Warnings) == len(warnings)
	for _, w := range warnings {
		ok = ok && p.warned(w)
	}
	if !ok {
		t.Errorf("warnings %q, want %q", p.rec.Warnings, warnings)
	}
}

func (p *pair) refused(t *testing.T, given *trace.Duration, reason string) {
	t.Helper()
	_, err := p.align(given)
	var f *diag.Error
	if !errors.As(err, &f) || !strings.Contains(f.What, reason) {
		t.Fatalf("%v %+v, want %q", err, p.rec.Alignment, reason)
	}
	if given == nil && f.Hint != diag.SamplesOffset && !strings.Contains(reason, "several traces") {
		t.Errorf("hint %q", f.Hint)
	}
}

// A given offset is used as it is.
func TestAlignGiven(t *testing.T) {
	p := usual.pair()
	worst, err := p.align(&p.offset)
	if a := p.rec.Alignment; err != nil || worst != 0 || a.Source != sample.Given || a.Offset != p.offset || a.Drift != 0 || a.HitRate() != 1 {
		t.Errorf("%v %v %+v", worst, err, a)
	}
	p.expectWarnings(t)

	p = usual.pair()
	offset := p.offset + 30*trace.Millisecond
	worst, err = p.align(&offset)
	if a := p.rec.Alignment; err != nil || worst != 30*trace.Millisecond || a.Offset != offset || a.HitRate() > 0.8 || a.Checked < 1000 {
		t.Errorf("%v %v %+v", worst, err, a)
	}
	p.expectWarnings(t, "at the given offset, only")

	for _, offset := range []trace.Duration{0, math.MaxInt64, math.MinInt64, 1 << 61} {
		p = usual.pair()
		offset += p.offset / 2
		p.refused(t, &offset, "no sample is within the trace at the given offset")
	}
}

// Samples outside of the trace are dropped and counted.
func TestAlignDropsOutside(t *testing.T) {
	c := usual
	c.from, c.to = -trace.Second, 6*trace.Second
	for _, clock := range []sample.ClockID{sample.ClockPerf, sample.ClockMonotonic} {
		c.clock = clock
		p := c.pair()
		inside := 0
		for _, at := range p.truth {
			if span := p.timeline.Span; span.Start <= at && at <= span.End {
				inside++
			}
		}
		must.Get(p.align(nil))(t)
		// The clock is exact to some 50 µs: a sample at an end of the trace may be either.
		if got := len(p.rec.Samples); got < inside-2 || got > inside+2 || got+p.rec.Alignment.Outside != p.samples || inside > p.samples*8/10 {
			t.Errorf("%s: %d samples, want %d of %d; %+v", clock, got, inside, p.samples, p.rec.Alignment)
		}
		if !slices.IsSortedFunc(p.rec.Samples, func(a, b sample.Sample) int { return int(a.Time - b.Time) }) {
			t.Error("not in order of time")
		}
	}
}

// What cannot be checked is used on a stated clock only, with a warning.
func TestAlignUnchecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*pair)
		reason string
	}{
		"no switches":    {func(p *pair) { p.running = sampling.NewRunning(trace.Limits{}) }, "the trace has no sched_switch events"},
		"waiting":        {func(p *pair) { p.rec.Profile.Events[0].Waiting = true }, "threads have samples also while they wait"},
		"few samples":    {func(p *pair) { p.rec.Samples = p.rec.Samples[:30] }, "only 30 samples are of threads that ran"},
		"no sample each": {func(p *pair) { p.eachSample(func(s *sample.Sample) { s.CPU = 200 }) }, "only 0 samples are of threads that ran"},
	} {
		p := usual.pair()
		c.change(p)
		if name == "no switches" || name == "waiting" {
			p.refused(t, nil, "the offset of the samples to the trace is unknown: "+c.reason)
		} else {
			p.refused(t, nil, "the recording does not state its clock, and ")
		}
		u := usual
		u.clock = sample.ClockMonotonic
		p = u.pair()
		c.change(p)
		if worst, err := p.align(nil); err != nil || worst != 0 || p.rec.Alignment.Source != sample.Stated {
			t.Errorf("%s: %v %v", name, worst, err)
		}
		p.expectWarnings(t, c.reason)
	}
}

// Samples of threads that the trace does not have are refused, also on a stated clock.
func TestAlignOtherThreads(t *testing.T) {
	for name, change := range map[string]func(*sample.Sample){
		"other threads": func(s *sample.Sample) { s.TID += 100 },
		"idle threads":  func(s *sample.Sample) { s.PID, s.TID = 0, 0 },
	} {
		for _, clock := range []sample.ClockID{sample.ClockPerf, sample.ClockMonotonic} {
			t.Run(fmt.Sprint(name, " ", clock), func(t *testing.T) {
				u := usual
				u.clock = clock
				p := u.pair()
				p.eachSample(change)
				const want = "the samples are of another recording or device: none of their threads ran in the trace"
				if _, err := p.align(nil); err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			})
		}
	}
}

func (p *pair) eachSample(change func(*sample.Sample)) {
	for i := range p.rec.Samples {
		change(&p.rec.Samples[i])
	}
}

func TestAlignEmpty(t *testing.T) {
	p := usual.pair()
	p.rec.Samples = nil
	if _, err := p.align(nil); err != nil {
		t.Error(err)
	}
	p.expectWarnings(t, "the recording has no samples")
}

// A clock is converted by what the trace states.
func TestAlignStatedClocks(t *testing.T) {
	c := usual
	c.clock = sample.ClockMonotonic
	p := c.pair()
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; a.Offset != 3*trace.Second || a.Drift != 0 {
		t.Errorf("%+v", a)
	}

	// The offset of the trace is inferred, and a millisecond too much.
	p = c.pair()
	p.timeline.Clock.Offset += trace.Millisecond
	p.timeline.Parts = nil
	p.aligned(t, sample.Stated)

	// The clock of the trace drifts against CLOCK_MONOTONIC by 200 µs in a second.
	c.drift = 200_000
	p = c.pair()
	middle := trace.Monotonic(p.truth[0] + (p.timeline.Span.End-p.timeline.Span.Start)/2 - trace.Time(3*trace.Second))
	p.timeline.Clock.From, p.timeline.Clock.Drift, p.timeline.Parts = middle, c.drift, nil
	p.aligned(t, sample.Stated)

	c = usual
	c.clock = sample.ClockBoot
	p = c.pair()
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; a.Offset != 0 {
		t.Errorf("%+v", a)
	}

	// Nothing states the relation of boot time to a trace on CLOCK_MONOTONIC.
	c.wrong = 7 * trace.Second
	p = c.pair()
	p.timeline.Clock = analyzer.ClockOffset{Source: analyzer.ClockMono}
	p.aligned(t, sample.Found, "the samples are of another time")

	// Nothing states the relation of this clock to others.
	c = usual
	c.clock = sample.ClockRaw
	c.pair().aligned(t, sample.Found)
}

// The wall clock of a trace is exact to the millisecond.
func TestAlignRealtime(t *testing.T) {
	c := usual
	c.clock = sample.ClockRealtime
	p := c.pair()
	at := p.timeline.Span.Start
	p.timeline.Wall = analyzer.WallClock{At: at, Unix: int64(at.Add(-p.offset - 800*trace.Microsecond))}
	p.aligned(t, sample.Stated)

	c.pair().aligned(t, sample.Found)
}

// A stated clock that does not fit is not used. If another offset fits, that is.
func TestAlignWrongClock(t *testing.T) {
	for _, wrong := range []trace.Duration{40 * trace.Millisecond, -trace.Second, 3600 * trace.Second} {
		c := usual
		c.clock, c.wrong = sample.ClockMonotonic, wrong
		p := c.pair()
		worst, err := p.align(nil)
		if err != nil || worst > p.period || p.rec.Alignment.Source != sample.Found || !p.warned("another offset fits, and is used") {
			t.Errorf("%v %v %+v", worst, err, p.rec)
		}
	}
	c := usual
	c.clock, c.otherBoot = sample.ClockMonotonic, true
	c.pair().refused(t, nil, "the samples are of another recording or boot: at the stated clock, monotonic, ")
	c.wrong = 3600 * trace.Second
	c.pair().refused(t, nil, "the samples are of another time, or of another boot of the device: from ")
}

// Why no offset is found.
func TestAlignReasons(t *testing.T) {
	for reason, change := range map[string]func(*scene){
		"the recording does not state its clock, and no offset fits":        func(c *scene) { c.otherBoot = true },
		"the offset of the stated clock, tai, is unknown, and no offset fi": func(c *scene) { c.otherBoot, c.clock = true, sample.ClockTAI },
		"several offsets fit, such as ":                                     func(c *scene) { c.threads, c.recorded = []workload{periodic}, 1 },
		"the threads of the recording ran all the time":                     func(c *scene) { c.threads, c.recorded = []workload{spinning}, 1 },
		"too few to find it":                                                func(c *scene) { c.frequency = 20 },
	} {
		c := usual
		change(&c)
		c.pair().refused(t, nil, reason)
	}
}

// Samples of a part of the recording must not be wrong, as if the device sleeps.
func TestAlignJump(t *testing.T) {
	for _, from := range []float64{0.5, 0.9} {
		p := usual.pair()
		n := int(from * float64(len(p.rec.Samples)))
		for i := range p.rec.Samples[n:] {
			p.rec.Samples[n+i].Time += trace.Time(150 * trace.Millisecond)
		}
		if _, err := p.align(nil); err == nil {
			t.Errorf("%v: %+v", from, p.rec.Alignment)
		}
	}
	// The trace has the jump, too, and knows it.
	c := usual
	c.clock = sample.ClockMonotonic
	p := c.pair()
	p.sleep(p.timeline.Span.Start.Add(2*trace.Second), 5*trace.Second, true)
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; a.Drift != 0 { // a jump is no drift
		t.Errorf("%+v", a)
	}
}

// The device sleeps while it traces: samples after the trace are not in it.
func TestAlignAfterSleep(t *testing.T) {
	c := usual
	c.clock, c.from, c.to = sample.ClockMonotonic, -trace.Second, 6*trace.Second
	p := c.pair()
	p.sleep(p.timeline.Span.Start.Add(2*trace.Second), 5*trace.Second, true)
	inside := 0
	for _, at := range p.truth {
		if span := p.timeline.Span; span.Start <= at && at <= span.End {
			inside++
		}
	}
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; len(p.rec.Samples) != inside || a.Outside != p.samples-inside || a.HitRate() != 1 {
		t.Errorf("%d of %d samples, want %d: %+v", len(p.rec.Samples), p.samples, inside, a)
	}
}

// The line of an alignment relates all samples to the trace.
func TestAlignmentLine(t *testing.T) {
	for name, c := range map[string]struct {
		clock  sample.ClockID
		drift  float64
		source sample.Source
	}{
		"given":            {clock: sample.ClockPerf, source: sample.Given},
		"found":            {clock: sample.ClockPerf, source: sample.Found},
		"found, drifts":    {clock: sample.ClockPerf, drift: 80_000, source: sample.Found},
		"monotonic":        {clock: sample.ClockMonotonic, source: sample.Stated},
		"boot":             {clock: sample.ClockBoot, source: sample.Stated},
		"a drifting trace": {clock: sample.ClockMonotonic, drift: 200_000, source: sample.Stated},
	} {
		u := usual
		u.length, u.to, u.clock, u.drift = 60*trace.Second, 60*trace.Second, c.clock, c.drift
		u.from = -trace.Second // the first samples are not kept
		p := u.pair()
		var given *trace.Duration
		if c.source == sample.Given {
			given = &p.offset
		}
		if c.drift != 0 && c.source == sample.Stated { // as the trace states it
			clock := &p.timeline.Parts[0].Clock
			middle := p.timeline.Span.Start.Add(u.from + (u.to-u.from)/2)
			clock.From, clock.Drift = trace.Monotonic(middle.Add(-clock.Offset)), c.drift
		}
		raw := map[int32]trace.Time{}
		for _, s := range p.rec.Samples {
			raw[s.Stack] = s.Time
		}
		worst, err := p.align(given)
		a := p.rec.Alignment
		if err != nil || worst > p.period || a.Source != c.source {
			t.Errorf("%s: %v, off by %d, %+v", name, err, worst, a)
			continue
		}
		if a.Drift < c.drift*0.8-1 || a.Drift > c.drift*1.2+1 {
			t.Errorf("%s: drift %v, want %v", name, a.Drift, c.drift)
		}
		if first := p.rec.Samples[0]; a.From != raw[first.Stack] {
			t.Errorf("%s: from %d, want %d", name, a.From, raw[first.Stack])
		}
		for _, s := range p.rec.Samples {
			at := raw[s.Stack]
			line := at.Add(a.Offset + trace.Duration(a.Drift*float64(at.Sub(a.From))/1e9))
			if off := s.Time.Sub(line).Abs(); off > trace.Microsecond {
				t.Errorf("%s: sample at %d is %d ns from the line of %+v", name, s.Time, off, a)
				break
			}
		}
	}
}

// Traces that follow one another are one; those of the same time cannot be told apart.
func TestAlignSeveralTraces(t *testing.T) {
	half := usual.pair().timeline.Span.Start.Add(2 * trace.Second)
	join := func(p *pair, again int) *pair {
		p.running = sampling.NewRunning(trace.Limits{})
		sink := p.running.Sink()
		n, _ := slices.BinarySearchFunc(p.events, half, func(e hitrace.Event, t trace.Time) int { return int(e.Time - t) })
		sink.Track(0, &hitrace.Batch{Events: p.events[:n]})
		sink.Begin()
		sink.Track(0, &hitrace.Batch{Events: p.events[n-again:]})
		return p
	}
	join(usual.pair(), 0).aligned(t, sample.Found)
	join(usual.pair(), 500).refused(t, nil, "the input has several traces of the same time")
}

// Samples while it is unknown what ran are no misses.
func TestAlignLostEvents(t *testing.T) {
	lossy := func(mark bool) *pair {
		c := usual
		c.clock = sample.ClockMonotonic
		p := c.pair()
		from := p.timeline.Span.Start.Add(trace.Second)
		to := from.Add(trace.Second)
		p.events = slices.DeleteFunc(p.events, func(e hitrace.Event) bool { return from <= e.Time && e.Time < to })
		seen := map[trace.CPU]bool{}
		for i := range p.events {
			if e := &p.events[i]; mark && e.Time >= to && !seen[e.CPU] {
				seen[e.CPU], e.Lost = true, true
			}
		}
		p.running = sampling.NewRunning(trace.Limits{})
		p.running.Sink().Track(0, &hitrace.Batch{Events: p.events})
		return p
	}
	p := lossy(true)
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; a.HitRate() < 0.999 || a.Checked > len(p.truth)*85/100 || a.Checked < len(p.truth)*70/100 {
		t.Errorf("%+v of %d", a, len(p.truth))
	}
	if p = lossy(false); p.running != nil {
		if _, err := p.align(nil); err == nil {
			t.Errorf("%+v", p.rec.Alignment)
		}
	}
}

// At the limit of intervals, the rest of the trace is unknown.
func TestRunningLimit(t *testing.T) {
	c := usual
	c.clock = sample.ClockMonotonic
	p := c.pair()
	p.running = sampling.NewRunning(trace.Limits{States: len(p.events) / 4}) // two events for each interval
	p.running.Sink().Track(0, &hitrace.Batch{Events: p.events})
	p.aligned(t, sample.Stated)
	if a := p.rec.Alignment; a.HitRate() < 0.999 || a.Checked > len(p.truth)*60/100 || a.Checked < len(p.truth)*40/100 {
		t.Errorf("%+v of %d", a, len(p.truth))
	}
}

// Some wrong times in a damaged file do no harm.
func TestAlignOutliers(t *testing.T) {
	p := usual.pair()
	for i := range 5 {
		p.rec.Samples[i].Time = trace.Time(i)
		p.rec.Samples[len(p.rec.Samples)-1-i].Time = math.MaxInt64 >> (2 * i)
	}
	slices.SortStableFunc(p.rec.Samples, func(a, b sample.Sample) int { return cmp.Compare(a.Time, b.Time) })
	p.aligned(t, sample.Found)
	if p.rec.Alignment.Outside != 10 {
		t.Errorf("%+v", p.rec.Alignment)
	}
}
