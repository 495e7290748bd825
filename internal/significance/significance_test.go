package significance

import (
	"math"
	"math/rand/v2"
	"testing"

	"ohframe/internal/testing/slow"
)

func exactly(values ...float64) (list []UnitValue) {
	for _, x := range values {
		list = append(list, Exactly(x))
	}
	return list
}

func series(base, new []UnitValue) *Series { return &Series{Base: base, New: new} }

func near(a, b, margin float64) bool { return math.Abs(a-b) <= margin }

// Quantiles of Student's t from published tables.
func TestStudent(t *testing.T) {
	for _, test := range []struct {
		tail     float64
		freedom  int
		quantile float64
	}{{.025, 1, 12.7062}, {.05, 2, 2.9200}, {.025, 3, 3.1824}, {.005, 4, 4.6041}, {.1, 5, 1.4759}, {.025, 8, 2.3060}, {.001, 11, 4.0247}, {.025, 120, 1.9799}} {
		if got := quantile(test.tail, test.freedom); !near(got, test.quantile, 1e-4) {
			t.Errorf("quantile(%v, %d) = %v, want %v", test.tail, test.freedom, got, test.quantile)
		}
		if got := upperTail(-test.quantile, test.freedom); !near(got, 1-test.tail, 1e-5) {
			t.Errorf("upperTail(-%v, %d) = %v", test.quantile, test.freedom, got)
		}
	}
}

// Three units against three without a prior: t with 4 degrees of freedom. 4.6041 has a two-sided
// p-value of 0.01. The standard error of the difference is √(2/3).
func TestThreeAgainstThree(t *testing.T) {
	const shift = 4.6041 * 0.8164966
	base, new := exactly(0, 1, 2), exactly(shift, 1+shift, 2+shift)
	f := Test([]Hypothesis{{Series: series(base, new)}})
	if r := f.Results[0]; f.Method != ModeratedT || f.Tested != 1 || !near(r.P, .01, 1e-6) || !near(r.Delta, shift, 1e-9) || r.Low <= 0 || !near(r.Low+r.High, 2*shift, 1e-9) {
		t.Errorf("%+v", r)
	}
	// One-sided in either direction.
	f = Test([]Hypothesis{{Series: series(base, new), Direction: Up}})
	if r := f.Results[0]; !near(r.P, .005, 1e-6) || !math.IsInf(r.High, 1) || r.Low <= 0 {
		t.Errorf("up: %+v", r)
	}
	f = Test([]Hypothesis{{Series: series(base, new), Direction: Down}})
	if r := f.Results[0]; !near(r.P, .995, 1e-6) || !math.IsInf(r.Low, -1) || r.High <= 0 {
		t.Errorf("down: %+v", r)
	}
	// Another hypothesis shifts the difference.
	f = Test([]Hypothesis{{Series: series(base, new), Direction: Up, Than: shift}})
	if r := f.Results[0]; !near(r.P, .5, 1e-6) || !near(r.Delta, shift, 1e-9) || r.Low >= shift {
		t.Errorf("than the shift: %+v", r)
	}
	// Two hypotheses: 1 − 0.99². The same one twice counts once.
	same := Hypothesis{Series: series(base, new)}
	f = Test([]Hypothesis{same, {Series: series(base, base)}, same})
	if f.Tested != 2 || !near(f.Results[0].P, .0199, 1e-6) || f.Results[1].P != 1 {
		t.Errorf("%+v", f)
	}
}

// The prior is the mean variance within units and the typical deviation between them: with
// weight 2 it makes 4 degrees of freedom 6.
func TestPrior(t *testing.T) {
	base, new := exactly(10, 10, 10), exactly(13, 13, 13) // without a variance between units
	for i := range base {
		base[i].Variance, new[i].Variance = 1, 3
	}
	s := &Series{Base: base, New: new, Typical: .2}
	prior := 2 + .2*.2*11.5*11.5
	deviation := math.Sqrt(2 * prior / 6 * 2 / 3)
	r := Test([]Hypothesis{{Series: s}}).Results[0]
	if want := 2 * upperTail(3/deviation, 6); !near(r.P, want, 1e-9) || r.within != 2 || r.freedom != 6 {
		t.Errorf("%+v, want p %v", r, want)
	}
	// Without known variances there is no prior.
	if r := Test([]Hypothesis{{Series: &Series{Base: exactly(1, 2, 3), New: exactly(2, 3, 4), Typical: .2}}}).Results[0]; r.freedom != 4 {
		t.Errorf("%+v", r)
	}
}

// Without a prior, units that happen to be equal vary as is typical, and by half a step at least.
func TestEqualUnits(t *testing.T) {
	s := &Series{Base: exactly(2, 2, 2), New: exactly(3, 3, 3), Step: 1}
	if r, want := Test([]Hypothesis{{Series: s, Direction: Up}}).Results[0], upperTail(1/math.Sqrt(.25*2/3), 4); !near(r.P, want, 1e-9) {
		t.Errorf("%+v, want p %v", r, want)
	}
	s = &Series{Base: exactly(20, 20, 20), New: exactly(30, 30, 30), Typical: .2}
	if r, want := Test([]Hypothesis{{Series: s, Direction: Up}}).Results[0], upperTail(10/math.Sqrt(25*2./3), 4); !near(r.P, want, 1e-9) {
		t.Errorf("%+v, want p %v", r, want)
	}
	if r := Test([]Hypothesis{{Series: &Series{Base: exactly(0, 0), New: exactly(0, 0)}}}).Results[0]; r.P != 1 || r.Detectable() != 0 || r.Needed(1, 50) != 0 {
		t.Errorf("%+v", r)
	}
}

// Units without a value do not count. Four are needed, and one on each side.
func TestTooFewUnits(t *testing.T) {
	unknown := math.NaN()
	for _, test := range []struct {
		base, new []UnitValue
		want      bool
	}{
		{exactly(1), exactly(2), false}, {exactly(1), exactly(2, 3), false}, {exactly(1), exactly(2, 3, 4), true}, {exactly(1, 2), exactly(2, 3), true},
		{exactly(1, unknown), exactly(2, 3), false}, {exactly(unknown, unknown), exactly(1, 2, 3, 4), false}, {nil, nil, false},
	} {
		f := Test([]Hypothesis{{Series: series(test.base, test.new)}})
		if f.Results[0].Tested != test.want || (f.Tested == 1) != test.want || (f.Method != "") != test.want {
			t.Errorf("%v and %v: %+v", test.base, test.new, f)
		}
	}
	if f := Test(nil); f.Tested != 0 || len(f.Results) != 0 {
		t.Errorf("%+v", f)
	}
}

// Two of the 252 divisions of 5 and 5 units are as far apart as 5 low and 5 high ones, and one in
// each direction. Five hypotheses are permuted.
func TestPermutation(t *testing.T) {
	low, high := exactly(1, 2, 3, 4, 5), exactly(11, 12, 13, 14, 15)
	var list []Hypothesis
	for _, d := range []Direction{Either, Up, Down, Either, Up} {
		list = append(list, Hypothesis{Series: series(low, high), Direction: d})
	}
	list[3].Series, list[4].Series = series(low, low), series(high, low)
	f := Test(list)
	if f.Method != Permutation || f.Resamples != 252 || f.Tested != 5 {
		t.Fatalf("%+v", f)
	}
	// The family has hypotheses in both directions, so that the mirrored division is as extreme.
	for i, want := range []float64{2. / 252, 2. / 252, 1, 1, 1} {
		if r := f.Results[i]; !near(r.P, want, 1e-9) || (r.P <= Level) != (r.Low > 0 || r.High < 0) {
			t.Errorf("%d: %+v, want p %v", i, r, want)
		}
	}
	for i := range list {
		list[i] = Hypothesis{Series: series(low, high), Direction: Up, Than: float64(i)}
	}
	if f := Test(list); !near(f.Results[0].P, 1./252, 1e-9) || !near(f.Results[4].P, 1./252, 1e-9) || f.Results[0].Delta != 10 || f.Results[4].Delta != 10 {
		t.Errorf("up: %+v", f)
	}
	// One hypothesis of 7 and 7 units: 3432 divisions.
	if f := Test([]Hypothesis{{Series: series(exactly(1, 2, 3, 4, 5, 6, 7), exactly(11, 12, 13, 14, 15, 16, 17))}}); f.Resamples != 3432 || !near(f.Results[0].P, 2./3432, 1e-9) {
		t.Errorf("%+v", f)
	}
}

// Of 11 and 11 units random divisions are drawn. Hardly any of them is as extreme as units that a change
// separates; the observed one counts.
func TestRandomDivisions(t *testing.T) {
	var base, new []UnitValue
	for i := range 11 {
		base, new = append(base, Exactly(float64(i))), append(new, Exactly(float64(100+i)))
	}
	f := Test([]Hypothesis{{Series: series(base, new)}})
	if r := f.Results[0]; f.Resamples != mostDrawn || r.P < 1./(mostDrawn+1)-1e-9 || r.P > 3./(mostDrawn+1) || r.Low <= 0 {
		t.Errorf("%d divisions: %+v", f.Resamples, r)
	}
	if again := Test([]Hypothesis{{Series: series(base, new)}}); again.Results[0].P != f.Results[0].P || again.Results[0].Low != f.Results[0].Low {
		t.Errorf("another time %+v", again.Results[0])
	}
}

// normal draws units without a change.
func normal(r *rand.Rand, n int, shift float64) (list []UnitValue) {
	for range n {
		list = append(list, UnitValue{shift + r.NormFloat64(), .5})
	}
	return list
}

// If nothing changed, a family of any size is rejected in at most Level of the cases, with the
// binomial margin of 1000. p-values and intervals agree. Changes of Detectable are found in
// Power of the cases.
func TestLevel(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		base, new, hypotheses int
		direction             Direction
	}{{3, 3, 1, Up}, {3, 3, 8, Either}, {5, 5, 1, Down}, {5, 5, 8, Either}, {2, 9, 1, Either}} {
		const tries = 1000
		rejected := 0
		for range tries {
			var list []Hypothesis
			for range test.hypotheses {
				list = append(list, Hypothesis{Series: series(normal(r, test.base, 0), normal(r, test.new, 0)), Direction: test.direction})
			}
			found := false
			for _, x := range Test(list).Results {
				found = found || x.P <= Level
				if (x.P <= Level) != (x.Low > 0 || x.High < 0) || x.Detectable() <= 0 {
					t.Fatalf("%+v: %+v", test, x)
				}
			}
			if found {
				rejected++
			}
		}
		expected := tries * Level
		if float64(rejected) > expected+3*math.Sqrt(expected) || test.hypotheses == 1 && float64(rejected) < expected-3.5*math.Sqrt(expected) {
			t.Errorf("%+v: %d of %d rejected", test, rejected, tries)
		}
	}
}

// The smallest change that units could have shown is found in Power of the cases, and as many
// units as are needed find the change that was seen.
func TestPower(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(3, 4))
	// The deviation of a difference of 5 and 5 is √(2/5). Most of what differs is within units.
	known := Hypothesis{Series: series(normal(r, 200, 0), normal(r, 200, 1)), Direction: Up, Limit: .1}
	x := Test([]Hypothesis{known}).Results[0]
	n := x.Needed(1, 50)
	found, detected := 0, 0
	for range 150 {
		if y := Test([]Hypothesis{{Series: series(normal(r, n, 0), normal(r, n, x.Delta)), Direction: Up}}).Results[0]; y.P <= Level {
			found++
		}
	}
	if found < 105 || found > 138 {
		t.Errorf("%d units of each side find %v in %d of 150", n, x.Delta, found)
	}
	for range 1000 {
		y := Test([]Hypothesis{{Series: series(normal(r, 6, 100), normal(r, 6, 100)), Direction: Up}}).Results[0] // of so large values the variance stays
		if z := Test([]Hypothesis{{Series: series(normal(r, 6, 0), normal(r, 6, y.Detectable())), Direction: Up}}).Results[0]; z.P <= Level {
			detected++
		}
	}
	if detected < 740 || detected > 860 {
		t.Errorf("detectable changes are found in %d of 1000", detected)
	}
}

func TestDetectableAndNeeded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	known := Hypothesis{Series: series(normal(r, 200, 0), normal(r, 200, 1)), Direction: Up, Limit: .1}
	// A value of 1 that doubles varies more: a variance of 0.5 between units becomes 2, one of 0.5
	// within them 1.
	one := func(n int, mean float64) (list []UnitValue) {
		for range n {
			list = append(list, UnitValue{mean + r.NormFloat64()*math.Sqrt(.0005*mean*mean+.0005*mean), .0005})
		}
		return list
	}
	of := func(mean float64) *Result {
		return &Test([]Hypothesis{{Series: series(one(200, mean), one(200, mean)), Direction: Up, Limit: mean}}).Results[0]
	}
	x := *of(1)
	if want := 1 + quantile(1-Power, 400)*math.Sqrt((.001+.003)/2*2/200); !near(x.Detectable(), want, .002) {
		t.Errorf("a doubled value is found from %v on, want %v", x.Detectable(), want)
	}
	x = Test([]Hypothesis{known}).Results[0]
	n := x.Needed(1, 50)
	// Half of the variance is within units: twice as long units need 3/4 of the number, less what more
	// degrees of freedom save.
	if long := x.Needed(2, 50); long >= n || long < n/2 {
		t.Errorf("%d units, %d of twice the length", n, long)
	}
	for _, h := range []Hypothesis{{Series: known.Series, Direction: Down}, {Series: known.Series, Direction: Up, Limit: 2}, {Series: known.Series, Direction: Up, Than: 2}} {
		if r := Test([]Hypothesis{h}).Results[0]; r.Needed(1, 50) != 0 {
			t.Errorf("%+v needs %d units", h, r.Needed(1, 50))
		}
	}
}
