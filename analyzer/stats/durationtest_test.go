package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func sorted(values ...int64) []int64 {
	slices.Sort(values)
	return values
}

// Published results of the test with both corrections, two-sided.
func TestMannWhitneyPublished(t *testing.T) {
	for _, test := range []struct {
		source    string
		base, new []int64
		u, p      float64
		digits    int // of p after the first
	}{
		// Documentation of scipy.stats.mannwhitneyu: age at diagnosis of diabetes.
		{"scipy", sorted(20, 11, 17, 12), sorted(19, 22, 16, 29, 24), 17, 0.11134688653314041, 12},
		// endmemo.com/r/wilcoxon.php; W is that of its first sample, R's x.
		{"endmemo", sorted(12, 15, 5, 9, 9, 14, 56, 22, 3, 7, 32, 5), sorted(1, 5, 9, 24, 56, 21, 3, 7, 21, 4), 51.5, 0.5966, 3},
		{"endmemo, apart", sorted(1233, 4356, 987, 39999, 1111, 200000), sorted(1, 5, 9, 24, 56, 21, 3, 7, 21, 4), 0, 0.001364, 3},
		// R's help on wilcox.test: ozone in May against August, data set airquality.
		{"R", sorted(39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85),
			sorted(41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37), 127.5, 0.0001208, 3},
	} {
		u, z := mannWhitney(test.base, test.new)
		if u != test.u {
			t.Errorf("%s: U is %v, want %v", test.source, u, test.u)
		}
		if p := twoSided(z); math.Abs(p-test.p) > test.p*math.Pow(10, -float64(test.digits))/2 {
			t.Errorf("%s: p is %v, want %v", test.source, p, test.p)
		}
		// Turned round, it is the same distance on the other side.
		back, zBack := mannWhitney(test.new, test.base)
		if all := float64(len(test.base) * len(test.new)); back != all-u || zBack != -z {
			t.Errorf("%s: turned round, U is %v and z %v, want %v and %v", test.source, back, zBack, all-u, -z)
		}
	}
}

// The deviation that z divides by is that of U over all ways to deal the values
// out to the two sides, ties and all; and the p-value is near that of counting.
func TestMannWhitneyAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		n, m := 6+r.IntN(2), 6+r.IntN(2)
		values := make([]int64, n+m)
		for i := range values {
			values[i] = r.Int64N(9) // many ties
		}
		all := enumerateU(values, n)
		mean := float64(n*m) / 2
		variance, u := 0.0, countedU(values[:n], values[n:])
		asFar := 0
		for _, x := range all {
			variance += (x - mean) * (x - mean) / float64(len(all))
			if math.Abs(x-mean) >= math.Abs(u-mean) {
				asFar++
			}
		}
		got, z := mannWhitney(sorted(slices.Clone(values[:n])...), sorted(slices.Clone(values[n:])...))
		if got != u {
			t.Errorf("U of %v and %v is %v, want %v", values[:n], values[n:], got, u)
		}
		if math.Abs(u-mean) > 0.5 {
			want := math.Copysign(math.Abs(u-mean)-0.5, u-mean) / math.Sqrt(variance)
			if math.Abs(z-want) > 1e-9 {
				t.Errorf("z of %v and %v is %v, want %v", values[:n], values[n:], z, want)
			}
		}
		exact := float64(asFar) / float64(len(all))
		if p := twoSided(z); math.Abs(p-exact) > 0.08 {
			t.Errorf("p of %v and %v is %v, by counting %v", values[:n], values[n:], p, exact)
		}
	}
}

// enumerateU returns U of all ways to choose the n base values.
func enumerateU(values []int64, n int) (all []float64) {
	for chosen := range uint(1) << len(values) {
		if bits.OnesCount(chosen) != n {
			continue
		}
		var base, new []int64
		for i, v := range values {
			if chosen>>i&1 == 1 {
				base = append(base, v)
			} else {
				new = append(new, v)
			}
		}
		all = append(all, countedU(base, new))
	}
	return all
}

// countedU counts the pairs.
func countedU(base, new []int64) (u float64) {
	for _, b := range base {
		for _, n := range new {
			u += 0.5 + sign(n-b)/2
		}
	}
	return u
}

func TestMannWhitneyOfEquals(t *testing.T) {
	u, z := mannWhitney([]int64{3, 3, 3}, []int64{3, 3})
	if u != 3 || z != 0 || twoSided(z) != 1 {
		t.Errorf("U %v, z %v, want 3 and 0", u, z)
	}
}

func TestHodgesLehmannAgainstAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		base, new := make([]int64, 1+r.IntN(12)), make([]int64, 1+r.IntN(12))
		for _, list := range [][]int64{base, new} {
			spread := 1 + r.Int64N(1_000_000_000)
			for i := range list {
				list[i] = r.Int64N(spread)
			}
			slices.Sort(list)
		}
		var all []int64
		for _, b := range base {
			for _, n := range new {
				all = append(all, n-b)
			}
		}
		slices.Sort(all)
		k := len(all)
		want := (float64(all[(k-1)/2]) + float64(all[k/2])) / 2
		if got := hodgesLehmann(base, new); got != want {
			t.Errorf("shift from %v to %v is %v, want %v", base, new, got, want)
		}
	}
}
