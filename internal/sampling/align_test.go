package sampling_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/slow"
)

// randomScene returns a scene, and whether its samples must be aligned.
func randomScene(seed uint64) (c scene, honest bool) {
	r := rand.New(rand.NewPCG(seed, 7))
	second := float64(trace.Second)
	c = scene{
		seed: seed, hertz: []float64{60, 90, 120}[r.IntN(3)], frequency: []float64{500, 1000, 1000, 2000, 4000}[r.IntN(5)],
		cycles: r.IntN(2) == 0, states: r.IntN(3) > 0, offCPU: r.IntN(5) == 0, ragged: r.IntN(4) == 0, noCPU: r.IntN(4) == 0,
		length: trace.Duration(second * (3 + 12*r.Float64())), drift: 50 * r.Float64() * float64(r.IntN(2)), clock: sample.ClockPerf,
	}
	if r.IntN(10) == 0 {
		c.length *= 4
	}
	c.from, c.to = trace.Duration(second*(r.Float64()*3-1.5)), c.length+trace.Duration(second*(r.Float64()*3-1.5))
	if c.to-c.from < 2*trace.Second {
		c.to = c.from + 2*trace.Second
	}
	honest = true
	switch kind := r.IntN(10); {
	case kind == 0: // only threads that run the same in all frames
		c.threads, honest = []workload{periodic, periodic}, false
	case kind == 1: // only threads that run always
		c.threads, honest = []workload{spinning, spinning}, false
	default:
		for range 1 + r.IntN(6) {
			c.threads = append(c.threads, workload(r.IntN(int(workloads))))
		}
		c.threads = append(c.threads, frames)
	}
	c.recorded = len(c.threads)
	if r.IntN(3) == 0 {
		c.recorded, honest = 1+r.IntN(len(c.threads)), false
	}
	if r.IntN(4) == 0 {
		c.noise = []float64{0.05, 0.1, 0.2}[r.IntN(3)]
		honest = honest && c.noise <= 0.05
	}
	switch r.IntN(5) {
	case 0:
		c.clock = []sample.ClockID{sample.ClockMonotonic, sample.ClockBoot}[r.IntN(2)]
	case 1:
		c.clock = []sample.ClockID{sample.ClockMonotonic, sample.ClockBoot}[r.IntN(2)]
		c.wrong = trace.Duration(second * 3 * (r.Float64() - 0.5))
		if r.IntN(3) == 0 { // by whole periods
			c.wrong = trace.Duration(second / c.hertz * float64(1+r.IntN(20)))
		}
	}
	if r.IntN(5) == 0 {
		c.otherBoot, honest = true, false
	}
	return c, honest
}

// Samples must never be aligned wrongly: an error is shown to the user, wrong names of functions are not.
func TestAlignPairs(t *testing.T) {
	slow.SkipRace(t)
	var honest, good, all, aligned, others, unchecked int
	for seed := range uint64(slow.Of(40, 500)) {
		c, ok := randomScene(seed)
		p := c.pair()
		worst, err := p.align(nil)
		name := fmt.Sprintf("seed %d: %d Hz, %v, %d recorded, clock %s wrong by %d, noise %v, drift %v, other boot %v, %d samples",
			seed, int(c.frequency), c.threads, c.recorded, c.clock, c.wrong, c.noise, c.drift, c.otherBoot, p.samples)
		switch {
		case err == nil && (c.otherBoot || worst > p.period) && p.warned("could"):
			unchecked++
		case err == nil && c.otherBoot:
			t.Errorf("%s: accepted: %+v", name, p.rec.Alignment)
		case err == nil && worst > p.period:
			t.Errorf("%s: off by %d ns: %+v", name, worst, p.rec.Alignment)
		}
		switch {
		case c.otherBoot:
			others++
		case err == nil:
			aligned++
			fallthrough
		default:
			all++
		}
		if ok {
			honest++
			if err == nil {
				good++
			} else {
				t.Logf("%s: %v", name, err)
			}
		}
	}
	t.Logf("%d of %d honest pairs aligned; %d of %d of all of one boot; %d of another boot refused; %d stated and unchecked", good, honest, aligned, all, others, unchecked)
	if good*100 < honest*95 {
		t.Errorf("%d of %d honest pairs aligned", good, honest)
	}
}
