package fleet

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"
)

// The bootstrap draws units, which are devices or traces, and not frames: frames of one
// trace are not independent of each other, and traces of one device are not, so a test
// on pooled frames finds a difference between any two fleets. Rates of a draw are
// weighted by frames, as those of reports are.

const (
	// draws is the number of draws. The ends of the interval are then uncertain by a
	// few hundredths of its width.
	draws = 1000
	// MinUnits is the number of units of a side from which a difference is tested. The
	// bootstrap's intervals are too narrow for fewer.
	MinUnits = 10
	// maxUnits bounds the memory and the time: with more, units are put together at
	// random to this number of blocks, which are drawn instead.
	maxUnits = 256
)

// sample is the totals of the units of a group, by name.
type sample struct {
	units map[string]*unit
	// number is the number of units before they were put together to blocks.
	number  map[string]struct{}
	blocked bool
}

// unit has what the compared measures need.
type unit struct {
	sums      [len(sums)]int64
	durations Histogram
}

func newSample() *sample {
	return &sample{units: map[string]*unit{}, number: map[string]struct{}{}}
}

func (s *sample) unit(name string) *unit {
	s.number[name] = struct{}{}
	if s.blocked {
		name = block(name)
	}
	u := s.units[name]
	if u == nil {
		u = &unit{}
		s.units[name] = u
		if len(s.units) > maxUnits && !s.blocked {
			s.join()
			return s.units[block(name)]
		}
	}
	return u
}

// block returns the block of a unit. It depends on nothing but the name.
func block(name string) string {
	return string(rune('A' + xxh3.HashString(name)%maxUnits))
}

// join puts the units together to blocks.
func (s *sample) join() {
	if s.blocked {
		return
	}
	s.blocked = true
	blocks := map[string]*unit{}
	for name, u := range s.units {
		b := blocks[block(name)]
		if b == nil {
			b = &unit{}
			blocks[block(name)] = b
		}
		b.merge(u)
	}
	s.units = blocks
}

func (u *unit) merge(o *unit) {
	for i, n := range o.sums {
		u.sums[i] += n
	}
	u.durations.Merge(&o.durations)
}

// merge adds another sample. If either has blocks, so has the result: there are more
// than maxUnits then, in whatever order they are added.
func (s *sample) merge(o *sample) {
	if o.blocked {
		s.join()
	}
	if s.blocked {
		o.join()
	}
	for name, u := range o.units {
		if s.units[name] == nil {
			s.units[name] = &unit{}
		}
		s.units[name].merge(u)
	}
	for name := range o.number {
		s.number[name] = struct{}{}
	}
	if len(s.units) > maxUnits {
		s.join()
	}
}

// drawn computes measures of draws of a sample.
type drawn struct {
	units     []*unit
	durations [][]Count
	weights   []int64
	totals    Totals
}

func newDrawn(s *sample) *drawn {
	d := &drawn{weights: make([]int64, len(s.units))}
	names := make([]string, 0, len(s.units))
	for name := range s.units {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		u := s.units[name]
		var list []Count
		for b, n := range u.durations.All() {
			list = append(list, Count{b, n})
		}
		d.units, d.durations = append(d.units, u), append(d.durations, list)
	}
	return d
}

// draw sets the totals to those of as many random units as there are.
func (d *drawn) draw(r *rand.Rand) {
	clear(d.weights)
	for range d.units {
		d.weights[r.IntN(len(d.units))]++
	}
	d.totals.sums = [len(sums)]int64{}
	for _, octave := range d.totals.histograms[durationHistogram].octaves {
		if octave != nil {
			clear(octave[:])
		}
	}
	for i, w := range d.weights {
		if w == 0 {
			continue
		}
		for k, n := range d.units[i].sums {
			d.totals.sums[k] += w * n
		}
		for _, c := range d.durations[i] {
			d.totals.histograms[durationHistogram].Add(c.Bucket, w*c.N)
		}
	}
}

// interval is the uncertainty of a difference.
type interval struct {
	low, high float64 // the middle 95 % of the draws
	p         float64 // of a difference of zero, by the standard error of the draws
}

// bootstrap returns the intervals of the differences b − a, in the order of the measures;
// nil if a measure is unknown in too many draws. The same samples give the same result.
func bootstrap(a, b *sample, measures []Measure, seed string) []*interval {
	x, y := newDrawn(a), newDrawn(b)
	random := rand.New(rand.NewPCG(xxh3.HashString(seed), 1))
	differences := make([][]float64, len(measures))
	for range draws {
		x.draw(random)
		y.draw(random)
		for i, m := range measures {
			if before, after := m.Of(&x.totals), m.Of(&y.totals); before != nil && after != nil {
				differences[i] = append(differences[i], *after-*before)
			}
		}
	}
	list := make([]*interval, len(measures))
	for i, d := range differences {
		if len(d) < draws*9/10 {
			continue
		}
		slices.Sort(d)
		list[i] = &interval{low: d[len(d)*25/1000], high: d[len(d)-1-len(d)*25/1000]}
	}
	for i, d := range differences {
		if list[i] != nil {
			list[i].p = pValue(measures[i], a, b, d)
		}
	}
	return list
}

// pValue returns the probability of a difference at least as large as that of the
// samples if there is none: that of a normal distribution with the standard error of the
// draws. Unlike the share of the draws beyond zero it can be small enough for a
// correction for many tests.
func pValue(m Measure, a, b *sample, differences []float64) float64 {
	before, after := m.Of(a.totals()), m.Of(b.totals())
	if before == nil || after == nil {
		return 1
	}
	mean, squares := 0.0, 0.0
	for _, x := range differences {
		mean += x / float64(len(differences))
	}
	for _, x := range differences {
		squares += (x - mean) * (x - mean)
	}
	deviation := math.Sqrt(squares / float64(len(differences)-1))
	difference := math.Abs(*after - *before)
	switch {
	case difference == 0:
		return 1
	case deviation == 0:
		return 0
	}
	return math.Erfc(difference / deviation / math.Sqrt2)
}

// totals returns the totals of all units.
func (s *sample) totals() *Totals {
	t := &Totals{}
	for _, u := range s.units {
		for i, n := range u.sums {
			t.sums[i] += n
		}
		t.histograms[durationHistogram].Merge(&u.durations)
	}
	return t
}

// holm returns p-values that are corrected for their number, after Holm (1979): if all
// below a level count, a false one is among them with at most the probability of that
// level.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, largest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = largest
	}
	return corrected
}
