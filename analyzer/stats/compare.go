package stats

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Level is the family-wise level of Compare: the probability that any measure of any
// process is called changed if nothing has changed. It is below the usual 0.05, which leaves
// a margin for clusters that cross the borders of blocks.
const Level = 0.04

// Method is how Compare finds what differences chance makes.
type Method string

const (
	// RunPermutation: both sides have three runs or more, and their runs can be divided in
	// enough ways. The reference is the same statistic for other divisions.
	RunPermutation Method = "run_permutation"
	// TTest: both sides have exactly three runs. They can be divided in ten ways only, so that no
	// p-value could be below 0.1.
	TTest Method = "t_test"
	// BlockPermutation: a side has one or two runs. The reference is the same statistic for
	// other divisions of the runs' blocks of time. Differences between runs are not in it.
	BlockPermutation Method = "block_permutation"
)

// minRuns is the number of runs of a side from which differences between runs are known.
const minRuns = 3

// Pairing is a process on both sides of a comparison. Each side has one entry for each
// run, in the same order for all pairings; nil if the process is not in the run.
type Pairing struct {
	Base, New []*Process
	// AcrossRates tests TestedAcrossRates instead of Tested.
	AcrossRates bool
}

// Comparison is the result of Compare.
type Comparison struct {
	Method Method
	// Resamples is the number of divisions; 0 for TTest.
	Resamples int
	// Family is the number of changes tested.
	Family int
	// Changes has the changes of each pairing, in the order of Tested.
	Changes [][]Change
}

// Change is the change of a measure. Values of a side are the mean of its runs'.
type Change struct {
	// Measure is its name in Tested or TestedAcrossRates.
	Measure string
	// Tested: both sides have enough frames, in three runs or, if there are fewer, in all.
	Tested bool
	Delta  float64 // new − base
	// Low and High are the ends of the simultaneous 1 − Level confidence interval of the
	// change. All intervals of a comparison together have that coverage.
	Low, High float64
	// P is the p-value, corrected for the number of changes tested. It is at most Level
	// if and only if 0 is outside the interval.
	P float64
}

// Compare tests what has changed between two sides. The processes must be from Compute
// with Options.Compare.
//
// The statistic of each change is |Δ| / its standard error. With three runs or more, a
// run's variance is that between the runs of a side, and at least what resampling blocks
// within the runs says (Carlstein, 1986). The largest statistic of each division is the
// reference for all changes (Westfall and Young, 1993, single step), which corrects for
// their number and makes use of their correlation. Random numbers depend on the inputs
// only, and not on which side is which.
func Compare(pairings []Pairing) *Comparison {
	base, new := uint64(0), uint64(0)
	for _, p := range pairings {
		base, new = hashOf(base, p.Base), hashOf(new, p.New)
	}
	swapped := new < base
	source := rand.NewPCG(min(base, new), max(base, new))
	c := &comparer{source: source, random: rand.New(source), families: 1}
	for _, p := range pairings {
		if swapped {
			p.Base, p.New = p.New, p.Base
		}
		c.addPairing(p)
	}
	c.compare()
	for _, s := range c.series {
		change := &c.result.Changes[s.pairing][s.statistic]
		*change = s.change(change.Measure, c)
		if swapped {
			change.Delta, change.Low, change.High = -change.Delta, -change.High, -change.Low
		}
	}
	return &c.result
}

// Runs are the values of a quantity in the runs of both sides; NaN where it is unknown.
type Runs struct{ Base, New []float64 }

// CompareRuns tests what has changed between two sides of three runs or more, as Compare
// does, but by the differences between runs alone. All quantities have the same number of
// runs, and are tested together. A change is not tested if fewer than three runs of a side
// are known.
func CompareRuns(list []Runs) []Change { return compareRuns(list, 1) }

// CompareSamples tests what has changed between two sides that have independent observations
// instead of runs, such as single interactions. The quantities of a sample have the
// same observations. Those of different samples have nothing in common, so they are divided
// independently of each other, and the reference is the largest statistic of all. Samples of
// three observations each are families of their own, with Šidák's correction. More than
// maxSamples, those with the most observations, are not tested.
func CompareSamples(samples [][]Runs) [][]Change {
	size := func(i int) int {
		if len(samples[i]) == 0 {
			return 0
		}
		return len(samples[i][0].Base) + len(samples[i][0].New)
	}
	testable := func(r Runs) bool { return min(knownOf(r.Base), knownOf(r.New)) >= minRuns }
	changes := make([][]Change, len(samples))
	var tested []int
	for i, sample := range samples {
		changes[i] = make([]Change, len(sample))
		if slices.ContainsFunc(sample, testable) {
			tested = append(tested, i)
		}
	}
	slices.SortStableFunc(tested, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	tested = tested[:min(maxSamples, len(tested))]
	// Samples that are permuted together, and others that are t-tests.
	together := slices.DeleteFunc(slices.Clone(tested), func(i int) bool { return MethodOf(samples[i][0].sides()) == TTest })
	alone := slices.DeleteFunc(tested, func(i int) bool { return slices.Contains(together, i) })
	families := len(alone) + min(1, len(together))
	if len(together) == 1 { // few divisions are counted instead of drawn
		alone, together = append(alone, together[0]), nil
	}
	for _, i := range alone {
		changes[i] = compareRuns(samples[i], families)
	}
	if len(together) > 0 {
		c := &comparer{random: rand.New(rand.NewPCG(uint64(len(together)), 0)), families: families}
		for _, i := range together {
			c.addRuns(i, samples[i])
		}
		c.permuteSamples()
		for _, s := range c.series {
			changes[s.pairing][s.quantity] = s.change("", c)
		}
	}
	return changes
}

// sides returns the numbers of observations.
func (r *Runs) sides() [2]int { return [2]int{len(r.Base), len(r.New)} }

// maxSamples bounds the time of CompareSamples. minDivisions allow a p-value of Level after
// the correction for so many families.
const maxSamples = 40

func knownOf(list []float64) (n int) {
	for _, x := range list {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// compareRuns is CompareRuns for one of several families of tests.
func compareRuns(list []Runs, families int) []Change {
	changes := make([]Change, len(list))
	if len(list) == 0 {
		return nil
	}
	c := &comparer{random: rand.New(rand.NewPCG(uint64(len(list)), 0)), families: families}
	runs := list[0].sides()
	c.result.Method = MethodOf(runs)
	c.addRuns(0, list)
	c.refer(runs, 0, 0)
	for _, s := range c.series {
		changes[s.quantity] = s.change("", c)
	}
	return changes
}

// addRuns adds the series of each quantity that is known in enough runs.
func (c *comparer) addRuns(sample int, list []Runs) {
	for i := range list {
		s := &series{pairing: sample, quantity: i, runs: list[i].sides()}
		for _, x := range slices.Concat(list[i].Base, list[i].New) {
			s.points = append(s.points, point{known: !math.IsNaN(x), value: x})
		}
		if s.testable(RunPermutation) {
			c.series = append(c.series, s)
		}
	}
}

func hashOf(h uint64, runs []*Process) uint64 {
	for _, p := range runs {
		h *= 0x100000001b3 // FNV's prime
		if p != nil && p.sample != nil {
			h ^= p.sample.hash
		}
	}
	return h
}

// comparer computes a Comparison.
type comparer struct {
	result   Comparison
	source   *rand.PCG
	random   *rand.Rand // of source
	pairings []Pairing
	first    []int // the first of the series of each pairing; -1 if it is not tested
	series   []*series
	families int // the number of families that are tested, with this one
	// maxima are the largest statistics of each resample, the largest first.
	maxima []float64
	// observed is 1 if the observed statistics belong to the reference and are not among
	// maxima, otherwise 0.
	observed int
}

// series is a statistic of a process in all runs.
type series struct {
	pairing   int // or sample
	quantity  int // of CompareRuns and CompareSamples
	statistic statistic
	runs      [2]int  // of the sides
	points    []point // base's, then new's
	delta     float64
	deviation float64   // the standard error of delta
	divisions []float64 // the deltas of other divisions of the blocks
}

// point is a statistic of a run.
type point struct {
	known    bool
	value    float64
	variance float64 // by resampling blocks
}

// Numbers of resamples. Within these bounds they are as large as the amount of data
// allows in about a second.
const (
	maxDivisions = 9999
	minDivisions = 999
	// Divisions of blocks cost more, because each computes percentiles.
	maxBlockDivisions = 1999
	minBlockDivisions = 499
	work              = 400_000_000 // additions
	// maxEnumerated is the number of runs up to which all divisions can be counted.
	maxEnumerated = 20
	// replicates are enough for a standard error.
	replicates = 200
)

// untested are the changes of a pairing without a test, by Pairing.AcrossRates. Many
// pairings share them.
var untested = func() map[bool][]Change {
	m := map[bool][]Change{}
	for i := range Tested {
		m[false], m[true] = append(m[false], Change{Measure: Tested[i]}), append(m[true], Change{Measure: TestedAcrossRates[i]})
	}
	return m
}()

func (c *comparer) addPairing(p Pairing) {
	c.pairings = append(c.pairings, p)
	if !slices.ContainsFunc(p.Base, (*Process).testable) || !slices.ContainsFunc(p.New, (*Process).testable) {
		c.first = append(c.first, -1)
		c.result.Changes = append(c.result.Changes, untested[p.AcrossRates])
		return
	}
	c.first = append(c.first, len(c.series))
	runs := [2]int{len(p.Base), len(p.New)}
	changes := slices.Clone(untested[p.AcrossRates])
	for i := range changes {
		c.series = append(c.series, &series{
			pairing: len(c.pairings) - 1, statistic: statistic(i), runs: runs, points: make([]point, runs[0]+runs[1]),
		})
	}
	c.result.Changes = append(c.result.Changes, changes)
}

// compare chooses the method and computes the reference.
func (c *comparer) compare() {
	if len(c.pairings) == 0 {
		return
	}
	runs := [2]int{len(c.pairings[0].Base), len(c.pairings[0].New)}
	c.result.Method = MethodOf(runs)
	length, frames := math.Inf(1), 0
	for i := range c.pairings {
		for run := range runs[0] + runs[1] {
			if s := c.sampleOf(i, run); s != nil {
				length = min(length, blockLength(s.span()))
				frames += len(s.frames)
			}
		}
	}
	for run := range runs[0] + runs[1] {
		c.measure(run, length)
	}
	c.series = slices.DeleteFunc(c.series, func(s *series) bool { return !s.testable(c.result.Method) })
	c.refer(runs, length, frames)
}

// MethodOf returns the method for sides with so many runs.
func MethodOf(runs [2]int) Method {
	switch {
	case min(runs[0], runs[1]) < minRuns:
		return BlockPermutation
	case max(runs[0], runs[1]) == minRuns:
		return TTest
	}
	return RunPermutation
}

// refer computes the reference for the series. All of them are testable. Only blocks have a
// length.
func (c *comparer) refer(runs [2]int, length float64, frames int) {
	c.result.Family = len(c.series)
	if c.result.Family == 0 {
		return
	}
	for _, s := range c.series {
		s.delta, s.deviation = s.divide(func(i int) bool { return i >= runs[0] })
	}
	switch c.result.Method {
	case BlockPermutation:
		c.permuteBlocks(length, min(maxBlockDivisions, max(minBlockDivisions, work/frames)))
	case RunPermutation:
		c.permuteRuns(runs)
	}
	slices.SortFunc(c.maxima, func(a, b float64) int { return cmp.Compare(b, a) })
}

// sampleOf returns the sample of a pairing in a run, counted from the first of base; nil
// if it has none.
func (c *comparer) sampleOf(pairing, run int) *sample {
	p := &c.pairings[pairing]
	process := (*Process)(nil)
	if run < len(p.Base) {
		process = p.Base[run]
	} else {
		process = p.New[run-len(p.Base)]
	}
	if process == nil {
		return nil
	}
	return process.sample
}

// measure computes the points of a run. Their variance is that of drawing its blocks with
// replacement.
func (c *comparer) measure(run int, length float64) {
	for i := range c.pairings {
		s := c.sampleOf(i, run)
		if s == nil || c.first[i] < 0 {
			continue
		}
		b := newBlocks([]*sample{s}, length, c.pairings[i].AcrossRates)
		weights := slices.Repeat([]int32{1}, b.count)
		var value [statistics]float64
		b.values(weights, &value)
		points := [statistics]*point{}
		for j, ok := range b.enough() {
			points[j] = &c.series[c.first[i]+j].points[run]
			*points[j] = point{known: ok, value: value[j]}
		}
		if c.result.Method == BlockPermutation {
			continue
		}
		for range replicates {
			clear(weights)
			for range weights {
				weights[c.random.IntN(len(weights))]++
			}
			v := value
			b.values(weights, &v)
			for j, p := range points {
				p.variance += (v[j] - p.value) * (v[j] - p.value) / replicates
			}
		}
		for _, p := range points {
			p.variance *= float64(len(weights)) / float64(len(weights)-1) // resampling makes it too small by that
		}
	}
}

// testable reports whether enough runs have the statistic.
func (s *series) testable(m Method) bool {
	var known [2]int
	for i := range s.points {
		if s.points[i].known {
			known[s.side(i)]++
		}
	}
	if m == RunPermutation {
		return min(known[0], known[1]) >= minRuns
	}
	return known == s.runs && known[0] > 0 && known[1] > 0
}

// side returns 0 for a run of base, 1 for a run of new.
func (s *series) side(run int) int {
	if run < s.runs[0] {
		return 0
	}
	return 1
}

// maxDivided is the memory for the deltas of divisions of blocks, in bytes.
const maxDivided = 32 << 20

// permuteBlocks computes the reference from random divisions of the blocks of all runs
// into runs of as many blocks. Every pairing is divided in the same ways. Those of a few
// pairings at a time are in memory.
func (c *comparer) permuteBlocks(length float64, divisions int) {
	all := c.series[0].runs[0] + c.series[0].runs[1]
	var owner []int // the run of each block
	for run, s := range c.samples(c.series[0].pairing, all) {
		owner = append(owner, slices.Repeat([]int{run}, s.count(length))...)
	}
	c.maxima = make([]float64, divisions)
	start := *c.source
	for some := range slices.Chunk(c.series, max(1, maxDivided/8/divisions)) {
		*c.source = start
		c.divideBlocks(some, slices.Clone(owner), all, length, divisions)
		for _, s := range some {
			squares := 0.0
			for _, d := range s.divisions {
				squares += d * d
			}
			s.deviation = math.Sqrt(squares / float64(divisions))
			for r, d := range s.divisions {
				c.maxima[r] = max(c.maxima[r], ratioOf(d, s.deviation))
			}
			s.divisions = nil
		}
	}
	c.result.Resamples, c.observed = divisions, 1
}

// samples returns the samples of a pairing in all runs.
func (c *comparer) samples(pairing, all int) (list []*sample) {
	for run := range all {
		list = append(list, c.sampleOf(pairing, run))
	}
	return list
}

// divideBlocks sets the deltas of divisions of some series, which are in the order of their
// pairings.
func (c *comparer) divideBlocks(some []*series, owner []int, all int, length float64, divisions int) {
	type pairing struct {
		*blocks
		series []*series
	}
	var pairings []*pairing
	for i, s := range some {
		s.divisions = make([]float64, divisions)
		if i == 0 || s.pairing != some[i-1].pairing {
			pairings = append(pairings, &pairing{blocks: newBlocks(c.samples(s.pairing, all), length, c.pairings[s.pairing].AcrossRates)})
		}
		p := pairings[len(pairings)-1]
		p.series = append(p.series, s)
	}
	weights := make([]int32, len(owner))
	for division := range divisions {
		c.random.Shuffle(len(owner), func(i, j int) { owner[i], owner[j] = owner[j], owner[i] })
		for run := range all {
			for block, o := range owner {
				weights[block] = 0
				if o == run {
					weights[block] = 1
				}
			}
			for _, p := range pairings {
				var v [statistics]float64
				for _, s := range p.series {
					v[s.statistic] = s.points[run].value
				}
				p.values(weights, &v)
				for _, s := range p.series {
					side := s.side(run)
					s.divisions[division] += float64(2*side-1) * v[s.statistic] / float64(s.runs[side])
				}
			}
		}
	}
}

// permuteRuns computes the reference from divisions of the runs: all, or a random choice.
func (c *comparer) permuteRuns(runs [2]int) {
	all := runs[0] + runs[1]
	limit := min(maxDivisions, max(minDivisions, work/8/(all*len(c.series)*c.families)))
	isNew := make([]bool, all)
	add := func() { c.maxima = append(c.maxima, largest(c.series, isNew)) }
	if all <= maxEnumerated && ways(all, runs[1]) <= float64(limit) {
		for chosen := range uint64(1) << all {
			if bits.OnesCount64(chosen) == runs[1] {
				for i := range isNew {
					isNew[i] = chosen>>i&1 == 1
				}
				add()
			}
		}
	} else {
		for range limit {
			c.draw(isNew, runs[1])
			add()
		}
		c.observed = 1
	}
	c.result.Resamples = len(c.maxima)
}

// draw draws a random division.
func (c *comparer) draw(isNew []bool, n int) {
	clear(isNew)
	for _, i := range c.random.Perm(len(isNew))[:n] {
		isNew[i] = true
	}
}

// largest returns the largest statistic of a division.
func largest(list []*series, isNew []bool) (largest float64) {
	for _, s := range list {
		largest = max(largest, ratioOf(s.divide(func(i int) bool { return isNew[i] })))
	}
	return largest
}

// permuteSamples computes the reference from random divisions of samples, each sample divided
// by itself.
func (c *comparer) permuteSamples() {
	c.result.Method, c.result.Family, c.observed = RunPermutation, len(c.series), 1
	points := 0
	for _, s := range c.series {
		s.delta, s.deviation = s.divide(func(i int) bool { return i >= s.runs[0] })
		points += len(s.points)
	}
	c.maxima = make([]float64, min(maxDivisions, max(minDivisions, work/8/points)))
	for first := 0; first < len(c.series); {
		after := first
		for after < len(c.series) && c.series[after].pairing == c.series[first].pairing {
			after++
		}
		sample := c.series[first:after]
		first = after
		isNew := make([]bool, len(sample[0].points))
		for r := range c.maxima {
			c.draw(isNew, sample[0].runs[1])
			c.maxima[r] = max(c.maxima[r], largest(sample, isNew))
		}
	}
	c.result.Resamples = len(c.maxima)
	slices.SortFunc(c.maxima, func(a, b float64) int { return cmp.Compare(b, a) })
}

// ways returns the number of ways to choose k of n.
func ways(n, k int) float64 {
	w := 1.0
	for i := range k {
		w *= float64(n-i) / float64(i+1)
	}
	return math.Round(w)
}

// divide returns the difference of the means of two groups of the known runs, and its
// standard error, which is 0 if there is one run in each group. Both are 0 if a group
// has no run.
func (s *series) divide(isNew func(run int) bool) (delta, deviation float64) {
	var n, mean, squares [2]float64
	blocks := 0.0
	for i := range s.points {
		p := &s.points[i]
		if !p.known {
			continue
		}
		g := 0
		if isNew(i) {
			g = 1
		}
		n[g]++ // Welford, 1962
		d := p.value - mean[g]
		mean[g] += d / n[g]
		squares[g] += d * (p.value - mean[g])
		blocks += p.variance
	}
	if min(n[0], n[1]) < 1 {
		return 0, 0
	}
	variance := max((squares[0]+squares[1])/max(1, n[0]+n[1]-2), blocks/(n[0]+n[1]))
	return mean[1] - mean[0], math.Sqrt(variance * (1/n[0] + 1/n[1]))
}

// negligible is larger than a rounding error and smaller than any change that matters.
const negligible = 1e-12

// maxRatio is the largest ratio. It is that of a change without any deviation, and keeps
// intervals finite.
const maxRatio = 1e9

// ratioOf returns |delta| / deviation.
func ratioOf(delta, deviation float64) float64 {
	delta = math.Abs(delta)
	if delta <= negligible {
		return 0
	}
	return min(maxRatio, delta/deviation)
}

// change returns the result for a series.
func (s *series) change(measure string, c *comparer) Change {
	t := ratioOf(s.delta, s.deviation)
	x := Change{Measure: measure, Tested: true, Delta: s.delta, Low: s.delta, High: s.delta}
	critical := 0.0
	if c.result.Method == TTest {
		family := c.result.Family * c.families
		x.P, critical = sidak(studentT4(t), family), criticalT4(family)
	} else {
		x.P, critical = c.chance(t), c.critical()
		if c.families > 1 {
			x.P = sidak(x.P, c.families)
		}
	}
	if margin := critical * s.deviation; margin > 0 {
		x.Low, x.High = s.delta-margin, s.delta+margin
	}
	return x
}

// chance returns the share of the reference that is at least t.
func (c *comparer) chance(t float64) float64 {
	t *= 1 - 1e-9 // the same division, summed in another order, may differ by rounding
	n, _ := slices.BinarySearchFunc(c.maxima, t, func(m, t float64) int {
		if m >= t {
			return -1
		}
		return 1
	})
	return float64(n+c.observed) / float64(len(c.maxima)+c.observed)
}

// critical returns the value that a statistic must exceed for a p-value of Level.
func (c *comparer) critical() float64 {
	level := Level
	if c.families > 1 {
		level = -math.Expm1(math.Log1p(-Level) / float64(c.families)) // sidak(level, families) is Level
	}
	k := int(level*float64(len(c.maxima)+c.observed)) - c.observed
	return c.maxima[max(0, k)]
}

// studentT4 returns the probability that a variable of Student's t distribution with 4
// degrees of freedom, those of three and three runs, is at least as far from 0 as t.
func studentT4(t float64) float64 {
	x := t / math.Sqrt(4+t*t)
	return 1 - x*(3-x*x)/2
}

// sidak returns the probability that the smallest of n independent p-values is at most p.
func sidak(p float64, n int) float64 { return -math.Expm1(float64(n) * math.Log1p(-p)) }

// criticalT4 returns the t whose corrected p-value is Level.
func criticalT4(n int) float64 {
	low, high := 0.0, 1e6
	for range 100 {
		middle := (low + high) / 2
		if sidak(studentT4(middle), n) > Level {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// maxRefreshDifference is the share of frames above which refresh rates differ.
const maxRefreshDifference = 0.1

// RefreshDiffers reports whether more than a tenth of the frames would have to be made at
// another refresh rate for two processes, each with a list for each run, to use all rates
// equally often. Then their durations and frame rates are comparable only relative to
// the refresh rate.
func RefreshDiffers(base, new []*Process) bool {
	a, b := shares(base), shares(new)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	difference := 0.0
	for hertz := range all {
		difference += math.Abs(a[hertz]-b[hertz]) / 2 // half the sum is the share that would have to change
	}
	return difference > maxRefreshDifference
}

// shares returns the share of frames at each refresh rate, in whole hertz.
func shares(runs []*Process) map[int]float64 {
	total := 0
	m := map[int]float64{}
	for _, p := range runs {
		if p == nil {
			continue
		}
		for _, r := range p.Refresh {
			total += r.Frames
			m[wholeHertz(r.Period)] += float64(r.Frames)
		}
	}
	for hertz := range m {
		m[hertz] /= float64(total)
	}
	return m
}
