package stats_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/slow"
)

// eachTimeline runs a property on random timelines.
func eachTimeline(t *testing.T, property func(t *testing.T, r *rand.Rand, timeline *analyzer.Timeline)) {
	t.Helper()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		property(t, r, randomTimeline(r))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func TestOrderOfFramesDoesNotMatter(t *testing.T) {
	slow.SkipRace(t)
	eachTimeline(t, func(t *testing.T, r *rand.Rand, timeline *analyzer.Timeline) {
		want := stats.Compute(timeline, stats.Options{})
		r.Shuffle(len(timeline.Frames), func(i, j int) {
			timeline.Frames[i], timeline.Frames[j] = timeline.Frames[j], timeline.Frames[i]
		})
		if got := stats.Compute(timeline, stats.Options{}); !reflect.DeepEqual(got, want) {
			sameJSON(t, got, want)
			t.Error("differs")
		}
	})
}

// If everything takes three times as long, times are three times as large, rates
// per second a third, and nothing else changes but the histogram.
func TestScaling(t *testing.T) {
	slow.SkipRace(t)
	eachTimeline(t, func(t *testing.T, r *rand.Rand, timeline *analyzer.Timeline) {
		want := decoded(t, stats.Compute(timeline, stats.Options{}))
		got := decoded(t, stats.Compute(scaled(timeline, 3), stats.Options{}))
		differences(got, scaleTree(want, "", 3), "", func(path string, got, want any) {
			if !strings.Contains(path, ".histogram") {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		})
	})
}

func scaleTree(v any, key string, by float64) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = scaleTree(v[k], k, by)
		}
	case []any:
		for i := range v {
			v[i] = scaleTree(v[i], key, by)
		}
	case float64:
		switch {
		case strings.HasSuffix(key, "_ns") || key == "seconds":
			return v * by
		case strings.HasSuffix(key, "_hz"):
			return v / by
		}
	}
	return v
}

// What adds up must add up, and what can be counted in a simpler way must come
// to the same.
func TestReportIsConsistent(t *testing.T) {
	slow.SkipRace(t)
	eachTimeline(t, func(t *testing.T, r *rand.Rand, timeline *analyzer.Timeline) {
		report := stats.Compute(timeline, stats.Options{})
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err) // such as NaN
		}
		back := &stats.Report{}
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		sameJSON(t, back, report)
		total := stats.WholeFrames{}
		for _, p := range report.Processes {
			var frames []*analyzer.Frame
			for f := range timeline.Complete() {
				if f.Process.PID == p.PID {
					frames = append(frames, f)
				}
			}
			checkProcess(t, p, frames)
			sum := p.WholeFrames.Blame.Application + p.WholeFrames.Blame.RenderCPU + p.WholeFrames.Blame.RenderGPU + p.WholeFrames.Blame.PickUp
			if sum != p.WholeFrames.Late {
				t.Errorf("%d late whole frames, %d blamed on someone", p.WholeFrames.Late, sum)
			}
			sign := 1
			if p.Kind == stats.RenderService {
				sign = -1
			}
			total.Judged += sign * p.WholeFrames.Judged
			total.Late += sign * p.WholeFrames.Late
		}
		if total != (stats.WholeFrames{}) {
			t.Errorf("the applications' whole frames are not the render service's: %+v", total)
		}
	})
}

// checkProcess holds a process's measures against those that plain definitions
// give for its complete frames.
func checkProcess(t *testing.T, p *stats.Process, frames []*analyzer.Frame) {
	t.Helper()
	check := func(ok bool, what string, got, want any) {
		t.Helper()
		if !ok {
			t.Errorf("process %d: %s is %v, want %v", p.PID, what, got, want)
		}
	}
	late, deadlines := 0, 0
	byThread := map[trace.TID][]*analyzer.Frame{}
	for _, f := range frames {
		if f.Deadline.Known() {
			deadlines++
			byThread[f.TID] = append(byThread[f.TID], f)
		}
		if f.Late() {
			late++
		}
	}
	check(p.Frames.Complete == len(frames), "frames", p.Frames.Complete, len(frames))
	check(p.Frames.Late == late && p.Frames.WithDeadline == deadlines, "late", p.Frames, late)
	levels := p.Stutter.Slight + p.Stutter.Medium + p.Stutter.Severe + p.Stutter.Unknown
	check(levels == late, "stutter", p.Stutter, late)
	check(len(p.Worst) == min(10, late), "worst", len(p.Worst), late)
	ofLate := 0
	for _, s := range p.Stages {
		ofLate += s.LongestOfLate
	}
	check(ofLate == late, "longest stages", ofLate, late) // every frame has an actual interval

	streak := 0
	for _, list := range byThread {
		for i := range list {
			n := 0
			for i+n < len(list) && list[i+n].Late() {
				n++
			}
			streak = max(streak, n)
		}
	}
	if l := p.LongestStreak; l != nil {
		check(l.Frames == streak, "streak", l.Frames, streak)
	} else {
		check(streak == 0, "streak", nil, streak)
	}

	if d := p.Durations; d != nil {
		inBuckets := 0
		for _, b := range d.Histogram {
			inBuckets += b.Frames
		}
		check(inBuckets == len(frames), "histogram", inBuckets, len(frames))
		for percent, got := range map[int]*trace.Duration{50: &d.P50, 90: &d.P90, 95: d.P95, 99: d.P99, 100: &d.Max} {
			known := percent < 95 || percent == 100 || len(frames)*(100-percent) >= 100 // at least one is beyond it
			check(known == (got != nil), "percentile known", got != nil, known)
			if got != nil {
				want := smallestThatCovers(frames, percent)
				check(*got == want, "percentile", *got, want)
			}
		}
	}
	if h := p.Hitches; h != nil {
		check(h.Hitch+h.Idle <= h.Time && h.Hitches <= h.Gaps && h.LostFrames >= h.Hitches, "hitches", *h, "less")
	}
}

// smallestThatCovers returns the shortest duration that at least so many percent
// of the frames do not exceed.
func smallestThatCovers(frames []*analyzer.Frame, percent int) trace.Duration {
	best := trace.Duration(1 << 62)
	for _, f := range frames {
		d, covered := f.Actual.Duration(), 0
		for _, o := range frames {
			if o.Actual.Duration() <= d {
				covered++
			}
		}
		if 100*covered >= percent*len(frames) {
			best = min(best, d)
		}
	}
	return best
}
