package analyzer

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// Cadence is the interval at which the buffers of a layer came for a stretch of time
// (docs/frames.md 16.4).
type Cadence struct {
	// Span is from the first buffer of the stretch to the last, which is the first of the next.
	Span Interval
	// Every is the time from when one or more buffers came until the next ones did. Buffers is
	// how many came together, mostly, and Shown how many of these were shown, nine times of ten.
	Every          trace.Duration
	Buffers, Shown int
}

// Interval returns the time from one buffer that is shown to the next.
func (c *Cadence) Interval() trace.Duration { return c.Every / trace.Duration(max(1, c.Shown)) }

const (
	// minIntervals is the number of intervals that show a cadence.
	minIntervals = 3
	// minStretch is the number of even intervals that show a change of the cadence.
	minStretch = 10
	// evenShare is the share of a cadence, 1/evenShare, by which an interval may differ from it
	// to belong to the same stretch.
	evenShare = 4
	// changeCost is the number of intervals that a change of the cadence must explain.
	changeCost = 4
	// maxRates is the number of cadences that a layer has at most, though any of them many times.
	maxRates = 8
	// apart is how many times as long as those between buffers that come together the intervals
	// around them are.
	apart = 3
)

// StretchOf returns the stretch in which a buffer came; nil without a cadence.
func (l *Layer) StretchOf(b *Buffer) *Cadence {
	if len(l.Cadences) == 0 {
		return nil
	}
	at := cmp.Or(b.Queued, b.Present)
	i, _ := slices.BinarySearchFunc(l.Cadences, at, func(c Cadence, at trace.Time) int { return cmp.Compare(c.Span.End, at) })
	return &l.Cadences[min(i, len(l.Cadences)-1)]
}

// CadenceOf returns the interval of the stretch in which a buffer came; zero without a cadence.
func (l *Layer) CadenceOf(b *Buffer) trace.Duration {
	if c := l.StretchOf(b); c != nil {
		return c.Interval()
	}
	return 0
}

// Cadence returns the interval that the layer has for the longest time; zero without one.
func (l *Layer) Cadence() (longest trace.Duration) {
	times := map[trace.Duration]trace.Duration{}
	for i := range l.Cadences {
		c := &l.Cadences[i]
		if times[c.Interval()] += c.Span.Duration(); times[c.Interval()] > times[longest] || longest == 0 {
			longest = c.Interval()
		}
	}
	return longest
}

// arrival is one or more buffers that came together.
type arrival struct {
	at, end        trace.Time // of the first, of the last
	buffers, shown int
	since          trace.Duration // the arrival before; zero if that is unknown
}

// findCadences divides the time of a layer into stretches with a cadence: the median of the
// intervals between buffers as the producer queued them, or if too few of these times are known,
// between presents. A layer has cadences if at least half of the intervals are within half a vsync
// of theirs, or three quarters are within a vsync, as those of 2, 4 and 3 vsyncs are: a user
// interface draws when something changes.
func findCadences(t *Timeline, buffers, shown []*Buffer) []Cadence {
	var longest, shortest trace.Duration // period
	for _, b := range buffers {
		if b.Fate == Shown && b.Render != nil && b.Render.Period > 0 {
			longest = max(longest, b.Render.Period)
			shortest = cmp.Or(min(shortest, b.Render.Period), b.Render.Period)
		}
	}
	if longest == 0 {
		return nil
	}
	list, intervals := arrivals(t, buffers, func(b *Buffer) trace.Time { return b.Queued })
	if len(intervals) < minIntervals {
		list, _ = arrivals(t, shown, func(b *Buffer) trace.Time { return b.Present })
	} else if together := join(list, shortest/2); together != nil {
		list = together
	}
	for i, end := range caughtUp(list) {
		if end-i > minStretch { // fewer are no stretch
			for k := i + 1; k < end; k++ {
				list[k].since = 0
			}
		}
	}
	if intervals = sinceOf(list); len(intervals) < minIntervals {
		return nil
	}
	cadences := stretches(list, intervals)
	near, nearly, i := 0, 0, 0
	for _, a := range list {
		for i+1 < len(cadences) && a.at > cadences[i].Span.End {
			i++
		}
		if a.since == 0 {
			continue
		}
		off := (a.since - cadences[i].Every).Abs()
		if off <= longest/2 {
			near++
		}
		if off <= longest+longest/jitter {
			nearly++
		}
	}
	if 2*near < len(intervals) && 4*nearly < 3*len(intervals) {
		return nil
	}
	return cadences
}

// arrivals returns the known times of buffers, and the intervals between two that follow each
// other in one part of the trace.
func arrivals(t *Timeline, buffers []*Buffer, at func(*Buffer) trace.Time) (list []arrival, intervals []trace.Duration) {
	last := trace.Time(0)
	for _, b := range buffers {
		a := arrival{at: at(b), buffers: 1}
		if last.Known() && !b.Begins && a.at > last && t.EndOf(last) == t.EndOf(a.at) {
			a.since = a.at.Sub(last)
			intervals = append(intervals, a.since)
		}
		if last = a.at; !last.Known() {
			continue
		}
		a.end = a.at
		if b.Fate == Shown {
			a.shown = 1
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return cmp.Compare(a.at, b.at) }) // the times of damaged lines may be far off
	return list, intervals
}

func sinceOf(list []arrival) (intervals []trace.Duration) {
	for _, a := range list {
		if a.since > 0 {
			intervals = append(intervals, a.since)
		}
	}
	return intervals
}

// caughtUp finds where a producer was late and then caught up: arrivals came faster than before until
// what was missing was there. It returns the end of those that did, by the index of the late one. If
// more come than were missing, the rate has changed.
func caughtUp(list []arrival) map[int]int {
	buffers := mostTogether(list)
	ends := map[int]int{}
	var recent []trace.Duration // the last regular intervals
	var sorted [minStretch]trace.Duration
	behind := trace.Duration(0) // what an earlier run left
	for i := 0; i < len(list); {
		every, end := trace.Duration(0), i+1
		if list[i].since > 0 && len(recent) >= minIntervals {
			every = median(sorted[:copy(sorted[:], recent)])
		}
		if late := list[i].since - every; every > 0 && late*2 >= every {
			behind += late
			least := -every - behind/8 // the cadence is measured
			for ; end < len(list) && list[end].since > 0 && list[end].since*evenShare < every*(evenShare-1); end++ {
				behind -= every*trace.Duration(list[end].buffers)/trace.Duration(buffers) - list[end].since
				if behind < least {
					end = i + 1
					break
				}
			}
		}
		if end > i+1 {
			ends[i] = end
			behind = max(0, behind)
		} else {
			behind = 0
			if list[i].since > 0 {
				recent = append(recent[max(0, len(recent)-minStretch+1):], list[i].since)
			}
		}
		i = end
	}
	return ends
}

// join makes one arrival of buffers that came together: less than most after another, with much
// longer intervals around them. It returns nil unless minStretch times equally many came together:
// buffers that come late do, too.
func join(list []arrival, most trace.Duration) (joined []arrival) {
	times := map[int]int{} // by number of buffers
	for i := 0; i < len(list); {
		a, end, longest := list[i], i+1, trace.Duration(0)
		for ; end < len(list) && list[end].since > 0 && list[end].since <= most && end-i < minStretch; end++ {
			if longest > 0 && list[end].since >= apart*longest || a.since > 0 && list[end].since*apart > a.since {
				break
			}
			longest = max(longest, list[end].since)
		}
		if end-i > 1 && (end == len(list) || list[end].since == 0 || list[end].since >= apart*longest) {
			for _, b := range list[i+1 : end] {
				a.end, a.buffers, a.shown = b.at, a.buffers+b.buffers, a.shown+b.shown
			}
			times[a.buffers]++
		} else {
			end = i + 1
		}
		if a.since > 0 && len(joined) > 0 {
			a.since = a.at.Sub(joined[len(joined)-1].at)
		}
		joined = append(joined, a)
		i = end
	}
	for _, n := range times {
		if n >= minStretch {
			return joined
		}
	}
	return nil
}

// stretches divides arrivals into stretches, so that as few intervals as possible differ from the
// cadence of theirs, each change counting as changeCost of them.
func stretches(list []arrival, intervals []trace.Duration) []Cadence {
	rates := rates(intervals)
	at := assign(intervals, rates)
	var cadences []Cadence
	var of []int // the rate of each
	var parts [][]arrival
	next := 0 // interval
	for _, a := range list {
		rate := at[min(next, len(at)-1)]
		if a.since > 0 {
			next++
		}
		n := len(of)
		switch {
		case n == 0:
			cadences = append(cadences, Cadence{Span: Interval{a.at, a.end}})
		case of[n-1] != rate:
			cadences = append(cadences, Cadence{Span: Interval{cadences[n-1].Span.End, a.end}})
		}
		if len(cadences) > n {
			of, parts = append(of, rate), append(parts, nil)
		}
		last := len(cadences) - 1
		cadences[last].Span.End = a.end
		parts[last] = append(parts[last], a)
	}
	same := make([][]arrival, len(rates)) // of all stretches at a rate
	for i, rate := range of {
		same[rate] = append(same[rate], parts[i]...)
	}
	every := make([]trace.Duration, len(rates))
	for rate := range rates {
		every[rate] = median(sinceOf(same[rate]))
	}
	for i := range cadences {
		cadences[i].Every = every[of[i]]
		cadences[i].Buffers = mostTogether(parts[i])
		var shown []int
		for _, a := range parts[i] {
			if a.buffers == cadences[i].Buffers {
				shown = append(shown, a.shown)
			}
		}
		slices.Sort(shown)
		cadences[i].Shown = max(1, shown[len(shown)/10])
	}
	return cadences
}

// mostTogether returns how many buffers came together, mostly.
func mostTogether(list []arrival) (most int) {
	counts := map[int]int{}
	for _, a := range list {
		counts[a.buffers]++
	}
	for n, count := range counts {
		if count > counts[most] || count == counts[most] && n < most {
			most = n
		}
	}
	return most
}

// rates returns the cadences of a layer: medians of minStretch intervals in a row that are mostly even, the
// most frequent first. If no such intervals exist, it returns the median of all.
func rates(intervals []trace.Duration) []trace.Duration {
	var medians []trace.Duration
	window := make([]trace.Duration, minStretch)
	for end := minStretch; end <= len(intervals); end++ {
		copy(window, intervals[end-minStretch:end])
		middle := median(window)
		even := 0
		for _, d := range window {
			if isEven(d, middle) {
				even++
			}
		}
		if even*5 >= minStretch*4 {
			medians = append(medians, middle)
		}
	}
	slices.Sort(medians)
	var rates []trace.Duration
	for len(medians) > 0 && len(rates) < maxRates {
		best, from := 0, 0
		at := medians[0]
		for to := range medians {
			for medians[to]-medians[from] > medians[to]/(2*evenShare) {
				from++
			}
			if to-from+1 > best {
				best, at = to-from+1, medians[(from+to)/2]
			}
		}
		rates = append(rates, at)
		medians = slices.DeleteFunc(medians, func(d trace.Duration) bool { return (d-at).Abs()*2*evenShare <= min(d, at) })
	}
	if len(rates) == 0 {
		rates = append(rates, median(slices.Clone(intervals)))
	}
	return rates
}

// isEven reports whether an interval differs from a cadence by so little that both may be the same.
func isEven(d, cadence trace.Duration) bool { return (d-cadence).Abs()*evenShare <= cadence }

// median returns the median of a list, and sorts it; zero for an empty one.
func median(list []trace.Duration) trace.Duration {
	n := len(list)
	if n == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// assign returns the index of the rate that each interval has: those that together cost the
// least. An interval costs its distance from its rate, in parts of a quarter of it and at most
// one, and a change changeCost. Then rates that too few intervals in a row have are given up.
func assign(intervals, rates []trace.Duration) []int {
	at := make([]int, len(intervals))
	if len(rates) == 1 {
		return at
	}
	from := make([][maxRates]uint8, len(intervals)) // the rate before
	var cost [maxRates]float64
	for i, d := range intervals {
		cheapest := 0
		for k := range rates {
			if cost[k] < cost[cheapest] {
				cheapest = k
			}
		}
		change := cost[cheapest] + changeCost
		for k, rate := range rates {
			from[i][k] = uint8(k)
			if i > 0 && change < cost[k] {
				cost[k], from[i][k] = change, uint8(cheapest)
			}
			cost[k] += min(1, evenShare*float64((d-rate).Abs())/float64(rate))
		}
	}
	rate := 0
	for k := range rates {
		if cost[k] < cost[rate] {
			rate = k
		}
	}
	for i := len(intervals) - 1; i >= 0; i-- {
		at[i] = rate
		rate = int(from[i][rate])
	}
	giveUp(intervals, rates, at)
	return at
}

// giveUp gives stretches with fewer than minStretch even intervals the rate of the one before, or
// of the one after.
func giveUp(intervals, rates []trace.Duration, at []int) {
	for start := 0; start < len(at); {
		end, even := start, 0
		for ; end < len(at) && at[end] == at[start]; end++ {
			if isEven(intervals[end], rates[at[start]]) {
				even++
			}
		}
		if even < minStretch && end-start < len(at) {
			rate := at[max(0, start-1)]
			if start == 0 {
				rate = at[end]
			}
			for i := start; i < end; i++ {
				at[i] = rate
			}
			if start == 0 {
				end = 0 // together with the next one
			}
		}
		start = end
	}
}
