package sampling

import (
	"math"
	"slices"

	"ohframe/analyzer/trace"
)

const (
	// leastOverlap is the time that a recording and a trace must have in common, unless one is
	// shorter than twice that.
	leastOverlap = trace.Second
	// outliers is one divided by the share of samples at each end that a recording may be longer by.
	outliers = 200
	// longest is that of a recording and a trace together.
	longest = 24 * 3600 * trace.Second
	// maxVotes is about the number of pairs of a sample and an interval that are compared at all
	// offsets, and maxBins the number of offsets.
	maxVotes, maxBins = 10_000_000, 1 << 22
	// leastVoters and mostVoters are the numbers of samples that are compared.
	leastVoters, mostVoters = 200, 2000
	// maxCandidates is the number of offsets that are examined more exactly.
	maxCandidates = 24
	// maxDrift is the drift of one clock against another that is searched for, in nanoseconds
	// per second. NTP slews a clock by up to 500_000, but rarely by more than some ten thousand.
	maxDrift = 100_000
	// driftStep is the step in which the drift of long recordings is searched for.
	driftStep = 25_000
	// steady is the time within which a drift is ignored at first: it moves samples
	// by maxDrift × steady / 2 at most, a quarter of a millisecond.
	steady = 5 * trace.Second
	// maxWindows is the number of parts of a long recording that are compared separately.
	maxWindows = 8
)

// candidate is an offset that may be right.
type candidate struct {
	line
	score int64
}

// search returns offsets at which many samples of the recording are in running intervals, the
// best one first. times are those of all samples. Offsets are at most reach.
func (e *evidence) search(times []trace.Time, reach trace.Duration) ([]candidate, []pick) {
	first, last := extent(times)
	// If the recording is much longer than the trace, most samples are of no use.
	factor := int(min(max(last.Sub(first)/max(e.span.length(), 1), 1), 16))
	picks := e.pick(times, maxPicks*factor)
	if len(picks) == 0 {
		return nil, nil
	}
	// A few wrong times must not make the recording long.
	first, last = picks[len(picks)/outliers].at, picks[len(picks)-1-len(picks)/outliers].at
	overlap := min(leastOverlap, min(last.Sub(first), e.span.length())/2)
	low, high := max(e.span.Start.Sub(last)+overlap, -reach), min(e.span.End.Sub(first)-overlap, reach)
	if low > high || high-low > longest {
		return nil, picks
	}
	g := e.vote(thin(picks, e.voters(picks, factor)), first, last, low, high)
	candidates := g.peaks(e.precision())
	for i := range candidates {
		c := &candidates[i]
		c.from = first + (last-first)/2
		e.refine(c, picks, first, last, 2*g.width(), maxDrift)
		e.settle(c, picks, first, last) // all, so that they can be compared
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return compareAll(b.score, a.score) })
	return candidates, picks
}

// settle makes the line exact. It has no drift unless that makes the score clearly better.
func (e *evidence) settle(c *candidate, picks []pick, first, last trace.Time) {
	constant := *c
	constant.drift = 0
	e.refine(&constant, picks, first, last, e.precision(), 0)
	e.refine(c, picks, first, last, e.precision()/2, driftStep)
	if c.score < constant.score+10*nat {
		*c = constant
	}
	drift := 0.0
	if c.drift != 0 {
		drift = driftStep / 5
	}
	e.refine(c, picks, first, last, 4*tolerance, drift)
}

func extent(times []trace.Time) (first, last trace.Time) {
	first, last = trace.Time(math.MaxInt64), 0
	for _, t := range times {
		if t >= 0 && t <= trace.MaxTime {
			first, last = min(first, t), max(last, t)
		}
	}
	return min(first, last), last
}

// common returns the first and the last time of a recording that are in the trace.
func (e *evidence) common(l *line, first, last trace.Time) (from, to trace.Time) {
	from = min(max(first, e.span.Start.Add(-l.offset)), last)
	return from, max(min(last, e.span.End.Add(-l.offset)), from)
}

// voters returns how many samples are compared with all running intervals of their threads.
func (e *evidence) voters(picks []pick, factor int) int {
	votes := 0
	for i := range picks {
		votes += len(e.lanes[picks[i].lane].spans) + 1
	}
	return min(max(maxVotes*len(picks)/votes, leastVoters), mostVoters) * factor
}

// grid has, for each offset, how well samples fit.
type grid struct {
	low   trace.Duration // the offset of the first bin
	shift uint           // the width of a bin is 1<<shift
	score []int32
	drift []int8 // in units of driftStep
}

func (g *grid) width() trace.Duration { return 1 << g.shift }

// add adds a weight to the offsets between two.
func (g *grid) add(bins []int32, from, to trace.Duration, weight int32) {
	i, j := (from-g.low)>>g.shift, (to-g.low)>>g.shift+1
	if n := trace.Duration(len(bins)) - 1; j > 0 && i < n {
		bins[max(i, 0)] += weight
		bins[min(j, n)] -= weight
	}
}

// vote compares samples with all running intervals of their threads. The recording is from first
// to last, the offset between low and high.
func (e *evidence) vote(picks []pick, first, last trace.Time, low, high trace.Duration) *grid {
	windows := 1
	if length := min(last.Sub(first), e.span.length()); length > steady*5/4 {
		windows = int(min((last.Sub(first)+steady-1)/steady, maxWindows))
	}
	g := &grid{low: low, shift: 16}
	for (high-low)>>g.shift >= trace.Duration(maxBins/windows) {
		g.shift++
	}
	size := int((high-low)>>g.shift) + 1
	part := last.Sub(first)/trace.Duration(windows) + 1
	bins := make([][]int32, windows)
	for i := range bins {
		bins[i] = make([]int32, size+1)
	}
	for i := range picks {
		p := &picks[i]
		if p.at < first || p.at > last {
			continue
		}
		list, l := bins[p.at.Sub(first)/part], &e.lanes[p.lane]
		known := e.windows(p.cpu)
		if len(known) == 0 {
			continue
		}
		// Short times of lost events between say little.
		from, to := known[0].Start.Sub(p.at), known[len(known)-1].End.Sub(p.at)
		g.add(list, from, to, l.miss)
		from, to = max(from, low), min(to, high)
		for n := find(l.spans, p.at.Add(from)); n < len(l.spans) && l.spans[n].Start.Sub(p.at) < to; n++ {
			g.add(list, max(l.spans[n].Start.Sub(p.at), from), min(l.spans[n].End.Sub(p.at), to), l.hit-l.miss)
		}
	}
	for _, list := range bins {
		sum := int32(0)
		for i := range list {
			sum += list[i]
			list[i] = sum
		}
	}
	g.combine(bins, part)
	return g
}

// combine adds up the scores of the parts of the recording, each moved by what the clocks drift
// until then, and keeps those of the best drift.
func (g *grid) combine(bins [][]int32, part trace.Duration) {
	size := len(bins[0]) - 1
	if len(bins) == 1 {
		g.score, g.drift = bins[0][:size], make([]int8, size)
		return
	}
	g.score, g.drift = slices.Repeat([]int32{math.MinInt32}, size), make([]int8, size)
	sums := make([]int32, size)
	for n := range 2*maxDrift/driftStep + 1 {
		// The drifts are 0, 1, -1, 2, -2 …: a small one is best if several are equally good.
		steps := (n + 1) / 2
		if n%2 == 0 {
			steps = -steps
		}
		clear(sums)
		for w, list := range bins {
			from := trace.Duration(2*w-len(bins)+1) * part / 2
			moved := int(trace.Duration(math.Round(float64(steps*driftStep)*float64(from)/1e9)) >> g.shift)
			for i := max(0, -moved); i < min(size, size-moved); i++ {
				sums[i] += list[i+moved]
			}
		}
		for i, sum := range sums {
			if sum > g.score[i] {
				g.score[i], g.drift[i] = sum, int8(steps)
			}
		}
	}
}

// peaks returns the best offsets that are better than all within a distance.
func (g *grid) peaks(distance trace.Duration) []candidate {
	block := int(max(distance>>g.shift, 4))
	var best []int // of each block
	for from := 0; from < len(g.score); from += block {
		top := from
		for i := from; i < min(from+block, len(g.score)); i++ {
			if g.score[i] > g.score[top] {
				top = i
			}
		}
		best = append(best, top)
	}
	var tops []int
	for i, top := range best {
		score := g.score[top]
		if score > 0 && (i == 0 || g.score[best[i-1]] < score) && (i+1 == len(best) || g.score[best[i+1]] <= score) {
			tops = append(tops, top)
		}
	}
	slices.SortStableFunc(tops, func(a, b int) int { return int(g.score[b]) - int(g.score[a]) })
	var list []candidate
	for _, top := range tops[:min(len(tops), maxCandidates)] {
		// An offset is mostly best in several bins: the middle of these is closest.
		end := top
		for end+1 < len(g.score) && g.score[end+1] == g.score[top] {
			end++
		}
		offset := g.low + trace.Duration(top+end+1)<<g.shift/2
		list = append(list, candidate{line: line{offset: offset, drift: float64(g.drift[top]) * driftStep}, score: int64(g.score[top])})
	}
	return list
}

// refine finds the best line near a candidate: an offset within reach, and a drift within some
// nanoseconds per second.
func (e *evidence) refine(c *candidate, picks []pick, first, last trace.Time, reach trace.Duration, drift float64) {
	const (
		parts  = 16  // of the recording, in each of which a drift counts as constant
		half   = 256 // steps of reach
		turns  = 120 // the most steps by which a drift moves both ends
		center = half + turns
		size   = 2*center + 1
	)
	from, to := e.common(&c.line, first, last)
	middle := from + (to-from)/2
	c.offset, c.from = c.at(middle).Sub(middle), middle
	seconds := max(float64(to.Sub(from))/2e9, 1e-9) // from the middle to the ends
	step := max((reach+half-1)/half, trace.Duration(drift*seconds/turns), trace.Microsecond)
	part := to.Sub(from)/parts + 1
	var bins [parts][size + 1]int32
	add := func(list *[size + 1]int32, from, to trace.Duration, weight int32) {
		i, j := ceil(from, step)+center, ceil(to, step)+center
		if i < j && j > 0 && i < size {
			list[max(i, 0)] += weight
			list[min(j, size)] -= weight
		}
	}
	wide := center * step
	for i := range picks {
		p := &picks[i]
		if p.at < from || p.at > to {
			continue
		}
		t, l, list := c.at(p.at), &e.lanes[p.lane], &bins[p.at.Sub(from)/part]
		known := e.windows(p.cpu)
		for n := find(known, t.Add(-wide)); n < len(known) && known[n].Start <= t.Add(wide); n++ {
			add(list, known[n].Start.Sub(t), known[n].End.Sub(t), l.miss)
			start, end := max(known[n].Start, t.Add(-wide)), min(known[n].End, t.Add(wide))
			for m := find(l.spans, start); m < len(l.spans) && l.spans[m].Start < end; m++ {
				add(list, max(l.spans[m].Start, start).Sub(t), min(l.spans[m].End, end).Sub(t), l.hit-l.miss)
			}
		}
	}
	for p := range bins {
		sum := int32(0)
		for i := range bins[p] {
			sum += bins[p][i]
			bins[p][i] = sum
		}
	}
	most := int(min(math.Round(drift*seconds/float64(step)), turns))
	sums := make([][2*half + 1]int32, 2*most+1)
	best := int32(math.MinInt32)
	for d := range sums {
		for p := range bins {
			moved := int(math.Round(float64((d-most)*(2*p-parts+1)) / parts))
			for i := range sums[d] {
				sums[d][i] += bins[p][i+turns+moved]
			}
		}
		best = max(best, slices.Max(sums[d][:]))
	}
	// The middle of all that are nearly as good as the best one is most likely.
	var n, offsets, drifts int
	for d := range sums {
		for i, sum := range sums[d] {
			if sum >= best-nat {
				n, offsets, drifts = n+1, offsets+i-half, drifts+d-most
			}
		}
	}
	c.score = int64(best)
	c.offset += trace.Duration(offsets) * step / trace.Duration(n)
	c.drift += float64(drifts) / float64(n) * float64(step) / seconds
}

// ceil divides, rounding up.
func ceil(a, b trace.Duration) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return int(q)
}
