package significance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/internal/testing/slow"
)

// sequenceOf returns a sequence without noise but for a small alternation: the levels, each of so many
// units.
func sequenceOf(units int, levels ...float64) (s Sequence) {
	for _, level := range levels {
		for i := range units {
			s.Values = append(s.Values, level+.1*float64(i%2))
		}
	}
	return s
}

func noise(r *rand.Rand, n int) Sequence {
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return Sequence{Values: s}
}

// Of the orders of 10 units, 2·5!·5!/10! = 1/126 have the 5 low ones on one side. The p-value is that
// for three quarters of the level. Sides have their means.
func TestShift(t *testing.T) {
	f := TestSequences([]Sequence{sequenceOf(5, 1, 3)})
	x := f.Sequences[0]
	if f.Method != Permutation || f.Tested != 1 || f.Resamples != mostDrawn || !x.Tested || len(x.Shifts) != 1 {
		t.Fatalf("%+v", f)
	}
	s := x.Shifts[0]
	if s.At != 5 || s.Earliest != 5 || s.Latest != 5 || !near(s.Before, 1.04, 1e-9) || !near(s.After, 3.04, 1e-9) || s.LastOnly {
		t.Errorf("%+v", s)
	}
	want, deviation := 1./126/scanShare, math.Sqrt(1./126/mostDrawn)/scanShare
	if !near(s.P, want, 4*deviation) || s.Low <= 0 || !near(s.Low+s.High, 4, 1e-9) {
		t.Errorf("%+v, want p %v", s, want)
	}
	if again := TestSequences([]Sequence{sequenceOf(5, 1, 3)}).Sequences[0].Shifts[0]; again != s {
		t.Errorf("another time %+v", again)
	}
}

// Two against two units: Student's t with 2 degrees of freedom. The difference is 100, its standard
// error 0.05·√2, since the sums of squares are 2·2·0.05².
func TestFewUnits(t *testing.T) {
	f := TestSequences([]Sequence{sequenceOf(2, 0, 100)})
	s := f.Sequences[0].Shifts
	if f.Method != ModeratedT || f.Resamples != 0 || len(s) != 1 || s[0].At != 2 || !near(s[0].P, 2*upperTail(100/(.05*math.Sqrt2), 2)/scanShare, 1e-9) {
		t.Errorf("%+v", f)
	}
	if f := TestSequences([]Sequence{{Values: []float64{1, 2, 3}}}); f.Tested != 0 || f.Method != "" || f.Sequences[0].Tested {
		t.Errorf("three units: %+v", f)
	}
	if f := TestSequences(nil); f.Tested != 0 || len(f.Sequences) != 0 {
		t.Errorf("nothing: %+v", f)
	}
}

// Unknown units do not count, and equal values have no shift.
func TestUnknownAndEqual(t *testing.T) {
	unknown := math.NaN()
	s := sequenceOf(6, 1, 3)
	with := Sequence{Values: []float64{unknown}}
	for _, x := range s.Values {
		with.Values = append(with.Values, x, unknown)
	}
	shifts := TestSequences([]Sequence{with}).Sequences[0].Shifts
	if len(shifts) != 1 || shifts[0].At != 13 || !near(shifts[0].Before, 1.05, 1e-9) || !near(shifts[0].After, 3.05, 1e-9) {
		t.Errorf("%+v", shifts)
	}
	equal, none := make([]float64, 30), []float64{unknown, unknown, unknown, unknown, unknown}
	for _, list := range [][]float64{equal, none, none[:0], equal[:4]} {
		if f := TestSequences([]Sequence{{Values: list}}); len(f.Sequences[0].Shifts) != 0 {
			t.Errorf("%v: %+v", list, f)
		}
	}
	step := slices.Concat(make([]float64, 15), slices.Repeat([]float64{1}, 15))
	if x := TestSequences([]Sequence{{Values: step}}).Sequences[0]; len(x.Shifts) != 1 || x.Shifts[0].At != 15 || x.Shifts[0].Low != 1 || x.Detectable != 0 {
		t.Errorf("without deviation: %+v", x)
	}
}

// Several shifts are found, each with the units up to the next, that of the last unit alone by t, which needs
// others that differ. Twice the same level: the second shift is taken back.
func TestSeveralShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noisy := noise(r, 30)
	s := noisy.Values
	for i := range s {
		switch {
		case i == 29:
			s[i] += 20
		case i >= 20:
			s[i] += 10
		case i >= 10:
			s[i] += 20
		}
	}
	x := TestSequences([]Sequence{noise(r, 30), noisy}).Sequences[1].Shifts
	if len(x) != 2 || x[0].At != 10 || x[0].Back != nil || x[1].At != 20 || x[1].LastOnly || x[1].Back == nil || x[1].Back.At != 29 || !x[1].Back.LastOnly {
		t.Fatalf("%+v", x)
	}
	mean := func(s []float64) (m float64) {
		for _, v := range s {
			m += v / float64(len(s))
		}
		return m
	}
	for i, want := range [][2]float64{{mean(s[:10]), mean(s[10:20])}, {mean(append(slices.Clone(s[10:20]), s[29])), mean(s[20:29])}} {
		if !near(x[i].Before, want[0], 1e-9) || !near(x[i].After, want[1], 1e-9) {
			t.Errorf("%d: %+v, want %v", i, x[i], want)
		}
	}
	last := make([]float64, 30)
	last[29] = 1
	if x := TestSequences([]Sequence{{Values: last}}).Sequences[0].Shifts; len(x) != 0 {
		t.Errorf("one of equal units: %+v", x)
	}
}

// A change that was taken back is one shift with both places. Of the C(12, 4) = 495 orders of 12 units, those
// with a statistic as large have the four high units in the middle, with two or more before and one or more
// after them (6), the eight low ones so (2), or either ones first (2); the last two count if the statistic of
// one place is weighed as that of two or more.
func TestTakenBack(t *testing.T) {
	f := TestSequences([]Sequence{sequenceOf(4, 1, 3, 1)})
	x := f.Sequences[0].Shifts
	if len(x) != 1 || x[0].At != 4 || x[0].Back == nil || x[0].Back.At != 8 || x[0].Back.LastOnly || x[0].From != 0 || x[0].To != 12 || !near(x[0].Before, 1.05, 1e-9) || !near(x[0].After, 3.05, 1e-9) || !near(x[0].Low+x[0].High, 4, 1e-9) {
		t.Fatalf("%+v", x)
	}
	margin := 4 * math.Sqrt(10./495/float64(f.Resamples)) / scanShare
	if x[0].P < 8./495/scanShare-margin || x[0].P > 10./495/scanShare+margin {
		t.Errorf("p %v", x[0].P)
	}
	around := func(r *rand.Rand, units, from, to int, by float64) (s Sequence) {
		s = noise(r, units)
		for i := from; i < to; i++ {
			s.Values[i] += by
		}
		return s
	}
	for _, test := range []struct {
		name     string
		from, to int
		by       float64
	}{
		{"eight of 30", 10, 18, 6},
		{"two", 10, 12, 8},
		{"three", 20, 23, 8},
		{"all but the last", 21, 29, 8},
		{"lasting", 15, 30, 6},
		{"for the better", 5, 20, -8},
	} {
		for seed := range uint64(5) {
			x := TestSequences([]Sequence{around(rand.New(rand.NewPCG(seed, 1)), 30, test.from, test.to, test.by)}).Sequences[0].Shifts
			if len(x) != 1 || x[0].At != test.from || (x[0].Back != nil) != (test.to < 30) || x[0].Back != nil && (x[0].Back.At != test.to || x[0].Back.LastOnly != (test.to == 29)) {
				t.Errorf("%s, seed %d: %+v", test.name, seed, x)
			}
		}
	}
	// A third of it stays: two shifts. One unit alone is an exception.
	half := around(rand.New(rand.NewPCG(1, 1)), 30, 10, 30, 10)
	for i := 20; i < 30; i++ {
		half.Values[i] -= 4
	}
	if x := TestSequences([]Sequence{half}).Sequences[0].Shifts; len(x) != 2 || x[0].At != 10 || x[0].Back != nil || x[1].At != 20 || x[1].Back != nil {
		t.Errorf("%+v", x)
	}
	if x := TestSequences([]Sequence{around(rand.New(rand.NewPCG(1, 1)), 30, 12, 13, 10)}).Sequences[0].Shifts; len(x) != 0 {
		t.Errorf("one unit: %+v", x)
	}
}

// If units have a covariance, what t of a division is expected to be is that of random values: it and its
// degrees of freedom come from the same moments.
func TestAdjusted(t *testing.T) {
	const units = 20
	s := Sequence{Values: make([]float64, units), Covariance: make([][]float64, units)}
	for i := range s.Covariance {
		for k := range units {
			s.Covariance[i] = append(s.Covariance[i], math.Pow(.7, math.Abs(float64(i-k))))
		}
	}
	factor, r := factorOf(s.Covariance), rand.New(rand.NewPCG(5, 6))
	const tries = 20_000
	within, squares, between := 0.0, 0.0, 0.0
	var freedom int
	var scale float64
	for range tries {
		s.Values = drawnFrom(factor, noise(r, units).Values)
		p := newPart(0, s, 0, units)
		d, _ := p.divide(8, 11)
		_, freedom, scale = p.adjusted(d)
		w := p.squares - d.between
		within, squares, between = within+w/tries, squares+w*w/tries, between+d.between/tries
	}
	if want := math.Sqrt(between / (within / (units - 2))); !near(scale, want, .02*want) {
		t.Errorf("scale %v, want %v", scale, want)
	}
	if want := 2 * within * within / (squares - within*within); !near(float64(freedom), want, 1.3) {
		t.Errorf("%v degrees, want %v", freedom, want)
	}
}

// If nothing changed, families of any number of sequences have a shift in at most Level of the cases.
// Units that all sequences have in common make no difference. Shifts of Detectable are found in Power
// of the cases, and their places are in the confidence set in 95 %.
func TestLevelOfSequences(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(3, 4))
	const tries = 500
	for _, test := range []struct{ units, sequences int }{{5, 1}, {7, 4}, {9, 1}, {30, 1}, {30, 8}} {
		alarms := 0
		for range tries {
			var list []Sequence
			common := noise(r, test.units)
			for range test.sequences {
				s := noise(r, test.units)
				for i := range s.Values {
					s.Values[i] += common.Values[i]
				}
				list = append(list, s)
			}
			for _, x := range TestSequences(list).Sequences {
				if len(x.Shifts) > 0 {
					alarms++
					break
				}
			}
		}
		expected := float64(tries) * Level
		if float64(alarms) > expected+3*math.Sqrt(expected) {
			t.Errorf("%+v: %d of %d have a shift", test, alarms, tries)
		}
	}
	found, covered, others := 0, 0, 0
	for range tries {
		detectable := TestSequences([]Sequence{noise(r, 30)}).Sequences[0].Detectable
		s := noise(r, 30)
		for i := 15; i < 30; i++ {
			s.Values[i] += detectable
		}
		x := TestSequences([]Sequence{s}).Sequences[0].Shifts
		if len(x) > 0 {
			found++
			if x[0].Earliest <= 15 && x[0].Latest >= 15 {
				covered++
			}
		}
		if len(x) > 1 {
			others++
		}
	}
	if margin := 3 * math.Sqrt(.16/float64(tries)); !near(float64(found)/float64(tries), Power, margin) {
		t.Errorf("%d of %d shifts of the detectable size found", found, tries)
	}
	if n := float64(found); float64(covered) < .95*n-3*math.Sqrt(.05*n) {
		t.Errorf("%d of %d places are in the confidence set", covered, found)
	}
	t.Logf("%d of %d found, %d covered, %d with others", found, tries, covered, others)
}

// The quantile of Student's t for 2 % on each side, with 3 degrees of freedom, is 3.4819.
func TestInterval(t *testing.T) {
	low, high := Interval(exactly(1, 2, 3, 4, math.NaN()))
	if margin := 3.4819 * math.Sqrt(5./3/4); !near(low, 2.5-margin, 1e-4) || !near(high, 2.5+margin, 1e-4) {
		t.Errorf("%v to %v", low, high)
	}
	if low, high := Interval(exactly(1)); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("one unit: %v to %v", low, high)
	}
}
