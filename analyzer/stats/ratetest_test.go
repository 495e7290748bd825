package stats

import (
	"math"
	"math/bits"
	"testing"
)

func TestFisherPublished(t *testing.T) {
	for _, test := range []struct {
		source     string
		a, n, b, m int
		p          float64
	}{
		{"the lady tasting tea", 3, 4, 1, 4, 34.0 / 70},
		{"the same, all right", 4, 4, 0, 4, 2.0 / 70},
		// R's help on fisher.test: convictions of criminals' like-sex twins.
		{"twins", 2, 17, 10, 13, 0.0005367},
		{"no difference", 2, 10, 2, 10, 1},
	} {
		if p := fisher(test.a, test.n, test.b, test.m); math.Abs(p-test.p) > 5e-5*test.p {
			t.Errorf("%s: p is %v, want %v", test.source, p, test.p)
		}
	}
}

// Every way to say which frames are late is as likely as any other.
func TestFisherAgainstEnumeration(t *testing.T) {
	const n, m = 5, 8
	for a := range n + 1 {
		for b := range m + 1 {
			ways := map[int]int{} // of the late ones among the n
			all := 0
			for late := range uint(1) << (n + m) {
				if bits.OnesCount(late) == a+b {
					ways[bits.OnesCount(late&(1<<n-1))]++
					all++
				}
			}
			unlikely := 0
			for _, w := range ways {
				if w <= ways[a] {
					unlikely += w
				}
			}
			want := float64(unlikely) / float64(all)
			if p := fisher(a, n, b, m); math.Abs(p-want) > 1e-9 {
				t.Errorf("%d of %d against %d of %d: p is %v, want %v", a, n, b, m, p, want)
			}
		}
	}
}

func TestTwoProportionZ(t *testing.T) {
	// Time's telephone poll of 1994 on a tax on cigarettes, a textbook example:
	// 351 of 605 against 41 of 195, z = 8.99.
	if z := twoProportionZ(41, 195, 351, 605); math.Abs(z-8.99) > 0.005 {
		t.Errorf("z is %v, want 8.99", z)
	}
	// z² is Pearson's χ² of the table.
	for _, c := range [][4]int{{41, 195, 351, 605}, {10, 100, 20, 90}, {30, 60, 5, 200}} {
		a, n, b, m := float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])
		chi := 0.0
		rate := (a + b) / (n + m)
		for _, cell := range [][2]float64{{a, n * rate}, {n - a, n * (1 - rate)}, {b, m * rate}, {m - b, m * (1 - rate)}} {
			chi += (cell[0] - cell[1]) * (cell[0] - cell[1]) / cell[1]
		}
		if z := twoProportionZ(c[0], c[1], c[2], c[3]); math.Abs(z*z-chi) > 1e-9*chi || (z > 0) != (b/m > a/n) {
			t.Errorf("%v: z is %v, want the root of %v", c, z, chi)
		}
	}
}

func TestRateMethods(t *testing.T) {
	for _, test := range []struct {
		baseLate, base, newLate, new int
		tooFew                       bool
		method                       RateMethod
	}{
		{1, 19, 5, 1000, true, ""},
		{1, 1000, 5, 19, true, ""},
		{1, 20, 5, 20, false, FisherExact},
		{5, 100, 5, 100, false, TwoProportionZ}, // 5 expected in each
		{5, 100, 4, 100, false, FisherExact},    // 4.5 expected
		{96, 100, 95, 100, false, FisherExact},  // 4.5 in time expected
		{0, 100, 0, 100, false, FisherExact},
		{100, 100, 100, 100, false, FisherExact},
		{10, 20, 500, 1000, false, TwoProportionZ},
	} {
		got := testRates(test.baseLate, test.base, test.newLate, test.new)
		if got.TooFewFrames != test.tooFew || got.Method != test.method || (got.P == nil) != test.tooFew {
			t.Errorf("%d of %d against %d of %d: %+v, want %q", test.baseLate, test.base, test.newLate, test.new, got, test.method)
		}
		if got.P != nil && !(*got.P >= 0 && *got.P <= 1) {
			t.Errorf("%d of %d against %d of %d: p is %v", test.baseLate, test.base, test.newLate, test.new, *got.P)
		}
	}
	if testRates(0, 0, 1, 50) != nil || testRates(1, 50, 0, 0) != nil {
		t.Error("there is a test without frames")
	}
}

// Where both methods apply, they nearly agree: the exact one is the more cautious.
func TestRateMethodsAgree(t *testing.T) {
	for _, late := range []int{110, 120, 130, 150} {
		exact, normal := fisher(100, 1000, late, 1000), twoSided(twoProportionZ(100, 1000, late, 1000))
		if exact < normal || exact > normal+0.05 {
			t.Errorf("100 against %d of 1000: %v by Fisher, %v by z", late, exact, normal)
		}
	}
}
