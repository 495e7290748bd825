package sampling

import (
	"math"
	"slices"
	"sort"
	"strings"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
)

const (
	// tolerance is by how much a sample may be outside of a running interval. The kernel
	// writes sched_switch some microseconds before it switches, and reads the two clocks one after the
	// other.
	tolerance = 50 * trace.Microsecond
	// expected is the share of samples that are hits at the right offset, for weights. More
	// misses are accepted than this.
	expected = 0.95
	// nat is the unit of weights: that of a natural logarithm of a probability.
	nat = 256
	// busy is the share of time above which a thread that runs says nothing about an offset.
	busy = 0.9
	// gapPeriods is the number of sampling periods without a sample after which a thread
	// must have been switched out between.
	gapPeriods = 2.5
	// besides is how far from a running interval a sample is just before or after it.
	besides = trace.Millisecond
	// rowGap is the time between samples of a thread of which each must fit.
	rowGap = trace.Millisecond
	// pickGap is the time between samples of one stretch that are picked.
	pickGap = 5 * trace.Millisecond
	// maxPicks is the number of samples that are picked if all of them overlap the trace.
	maxPicks = 4096
)

// evidence is what the samples of a recording have to do with the running intervals of a trace.
type evidence struct {
	span   Interval     // of the trace
	lanes  []lane       // one for each thread and kind of sample
	lane   []int32      // of each sample: an index of lanes, or -1
	cpu    []int32      // of each sample
	raw    []trace.Time // of each sample, on the clock of the profile
	known  [][]Interval // of each processor
	all    []Interval   // when all processors are known, for samples without a processor
	quiet  []Interval   // without events
	period trace.Duration
	shared bool // a thread of the recording ran in the trace
}

// lane is the moments at which a thread can have samples of a kind.
type lane struct {
	spans     []Interval // disjoint, in order
	share     float64    // of the trace
	beside    float64    // share of the other times that is just before or after spans
	hit, miss int32      // weights of a sample: logarithms of likelihood ratios to chance
	cursor    int
	row       row
	seen      trace.Time // the last sample, and that of the row
	judged    trace.Time
}

// line is how times of samples become times of the trace: by an offset, which is that at a
// time and grows by drift nanoseconds per second.
type line struct {
	offset trace.Duration
	from   trace.Time
	drift  float64
}

func (l *line) at(t trace.Time) trace.Time {
	if l.drift == 0 {
		return t.Add(l.offset)
	}
	return t.Add(l.offset + trace.Duration(math.Round(l.drift*float64(t-l.from)/1e9)))
}

// pick is a sample that is used to find an offset.
type pick struct {
	at        trace.Time
	lane, cpu int32
}

func newEvidence(rec *sample.Recording, r *Running) *evidence {
	n := len(rec.Samples)
	e := &evidence{span: r.span(), quiet: r.quiet, lane: make([]int32, n), cpu: make([]int32, n), raw: make([]trace.Time, n)}
	for i := range r.cpus {
		r.cpus[i].known = union(r.cpus[i].known)
		e.known = append(e.known, r.cpus[i].known)
	}
	e.all = e.everywhere(r)
	atSwitch := make([]bool, len(rec.Profile.Events))
	for i, event := range rec.Profile.Events {
		atSwitch[i] = strings.HasSuffix(event.Name, "sched_switch")
	}
	type kind struct {
		tid trace.TID
		off bool
	}
	lanes := map[kind]int32{}
	for i := range rec.Samples {
		s := &rec.Samples[i]
		e.raw[i], e.cpu[i], e.lane[i] = s.Time, s.CPU, -1
		if s.TID <= 0 || s.Time < 0 || s.Time > trace.MaxTime {
			continue
		}
		k := kind{trace.TID(s.TID), s.Event >= 0 && int(s.Event) < len(atSwitch) && atSwitch[s.Event]}
		n, ok := lanes[k]
		if !ok {
			n = -1
			if list := r.threads[k.tid]; len(list) > 0 {
				e.shared = true
				if l := newLane(list, k.off, e.all); l.share <= busy {
					n = int32(len(e.lanes))
					e.lanes = append(e.lanes, l)
				}
			}
			lanes[k] = n
		}
		e.lane[i] = n
	}
	e.period = e.samplingPeriod(rec, atSwitch)
	return e
}

// newLane returns the lane of a thread that ran at the times of list. A sample at a switch is
// at the end of such a time. known is when all processors are known.
func newLane(list []Interval, atSwitch bool, known []Interval) lane {
	spans := make([]Interval, len(list))
	for i, v := range list {
		if atSwitch {
			v.Start = v.End
		}
		spans[i] = Interval{v.Start.Add(-tolerance), v.End.Add(tolerance)}
	}
	l := lane{spans: union(spans)}
	all, runs := float64(max(total(known), 1)), float64(common(l.spans, known))
	l.share = min(max(runs/all, 0.001), 0.999)
	wide := make([]Interval, len(l.spans))
	for i, v := range l.spans {
		wide[i] = Interval{v.Start.Add(-besides), v.End.Add(besides)}
	}
	l.beside = min(max(float64(common(union(wide), known))-runs, 0)/max(all-runs, 1), 1)
	// The likelihood ratio of a hit is bounded, as samples of a stretch are not independent.
	l.hit = int32(math.Round(nat * min(math.Log(expected/l.share), math.Log(expected/(1-expected)))))
	l.miss = int32(math.Round(nat * min(math.Log((1-expected)/(1-l.share)), 0)))
	return l
}

// common returns the time that two lists have in common.
func common(a, b []Interval) trace.Duration {
	var sum trace.Duration
	for len(a) > 0 && len(b) > 0 {
		sum += max(min(a[0].End, b[0].End).Sub(max(a[0].Start, b[0].Start)), 0)
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return sum
}

// everywhere returns when all processors are known, or the trace if that is less than half of
// it, as processors that do nothing for long are not known at first.
func (e *evidence) everywhere(r *Running) []Interval {
	type step struct {
		at trace.Time
		by int
	}
	var steps []step
	needed := 0
	for _, list := range e.known {
		if len(list) > 0 {
			needed++
		}
		for _, v := range list {
			steps = append(steps, step{v.Start, 1}, step{v.End, -1})
		}
	}
	sort.Slice(steps, func(i, j int) bool { return steps[i].at < steps[j].at })
	var all []Interval
	n := 0
	for i, s := range steps {
		if n == needed && steps[i-1].at < s.at {
			all = append(all, Interval{steps[i-1].at, s.at})
		}
		n += s.by
	}
	if all = union(all); 2*total(all) < total(r.traces) {
		all = union(slices.Clone(r.traces))
	}
	return all
}

// samplingPeriod returns the period that the recording states, or a typical small gap between
// samples of a thread.
func (e *evidence) samplingPeriod(rec *sample.Recording, atSwitch []bool) trace.Duration {
	var highest uint64
	for i, event := range rec.Profile.Events {
		if !atSwitch[i] {
			highest = max(highest, event.Frequency)
		}
	}
	if highest > 0 {
		return max(trace.Second/trace.Duration(min(highest, 1e9)), 1)
	}
	last := make([]trace.Time, len(e.lanes))
	var gaps []trace.Duration
	for i, n := range e.lane {
		if n < 0 {
			continue
		}
		if gap := e.raw[i].Sub(last[n]); last[n] != 0 && gap > 0 {
			gaps = append(gaps, gap)
		}
		last[n] = e.raw[i]
		if len(gaps) == 1<<16 {
			break
		}
	}
	if len(gaps) == 0 {
		return trace.Millisecond
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/4]
}

// precision is how exact an offset must be: a sampling period, within what makes sense for frames.
func (e *evidence) precision() trace.Duration {
	return min(max(e.period, 2*tolerance), 2*trace.Millisecond)
}

// windows returns when the trace has what a processor did.
func (e *evidence) windows(cpu int32) []Interval {
	switch {
	case cpu == sample.Unknown:
		return e.all
	case cpu >= 0 && int(cpu) < len(e.known):
		return e.known[cpu]
	}
	return nil
}

// find returns the index of the first interval that ends after t.
func find(list []Interval, t trace.Time) int {
	low, high := 0, len(list)
	for low < high {
		if mid := int(uint(low+high) >> 1); list[mid].End <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func contains(list []Interval, t trace.Time) bool {
	n := find(list, t)
	return n < len(list) && list[n].Start <= t
}

// weigh returns the weight of a pick at an offset. It is positive if the thread ran, negative
// if it did not, and 0 if that is unknown.
func (e *evidence) weigh(p *pick, l *line) int32 {
	t := l.at(p.at)
	if !contains(e.windows(p.cpu), t) {
		return 0
	}
	if contains(e.lanes[p.lane].spans, t) {
		return e.lanes[p.lane].hit
	}
	return e.lanes[p.lane].miss
}

// tally is how well samples fit running intervals.
type tally struct {
	checked, hits int
	chance        float64    // the number of hits that are expected by chance
	beside        int        // samples just before or after their threads ran
	besideChance  float64    // the number of those that are expected by chance among samples that are no hits
	row           row        // of all samples
	thread        int64      // the worst of a thread
	first, last   trace.Time // hits
}

func (t *tally) rate() float64 { return float64(t.hits) / float64(max(t.checked, 1)) }

// skill is 1 if all samples are hits, and 0 if as many are as are expected by chance.
func (t *tally) skill() float64 {
	n := float64(max(t.checked, 1))
	return (float64(t.hits) - t.chance) / max(n-t.chance, n/1000)
}

// row is how much consecutive samples look like those that have nothing to do with the trace.
type row struct {
	total, prefix int64 // of all, and of the first ones for which it is largest
	suffix, worst int64 // of the last ones, and of any, for which it is largest
}

func (r *row) add(weight int32) {
	r.total -= int64(weight)
	r.prefix = max(r.prefix, r.total)
	r.suffix = max(r.suffix-int64(weight), 0)
	r.worst = max(r.worst, r.suffix)
}

// count counts how well all samples fit. times are theirs, before the line is applied.
func (e *evidence) count(times []trace.Time, l *line) tally {
	for i := range e.lanes {
		lane := &e.lanes[i]
		lane.cursor, lane.row, lane.seen, lane.judged = 0, row{}, 0, 0
	}
	gap := trace.Duration(gapPeriods * float64(e.period))
	cursors := make([]int, len(e.known)+1)
	var sum tally
	for i, n := range e.lane {
		if n < 0 {
			continue
		}
		t := l.at(times[i])
		if t < e.span.Start || t > e.span.End {
			continue
		}
		list, cursor := e.windows(e.cpu[i]), len(e.known)
		if e.cpu[i] >= 0 {
			cursor = min(int(e.cpu[i]), cursor)
		}
		if !within(list, t, &cursors[cursor]) {
			continue
		}
		lane := &e.lanes[n]
		sum.checked++
		sum.chance += lane.share
		weight := lane.hit
		if within(lane.spans, t, &lane.cursor) {
			if sum.hits++; sum.hits == 1 {
				sum.first, sum.last = t, t
			}
			sum.first, sum.last = min(sum.first, t), max(sum.last, t)
		} else {
			weight = lane.miss
			sum.besideChance += lane.beside
			if lane.near(t) {
				sum.beside++
			}
		}
		// Single samples may be noise, and those of one stretch are not independent.
		single := t.Sub(lane.seen).Abs() > gap
		lane.seen = t
		if !single && t.Sub(lane.judged).Abs() >= rowGap {
			lane.judged = t
			lane.row.add(weight)
			sum.row.add(weight)
		}
	}
	for i := range e.lanes {
		sum.thread = max(sum.thread, e.lanes[i].row.worst)
	}
	return sum
}

// steady returns the time around two moments in which the device did not sleep, as processors had events.
func (e *evidence) steady(first, last trace.Time) Interval {
	steady := e.span
	for _, q := range e.quiet {
		if q.End <= first {
			steady.Start = max(steady.Start, q.End)
		}
		if q.Start >= last {
			steady.End = min(steady.End, q.Start)
		}
	}
	return steady
}

// near reports whether a moment that is in no span is just before or after one. The cursor is at the next.
func (l *lane) near(t trace.Time) bool {
	n := l.cursor
	return n > 0 && t.Sub(l.spans[n-1].End) < besides || n < len(l.spans) && l.spans[n].Start.Sub(t) < besides
}

// within reports whether t is in an interval. cursor is where an earlier time was; times mostly grow.
func within(list []Interval, t trace.Time, cursor *int) bool {
	n := *cursor
	if n > 0 && list[n-1].End > t {
		n = find(list, t)
	}
	for n < len(list) && list[n].End <= t {
		n++
	}
	*cursor = n
	return n < len(list) && list[n].Start <= t
}

// pick picks samples that say most about the offset: the first and the last one of each
// stretch of samples of a thread, and some between. At most limit are picked, as many of each thread as
// it has, or an equal share.
func (e *evidence) pick(times []trace.Time, limit int) []pick {
	lists := make([][]pick, len(e.lanes))
	last, lastPicked := make([]trace.Time, len(e.lanes)), make([]trace.Time, len(e.lanes))
	gap := trace.Duration(gapPeriods * float64(e.period))
	lastCPU := make([]int32, len(e.lanes))
	for i, n := range e.lane {
		if n < 0 {
			continue
		}
		t, list := times[i], lists[n]
		switch {
		case len(list) == 0 || t.Sub(last[n]) > gap:
			if len(list) > 0 && last[n] != lastPicked[n] {
				list = append(list, pick{last[n], n, lastCPU[n]})
			}
			list, lastPicked[n] = append(list, pick{t, n, e.cpu[i]}), t
		case t.Sub(lastPicked[n]) >= pickGap:
			list, lastPicked[n] = append(list, pick{t, n, e.cpu[i]}), t
		}
		lists[n], last[n], lastCPU[n] = list, t, e.cpu[i]
	}
	picks := balanced(lists, limit)
	slices.SortFunc(picks, func(a, b pick) int { return compareAll(int64(a.at), int64(b.at), int64(a.lane), int64(b.lane)) })
	return picks
}

func compareAll(pairs ...int64) int {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			if pairs[i] < pairs[i+1] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// balanced joins lists, and leaves out parts of the longest ones if they have more than limit.
func balanced(lists [][]pick, limit int) []pick {
	bySize := slices.Clone(lists)
	slices.SortStableFunc(bySize, func(a, b []pick) int { return len(a) - len(b) })
	var joined []pick
	for i, list := range bySize {
		quota := (limit - len(joined)) / (len(bySize) - i)
		joined = append(joined, thin(list, quota)...)
	}
	return joined
}

// thin returns n elements of a list, evenly spread, or all if it has fewer.
func thin[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	kept := make([]T, n)
	for i := range kept {
		kept[i] = list[i*len(list)/n]
	}
	return kept
}
