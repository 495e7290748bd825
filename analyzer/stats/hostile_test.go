package stats_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/slow"
)

// ends are the times and numbers at which sums could overflow.
var ends = []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 1e6, 1e9, 1 << 61, math.MaxInt64/2 + 1, math.MaxInt64 - 1, math.MaxInt64}

// extremeTimeline is of frames whose times and numbers are at their ends wherever
// a valid timeline can have them so.
func extremeTimeline(r *rand.Rand, frames int) *analyzer.Timeline {
	end := func() int64 { return ends[r.IntN(len(ends))] }
	at := func() trace.Time { return trace.Time(end()) }
	positive := func() trace.Time { return trace.Time(max(0, end())) }
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: positive(), End: math.MaxInt64}}
	service, app := &analyzer.Process{PID: 1, Name: "render_service"}, &analyzer.Process{PID: math.MaxInt32}
	t.Processes = []*analyzer.Process{service, app}
	start := trace.Time(1)
	for range frames {
		if later := positive(); r.IntN(50) == 0 && later > start {
			start = later
		} else if start < math.MaxInt64 {
			start++ // frames that begin at once are taken for one
		}
		f := &analyzer.Frame{
			Process: app, TID: trace.TID(app.PID), VsyncID: end(), Vsync: at(), Period: trace.Duration(positive()), Coalesced: int(max(0, end())),
			Actual: analyzer.Interval{Start: start, End: max(start, positive())}, Deadline: at(), Facts: analyzer.Facts(r.IntN(16)),
		}
		if a, b := at(), at(); a < b {
			f.Expected = analyzer.Interval{Start: a, End: b}
		}
		if r.IntN(2) == 0 {
			f.Kind, f.Process, f.TID = analyzer.RenderFrame, service, 1
			f.Commit, f.Draw, f.Present = analyzer.Interval{Start: positive(), End: at()}, analyzer.Interval{Start: at(), End: at()}, positive()
			f.GPU = []analyzer.Interval{{Start: start, End: max(start, positive())}}
		} else if n := len(t.Frames); n > 0 && t.Frames[n-1].Kind == analyzer.RenderFrame {
			f.Render = t.Frames[n-1]
			f.Render.Applications = append(f.Render.Applications, f)
			f.Transactions = []analyzer.Sent{{Index: end(), At: at(), AppliedBy: f.Render}}
		}
		t.Frames = append(t.Frames, f)
	}
	return t
}

// checkFinite fails the test if a report does not go into JSON, or a number that
// cannot be negative is.
func checkFinite(t *testing.T, r *stats.Report) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	for _, p := range r.Processes {
		for _, m := range stats.Measures {
			if x := m.Of(p); x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
				t.Errorf("%s is %g", m.Path, *x)
			}
		}
		if h := p.Hitches; h != nil && (h.Time <= 0 || h.Idle < 0 || h.Hitch < 0 || h.LostFrames < 0 || h.Ratio != nil && *h.Ratio < 0 || h.Idle > h.Time) {
			t.Errorf("%+v", *h)
		}
		if f := p.FPS; f != nil && f.Rate != nil && *f.Rate <= 0 {
			t.Errorf("%+v", *f)
		}
		for _, w := range p.Worst {
			if w.Overrun < 0 {
				t.Errorf("%+v", w)
			}
		}
		for _, r := range p.Refresh {
			if r.Rate < .9 || r.Rate > 1000 {
				t.Errorf("%+v", r)
			}
		}
		if d := p.DurationsInPeriods; d != nil && (d.P50 < 0 || d.Max < d.P50) {
			t.Errorf("%+v", *d)
		}
	}
}

func TestExtremeTimelines(t *testing.T) {
	for seed := range slow.Of[uint64](40, 300) {
		r := rand.New(rand.NewPCG(seed, 2))
		base, new := stats.Compute(extremeTimeline(r, 1+r.IntN(100)), stats.Options{Compare: true}), stats.Compute(extremeTimeline(r, 1+r.IntN(100)), stats.Options{Compare: true})
		checkFinite(t, base)
		checkFinite(t, new)
		for i := range min(len(base.Processes), len(new.Processes)) {
			if _, err := json.Marshal(slices.Concat(base.Processes[i].Estimates(false), new.Processes[i].Estimates(stats.RefreshDiffers(base.Processes[i:i+1], new.Processes[i:i+1])))); err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}
