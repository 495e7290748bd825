package sampling_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/slow"
)

// randomScene returns a scene without a stated clock, and whether its samples say enough to be aligned.
func randomScene(r *rand.Rand) (c scene, clear bool) {
	second := float64(trace.Second)
	c = scene{
		seed: r.Uint64(), hertz: []float64{60, 90, 120}[r.IntN(3)], frequency: []float64{500, 1000, 1000, 2000, 4000}[r.IntN(5)],
		cycles: r.IntN(2) == 0, states: r.IntN(3) > 0, offCPU: r.IntN(5) == 0, ragged: r.IntN(4) == 0, noCPU: r.IntN(4) == 0,
		length: trace.Duration(second * (3 + 12*r.Float64())), clock: sample.ClockPerf,
	}
	if r.IntN(10) == 0 {
		c.length *= 4
	}
	c.from, c.to = trace.Duration(second*(r.Float64()*3-1.5)), c.length+trace.Duration(second*(r.Float64()*3-1.5))
	if c.to-c.from < 2*trace.Second {
		c.to = c.from + 2*trace.Second
	}
	clear = true
	switch kind := r.IntN(10); {
	case kind == 0: // only threads that run the same in all frames
		c.threads, clear = []workload{periodic, periodic}, false
	case kind == 1: // only threads that run always
		c.threads, clear = []workload{spinning, spinning}, false
	default:
		for range 1 + r.IntN(6) {
			c.threads = append(c.threads, workload(r.IntN(int(workloads))))
		}
		c.threads = append(c.threads, frames)
	}
	c.recorded = len(c.threads)
	if r.IntN(3) == 0 {
		c.recorded, clear = 1+r.IntN(len(c.threads)), false
	}
	if r.IntN(4) == 0 {
		c.noise = []float64{0.05, 0.1, 0.2}[r.IntN(3)]
		clear = clear && c.noise <= 0.05
	}
	return c, clear
}

// A clockKind is what can be right or wrong with the clock of a recording.
type clockKind struct {
	name  string
	least int // percent of the pairs that say enough which must be aligned; 0 if all must be refused
	scene func(*rand.Rand, *scene)
	pair  func(*rand.Rand, *pair)
}

func stated(r *rand.Rand) sample.ClockID {
	return []sample.ClockID{sample.ClockMonotonic, sample.ClockBoot}[r.IntN(2)]
}

func clockKinds() []clockKind {
	seconds := func(r *rand.Rand, most float64) trace.Duration {
		return trace.Duration(float64(trace.Second) * most * (2*r.Float64() - 1))
	}
	return []clockKind{
		{name: "stated and right", least: 99, scene: func(r *rand.Rand, c *scene) { c.clock = stated(r) }},
		{name: "stated, wrong by up to 1.5 s", least: 95, scene: func(r *rand.Rand, c *scene) { c.clock, c.wrong = stated(r), seconds(r, 1.5) }},
		{name: "stated, wrong by 1 to 40 ms", least: 95, scene: func(r *rand.Rand, c *scene) {
			c.clock, c.wrong = stated(r), trace.Duration(float64(1-2*r.IntN(2))*(1+39*r.Float64())*1e6)
		}},
		{name: "stated, wrong by whole frames", least: 90, scene: func(r *rand.Rand, c *scene) {
			c.clock, c.wrong = stated(r), trace.Duration(1e9/c.hertz*float64(1+r.IntN(20)))
		}},
		{name: "stated, wrong by hours", least: 95, scene: func(r *rand.Rand, c *scene) { c.clock, c.wrong = stated(r), seconds(r, 20*3600).Abs() }},
		{name: "missing", least: 95},
		{name: "missing, drifts", least: 95, scene: func(r *rand.Rand, c *scene) { c.drift = (2*r.Float64() - 1) * 90e3 }},
		{name: "stated, of unknown offset, drifts", least: 95, scene: func(r *rand.Rand, c *scene) { c.clock, c.drift = sample.ClockRaw, (2*r.Float64()-1)*90e3 }},
		{name: "stated, of another boot", scene: func(r *rand.Rand, c *scene) { c.otherBoot, c.clock = true, stated(r) }},
		{name: "missing, of another recording", scene: func(r *rand.Rand, c *scene) { c.otherBoot = true }},
		{name: "missing, of the same work again", scene: func(r *rand.Rand, c *scene) { c.again = trace.Duration(300e3 * (1 + 6*r.Float64())) }},
		{name: "stated, of the same work again", scene: func(r *rand.Rand, c *scene) {
			c.clock, c.wrong, c.again = stated(r), seconds(r, 1.5), trace.Duration(300e3*(1+6*r.Float64()))
		}},
		{name: "missing, device sleeps", pair: func(r *rand.Rand, p *pair) { p.sleepOnce(r, false) }},
		{name: "stated, device sleeps unknown to the trace", scene: func(r *rand.Rand, c *scene) { c.clock = sample.ClockMonotonic },
			pair: func(r *rand.Rand, p *pair) { p.sleepOnce(r, false) }},
		{name: "stated, device sleeps", least: 95, scene: func(r *rand.Rand, c *scene) { c.clock = sample.ClockMonotonic },
			pair: func(r *rand.Rand, p *pair) { p.sleepOnce(r, true) }},
	}
}

// sleepOnce makes the device sleep at some time for 0.1 s to 14 minutes.
func (p *pair) sleepOnce(r *rand.Rand, known bool) {
	s := p.timeline.Span
	length := 100 * trace.Millisecond
	for range r.IntN(14) {
		length *= 2
	}
	p.sleep(s.Start.Add(trace.Duration(r.Float64()*float64(s.End.Sub(s.Start)))), length, known)
}

// Samples must never be aligned wrongly: an error is shown to the user, wrong names of functions are not. A
// stated clock that cannot be checked is used with a warning.
func TestAlignPairs(t *testing.T) {
	for i, k := range clockKinds() {
		t.Run(k.name, func(t *testing.T) {
			var aligned, refused, unchecked, clear, good int
			for seed := range uint64(slow.Of(1, 60)) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				c, ok := randomScene(r)
				if k.scene != nil {
					k.scene(r, &c)
				}
				p := c.pair()
				if k.pair != nil {
					k.pair(r, p)
				}
				worst, err := p.align(nil)
				right := err == nil && worst <= p.period && !c.otherBoot && c.again == 0
				name := fmt.Sprintf("seed %d: %d Hz, %v, %d recorded, clock %s wrong by %v, again %v, noise %v, drift %v, %d samples", seed,
					int(c.frequency), c.threads, c.recorded, c.clock, time.Duration(c.wrong), time.Duration(c.again), c.noise, c.drift, p.samples)
				switch {
				case err != nil:
					refused++
				case right:
					aligned++
				case !ok && c.clock != sample.ClockPerf && p.warned("could"):
					unchecked++
				default:
					t.Errorf("%s: off by %v: %+v", name, time.Duration(worst), p.rec.Alignment)
				}
				if !ok {
					continue
				}
				if clear++; right {
					good++
				} else if k.least > 0 {
					t.Logf("%s: %v", name, err)
				}
			}
			t.Logf("%d aligned, %d refused, %d wrong but stated and not checked; %d of %d that say enough aligned", aligned, refused, unchecked, good, clear)
			if good*100 < clear*k.least {
				t.Errorf("%d of %d aligned", good, clear)
			}
		})
	}
}
