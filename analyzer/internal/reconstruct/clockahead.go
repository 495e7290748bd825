package reconstruct

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Vsyncs that are sent ahead of their time, so that an animation has frames in reserve
// (DVSync), make lines whose time is before the one that they carry. If these are the only
// samples, the smallest ones do not show the offset. docs/frames.md 5.7

const (
	// maxAhead is the longest time by which a vsync is sent ahead: a few periods.
	maxAhead = 50 * trace.Millisecond
	// minAhead is the shortest one that is told from lag.
	minAhead = 2 * trace.Millisecond
	// idleBefore is how long a thread did nothing before a vsync if it did not wait for the
	// thread. In captures, a thread takes the next message within 0.1 ms.
	idleBefore = trace.Millisecond / 2
	// minTogether is the number of vsyncs, and a fifth of all is their share, that come on
	// time together.
	minTogether = 5
)

// ahead describes vsyncs that were sent ahead of their time.
type ahead struct {
	count int            // those of them
	by    trace.Duration // how much before those on time the first ones come
}

// mayBeAhead reports whether the samples of a source are those of vsyncs as they are received.
func mayBeAhead(s analyzer.ClockSource) bool {
	return s == analyzer.ClockReceiveVsync || s == analyzer.ClockOnVsync
}

// measure returns the offset of the samples of a source, with its lag, and which of them are
// those of vsyncs ahead of their time. base is the smallest confirmed offset.
func measure(source analyzer.ClockSource, base trace.Duration, samples []clockSample) (offset trace.Duration, early ahead) {
	if !mayBeAhead(source) || base.Abs() < sameClock {
		return base, early
	}
	edge := onTime(base, samples)
	if edge == base {
		return base, early
	}
	for _, s := range samples {
		if isAhead(s.offset, edge) {
			early.count++
		}
	}
	early.by = edge - base
	return edge, early
}

// isAhead reports whether a sample is that of a vsync ahead of its time. edge is the smallest
// offset of one on time.
func isAhead(offset, edge trace.Duration) bool {
	return offset < edge-sameClock && offset >= edge-maxAhead
}

// onTime returns the smallest offset of vsyncs on time, which is base if none are ahead.
//
//	vsyncs      ▂▅▂▁          ▁▇▅▂▁ ▁
//	offset      base          edge
//	            ahead         on time, and those that waited for a CPU
//
// Those on time come together, apart from those before them. Vsyncs that waited for their
// thread may do so, too, so they do not count.
func onTime(base trace.Duration, samples []clockSample) trace.Duration {
	var near []trace.Duration
	for _, s := range samples {
		if s.idle && s.offset >= base && s.offset <= base+maxAhead {
			near = append(near, s.offset)
		}
	}
	slices.Sort(near)
	within := func(from, to trace.Duration) int {
		i, _ := slices.BinarySearch(near, from)
		k, _ := slices.BinarySearch(near, to)
		return k - i
	}
	edge := base
	for _, o := range slices.Backward(near) {
		together := within(o, o+sameClock)
		if o >= base+minAhead && together >= minTogether && 5*together >= len(near) && 4*within(o-sameClock, o) <= together {
			edge = o
			break
		}
	}
	// Neither boot time nor monotonic time is behind monotonic time. Clocks that are further
	// behind are others.
	if edge < 0 && edge >= -maxAhead {
		edge = 0
	}
	return edge
}

// withoutAhead returns the samples of a source without those of vsyncs ahead of their time.
func withoutAhead(source analyzer.ClockSource, samples []clockSample, steps []lineStep) (kept []clockSample) {
	if !mayBeAhead(source) {
		return samples
	}
	pieces, _ := followClock(samples, steps, toleranceOf(source, 0))
	for i := 0; i < len(pieces); {
		base := confirmedOf(pieces[i].samples)
		group := slices.Clone(pieces[i].samples)
		for i++; i < len(pieces) && (confirmedOf(pieces[i].samples)-base).Abs() <= maxAhead; i++ {
			group = append(group, pieces[i].samples...) // vsyncs ahead look like jumps
		}
		base = confirmedOf(group)
		edge, early := measure(source, base, group)
		for _, s := range group {
			if early.count == 0 || !isAhead(s.offset, edge) {
				kept = append(kept, s)
			}
		}
	}
	return kept
}
