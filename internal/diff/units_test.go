package diff

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
)

// The value of a session is the mean of its runs. Its variance is that between the runs divided by
// their number, and at least that within them.
func TestBySessions(t *testing.T) {
	unknown := math.NaN()
	type unit = [2]float64 // value and variance
	for _, test := range []struct {
		why      string
		sessions string // of each run
		runs     []unit
		want     []unit // of each session
	}{
		{"one run each", "abc", []unit{{1, .5}, {2, .25}, {3, unknown}}, []unit{{1, .5}, {2, .25}, {3, unknown}}},
		{"several runs", "aabbb", []unit{{1, .1}, {3, .1}, {1, .3}, {2, .3}, {6, .3}}, // between: 2 and 7
			[]unit{{2, 1}, {3, 7.0 / 3}}},
		{"runs in another order", "abbab", []unit{{1, .1}, {1, .3}, {2, .3}, {3, .1}, {6, .3}}, []unit{{2, 1}, {3, 7.0 / 3}}},
		{"runs that are equal", "aabb", []unit{{5, .4}, {5, .2}, {1, .1}, {1, .1}}, []unit{{5, .15}, {1, .05}}}, // (.4 + .2) / 2 / 2
		{"unknown variances", "aab", []unit{{1, unknown}, {3, unknown}, {2, unknown}}, []unit{{2, 1}, {2, unknown}}},
		{"unknown values", "aaabbc", []unit{{unknown, unknown}, {4, .2}, {6, .2}, {unknown, unknown}, {7, .5}, {unknown, .1}},
			[]unit{{5, 1}, {7, .5}, {unknown, unknown}}},
		{"sessions of one day count once", "aaaaab", []unit{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {3, 0}}, []unit{{1, 0}, {3, 0}}},
	} {
		side := &Side{}
		for _, id := range test.sessions {
			side.runs = append(side.runs, Side{Recording: Recording{Session: string(id)}})
		}
		var runs []significance.UnitValue
		for _, u := range test.runs {
			runs = append(runs, significance.UnitValue{Value: u[0], Variance: u[1]})
		}
		u := side.newUnits(sessionUnit)
		got := u.values(runs)
		equal := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-12 }
		if !slices.EqualFunc(got, test.want, func(a significance.UnitValue, b unit) bool { return equal(a.Value, b[0]) && equal(a.Variance, b[1]) }) {
			t.Errorf("%s: got %v, want %v", test.why, got, test.want)
		}
	}
}

// Sessions are the unit if a side has several, and the other one has not the same.
func TestUnitOfComparison(t *testing.T) {
	side := func(sessions string) (s Side) {
		for _, id := range sessions {
			s.runs = append(s.runs, Side{Recording: Recording{Session: strings.TrimSpace(string(id))}})
		}
		return s
	}
	for _, test := range []struct {
		base, new string // a blank is unknown
		sessions  bool
	}{
		{"aaa", "bbb", false}, {"aaa", "aaa", false}, {"   ", "   ", false}, {"aaa", "   ", false},
		{"abc", "abc", false}, {"aabbcc", "cba", false}, {"aaabbb", "bbaa", false}, {"aaaab", "abbbb", true}, {"aaab", "ab", true}, {"abcd", "e", true}, {"e", "abcd", true}, {"ab", "abc", true}, {"ab", "cd", true},
		{"aa b", "ccc", true}, // those of unknown sessions are one
	} {
		d := &Diff{Base: side(test.base), New: side(test.new)}
		must.Do(t, d.setUnit(""))
		must.Equal(t, d.unit == sessionUnit, test.sessions, "%q and %q: sessions are the unit", test.base, test.new)
	}
	one := Side{Recording: Recording{Session: "a"}}
	if d := (&Diff{Base: one, New: side("bb")}); d.differIn(sessionUnit) {
		t.Error("one trace is several sessions")
	}
}

// inDims returns a side with a run for each set of dimensions: "device=a user=b".
func inDims(runs ...string) (s Side) {
	for i, dims := range runs {
		r := Recording{Dims: map[string]string{}}
		for _, dim := range strings.Fields(dims) {
			name, value, _ := strings.Cut(dim, "=")
			r.Dims[name] = value
		}
		s.runs = append(s.runs, Side{Name: fmt.Sprint(i), Recording: r})
	}
	return s
}

// devices returns n sets of dimensions of as many devices, whose names begin with a prefix.
func devices(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("device=%s%d", prefix, i))
	}
	return list
}

// The unit is the first of users, devices and sessions in which the sides differ, or the one that is wanted.
func TestUnits(t *testing.T) {
	type list = []string
	for _, test := range []struct {
		base, new    list
		wanted, unit string
		counts       [2]int
		enough       bool
		warning      string
	}{
		{devices("a", 5), devices("b", 6), "", "device", [2]int{5, 6}, true, ""},
		{devices("a", 4), devices("b", 40), "", "device", [2]int{4, 40}, false, ""},
		{devices("a", 5), devices("a", 5), "", "run", [2]int{5, 5}, true, ""}, // the same
		{list{"device=a", "device=a"}, list{"device=b", "device=b"}, "", "run", [2]int{2, 2}, true, ""},
		{list{"device=a user=1", "device=a user=2"}, list{"device=a user=3", "device=a user=4"}, "", "user", [2]int{2, 2}, false, ""},
		{list{"device=a user=1", "device=b user=1"}, list{"device=a user=1", "device=c user=1"}, "", "device", [2]int{2, 2}, false, ""},
		{devices("a", 2), list{"", "", ""}, "", "run", [2]int{2, 3}, true, ""}, // new does not know devices
		{append(devices("a", 5), "", ""), devices("b", 5), "", "device", [2]int{5, 5}, true, "2 runs of base without a device: not compared"},
		{append(devices("a", 5), devices("a", 5)...), devices("b", 5), "", "device", [2]int{5, 5}, true, "Devices have 2.0 runs on average in base and 1.0 in new"},
		{append(devices("a", 5), devices("a", 5)...), devices("b", 10), "trace", "run", [2]int{10, 10}, true, "Traces of one device have much in common, so equal sides often differ: --unit device compares devices"},
		{devices("a", 5), devices("b", 5), "trace", "run", [2]int{5, 5}, true, ""},
		{list{"rom=1", "rom=1", "rom=2"}, list{"rom=1"}, "rom", "rom", [2]int{2, 1}, false, ""},
	} {
		d := &Diff{Base: inDims(test.base...), New: inDims(test.new...)}
		must.Do(t, d.setUnit(test.wanted))
		if warnings := strings.Join(d.unitWarnings(), "; "); d.unit != test.unit || d.unitCounts() != test.counts || d.enoughUnits() != test.enough || !strings.HasPrefix(warnings, test.warning) || (test.warning == "") != (warnings == "") {
			t.Errorf("%q and %q by %q: %s, %v, %t, %q", test.base, test.new, test.wanted, d.unit, d.unitCounts(), d.enoughUnits(), warnings)
		}
	}
	d := &Diff{Base: inDims("rom=1 city=x"), New: inDims("rom=1")}
	d.Base.Name = "base"
	e, ok := d.setUnit("planet").(*Error)
	if !ok || e.What != "--unit: no trace of base has the dimension planet" || e.Hint != "--unit is one of trace, session, rom" {
		t.Errorf("got %+v", e)
	}
}

// Devices are compared by values alone: how they typically differ is unknown, so there is no prior. A measure
// needs as many devices of each side as a comparison does.
func TestSeriesOfDevices(t *testing.T) {
	d := &Diff{Base: inDims(devices("a", 6)...), New: inDims(devices("b", 5)...)}
	must.Do(t, d.setUnit(""))
	values := func(n, known int) (list []significance.UnitValue) {
		for i := range n {
			u := significance.UnitValue{Value: float64(i), Variance: .1}
			if i >= known {
				u = unknownUnit
			}
			list = append(list, u)
		}
		return list
	}
	s := d.series("ms", values(6, 5), values(5, 5))
	if s == nil || slices.ContainsFunc(slices.Concat(s.Base, s.New), func(u significance.UnitValue) bool { return !math.IsNaN(u.Variance) }) {
		t.Errorf("got %+v", s)
	}
	if s := d.series("ms", values(6, 4), values(5, 5)); s != nil {
		t.Errorf("four devices are tested: %+v", s)
	}
}

// Of many devices, so many are compared that few have values of others: half of them have 10 and half
// 20, so the mean is about 15. By chance, e^-3 of the places are those of no device. A device that
// is unknown leaves its place to others.
func TestManyDevices(t *testing.T) {
	const all = 3 * maxUnits
	d := &Diff{Base: inDims(devices("a", all)...), New: inDims(devices("b", 5)...)}
	must.Do(t, d.setUnit(""))
	var runs []significance.UnitValue
	for i := range all {
		runs = append(runs, significance.Exactly(float64(10+10*(i%2))))
	}
	list := d.units[0].values(runs)
	if n := known(list); len(list) != maxUnits || n < maxUnits*9/10 || math.Abs(*meanOf(list)-15) > 4*5/math.Sqrt(maxUnits) {
		t.Errorf("%d devices of %d places, mean %g", n, len(list), *meanOf(list))
	}
	for i := range all {
		if i%3 > 0 {
			runs[i] = unknownUnit
		}
	}
	// e^-1 of the places are empty.
	if n := known(d.units[0].values(runs)); n < maxUnits*55/100 || n > maxUnits*70/100 {
		t.Errorf("%d of %d devices with a value", n, maxUnits)
	}
	must.Equal(t, len(d.units[1].values(runs[:5])), 5)
}

// The order of runs makes no difference to any number, also if divisions of them are drawn by chance.
func TestOrderOfRuns(t *testing.T) {
	var sides [2][]Side
	for i := range sides {
		for run := range 12 {
			s := load{hertz: 60, seconds: 2, jank: .05}.side(uint64(100*i+run), level{1, 1})
			s.Name = fmt.Sprint("run ", run)
			sides[i] = append(sides[i], s)
		}
	}
	written := func() string {
		return write(t, compared(t, sides), "json", WriteOptions{})
	}
	want := written()
	slices.Reverse(sides[0])
	slices.Reverse(sides[1][3:])
	must.Equal(t, written(), want)
}

// A warning says if values of another dimension are not as frequent on both sides, as devices then differ. Values
// that one side has alone, such as versions, are what is compared.
func TestMixes(t *testing.T) {
	of := func(side string, tablets, phones int) (list []string) {
		for i := range tablets + phones {
			model := "phone"
			if i < tablets {
				model = "tablet"
			}
			// Each user has two runs, whose page does not differ from user to user.
			for _, page := range []string{"Index", "Detail"} {
				list = append(list, fmt.Sprintf("user=%s%d model=%s version=%s page=%s", side, i, model, side, page))
			}
		}
		return list
	}
	const differs = "The mix of model differs: phone 50.0 % → 95.0 %, tablet 50.0 % → 5.0 %: --where model=VALUE compares one value"
	for _, test := range []struct {
		base, new []string
		want      string
	}{
		{of("a", 10, 10), of("b", 1, 19), differs},
		{of("a", 10, 10), of("b", 9, 11), ""},  // 5 points
		{of("a", 3, 3), of("b", 2, 4), ""},     // chance
		{of("a", 40, 0), of("b", 38, 2), ""},   // rare: 2.5 %
		{devices("a", 20), of("b", 1, 19), ""}, // base knows no models
	} {
		d := &Diff{Base: inDims(test.base...), New: inDims(test.new...)}
		must.Do(t, d.setUnit(""))
		must.Equal(t, strings.Join(d.mixWarnings(), "; "), test.want)
	}
}
