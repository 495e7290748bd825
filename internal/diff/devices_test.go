package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// field is a side of runs of devices: the values of measures in each run.
type field struct {
	Side
	values map[string][]significance.UnitValue
}

// add adds a run of a device.
func (f *field) add(device string, late int, durations []float64) {
	r := Recording{Dims: map[string]string{"device": device}}
	f.runs = append(f.runs, Side{Name: fmt.Sprint(len(f.runs)), Recording: r})
	slices.Sort(durations)
	n := len(durations)
	for name, value := range map[string]float64{
		"jank_rate": float64(late) / float64(n), "p50_ms": durations[n/2], "p90_ms": durations[n*9/10], "p95_ms": durations[n*19/20], "p99_ms": durations[n*99/100],
	} {
		if n < stats.MinFrames(name) {
			value = math.NaN()
		}
		f.values[name] = append(f.values[name], significance.Exactly(value))
	}
}

// varied returns runs of devices that differ as those of users do: some are much slower, some are used
// much more, and frames of a run have much in common.
func varied(r *rand.Rand, side string, devices int) *field {
	f := &field{values: map[string][]significance.UnitValue{}}
	heavy := func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+.3) } // few are far out
	for i := range devices {
		speed, late := 6*math.Exp(.15*heavy()), .03*math.Exp(.5*heavy())
		for range 1 + int(3*r.ExpFloat64()) {
			speed, late := speed*math.Exp(.05*r.NormFloat64()), min(1, late*math.Exp(.3*r.NormFloat64()))
			var durations []float64
			n := 0
			for range max(1, int(100*math.Exp(.8*r.NormFloat64()))) {
				durations = append(durations, speed*(.5+r.ExpFloat64()))
				if r.Float64() < late {
					n++
				}
			}
			f.add(fmt.Sprint(side, i), n, durations)
		}
	}
	return f
}

// equally returns devices with two runs of 100 frames each, whose rates of late frames vary by 5 points.
func equally(r *rand.Rand, side string, devices int, rate float64) *field {
	f := &field{values: map[string][]significance.UnitValue{}}
	for i := range devices {
		own := max(0, rate+.05*r.NormFloat64())
		for range 2 {
			n := 0
			for range 100 {
				if r.Float64() < own {
					n++
				}
			}
			f.add(fmt.Sprint(side, i), n, make([]float64, 100))
		}
	}
	return f
}

// fieldMeasures compares the devices of two sides, and tests their measures as a family.
func fieldMeasures(t *testing.T, base, new *field) (list []*Measure) {
	d := &Diff{Base: base.Side, New: new.Side}
	must.Do(t, d.setUnit(""))
	must.Equal(t, d.unit, "device")
	for _, name := range []string{"jank_rate", "p50_ms", "p90_ms", "p95_ms", "p99_ms"} {
		list = append(list, d.measured(stats.Measures.Named(name), base.values[name], new.values[name]))
	}
	judgeAll(list, nil)
	return list
}

// gateFails reports whether conditions on measures fail.
func gateFails(t *testing.T, list []*Measure, conditions string) bool {
	var changes []*condition.Change
	parsed := must.Get(condition.Parse(conditions, condition.OfChanges))(t)
	for i := range parsed {
		m := list[slices.IndexFunc(list, func(m *Measure) bool { return m.Name == parsed[i].Measure })]
		changes = append(changes, m.change(&parsed[i]))
	}
	condition.Decide(changes)
	return slices.ContainsFunc(changes, func(c *condition.Change) bool { return c.Status == condition.Failed })
}

// Equal fleets seldom differ, although their devices do: a test that pools frames would find a difference
// in most. Few and many devices, in any combination, keep the level, in tables and gates.
func TestEqualDevices(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(7, 8))
	tries, wrong := 600, map[string]int{}
	sizes := [][2]int{{minUnits, minUnits}, {minUnits, 40}, {40, 10}, {20, 20}, {10, 80}}
	for try := range tries {
		n := sizes[try%len(sizes)]
		list := fieldMeasures(t, varied(r, "a", n[0]), varied(r, "b", n[1]))
		if slices.ContainsFunc(list, func(m *Measure) bool { return m.P != nil && *m.P <= significance.Level }) {
			wrong["table"]++
		}
		for _, gate := range []string{"jank_rate>+0pp", "jank_rate<-0pp", "jank_rate>+0pp,p90_ms>+0,p95_ms>+0"} {
			if gateFails(t, list, gate) {
				wrong[gate]++
			}
		}
	}
	// Three standard deviations of the binomial distribution.
	expected := float64(tries) * significance.Level
	for of, n := range wrong {
		if float64(n) > expected+3*math.Sqrt(expected) {
			t.Errorf("%s: %d of %d comparisons of equal fleets find a change, want %g", of, n, tries, expected)
		}
	}
	t.Logf("of %d: %v", tries, wrong)
}

// A gate finds what a t-test of devices finds by arithmetic: the rate of a device varies by 5 points,
// and 200 frames of it by 2.2, so the difference of 40 and 40 devices has a standard error of 1.22
// points. A rise of 4 points is 3.28 of them. One of 1.77 fails, so 93 % of such rises do.
func TestPowerOfDevices(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(5, 6))
	tries, found := 600, 0
	for range tries {
		if gateFails(t, fieldMeasures(t, equally(r, "a", 40, .1), equally(r, "b", 40, .14)), "jank_rate>+1pp") {
			found++
		}
	}
	const want = .93
	if n := float64(tries); math.Abs(float64(found)-want*n) > 3*math.Sqrt(want*(1-want)*n) {
		t.Errorf("%d of %d are found, want %.0f %%", found, tries, 100*want)
	}
	t.Logf("%d of %d", found, tries)
}
