package fleet

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/stats"
)

// The bootstrap draws units, which are devices or traces, and not frames: frames of one
// trace are not independent of each other, and traces of one device are not, so a test
// on pooled frames finds a difference between any two fleets. Rates of a draw are
// weighted by frames, as those of reports are.

const (
	// draws is the number of draws: the p-values are multiples of about 1/1000.
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

// draw sets the totals to those of random units: one fewer than there are, because the
// variance of draws of all is too small by that factor.
func (d *drawn) draw(r *rand.Rand) {
	clear(d.weights)
	for range d.units[1:] {
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

// resampled is what the draws say about the changes of a group.
type resampled struct {
	// errors are the standard errors of the changes; NaN if a measure is unknown in too
	// many draws.
	errors []float64
	// freedom is the number of degrees of freedom of the errors.
	freedom float64
	// largest is, of each draw, the largest distance of a change from that of the samples,
	// in standard errors.
	largest [draws]float64
}

// resample draws from both samples. The same samples give the same result.
func resample(a, b *sample, measures []Measure, seed string) *resampled {
	x, y := newDrawn(a), newDrawn(b)
	random := rand.New(rand.NewPCG(xxh3.HashString(seed), 1))
	before, after := a.totals(), b.totals()
	changes := make([]float64, len(measures))
	for i, m := range measures {
		changes[i] = difference(m, before, after)
	}
	// distances from the change of the samples, by measure and draw; NaN if unknown
	distances := make([][draws]float64, len(measures))
	for k := range draws {
		x.draw(random)
		y.draw(random)
		for i, m := range measures {
			distances[i][k] = math.Abs(difference(m, &x.totals, &y.totals) - changes[i])
		}
	}
	r := &resampled{freedom: float64(len(x.units) + len(y.units) - 2)}
	for i := range measures {
		known, squares := 0, 0.0
		for _, d := range distances[i] {
			if !math.IsNaN(d) {
				known++
				squares += d * d
			}
		}
		if known < draws*9/10 {
			r.errors = append(r.errors, math.NaN())
			continue
		}
		deviation := math.Sqrt(squares / float64(known))
		r.errors = append(r.errors, deviation)
		for k, d := range distances[i] {
			if d > 0 { // and not NaN
				r.largest[k] = max(r.largest[k], d/deviation)
			}
		}
	}
	return r
}

// difference returns the change of a measure, or NaN if it is unknown.
func difference(m Measure, a, b *Totals) float64 {
	if before, after := m.Of(a), m.Of(b); before != nil && after != nil {
		return *after - *before
	}
	return math.NaN()
}

// reference is the distribution that all changes of a comparison are judged by: of each
// draw the largest distance of any change, in standard errors (Westfall and Young, 1993,
// single step, as in stats.Compare). It corrects for the number of changes, and makes use
// of the correlation of those of a group.
type reference struct{ sorted [draws]float64 }

func newReference(groups []*resampled) *reference {
	r := &reference{}
	for _, g := range groups {
		for k, x := range g.largest {
			r.sorted[k] = max(r.sorted[k], x)
		}
	}
	slices.Sort(r.sorted[:])
	return r
}

// interval returns the simultaneous 1 − stats.Level confidence interval of a change with
// a standard error, and its p-value. That is at most stats.Level if and only if 0 is
// outside the interval.
//
// Few units also give an uncertain standard error. It is increased by about the quotient of
// the quantiles of Student's t and the normal distribution (Peiser, 1943).
func (r *reference) interval(change, deviation, freedom float64) (low, high, p float64) {
	largest := r.sorted[:]
	z := largest[draws-int(math.Floor(stats.Level*(draws+1)))]
	deviation *= 1 + (z*z+1)/(4*freedom)
	distance := 0.0
	if change != 0 {
		distance = math.Abs(change) / deviation // infinite if all units are alike
	}
	below, _ := slices.BinarySearch(largest, distance)
	return change - z*deviation, change + z*deviation, float64(1+draws-below) / (draws + 1)
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
