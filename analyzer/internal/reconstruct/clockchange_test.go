package reconstruct

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

const ms = trace.Millisecond

// clockTrace makes samples of a device at 100 Hz: offset and lag by the number of the sample. A
// sample has the line number 10 times its own.
func clockTrace(n int, offset, lag func(i int) trace.Duration) (samples []clockSample, steps []lineStep) {
	last := trace.Time(0)
	for i := range n {
		o := offset(i)
		now := trace.Time(trace.Duration(i+100) * 10 * ms)
		at := now.Add(o + lag(i))
		if last != 0 && at.Sub(last).Abs() >= minStep {
			steps = append(steps, lineStep{last, at, 10 * i})
		}
		last = at
		samples = append(samples, clockSample{at, o + lag(i), 10 * i, true})
	}
	return samples, steps
}

// Jumps and drifts are found where they are, and lag is not mistaken for them.
func TestFollowClock(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	short := func(int) trace.Duration { return 150*trace.Microsecond + trace.Duration(r.IntN(int(2*ms))) }
	busy := func(from, to int) func(int) trace.Duration {
		return func(i int) trace.Duration {
			if from <= i && i < to {
				return short(i) + 7*ms
			}
			return short(i)
		}
	}
	constant := func(int) trace.Duration { return 5 * trace.Second }
	jump := func(at int, by trace.Duration) func(int) trace.Duration {
		return func(i int) trace.Duration {
			if i >= at {
				return by
			}
			return 0
		}
	}
	for _, c := range []struct {
		name        string
		offset, lag func(int) trace.Duration
		want        []analyzer.ClockChange // without times; By up to the lag
	}{
		{"constant", constant, short, nil},
		{"a busy device", constant, busy(300, 340), nil},
		{"busy at the start", constant, busy(0, 20), nil},
		{"busy at the end", constant, busy(980, 1000), nil},
		{"jump", jump(500, 100*ms), short, []analyzer.ClockChange{{Kind: analyzer.ClockJump, Line: 5000, By: 100 * ms}}},
		{"jump of a busy device", jump(500, 100*ms), busy(495, 520), []analyzer.ClockChange{{Kind: analyzer.ClockJump, Line: 5000, By: 100 * ms}}},
		{"jump near the end", jump(990, 2000*ms), short, []analyzer.ClockChange{{Kind: analyzer.ClockJump, Line: 9900, By: 2000 * ms}}},
		{"back", jump(500, -50*ms), short, []analyzer.ClockChange{{Kind: analyzer.ClockBack, Line: 5000, By: -50 * ms}}},
		{"back and ahead", func(i int) trace.Duration { return jump(300, -50*ms)(i) + jump(600, 80*ms)(i) }, short,
			[]analyzer.ClockChange{{Kind: analyzer.ClockBack, Line: 3000, By: -50 * ms}, {Kind: analyzer.ClockJump, Line: 6000, By: 80 * ms}}},
		// Lines are 10 ms apart, so that they do not go back in time.
		{"slow for a while", jump(500, -8*ms), short, []analyzer.ClockChange{{Kind: analyzer.ClockUnsteady, Line: 5000, By: -8 * ms}}},
	} {
		samples, steps := clockTrace(1000, c.offset, c.lag)
		pieces, got := followClock(samples, steps, toleranceOf(analyzer.ClockDoComposition, 0))
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		jumps := 0
		for i, want := range c.want {
			if got[i].Kind != want.Kind || (got[i].By-want.By).Abs() > 8*ms || got[i].Line < want.Line-80 || got[i].Line > want.Line {
				t.Errorf("%s: %v, want %v", c.name, got[i], want)
			}
			if want.Kind != analyzer.ClockUnsteady {
				jumps++
				must.Equal(t, got[i].Line, want.Line, "%s: at line", c.name)
			}
		}
		must.Equal(t, len(pieces), 1+jumps, "%s pieces", c.name)
		if c.want == nil {
			if slope, _, ok := pieces[0].drift(); ok {
				t.Errorf("%s: drifts by %g", c.name, slope)
			}
		}
	}
}

// A drift is found to a tenth of a millisecond over the trace, and neither a lag that grows
// nor one that ends is a drift.
func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	short := func(int) trace.Duration { return 150*trace.Microsecond + trace.Duration(r.IntN(int(ms))) }
	const n = 3000 // 30 s
	for _, ppm := range []trace.Duration{-10_000, -500, -100, -20, 20, 100, 500, 1000, 10_000} {
		samples, _ := clockTrace(n, func(i int) trace.Duration { return trace.Duration(i) * 10 * ms * ppm / 1e6 }, short)
		slope, _, ok := (&clockPiece{samples: samples}).drift()
		if total, want := slope*30e9, float64(ppm)*30e3/(1+float64(ppm)/1e6); !ok || total < want-1e5 || total > want+1e5 {
			t.Errorf("%d ppm: drifts by %g ns in 30 s, %t, want %g", ppm, total, ok, want)
		}
	}
	for name, lag := range map[string]func(int) trace.Duration{
		"growing": func(i int) trace.Duration { return short(i) + trace.Duration(r.IntN(i+1))*4*ms/n },
		"at last": func(i int) trace.Duration { return short(i) + trace.Duration(i/(n/2))*2*ms },
		"first":   func(i int) trace.Duration { return short(i) + trace.Duration(1-i/(n/2))*2*ms },
	} {
		samples, _ := clockTrace(n, func(int) trace.Duration { return 0 }, lag)
		if slope, _, ok := (&clockPiece{samples: samples}).drift(); ok {
			t.Errorf("lag %s: drifts by %g ns in 30 s", name, slope*30e9)
		}
	}
}

// A drift beyond maxDrift is not corrected, and not overlooked.
func TestFastDrift(t *testing.T) {
	for _, ppm := range []trace.Duration{10_000, 29_900, 35_000, 100_000} {
		samples, steps := clockTrace(1000, func(i int) trace.Duration { return trace.Duration(i) * 10 * ms * ppm / 1e6 }, func(int) trace.Duration { return 0 })
		pieces, changes := followClock(samples, steps, toleranceOf(analyzer.ClockDoComposition, 0))
		_, _, ok := pieces[0].drift()
		if want := ppm < maxDrift; ok != want || want != (changes == nil) {
			t.Errorf("%d ppm: drifts: %t, changes %v", ppm, ok, changes)
		}
	}
}

// The source whose lines come right after the time they carry shows changes that are less than
// the lag of others.
func TestTolerance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	short := func(int) trace.Duration { return trace.Duration(r.IntN(int(30 * trace.Microsecond))) }
	after := func(from int, by trace.Duration) func(int) trace.Duration {
		return func(i int) trace.Duration { return trace.Duration(min(1, i/from)) * by }
	}
	wobble := func(by trace.Duration) func(int) trace.Duration {
		return func(i int) trace.Duration { return trace.Duration(math.Sin(float64(i)/100) * float64(by)) }
	}
	for _, c := range []struct {
		name   string
		offset func(int) trace.Duration
		want   string // the changes that the sources show
		worse  string // those that DoComposition shows
	}{
		{"constant", after(500, 0), "", ""},
		{"2 ms ahead", after(500, 2*ms), "jump 2ms", ""},
		{"0.4 ms ahead", after(500, 400*trace.Microsecond), "", ""},
		{"0.8 ms ahead", after(500, 800*trace.Microsecond), "unsteady 800µs", ""},
		// The lag of 20 frames in a row of a busy device can be 40 ms, that of vsyncs cannot.
		{"40 ms ahead at the end", after(980, 40*ms), "jump 40ms", ""},
		{"6 ms both ways", wobble(6 * ms), "unsteady", "unsteady"},
		{"0.4 ms both ways", wobble(400 * trace.Microsecond), "unsteady", ""},
		{"0.2 ms both ways", wobble(200 * trace.Microsecond), "", ""},
	} {
		for _, source := range []analyzer.ClockSource{analyzer.ClockGenerateVsync, analyzer.ClockDoComposition} {
			samples, steps := clockTrace(1000, c.offset, short)
			_, changes := followClock(samples, steps, toleranceOf(source, 0))
			got, want := "", c.want
			if source == analyzer.ClockDoComposition {
				want = c.worse
			}
			for _, change := range changes {
				got += map[analyzer.ClockChangeKind]string{analyzer.ClockJump: "jump", analyzer.ClockBack: "back", analyzer.ClockUnsteady: "unsteady"}[change.Kind] + " " + time.Duration(change.By).Round(100*time.Microsecond).String()
			}
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s, %s: %q, want %q", c.name, source, got, want)
			}
		}
	}
}

// An offset that changes and is not corrected is no more accurate than that.
func TestLag(t *testing.T) {
	for _, by := range []trace.Duration{0, 800 * trace.Microsecond} {
		var c clockSamples
		c.all[analyzer.ClockGenerateVsync], c.steps = clockTrace(1000, func(i int) trace.Duration { return trace.Duration(i/500) * by }, func(i int) trace.Duration { return trace.Duration(i%3) * trace.Microsecond })
		for _, s := range c.all[analyzer.ClockGenerateVsync] {
			c.sources[analyzer.ClockGenerateVsync].add(s.offset)
		}
		parts, _, changes := c.clocks(analyzer.Interval{}, nil, nil)
		if got, want := parts[0].Clock.Lag, max(7*trace.Microsecond, by); (got-want).Abs() > 3*trace.Microsecond || len(changes) != min(1, int(by)) {
			t.Errorf("changes by %s: accurate to %s, changes %v", by, got, changes)
		}
	}
}

// A drift is slow up to 1000 ppm.
func TestSlowDrift(t *testing.T) {
	for ppm, slow := range map[int]bool{600: true, 990: true, 1100: false} {
		samples, _ := clockTrace(400, func(i int) trace.Duration { return trace.Duration(i) * 10 * ms * trace.Duration(ppm) / 1e6 }, func(int) trace.Duration { return 0 })
		must.Equal(t, slices.Equal(flat(samples), samples), slow, "%d ppm: slow", ppm)
	}
}

// Times between events are the same if they are 2 µs apart; a shorter one that only one event has is damage.
func TestShortestStep(t *testing.T) {
	g := grain{apart: []trace.Duration{4000, 4050, 8000, 8002}}
	for i := range g.apart {
		g.apart[i] *= trace.Microsecond
	}
	must.Equal(t, g.shortest(), 8*ms)
}

// Of transactions with one key, the last that was sent by then is applied.
func TestChoose(t *testing.T) {
	list := []*sent{{at: 5}, {at: 10}, {at: 15}}
	for at, want := range map[trace.Time]*sent{5: list[0], 9: list[0], 10: list[1], 14: list[1], 20: list[2]} {
		if got := choose(list, at); got != want {
			t.Errorf("at %d: that of %d, want that of %d", at, got.at, want.at)
		}
	}
}

// What ends at the time to which the clock jumped, or later, may have been open over the jump.
func TestEndAtJumps(t *testing.T) {
	for end, want := range map[trace.Time]bool{199: true, 200: false, 201: false} {
		f := &analyzer.Frame{Draw: analyzer.Interval{Start: 90, End: end}}
		b := &builder{drafts: []*draft{{frame: f}}}
		b.endAtJumps([]*lineStep{{}, {from: 100, to: 200}})
		must.Equal(t, f.Draw.Known(), want, "until %d: known", end)
	}
}
