package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
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
	return stats.Compute(&s.Timeline, stats.Options{}).Processes[0]
}

func change(t *testing.T, c stats.Comparison, measure string) stats.Change {
	t.Helper()
	i := slices.IndexFunc(c.Changes, func(c stats.Change) bool { return c.Measure == measure })
	if i < 0 {
		t.Fatalf("no measure %s", measure)
	}
	return c.Changes[i]
}

// Twenty frames of 1 to 20 ms against twenty of 4 to 23.
func TestCompare(t *testing.T) {
	base := application("gallery", 20, 10*ms, func(i int) int { return 1 + i })
	slower := application("gallery", 20, 10*ms, func(i int) int { return 4 + i })
	c := stats.Compare(base, slower)

	// 10 of 20 are late, then 13: 13.
	want := stats.Change{Measure: "jank_rate", Better: stats.Lower, Base: ptr(0.5), New: ptr(0.65), Delta: ptr(0.15), Relative: ptr(0.3)}
	sameJSON(t, change(t, c, "jank_rate"), want)
	want = stats.Change{Measure: "durations.p90_ns", Better: stats.Lower, Base: ptr(18e6), New: ptr(21e6), Delta: ptr(3e6), Relative: ptr(1.0 / 6)}
	sameJSON(t, change(t, c, "durations.p90_ns"), want)
	want = stats.Change{Measure: "frames.complete", Better: stats.Neither, Base: ptr(20.0), New: ptr(20.0), Delta: ptr(0.0), Relative: ptr(0.0)}
	sameJSON(t, change(t, c, "frames.complete"), want)
	want = stats.Change{Measure: "stutter.severe", Better: stats.Neither, Base: ptr(0.0), New: ptr(0.0), Delta: ptr(0.0)}
	sameJSON(t, change(t, c, "stutter.severe"), want)
	want = stats.Change{Measure: "fps.rate_hz", Better: stats.Higher}
	sameJSON(t, change(t, c, "fps.rate_hz"), want)

	// A new frame of i+3 is longer than the base frames of 1 to i+2, at most 20,
	// and as long as one: for i from 1 to 17, i+2 pairs and a half; for the other
	// three 20. U = (1 + … + 17) + 17·2.5 + 3·20 = 255.5.
	if d := c.Durations; d == nil || d.TooFewFrames || *d.U != 255.5 || *d.Shift != 3 || math.Abs(*d.CliffsDelta-(2*255.5/400-1)) > 1e-12 {
		t.Errorf("durations: %+v, want U 255.5 and a shift of 3 ms", text(c.Durations))
	}
	// n·m/12·(N+1 − 17·(2³−2)/(N(N−1))), with 17 pairs of equals.
	z := (255.5 - 200 - 0.5) / math.Sqrt(400.0/12*(41-17*6/(40.0*39)))
	if d := c.Durations; math.Abs(*d.Z-z) > 1e-12 || math.Abs(*d.P-math.Erfc(z/math.Sqrt2)) > 1e-12 {
		t.Errorf("durations: z %v, p %v, want z %v", *d.Z, *d.P, z)
	}
	if d := c.DurationsInPeriods; *d.U != 255.5 || *d.Shift != 0.3 {
		t.Errorf("in periods: %s, want a shift of 0.3", text(d))
	}
	if j := c.JankRate; j.BaseLate != 10 || j.NewLate != 13 || j.Method != stats.TwoProportionZ || math.Abs(j.Difference-0.15) > 1e-12 {
		t.Errorf("jank: %s, want 10 against 13 by z", text(j))
	}
	if c.RefreshDiffers {
		t.Error("refresh rates differ")
	}

	// The other way round it is faster.
	if d := stats.Compare(slower, base).Durations; *d.Shift != -3 || *d.P != *c.Durations.P || math.Abs(*d.CliffsDelta+*c.Durations.CliffsDelta) > 1e-12 {
		t.Errorf("turned round: %s", text(d))
	}
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestCompareTooFewFrames(t *testing.T) {
	length := func(i int) int { return 1 + i }
	many, few := application("", stats.MinFrames, 10*ms, length), application("", stats.MinFrames-1, 10*ms, length)
	for _, c := range []stats.Comparison{stats.Compare(many, few), stats.Compare(few, many)} {
		if d := c.Durations; !d.TooFewFrames || d.U != nil || d.P != nil || d.CliffsDelta != nil || d.Shift != nil {
			t.Errorf("durations: %s", text(d))
		}
		if d := c.DurationsInPeriods; !d.TooFewFrames || d.P != nil || d.Shift != nil {
			t.Errorf("durations in periods: %s", text(d))
		}
		if j := c.JankRate; !j.TooFewFrames || j.P != nil {
			t.Errorf("jank: %s", text(j))
		}
	}
	if c := stats.Compare(many, many); c.Durations.TooFewFrames || c.JankRate.TooFewFrames || *c.Durations.P != 1 || *c.JankRate.P != 1 {
		t.Errorf("with itself: %s", text(c))
	}
}

func TestCompareWithNothing(t *testing.T) {
	p := application("gallery", 30, 10*ms, func(i int) int { return i })
	for _, c := range []stats.Comparison{stats.Compare(nil, p), stats.Compare(p, nil), stats.Compare(nil, nil)} {
		if c.Durations != nil || c.DurationsInPeriods != nil || c.JankRate != nil {
			t.Errorf("there are tests: %s", text(c))
		}
		for _, d := range c.Changes {
			if d.Delta != nil || d.Relative != nil {
				t.Errorf("%s has changed", d.Measure)
			}
		}
	}
	c := stats.Compare(nil, p)
	if c.Base != nil || c.New == nil || c.New.Name != "gallery" || change(t, c, "frames.complete").Base != nil || *change(t, c, "frames.complete").New != 30 {
		t.Errorf("got %s", text(c))
	}
	// From JSON there are measures but no durations.
	back := &stats.Process{}
	if err := json.Unmarshal([]byte(text(p)), back); err != nil {
		t.Fatal(err)
	}
	c = stats.Compare(back, p)
	if c.Durations != nil || c.JankRate == nil || *change(t, c, "durations.p50_ns").Delta != 0 {
		t.Errorf("read from JSON: %s", text(c))
	}
}

// At half the rate frames may take twice as long: the same in periods.
func TestCompareAcrossRefreshRates(t *testing.T) {
	fast := application("", 40, 10*ms, func(i int) int { return 1 + i%5 })
	slow := application("", 40, 20*ms, func(i int) int { return 2 + 2*(i%5) })
	c := stats.Compare(fast, slow)
	if !c.RefreshDiffers || *c.Durations.Shift <= 0 || *c.DurationsInPeriods.Shift != 0 || *c.DurationsInPeriods.P != 1 {
		t.Errorf("got %s", text(c))
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
		return stats.Compute(&s.Timeline, stats.Options{}).Processes[0]
	}
	for _, test := range []struct {
		base, new int
		want      bool
	}{{0, 0, false}, {0, 9, false}, {0, 12, true}, {50, 59, false}, {50, 62, true}, {100, 0, true}, {100, 91, false}} {
		if got := stats.Compare(mixed(test.base), mixed(test.new)).RefreshDiffers; got != test.want {
			t.Errorf("%d and %d of 100 frames at 200 Hz: differs is %v", test.base, test.new, got)
		}
	}
}

func TestCompareReports(t *testing.T) {
	process := func(kind stats.Kind, pid trace.PID, name string) *stats.Process {
		return &stats.Process{Kind: kind, PID: pid, Name: name}
	}
	const app, service = stats.Application, stats.RenderService
	base := &stats.Report{Processes: []*stats.Process{
		process(app, 10, "gallery"), process(app, 11, "notes"), process(app, 12, "notes"), process(app, 13, ""), process(service, 1, "render_service"),
	}}
	new := &stats.Report{Processes: []*stats.Process{
		process(app, 11, "camera"), process(app, 13, ""), process(app, 20, "notes"), process(app, 21, "gallery"), process(service, 2, "render_service"),
	}}
	got := []string{}
	pid := func(s *stats.Subject) trace.PID {
		if s == nil {
			return 0
		}
		return s.PID
	}
	for _, c := range stats.CompareReports(base, new) {
		got = append(got, fmt.Sprintf("%d-%d", pid(c.Base), pid(c.New)))
	}
	want := []string{"10-21", "11-20", "12-0", "13-13", "1-2", "0-11"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if list := stats.CompareReports(&stats.Report{}, &stats.Report{}); list == nil || len(list) != 0 {
		t.Errorf("of nothing: %v", list)
	}
}

// Every measure is named by its place in the JSON, and every number there but
// those that are no measures has one.
func TestMeasuresAreTheReport(t *testing.T) {
	report := stats.Compute(twoApplications(), stats.Options{})
	for _, p := range report.Processes {
		tree := map[string]float64{}
		numbers(decoded(t, p), "", tree)
		for _, c := range stats.Compare(p, p).Changes {
			want, ok := tree[c.Measure]
			if ok != (c.Base != nil) || ok && *c.Base != want {
				if c.Measure == "longest_streak.frames" && !ok && *c.Base == 0 {
					continue // no streak is a streak of none
				}
				t.Errorf("%s: %s is %s, in JSON %v", p.Name, c.Measure, text(c.Base), want)
			}
			delete(tree, c.Measure)
		}
		for path := range tree {
			if !slices.ContainsFunc(noMeasures, func(r *regexp.Regexp) bool { return r.MatchString(path) }) {
				t.Errorf("%s is no measure", path)
			}
		}
	}
}

// noMeasures are the numbers that say who, when and of how many.
var noMeasures = []*regexp.Regexp{
	regexp.MustCompile(`^pid$|^refresh\.|^worst\.|\.histogram\.`),
	regexp.MustCompile(`\.(from|to|first|last|at|longest_at|until)_ns$`),
	regexp.MustCompile(`^longest_streak\.(tid|vsync_id)$`),
	regexp.MustCompile(`^hitches\.(gaps|time_ns)$`),
	regexp.MustCompile(`^(fps|durations|durations_in_periods|stages\..*)\.frames$`),
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
