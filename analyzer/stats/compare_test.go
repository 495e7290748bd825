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

// value returns a measure of a process, nil if unknown.
func value(t *testing.T, p *stats.Process, path string) *float64 {
	t.Helper()
	i := slices.IndexFunc(stats.Measures, func(m stats.Measure) bool { return m.Path == path })
	if i < 0 {
		t.Fatalf("no measure %s", path)
	}
	return stats.Measures[i].Of(p)
}

// Twenty frames of 1 to 20 ms against twenty of 4 to 23.
func TestCompare(t *testing.T) {
	base := application("gallery", 20, 10*ms, func(i int) int { return 1 + i })
	slower := application("gallery", 20, 10*ms, func(i int) int { return 4 + i })
	c := stats.Compare(base, slower)

	// 10 of 20 are late, then 13: 13.
	for _, test := range []struct {
		path      string
		base, new *float64
	}{
		{"jank_rate", ptr(0.5), ptr(0.65)},
		{"durations.p90_ns", ptr(18e6), ptr(21e6)},
		{"frames.complete", ptr(20.0), ptr(20.0)},
		{"stutter.severe", ptr(0.0), ptr(0.0)},
		{"fps.rate_hz", nil, nil},
	} {
		sameJSON(t, value(t, base, test.path), test.base)
		sameJSON(t, value(t, slower, test.path), test.new)
	}

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
	}
	c := stats.Compare(nil, p)
	if c.Base != nil || c.New == nil || c.New.Name != "gallery" {
		t.Errorf("got %s", text(c))
	}
	// From JSON there are measures but no durations.
	back := &stats.Process{}
	if err := json.Unmarshal([]byte(text(p)), back); err != nil {
		t.Fatal(err)
	}
	c = stats.Compare(back, p)
	if c.Durations != nil || c.JankRate == nil || *value(t, back, "durations.p50_ns") != *value(t, p, "durations.p50_ns") {
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

// Every measure is named by its place in the JSON, and every number there but
// those that are no measures has one.
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

// Names and labels tell measures apart, and names end in their units.
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
