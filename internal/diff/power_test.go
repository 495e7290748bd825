package diff

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/slow"
)

// animation generates runs of an application that animates at a fixed rate. Late frames
// cluster: the application is calm or busy, and only in busy times are frames late, two
// of three. Some periods have nothing to draw.
type animation struct {
	hertz   int
	seconds int
	jank    float64        // expected share of late frames
	longer  trace.Duration // added to the longest fifth of the other frames
}

// busyFrames is the mean length of a busy time.
const busyFrames = 3

// run generates one run.
func (a animation) run(seed uint64) Side {
	r := rand.New(rand.NewPCG(seed, 14))
	s := &scene{}
	app, service := s.process(100, "gallery"), s.process(50, "render_service")
	period := trace.Second / trace.Duration(a.hertz)
	start := trace.Time(trace.Second)
	busyShare := a.jank * 1.5
	enter := busyShare / (1 - busyShare) / busyFrames
	busy := r.Float64() < busyShare
	var before trace.Time // the last present
	var lost, worked trace.Duration
	for i := range a.seconds * a.hertz {
		if i%(3*a.hertz) > 5*a.hertz/2 {
			continue // a pause after each 2.5 s
		}
		if busy {
			busy = r.Float64() >= 1.0/busyFrames
		} else {
			busy = r.Float64() < enter
		}
		// On time: log-normal about four tenths of a period. Late: by half a period on average.
		z := r.NormFloat64()
		took := trace.Duration(float64(period) * min(0.99, 0.4*math.Exp(0.3*z)))
		if z > 0.84 { // the longest fifth
			took = min(took+a.longer, period)
		}
		late := busy && r.Float64() < 2.0/3
		if late {
			took = period + trace.Duration(float64(period)*(0.05+0.45*r.ExpFloat64()))
		}
		lost, worked = lost+max(0, took-period), worked+took
		vsync := start.Add(trace.Duration(i) * period)
		f := &analyzer.Frame{
			Kind: analyzer.ApplicationFrame, Process: app, TID: 100, VsyncID: int64(i + 1), Vsync: vsync, Period: period,
			Actual:   analyzer.Interval{Start: vsync, End: vsync.Add(took)},
			Expected: analyzer.Interval{Start: vsync, End: vsync.Add(period)}, Deadline: vsync.Add(period),
		}
		if late {
			f.Facts = analyzer.MainLate
		}
		picked := vsync.Add((took + period - 1) / period * period)
		work := trace.Duration(float64(period) * min(0.95, 0.2*math.Exp(0.3*r.NormFloat64())))
		g := &analyzer.Frame{
			Kind: analyzer.RenderFrame, Process: service, TID: 50, VsyncID: int64(i + 1), Vsync: picked, Period: period,
			Actual:   analyzer.Interval{Start: picked, End: picked.Add(work)},
			Expected: analyzer.Interval{Start: picked, End: picked.Add(period)}, Deadline: picked.Add(period),
		}
		g.Present = max(picked.Add(2*period), before+1)
		before = g.Present
		f.Transactions, f.Render = []analyzer.Sent{{Index: int64(i + 1), At: f.Actual.End, AppliedBy: g}}, g
		g.Applications = []*analyzer.Frame{f}
		s.Frames = append(s.Frames, f, g)
	}
	s.Span = analyzer.Interval{Start: start, End: start.Add(trace.Duration(a.seconds) * trace.Second)}
	side := Side{Stats: stats.Compute(&s.Timeline, stats.Options{Compare: true}), Costs: map[*stats.Process]*Costs{}}
	for _, p := range side.Stats.Processes { // the render service loses nothing
		c := &Costs{seconds: p.Observed.Seconds, frames: p.Frames.Complete}
		if p.Kind == stats.Application {
			c.lost, c.causes = lost, causeTimes{{why.Run, why.StageLayout, "FlushLayoutTask"}: lost}
			c.times = causeTimes{{wait: why.Run, stage: why.StageLayout}: worked}
		}
		side.Costs[p] = c
	}
	return side
}

// pair compares several runs of each side.
func pair(t *testing.T, base, new animation, runs int, seed uint64) *Diff {
	var sides [2][]Side
	for i := range runs {
		sides[0] = append(sides[0], base.run(2*(seed*uint64(runs)+uint64(i))))
		sides[1] = append(sides[1], new.run(2*(seed*uint64(runs)+uint64(i))+1))
	}
	return compare(t, Join("base", sides[0]), Join("new", sides[1]), Options{})
}

// TestPower measures how often changes are found where nothing changed, and where
// something did. "make diff-power" runs it with more pairs and prints the figures that
// docs/diff.md states. The reduced test has wider limits: with 40 pairs at a rate of 5 %,
// 6 or fewer have a change in 98.6 of 100 cases, and the seeds are fixed.
func TestPower(t *testing.T) {
	pairs, full := 40, os.Getenv("OHFRAME_POWER") != ""
	if full {
		pairs = 200
	} else {
		slow.Skip(t)
	}
	same := animation{hertz: 120, seconds: 10, jank: 0.015}
	janky, longer, worse, worst := same, same, same, same
	janky.jank += 0.03
	worse.jank, worst.jank = 0.06, 0.09 // the same change is harder to find where more frames are late
	longer.longer = 2 * trace.Millisecond
	for _, test := range []struct {
		name      string
		base, new animation
		runs      int
		measure   string // "" for any of the application or the render service
		limit     int    // of pairs, in the full test
	}{
		{"A/A, 5 runs of 10 s per side: pairs with any significant change", same, same, 5, "", 10},
		{"A/A, 1 run of 10 s per side: pairs with any significant change", same, same, 1, "", 10},
		{"A/B, 5 runs of 10 s per side, jank 1.5 % → 4.5 %: jank_rate found", same, janky, 5, "jank_rate", 180},
		{"A/B, 5 runs of 10 s per side, longest fifth +2 ms: p95_ms found", same, longer, 5, "p95_ms", 180},
		{"A/B, 5 runs of 10 s per side, jank 6 % → 9 %: jank_rate found", worse, worst, 5, "jank_rate", 0},
		{"A/B, 10 runs of 10 s per side, jank 6 % → 9 %: jank_rate found", worse, worst, 10, "jank_rate", 180},
	} {
		if !full && test.base != same {
			continue // too long
		}
		found := 0
		for seed := range uint64(pairs) {
			d := pair(t, test.base, test.new, test.runs, seed)
			hit := false
			for i, p := range d.Pairs {
				list := p.Measures()
				if test.measure == "" && p.Causes != nil {
					list = append(list, p.Causes.Lost)
					for _, c := range slices.Concat(p.Causes.Causes, p.Causes.Times) {
						list = append(list, c.Measure)
					}
				}
				for _, m := range list {
					if test.measure == "" && m.Verdict.Significant() || i == 0 && m.Name == test.measure && m.Verdict == Worse {
						hit = true
					}
				}
			}
			if hit {
				found++
			}
		}
		t.Logf("%s: %d of %d", test.name, found, pairs)
		switch limit := test.limit * pairs / 200; {
		case test.measure == "" && full && found > limit, test.measure == "" && found > 6 && !full:
			t.Errorf("%s: %d of %d, want at most %d", test.name, found, pairs, limit)
		case test.measure != "" && (full && found < limit || found < limit-4): // 32 of 40, if not full
			t.Errorf("%s: %d of %d, want at least %d", test.name, found, pairs, limit)
		}
	}
}
