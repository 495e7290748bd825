package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// application returns the report of an application whose frames have a period
// and take as long as a function says, in milliseconds.
func application(name string, frames int, period trace.Duration, length func(i int) int) *stats.Process {
	s := &scene{}
	p := s.process(100, name)
	for i := range frames {
		d := length(i)
		f := s.app(p, 1000+100*i, 1000+100*i, 1000+100*i+d, 0)
		f.Period = period
		f.Expected.End = f.Vsync.Add(period)
		f.Deadline = f.Expected.End
		if f.Actual.End > f.Deadline {
			f.Facts = analyzer.MainLate
		}
	}
	return stats.Compute(&s.Timeline, stats.Options{Compare: true}).Processes[0]
}

// value returns a measure of a process, nil if unknown.
func value(t *testing.T, p *stats.Process, path string) *float64 {
	t.Helper()
	m := stats.Measures.At(path)
	if m == nil {
		t.Fatalf("no measure %s", path)
	}
	return m.Of(p)
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// estimate returns an estimate of a process.
func estimate(t *testing.T, p *stats.Process, measure string, acrossRates bool) stats.Estimate {
	t.Helper()
	for _, x := range p.Estimates(acrossRates) {
		if x.Measure == measure {
			return x
		}
	}
	t.Fatalf("no estimate of %s", measure)
	return stats.Estimate{}
}

func enough(p *stats.Process, measure string) bool { return p.Enough(stats.Measures.Named(measure)) }

// random returns an application with frames of 1 to 10 ms, without any order.
func random(seed uint64, frames int, period trace.Duration) *stats.Process {
	r := rand.New(rand.NewPCG(seed, 0))
	return application("gallery", frames, period, func(int) int { return 1 + r.IntN(10) })
}

// Estimates have the values of the report.
func TestEstimates(t *testing.T) {
	p := random(1, 120, 8*ms)
	for name, path := range map[string]string{"jank_rate": "jank_rate", "p50_ms": "durations.p50_ns", "p90_ms": "durations.p90_ns", "p95_ms": "durations.p95_ns", "p99_ms": "durations.p99_ns"} {
		want := *value(t, p, path)
		if strings.HasSuffix(path, "_ns") {
			want /= 1e6
		}
		if x := estimate(t, p, name, false); !enough(p, name) || math.Abs(x.Value-want) > 1e-9 {
			t.Errorf("%s is %+v, want %v", name, x, want)
		}
	}
	if enough(p, "fps") {
		t.Error("nothing was shown, and yet the rate has enough frames")
	}
}

// The variance of a share of independent frames is p·(1 − p)/n. Resampling finds it.
func TestEstimatedVariance(t *testing.T) {
	const frames = 2000
	mean := 0.0
	for seed := range uint64(20) {
		x := estimate(t, random(seed, frames, 8*ms), "jank_rate", false)
		mean += x.Variance / (x.Value * (1 - x.Value) / frames) / 20
	}
	if mean < 0.8 || mean > 1.2 {
		t.Errorf("variances are %v of the binomial one", mean)
	}
	// Late frames in clusters of ten vary ten times as much.
	r := rand.New(rand.NewPCG(1, 1))
	late := false
	x := estimate(t, application("", frames, 8*ms, func(i int) int {
		if i%10 == 0 {
			late = r.IntN(5) == 0
		}
		if late {
			return 9
		}
		return 2
	}), "jank_rate", false)
	if ratio := x.Variance / (x.Value * (1 - x.Value) / frames); ratio < 5 || ratio > 15 {
		t.Errorf("the variance of clusters is %v times the binomial one", ratio)
	}
}

// Each measure needs its frames.
func TestEstimatesOfFewFrames(t *testing.T) {
	for _, test := range []struct {
		frames int
		want   string
	}{{0, ""}, {19, ""}, {20, "jank_rate p50_ms p90_ms p95_ms"}, {99, "jank_rate p50_ms p90_ms p95_ms"}, {100, "jank_rate p50_ms p90_ms p95_ms p99_ms"}} {
		p := &stats.Process{}
		if test.frames > 0 {
			p = random(3, test.frames, 10*ms)
		}
		var got []string
		for _, name := range stats.Tested {
			if enough(p, name) {
				got = append(got, name)
			}
		}
		must.Equal(t, strings.Join(got, " "), test.want, "%d frames", test.frames)
	}
	if list := (*stats.Process)(nil).Estimates(true); list != nil {
		t.Errorf("of nothing: %+v", list)
	}
}

// Rates need 20 gaps between frames that were shown. A gap with a pause does not count.
func TestEnoughGaps(t *testing.T) {
	for to, want := range map[int]string{2090: "", 2100: " fps hitch_ratio fps_of_refresh"} {
		d, got := newDrawing(), ""
		d.every(1000, 1100, 10)
		d.every(2000, to, 10)
		p := stats.Compute(&d.Timeline, stats.Options{}).Processes[0]
		for _, name := range []string{"fps", "hitch_ratio", "fps_of_refresh"} {
			if enough(p, name) {
				got += " " + name
			}
		}
		if got != want || !enough(p, "jank_rate") || !enough(p, "p50_periods") || enough(&stats.Process{}, "fps_of_refresh") {
			t.Errorf("frames to %d: enough for%s, want%s", to, got, want)
		}
	}
}

// At half the rate frames may take twice as long: the same in periods.
func TestEstimatesAcrossRefreshRates(t *testing.T) {
	fast := application("", 40, 10*ms, func(i int) int { return 1 + i%5 })
	slow := application("", 40, 20*ms, func(i int) int { return 2 + 2*(i%5) })
	a, b := estimate(t, fast, "p50_periods", true), estimate(t, slow, "p50_periods", true)
	if !enough(fast, a.Measure) || !enough(slow, b.Measure) || a != b {
		t.Errorf("got %+v and %+v", a, b)
	}
}

func TestRefreshDiffers(t *testing.T) {
	mixed := func(fast int) *stats.Process {
		s := &scene{}
		p := s.process(100, "")
		for i := range 100 {
			f := s.app(p, 1000+100*i, 1000+100*i, 1001+100*i, 0)
			if i < fast {
				f.Period = 5 * ms
			}
		}
		return stats.Compute(&s.Timeline, stats.Options{Compare: true}).Processes[0]
	}
	for _, test := range []struct {
		base, new int
		want      bool
	}{{0, 0, false}, {0, 9, false}, {0, 12, true}, {50, 59, false}, {50, 62, true}, {100, 0, true}, {100, 91, false}} {
		must.Equal(t, stats.RefreshDiffers([]*stats.Process{mixed(test.base)}, []*stats.Process{nil, mixed(test.new)}), test.want, "%d and %d of 100 frames at 200 Hz: differs", test.base, test.new)
	}
}

// An application that asks for every second vsync has twice the period. The rates differ only if the
// display's rate fell with it.
func TestRefreshOfDisplayDiffers(t *testing.T) {
	drawn := func(app, display int) []*stats.Process {
		d := newDrawing()
		for n := range 100 {
			f, r := d.draw(1000 + n*max(app, display))
			f.Period, r.Period = trace.Duration(app)*ms, trace.Duration(display)*ms
		}
		return stats.Compute(&d.Timeline, stats.Options{Compare: true}).Processes[:1]
	}
	for _, test := range []struct {
		app, display int
		want         bool
	}{{10, 10, false}, {20, 10, false}, {10, 20, true}, {20, 20, true}} {
		must.Equal(t, stats.RefreshDiffers(drawn(10, 10), drawn(test.app, test.display)), test.want, "%d ms of the application, %d ms of the display: differs", test.app, test.display)
	}
}

// Every measure is named by its path in JSON, and every number in JSON is a measure, except
// noMeasures.
func TestMeasuresAreTheReport(t *testing.T) {
	report := stats.Compute(twoApplications(), stats.Options{})
	for _, p := range report.Processes {
		tree := map[string]float64{}
		numbers(decoded(t, p), "", tree)
		for _, m := range stats.Measures {
			got := m.Of(p)
			want, ok := tree[m.Path]
			if ok != (got != nil) || ok && *got != want {
				if m.Path == "longest_streak.frames" && !ok && *got == 0 {
					continue // no streak has length zero
				}
				t.Errorf("%s: %s is %s, in JSON %v", p.Name, m.Path, text(got), want)
			}
			delete(tree, m.Path)
		}
		for path := range tree {
			if !slices.ContainsFunc(noMeasures, func(r *regexp.Regexp) bool { return r.MatchString(path) }) {
				t.Errorf("%s is no measure", path)
			}
		}
	}
}

// noMeasures are identifiers, times and numbers of frames.
var noMeasures = []*regexp.Regexp{
	regexp.MustCompile(`^pid$|^refresh\.|^worst\.|\.histogram\.|\.jank_types\.`),
	regexp.MustCompile(`\.(from|to|first|last|longest_at|start|end)_ns$`),
	regexp.MustCompile(`^longest_streak\.(tid|vsync_id)$`),
	regexp.MustCompile(`^hitches\.(gaps|time_ns)$`),
	regexp.MustCompile(`^empty_frames\.`),
	regexp.MustCompile(`^(fps|durations|durations_in_periods|overruns|nodes|latencies\..*|stages\..*)\.frames$`),
}

// numbers collects the numbers of a JSON tree by path; a stage is named, not numbered.
func numbers(v any, path string, into map[string]float64) {
	join := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			numbers(v[key], join(key), into)
		}
	case []any:
		for i := range v {
			name := fmt.Sprint(i)
			if m, ok := v[i].(map[string]any); ok && path == "stages" {
				name = fmt.Sprint(m["stage"])
			}
			numbers(v[i], join(name), into)
		}
	case float64:
		into[path] = v
	}
}

// Names and labels of measures are unique, and names end in their units.
func TestMeasureNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range stats.Measures {
		if seen[m.Name] || seen[m.Path] || seen[m.Label] || m.Meaning == "" || !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(m.Name) {
			t.Errorf("%+v: not unique, without a meaning or not a name", m)
		}
		seen[m.Name], seen[m.Path], seen[m.Label] = true, true, true
		suffix := map[stats.Unit]string{stats.Milliseconds: "_ms", stats.Periods: "_periods"}[m.Unit]
		if !strings.HasSuffix(m.Name, suffix) || (m.Unit == stats.Milliseconds) != strings.HasSuffix(m.Path, "_ns") {
			t.Errorf("%s of %s is not in %s", m.Name, m.Path, m.Unit)
		}
	}
}
