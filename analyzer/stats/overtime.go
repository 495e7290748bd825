package stats

import (
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// maxMoments is the largest number of moments of a process: one for some pixels of a
// page's width.
const maxMoments = 240

// Moment has the measures of a process in a part of its time. The parts of a process have
// the same length, 1, 2 or 5 times a power of ten.
type Moment struct {
	// From is the start, inclusive, and To the end, exclusive.
	From, To trace.Time
	// Judged and Late count frames that start in it, as in Counts.
	Judged, Late int
	// FPS is the rate of the frames that were shown in it while animating, as in FPS.Rate;
	// nil if unknown.
	FPS *float64
	// Refresh is the refresh rate of most of the frames that start in it, in whole hertz;
	// zero if there is no frame, or its rate is unknown.
	Refresh int
}

// Moments has the moments of the processes of a timeline.
type Moments map[processKey][]Moment

// NewMoments returns the moments of all processes of a timeline. A nil timeline has none.
func NewMoments(t *analyzer.Timeline) Moments {
	m := Moments{}
	if t == nil {
		return m
	}
	c := collector{}
	for _, f := range t.Frames {
		c.add(f)
	}
	parts, activities := newParts(t), activities(t)
	for key, p := range c {
		p.records.parts, p.records.activity = parts, activities[key]
		p.records.normalize()
		if fps(&p.records); len(p.records.frames) > 0 {
			m[key] = moments(&p.records)
		}
	}
	return m
}

// Of returns the moments of a process in order, from the one of its first frame to the one
// of its last. It returns nil for a process without complete frames.
func (m Moments) Of(p *Process) []Moment { return m[keyOf(p.Kind, p.Source)] }

// moments needs the gaps of fps.
func moments(r *records) []Moment {
	first, last := r.frames[0].Actual.Start, r.frames[len(r.frames)-1].Actual.Start
	length := momentLength(last.Since(first))
	list := make([]Moment, int(last.Since(first)/length)+1)
	rates := make([]map[int]int, len(list))
	for i := range list {
		list[i].From = after(first, times(i, length))
		list[i].To = after(list[i].From, length)
	}
	index := func(at trace.Time) int { return int(at.Since(first) / length) }
	for _, f := range r.frames {
		i := index(f.Actual.Start)
		if f.Judged() {
			list[i].Judged++
		}
		if f.Late() {
			list[i].Late++
		}
		if period := periodOf(f); period > 0 {
			if rates[i] == nil {
				rates[i] = map[int]int{}
			}
			rates[i][wholeHertz(period)]++
		}
	}
	gaps, active := make([]int, len(list)), make([]trace.Duration, len(list))
	for _, g := range r.gaps {
		// A frame may be shown after the last one has begun.
		if i := index(g.at); g.at >= first && i < len(list) {
			gaps[i]++
			if !r.idleKnown {
				g.active = g.length
			}
			active[i] = add(active[i], g.active)
		}
	}
	for i := range list {
		if active[i] > 0 {
			list[i].FPS = number(float64(gaps[i]) / seconds(active[i]))
		}
		list[i].Refresh = mostFrequent(rates[i])
	}
	return list
}

// momentLength returns the length of the moments of a process that is observed for d: so
// that there are at most maxMoments, and none is shorter than 50 ms, three frames at 60 Hz.
func momentLength(d trace.Duration) trace.Duration {
	for power := 10 * trace.Millisecond; ; power *= 10 {
		for _, step := range []trace.Duration{1, 2, 5} {
			if length := step * power; length >= 50*trace.Millisecond && d/length < maxMoments {
				return length
			}
		}
	}
}

// mostFrequent returns the most frequent number, the smallest of equally frequent ones;
// zero without numbers.
func mostFrequent(counts map[int]int) (most int) {
	for _, n := range slices.Sorted(maps.Keys(counts)) {
		if counts[n] > counts[most] {
			most = n
		}
	}
	return most
}
