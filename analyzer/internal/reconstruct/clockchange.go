package reconstruct

import (
	"iter"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// clockSample is a line with a time of CLOCK_MONOTONIC.
type clockSample struct {
	at     trace.Time     // of the line
	offset trace.Duration // at minus the time that the line carries: the clock offset and a lag
	line   int
	// idle: the thread did nothing before, so that the time did not wait for it.
	idle bool
}

// lineStep is a step in the time of lines, forwards or backwards.
type lineStep struct {
	from, to trace.Time
	line     int // of to
}

func (s *lineStep) size() trace.Duration { return s.to.Sub(s.from) }

const (
	// minStep is the smallest step in the time of lines that is stored. Lines that a
	// processor wrote late are less apart.
	minStep = 2 * trace.Millisecond
	// followed is the number of samples that show an offset: more than a late thread, or
	// a damaged line, affects.
	followed = 8
	// slowDrift is above the drift of real clocks, as a share: the kernel slews by at most
	// half of this.
	slowDrift = 1000 // in millionths
	// maxDrift is the largest drift that is corrected. Beyond it, eight samples at 60 Hz
	// drift by a quarter of a period, as much as lags differ.
	maxDrift = 30_000 // in millionths
	// minDrift is the smallest drift over a trace that counts.
	minDrift = trace.Millisecond / 2
	// minUnsteady is the number of samples on each side that show a change of another
	// kind. A few may be late together.
	minUnsteady = 4 * followed
)

// tolerance is how much the level of samples differs although the offset is constant, by
// source.
type tolerance struct {
	// shift is the smallest shift of the offset that counts. Less, sustained, is the lag
	// of a busy device.
	shift trace.Duration
	// sure is above the lag of several frames in a row.
	sure trace.Duration
	// spread is above the difference between the levels of groups of samples.
	spread trace.Duration
}

// toleranceOf returns the tolerance of a source. step is the step of the trace's clock.
func toleranceOf(s analyzer.ClockSource, step trace.Duration) tolerance {
	t := lagOf(s)
	t.shift, t.sure, t.spread = t.shift+step, t.sure+step, t.spread+step
	return t
}

func lagOf(s analyzer.ClockSource) tolerance {
	if s == analyzer.ClockGenerateVsync {
		// A thread of high priority writes it, and does nothing else: in captures, levels
		// differ by up to 20 µs. It skips vsyncs that are over, so that it does not lag by
		// more than a period.
		return tolerance{shift: trace.Millisecond, sure: 20 * trace.Millisecond, spread: trace.Millisecond / 2}
	}
	// Only the last of the vsyncs that wait for a thread is reported.
	return tolerance{shift: 3 * trace.Millisecond, sure: 50 * trace.Millisecond, spread: 3 * trace.Millisecond}
}

// level returns the second smallest offset of the samples: the smallest one may come from
// a damaged line.
func level(samples []clockSample) clockSample {
	first, second := samples[0], samples[0]
	for i, s := range samples {
		switch {
		case i == 0:
		case s.offset < first.offset:
			first, second = s, first
		case i == 1 || s.offset < second.offset:
			second = s
		}
	}
	return second
}

// drifted returns by how much a clock drifts between two samples, in millionths of the time.
func drifted(a, b clockSample, millionths trace.Duration) trace.Duration {
	return trace.Duration(float64(b.at.Sub(a.at).Abs()) * float64(millionths) / 1e6)
}

// clockPiece is a part of a trace with one clock offset.
type clockPiece struct {
	samples []clockSample
	from    *lineStep // the jump at its start; nil for the first
}

// clocks returns the pieces of the trace in which the clock does not jump, with their
// offsets, and how the clock changes. span is that of the trace.
func (c *clockSamples) clocks(span analyzer.Interval, given *trace.Duration, stated *StatedOffset) ([]analyzer.Part, []*lineStep, []analyzer.ClockChange) {
	first := c.offset(given, stated)
	parts, jumps := []analyzer.Part{{Span: span, Clock: first}}, []*lineStep{nil}
	source := c.toFollow()
	if source == analyzer.ClockUnknown {
		return parts, jumps, nil
	}
	step := c.grain.step()
	samples := withoutAhead(source, c.all[source], c.steps)
	if len(samples) < 2*followed {
		return parts, jumps, nil
	}
	pieces, changes := followClock(samples, c.steps, toleranceOf(source, step))
	if given != nil || slices.ContainsFunc(changes, func(c analyzer.ClockChange) bool { return c.Kind != analyzer.ClockJump }) {
		pieces = pieces[:1] // with changes that cannot be corrected there is no use in correcting others
		if slope, base, ok := pieces[0].drift(); ok && changes == nil {
			changes = append(changes, newDrift(slope, base, pieces[0].samples))
		}
		for _, change := range changes {
			if !first.Source.IsStated() {
				parts[0].Clock.Lag = max(parts[0].Clock.Lag, change.By.Abs())
			}
		}
		return parts, jumps, changes
	}
	parts, jumps = nil, nil
	var start trace.Duration // the measured offset of the first piece
	drifts := false
	for i := range pieces {
		p := &pieces[i]
		measured := confirmedOf(p.samples) + step
		clock := analyzer.ClockOffset{Offset: measured, Source: source, Samples: len(p.samples), Measured: measured, Lag: max(lags[source], step), Step: step, Ahead: first.Ahead, AheadBy: first.AheadBy}
		if i > 0 {
			clock.Ahead, clock.AheadBy = 0, 0
		}
		slope, base, drift := p.drift()
		if drift {
			clock.Offset, clock.Measured = base.offset, base.offset
		}
		if i == 0 {
			start = clock.Measured
		}
		// The rest of an offset of zero, and the distance from a stated offset, are lag.
		switch {
		case first.Source.IsStated():
			clock.Offset, clock.Source, clock.Samples, clock.Lag = first.Offset+clock.Offset-start, first.Source, 0, 0
		case start.Abs() < max(sameClock, step):
			clock.Offset -= start
		}
		if drift {
			drifts = true
			// slope is per second of trace time, Drift per second of CLOCK_MONOTONIC.
			clock.Drift, clock.From = slope/(1-slope)*float64(trace.Second), trace.Monotonic(base.at.Add(-clock.Offset))
			changes = append(changes, newDrift(slope, base, p.samples))
		}
		parts, jumps = append(parts, analyzer.Part{Span: span, Clock: clock}), append(jumps, p.from)
		if p.from != nil {
			parts[i-1].Span.End, parts[i].Span.Start = p.from.from, p.from.to
		}
	}
	if len(pieces) == 1 && !drifts {
		parts[0].Clock = first
	}
	slices.SortStableFunc(changes, func(a, b analyzer.ClockChange) int { return a.Line - b.Line })
	jumped := 0
	for i := range changes {
		c := &changes[i]
		if c.Corrected = true; c.Kind == analyzer.ClockJump {
			jumped++ // as many as there are parts but the first
			c.By = parts[jumped].Clock.At(parts[jumped].Span.Start) - parts[jumped-1].Clock.At(parts[jumped-1].Span.End)
		}
	}
	return parts, jumps, changes
}

func newDrift(slope float64, base clockSample, samples []clockSample) analyzer.ClockChange {
	last := samples[len(samples)-1]
	return analyzer.ClockChange{Kind: analyzer.ClockDrift, At: base.at, Line: base.line, By: trace.Duration(slope * float64(last.at.Sub(base.at)))}
}

// toFollow returns the best source with samples throughout the trace.
func (c *clockSamples) toFollow() analyzer.ClockSource {
	most := 0
	for _, list := range c.all {
		most = max(most, len(list))
	}
	for source := clockSources - 1; source > analyzer.ClockUnknown; source-- {
		if n := len(c.all[source]); n >= 2*followed && n >= most/8 {
			return source
		}
	}
	return analyzer.ClockUnknown
}

func confirmedOf(samples []clockSample) trace.Duration {
	var s smallest
	for _, sample := range samples {
		s.add(sample.offset)
	}
	return s.confirmed()
}

// clockShift is where the offset of samples shifts.
type clockShift struct {
	next   int       // the first sample after it
	step   *lineStep // the step in the time of lines that explains it; nil without one
	before trace.Duration
	by     trace.Duration
}

// followClock divides a trace into pieces in which the clock neither jumps nor goes back.
// Samples and steps are in the order of lines.
func followClock(samples []clockSample, steps []lineStep, slack tolerance) (pieces []clockPiece, changes []analyzer.ClockChange) {
	even := flat(samples)
	shifts := findShifts(even, steps, slack)
	pieces = []clockPiece{{}}
	begin, unexplained := 0, []clockShift(nil)
	end := func(at int) {
		p := &pieces[len(pieces)-1]
		p.samples = samples[begin:at]
		if change, ok := unsteady(even[begin:at], begin, unexplained, slack); ok {
			changes = append(changes, change)
		} else if change, ok := p.moved(slack); ok {
			changes = append(changes, change)
		}
		begin, unexplained = at, nil
	}
	ends := nextExplained(shifts, len(samples))
	for i, s := range shifts {
		kind := analyzer.ClockJump
		switch few := min(s.next-begin, ends[i]-s.next) < minUnsteady; {
		case s.step == nil:
			unexplained = append(unexplained, s)
			continue
		case s.by < 0:
			kind = analyzer.ClockBack
		case few && s.by < slack.sure, level(even[s.next:ends[i]]).offset < s.before+s.by/2:
			continue // a busy device: the offset returns
		}
		end(s.next)
		changes = append(changes, analyzer.ClockChange{Kind: kind, At: s.step.to, Line: s.step.line, By: s.by})
		pieces = append(pieces, clockPiece{from: s.step})
	}
	end(len(samples))
	return pieces, changes
}

// flat returns samples without a drift of their clock that is not slow. It looks like many
// shifts.
func flat(samples []clockSample) []clockSample {
	slope, base, ok := (&clockPiece{samples: samples}).drift()
	if !ok || math.Abs(slope)*1e6 <= slowDrift {
		return samples
	}
	list := slices.Clone(samples)
	for i := range list {
		list[i].offset += base.offset - lineAt(base, slope, list[i].at)
	}
	return list
}

// nextExplained returns for each shift the sample after the next one that a step explains,
// or n.
func nextExplained(shifts []clockShift, n int) []int {
	list := make([]int, len(shifts))
	for i, s := range slices.Backward(shifts) {
		list[i] = n
		if s.step != nil {
			n = s.next
		}
	}
	return list
}

// findShifts compares the samples before each with those after it.
func findShifts(samples []clockSample, steps []lineStep, slack tolerance) (shifts []clockShift) {
	for i := followed; i+followed <= len(samples); i++ {
		before, after := samples[i-followed:i], samples[i:i+followed]
		low := level(before).offset
		by := level(after).offset - low
		if by.Abs() <= slack.shift+drifted(before[0], after[followed-1], slowDrift) {
			continue
		}
		// One old sample does not count, so that the shift may be among the next ones.
		last := min(i+followed, len(samples)) - 1
		s := clockShift{next: i, before: low, by: by, step: explains(steps, samples[i-2].line, samples[last].line, by)}
		if s.step != nil {
			at, _ := slices.BinarySearchFunc(samples, s.step.line, func(s clockSample, line int) int { return s.line - line })
			if at < followed || at+followed > len(samples) {
				continue
			}
			before := level(samples[at-followed : at]).offset
			if by := level(samples[at:at+followed]).offset - before; (by > 0) == (s.by > 0) && by.Abs() > slack.shift {
				s.next, s.before, s.by = at, before, by
			} else {
				s.step = nil // the offset does not shift there
			}
		}
		shifts = append(shifts, s)
		i = max(i, s.next) + followed - 1
	}
	return shifts
}

// explains returns the largest step between two lines that can be why the offset
// shifted, nil without one.
func explains(steps []lineStep, after, until int, by trace.Duration) (largest *lineStep) {
	i, _ := slices.BinarySearchFunc(steps, after+1, func(s lineStep, line int) int { return s.line - line })
	for ; i < len(steps) && steps[i].line <= until; i++ {
		s := &steps[i]
		// Between the lines of a step passes time, too: ahead of a jump, against one back.
		if (s.size() > 0) != (by > 0) || s.size().Abs() < by.Abs()/2 {
			continue
		}
		if largest == nil || s.size().Abs() > largest.size().Abs() {
			largest = s
		}
	}
	return largest
}

// unsteady returns the largest of the shifts that no step explains, if it lasts. begin is
// the first of the samples.
func unsteady(samples []clockSample, begin int, shifts []clockShift, slack tolerance) (largest analyzer.ClockChange, found bool) {
	if len(shifts) == 0 || len(samples) < 2*minUnsteady {
		return largest, false
	}
	before := levels(samples, slices.All(samples))
	after := levels(samples, slices.Backward(samples))
	for _, s := range shifts {
		i := s.next - begin
		if i < minUnsteady || len(samples)-i < minUnsteady {
			continue
		}
		last, next := samples[i-minUnsteady:i], samples[i:i+minUnsteady]
		by := after[i] - level(last).offset
		if s.by < 0 {
			by = before[i-1] - level(next).offset
		}
		if least := slack.shift + drifted(last[0], next[minUnsteady-1], slowDrift); by > max(least, largest.By.Abs()) {
			if s.by < 0 {
				by = -by
			}
			largest, found = analyzer.ClockChange{Kind: analyzer.ClockUnsteady, At: samples[i].at, Line: samples[i].line, By: by}, true
		}
	}
	return largest, found
}

// levels returns the level of the samples up to each one, in an order.
func levels(samples []clockSample, order iter.Seq2[int, clockSample]) []trace.Duration {
	list := make([]trace.Duration, len(samples))
	first, second := trace.Duration(math.MaxInt64), trace.Duration(math.MaxInt64)
	for i, s := range order {
		switch {
		case s.offset < first:
			first, second = s.offset, first
		case s.offset < second:
			second = s.offset
		}
		list[i] = second
	}
	return list
}

// groups returns the level of each eight samples.
func (p *clockPiece) groups() (points []clockSample) {
	for group := range slices.Chunk(p.samples, followed) {
		if len(group) == followed {
			points = append(points, level(group))
		}
	}
	return points
}

// moved returns the change of an unsteady offset, which neither shifts nor drifts evenly.
// The offset is unsteady if more than a tenth of the levels, and at least three, are not
// near the lowest ones.
func (p *clockPiece) moved(slack tolerance) (change analyzer.ClockChange, ok bool) {
	points := p.groups()
	if len(points) < followed {
		return change, false
	}
	if slope, base, drifts := p.drift(); drifts {
		for i := range points {
			points[i].offset -= lineAt(base, slope, points[i].at)
		}
	}
	low := level(points).offset
	offsets := make([]trace.Duration, len(points))
	for i, s := range points {
		offsets[i] = s.offset - low
	}
	by := slices.Sorted(slices.Values(offsets))[len(points)-1-max(2, len(points)/10)]
	if by <= slack.spread {
		return change, false
	}
	first := points[slices.IndexFunc(offsets, func(d trace.Duration) bool { return d > slack.spread })]
	return analyzer.ClockChange{Kind: analyzer.ClockUnsteady, At: first.at, Line: first.line, By: by}, true
}

// drift returns by how much the offset grows per second of trace time, in nanoseconds. ok is
// false if it does not grow evenly.
//
// The lags of lines are above the line that is sought. It is the edge of the lower convex
// hull of the samples above the middle of the time. Source: Moon, Skelly and Towsley,
// Estimation and Removal of Clock Skew from Network Delay Measurements, 1999.
func (p *clockPiece) drift() (slope float64, base clockSample, ok bool) {
	points := p.groups()
	if len(points) < followed {
		return 0, base, false
	}
	var hull []clockSample
	for _, s := range points {
		for len(hull) > 1 && !turnsUp(hull[len(hull)-2], hull[len(hull)-1], s) {
			hull = hull[:len(hull)-1]
		}
		if len(hull) > 0 && s.at <= hull[len(hull)-1].at {
			return 0, base, false
		}
		hull = append(hull, s)
	}
	middle := trace.Duration(0)
	for _, s := range points {
		middle += s.at.Sub(points[0].at) / trace.Duration(len(points))
	}
	edge := 1
	for edge < len(hull)-1 && hull[edge].at.Sub(points[0].at) < middle {
		edge++
	}
	a, b := hull[edge-1], hull[edge]
	slope = float64(b.offset-a.offset) / float64(b.at.Sub(a.at))
	first, last := p.samples[0], p.samples[len(p.samples)-1]
	total := trace.Duration(slope * float64(last.at.Sub(first.at)))
	if total.Abs() < minDrift || total.Abs() > drifted(first, last, maxDrift) {
		return 0, base, false
	}
	// Most samples must lie near the line, and fewer near a constant offset: otherwise
	// the lag grows, not the offset.
	lowest := level(points).offset
	near, nearLowest := 0, 0
	for _, s := range points {
		if s.offset-lineAt(a, slope, s.at) < minDrift {
			near++
		}
		if s.offset-lowest < minDrift {
			nearLowest++
		}
	}
	if near*10 < len(points)*8 || nearLowest*10 > near*9 {
		return 0, base, false
	}
	return slope, clockSample{at: first.at, offset: lineAt(a, slope, first.at), line: first.line}, true
}

// turnsUp reports whether the way from a over b to c turns upwards.
func turnsUp(a, b, c clockSample) bool {
	return float64(b.offset-a.offset)*float64(c.at.Sub(a.at)) < float64(c.offset-a.offset)*float64(b.at.Sub(a.at))
}

// lineAt returns the offset of the line through a at a time.
func lineAt(a clockSample, slope float64, at trace.Time) trace.Duration {
	return a.offset + trace.Duration(slope*float64(at.Sub(a.at)))
}
