package significance

import (
	"math"
	"math/rand/v2"
	"testing"

	"ohframe/internal/testing/slow"
)

// panel returns the observations of units that each stay for so many times, with the means. The
// deviation between units is 1, the rest's is 0.5.
func panel(r *rand.Rand, times, units, stay int) (list [][]Observation, means Sequence) {
	effect := map[uint64]float64{}
	for i := range times {
		var now []Observation
		mean := 0.0
		for u := range units {
			// Of the units, one in so many is replaced at each time.
			id := uint64(u*1000 + (i+u%stay)/stay)
			if _, ok := effect[id]; !ok {
				effect[id] = r.NormFloat64()
			}
			x := effect[id] + .5*r.NormFloat64()
			now, mean = append(now, Observation{id, x}), mean+x/float64(units)
		}
		list, means.Values = append(list, now), append(means.Values, mean)
	}
	return list, means
}

// Means of 10 units that stay for 5 times have a variance of (1 + 0.25) / 10, and share 1 / 10 less a
// fifth for each time between them.
func TestCovariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list, _ := panel(r, 500, 10, 5)
	c, resembling := Covariance(list)
	if !resembling {
		t.Fatal("none")
	}
	for lag, want := range []float64{.125, .08, .06, .04, .02, 0, 0} {
		if got := c[100][100+lag]; !near(got, want, .02) || c[100+lag][100] != got {
			t.Errorf("%d times later: %v, want %v", lag, got, want)
		}
	}
	if factor := factorOf(c[:0]); len(factor) != 0 {
		t.Errorf("of nothing: %v", factor)
	}
	// L·Lᵀ is the matrix.
	small := [][]float64{{4, 2}, {2, 5}}
	if f := factorOf(small); f[0][0] != 2 || f[1][0] != 1 || f[1][1] != 2 {
		t.Errorf("%v", f)
	}
	if f := factorOf([][]float64{{1, 2}, {2, 1}}); f != nil {
		t.Errorf("not positive definite: %v", f)
	}
	// Others at each time, or the same always: the order makes no difference.
	for _, stay := range []int{1, 1000} {
		list, _ := panel(r, 30, 10, stay)
		if stay == 1000 {
			for i := range list {
				for u := range list[i] {
					list[i][u].Unit = uint64(u)
				}
			}
		}
		if c, resembling := Covariance(list); resembling || !near(c[3][3]-c[3][20], .1*.25+map[int]float64{1: .1, 1000: 0}[stay], .05) {
			t.Errorf("units stay for %d: %v", stay, c[3])
		}
	}
	if c, _ := Covariance([][]Observation{{{1, 1}}, nil, {{1, 1}}, {{2, 1}}}); c != nil {
		t.Errorf("one each: %v", c)
	}
}

// Units that come and go are no shift. Without their covariance, half of the histories have one.
func TestLevelOfPanels(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(5, 6))
	tries, alarms, without := 300, 0, 0
	for range tries {
		list, means := panel(r, 30, 10, 10)
		if len(TestSequences([]Sequence{means}).Sequences[0].Shifts) > 0 {
			without++
		}
		means.Covariance, means.Resembling = Covariance(list)
		if len(TestSequences([]Sequence{means}).Sequences[0].Shifts) > 0 {
			alarms++
		}
	}
	if expected := float64(tries) * Level; float64(alarms) > expected+3*math.Sqrt(expected) || without < tries/4 {
		t.Errorf("%d of %d have a shift, %d without the covariance", alarms, tries, without)
	}
	t.Logf("%d of %d, %d without the covariance", alarms, tries, without)
}
