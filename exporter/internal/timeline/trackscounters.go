package timeline

import (
	"cmp"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
)

// sample is a counter's value from a point in time on.
type sample struct {
	at    trace.Time
	value float64
}

// writeFPS writes how many frames a second the display showed of a process.
func (p *pipeline) writeFPS(end trace.Time) {
	times, event := shownTimes(p.applications, p.renders)
	if len(times) == 0 {
		return
	}
	p.writeCounter(fpsTrack, "Pictures shown per second, over the last second, by "+event+".", "fps", fps(times, end))
}

// shownTimes returns when the render frames of a render service, and those that applied an
// application's transactions, were shown, each counted once: their present times, or if
// fewer than two are known those of the commits, or else the frames' starts.
func shownTimes(applications, renders []*analyzer.Frame) (times []trace.Time, event string) {
	taken := map[*analyzer.Frame]bool{}
	for _, f := range renders {
		if f.Judgement().Empty == analyzer.No || f.Commit.Start.Known() || f.Present.Known() {
			taken[f] = true
		}
	}
	for _, f := range applications {
		for _, t := range f.Transactions {
			if t.AppliedBy != nil && !t.AppliedBy.Facts.Has(analyzer.Truncated|analyzer.CommitSkipped) {
				taken[t.AppliedBy] = true
			}
		}
	}
	for _, by := range []struct {
		event string
		at    func(*analyzer.Frame) trace.Time
	}{
		{"present times", func(f *analyzer.Frame) trace.Time { return f.Present }},
		{"the starts of commits", func(f *analyzer.Frame) trace.Time { return f.Commit.Start }},
		{"the starts of render frames", func(f *analyzer.Frame) trace.Time { return f.Actual.Start }},
	} {
		times = times[:0]
		for f := range taken {
			if at := by.at(f); at.Known() {
				times = append(times, at)
			}
		}
		slices.Sort(times)
		if times = slices.Compact(times); len(times) > 1 {
			return times, by.event
		}
	}
	return nil, ""
}

// fps samples the rate at each of the times: (n − 1) / (last − first) of the times in the
// second before it. A time without another one in that second has no rate. A second after
// the last time the rate is zero.
func fps(times []trace.Time, end trace.Time) []sample {
	var list []sample
	first := 0
	for i, at := range times {
		for at.Sub(times[first]) >= trace.Second {
			first++
		}
		if first == i {
			continue
		}
		list = append(list, sample{at, float64(i-first) * float64(trace.Second) / float64(at.Sub(times[first]))})
		next := end.Add(trace.Nanosecond)
		if i+1 < len(times) {
			next = times[i+1]
		}
		if still := at.Add(trace.Second); still <= next && still <= end {
			list = append(list, sample{still, 0})
		}
	}
	return list
}

// writeRefreshRate writes the refresh rate of the display from the periods of render
// frames.
func (p *pipeline) writeRefreshRate() {
	p.writeCounter(refreshTrack, "Refreshes of the display per second, to the whole number, by the periods of the render frames.", "Hz", refreshRates(p.renders))
}

// refreshRates samples the refresh rate where it changes. The system's own
// estimate of the period wanders by nanoseconds: the rate is a whole number.
func refreshRates(renders []*analyzer.Frame) []sample {
	var list []sample
	var last trace.Time
	for _, f := range renders {
		if f.Period <= 0 {
			continue
		}
		last = max(last, cmp.Or(f.Vsync, f.Actual.Start)) // as of the states: vsyncs and starts may not be in one order
		list = appendChange(list, last, math.Round(float64(trace.Second)/float64(f.Period)))
	}
	return list
}

// appendChange appends a value if it differs from the last one.
func appendChange(list []sample, at trace.Time, value float64) []sample {
	if n := len(list); n > 0 && list[n-1].value == value {
		return list
	}
	return append(list, sample{at, value})
}

// writeCounter writes a counter, if it has any values.
func (p *pipeline) writeCounter(name, description, unit string, list []sample) {
	if len(list) == 0 {
		return
	}
	track := p.below(name, description, p.nextRank(), &perfettopb.CounterDescriptor{UnitName: &unit})
	for _, s := range list {
		p.w.count(track, s.at, s.value)
	}
}

// writeLost writes by how much frames missed their deadlines.
func (p *pipeline) writeLost() {
	if p.causes == nil {
		return
	}
	p.writeCounter(lostTrack, "By how much the frame that is made misses its deadline, of several the worst, and then that of the last; 0 if it is on time.", "ms",
		lostTime(slices.Concat(p.applications, p.renders)))
}

// lostTime samples the greatest overrun of the frames that are made, where it changes. There are no
// samples if no frame was late.
func lostTime(frames []*analyzer.Frame) []sample {
	frames = slices.DeleteFunc(frames, func(f *analyzer.Frame) bool { return !f.Deadline.Known() })
	slices.SortStableFunc(frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	var times []trace.Time
	for _, f := range frames {
		times = append(times, f.Actual.Start, f.End())
	}
	slices.Sort(times)
	list, begun, made, late := []sample{}, 0, []*analyzer.Frame(nil), false
	for _, at := range slices.Compact(times) {
		for begun < len(frames) && frames[begun].Actual.Start <= at {
			made = append(made, frames[begun])
			begun++
		}
		made = slices.DeleteFunc(made, func(f *analyzer.Frame) bool { return f.End() <= at && f.Actual.Start < at })
		if len(made) == 0 {
			continue // until the next one begins
		}
		worst := slices.MaxFunc(made, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Overrun(), b.Overrun()) })
		list = appendChange(list, at, worst.Overrun().Milliseconds())
		late = late || worst.Overrun() > 0
	}
	if !late {
		return nil
	}
	return list
}
