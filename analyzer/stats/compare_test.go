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
	i := slices.IndexFunc(stats.Measures, func(m stats.Measure) bool { return m.Path == path })
	if i < 0 {
		t.Fatalf("no measure %s", path)
	}
	return stats.Measures[i].Of(p)
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// runs returns several runs of an application, each with the lengths of another seed.
func runs(n int, seed uint64, frames int, period trace.Duration, longer int) (list []*stats.Process) {
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		list = append(list, application("gallery", frames, period, func(int) int { return 1 + longer + r.IntN(10) }))
	}
	return list
}

func change(t *testing.T, c *stats.Comparison, measure string) stats.Change {
	t.Helper()
	for _, x := range c.Changes[0] {
		if x.Measure == measure {
			return x
		}
	}
	t.Fatalf("no change of %s", measure)
	return stats.Change{}
}

func compareRuns(base, new []*stats.Process) *stats.Comparison {
	return stats.Compare([]stats.Pairing{{Base: base, New: new, AcrossRates: stats.RefreshDiffers(base, new)}})
}

// Tested measures have the values of the report, with every method.
func TestCompareDeltas(t *testing.T) {
	paths := map[string]string{"jank_rate": "jank_rate", "p50_ms": "durations.p50_ns", "p90_ms": "durations.p90_ns", "p95_ms": "durations.p95_ns", "p99_ms": "durations.p99_ns"}
	for _, test := range []struct {
		base, new int
		method    stats.Method
	}{{1, 1, stats.BlockPermutation}, {2, 5, stats.BlockPermutation}, {3, 3, stats.TTest}, {3, 4, stats.RunPermutation}, {12, 12, stats.RunPermutation}} {
		base, new := runs(test.base, 1, 120, 10*ms, 0), runs(test.new, 2, 120, 10*ms, 3)
		c := compareRuns(base, new)
		if c.Method != test.method || c.Family != 5 {
			t.Errorf("%d and %d runs: method %s for %d changes, want %s for 5", test.base, test.new, c.Method, c.Family, test.method)
		}
		for name, path := range paths {
			want := 0.0
			for _, p := range base {
				want -= *value(t, p, path) / float64(len(base))
			}
			for _, p := range new {
				want += *value(t, p, path) / float64(len(new))
			}
			if strings.HasSuffix(path, "_ns") {
				want /= 1e6
			}
			x := change(t, c, name)
			if !x.Tested || math.Abs(x.Delta-want) > 1e-9 || x.Low > x.Delta || x.High < x.Delta {
				t.Errorf("%d and %d runs: %s changed by %+v, want %v", test.base, test.new, name, x, want)
			}
			if outside := x.Low > 0 || x.High < 0; outside != (x.P <= stats.Level) || x.P < 0 || x.P > 1 {
				t.Errorf("%d and %d runs: %s: p %v and interval %v to %v disagree", test.base, test.new, name, x.P, x.Low, x.High)
			}
		}
		if x := change(t, c, "fps"); x.Tested {
			t.Errorf("nothing was shown, and yet: %+v", x)
		}
	}
}

// 5 and 5 runs that a change separates: of the 252 divisions only the observed one and
// its mirror image are as extreme. Of 3 and 4 it is one of 35.
func TestCompareSeparated(t *testing.T) {
	for _, test := range []struct {
		base, new int
		p         float64
		resamples int
	}{{5, 5, 2.0 / 252, 252}, {3, 4, 1.0 / 35, 35}} {
		c := compareRuns(runs(test.base, 1, 120, 10*ms, 0), runs(test.new, 2, 120, 10*ms, 20))
		if x := change(t, c, "p50_ms"); math.Abs(x.P-test.p) > 1e-12 || c.Resamples != test.resamples || x.Low <= 0 {
			t.Errorf("%d and %d runs: %+v of %d divisions, want p %v of %d", test.base, test.new, x, c.Resamples, test.p, test.resamples)
		}
	}
}

// With three and three runs t is delta / √(2/3 · variance), of 4 degrees of freedom. The
// quantiles here are from integrating its density.
func TestCompareThreeRuns(t *testing.T) {
	constant := func(length int) *stats.Process {
		return application("", 30, 10*ms, func(int) int { return length })
	}
	base := []*stats.Process{constant(2), constant(4), constant(6)}
	new := []*stats.Process{constant(4), constant(6), constant(8)}
	// Four changes are tested: jank rate and three percentiles, p99 needs 100 frames.
	c := compareRuns(base, new)
	x := change(t, c, "p50_ms")
	// Šidák: 1 − 0.96^(1/4) = 0.01015; t of 4 degrees of freedom beyond which that is.
	// t = 2 / √(2/3 · 4) = 1.2247: two-sided p = 0.2879, corrected 1 − (1 − 0.2879)⁴.
	if c.Family != 4 || math.Abs(x.P-(1-math.Pow(1-0.2879, 4))) > 1e-3 {
		t.Errorf("%+v of %d changes, want p 0.7429 of 4", x, c.Family)
	}
	if half := (x.High - x.Low) / 2 / math.Sqrt(8.0/3); math.Abs(half-4.5839) > 0.01 {
		t.Errorf("the quantile is %v, want 4.584", half)
	}
}

// Each measure needs its frames in each run, and a process its three runs of many.
func TestCompareTooFewFrames(t *testing.T) {
	for _, test := range []struct {
		frames int
		want   string
	}{{19, ""}, {20, "jank_rate p50_ms p90_ms p95_ms"}, {99, "jank_rate p50_ms p90_ms p95_ms"}, {100, "jank_rate p50_ms p90_ms p95_ms p99_ms"}} {
		for _, n := range []int{1, 4} {
			few := runs(n, 1, 120, 10*ms, 0)
			few[0] = runs(1, 3, test.frames, 10*ms, 0)[0]
			got := []string{}
			for _, x := range compareRuns(runs(n, 2, 120, 10*ms, 0), few).Changes[0] {
				if x.Tested {
					got = append(got, x.Measure)
				}
			}
			want := test.want
			if n == 4 { // three other runs are enough
				want = "jank_rate p50_ms p90_ms p95_ms p99_ms"
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%d runs, one of %d frames: tested %q, want %q", n, test.frames, got, want)
			}
		}
	}
	c := compareRuns(runs(4, 1, 120, 10*ms, 0), []*stats.Process{nil, nil, runs(1, 3, 120, 10*ms, 0)[0], nil})
	if c.Family != 0 {
		t.Errorf("in one run of four: %s", text(c))
	}
	if c := stats.Compare(nil); c.Family != 0 || c.Resamples != 0 {
		t.Errorf("of nothing: %s", text(c))
	}
}

// At half the rate frames may take twice as long: the same in periods.
func TestCompareAcrossRefreshRates(t *testing.T) {
	fast := application("", 40, 10*ms, func(i int) int { return 1 + i%5 })
	slow := application("", 40, 20*ms, func(i int) int { return 2 + 2*(i%5) })
	c := compareRuns([]*stats.Process{fast}, []*stats.Process{slow})
	if x := change(t, c, "p50_periods"); !x.Tested || x.Delta != 0 || x.P != 1 {
		t.Errorf("got %+v", x)
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
		if got := stats.RefreshDiffers([]*stats.Process{mixed(test.base)}, []*stats.Process{nil, mixed(test.new)}); got != test.want {
			t.Errorf("%d and %d of 100 frames at 200 Hz: differs is %v", test.base, test.new, got)
		}
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

// Three runs against three: a t-test with 4 degrees of freedom. 4.604 is the value of t
// whose two-sided p-value is 0.01 in published tables.
func TestCompareRuns(t *testing.T) {
	base := []float64{0, 1, 2} // the standard error of a difference of means is √(2/3)
	new := make([]float64, 3)
	for i := range new {
		new[i] = base[i] + 4.604*math.Sqrt(2./3)
	}
	got := stats.CompareRuns([]stats.Runs{{Base: base, New: new}})
	if c := got[0]; !c.Tested || math.Abs(c.P-0.01) > 1e-5 || math.Abs(c.Delta-3.7592) > 1e-3 || c.Low <= 0 {
		t.Errorf("got %+v", c)
	}
	// If two quantities are tested together, p-values are corrected.
	got = stats.CompareRuns([]stats.Runs{{Base: base, New: new}, {Base: base, New: base}})
	if math.Abs(got[0].P-0.0199) > 1e-5 || got[1].P != 1 {
		t.Errorf("got %+v", got)
	}
	// 5 against 5 runs can be divided in 252 ways; two of them are as far apart.
	got = stats.CompareRuns([]stats.Runs{{Base: []float64{1, 2, 3, 4, 5}, New: []float64{11, 12, 13, 14, 15}}})
	if math.Abs(got[0].P-2./252) > 1e-9 {
		t.Errorf("got %+v", got)
	}
	unknown := math.NaN()
	got = stats.CompareRuns([]stats.Runs{{Base: []float64{1, unknown, unknown, 2}, New: []float64{5, 6, 7, 8}}})
	if got[0].Tested {
		t.Errorf("got %+v", got)
	}
	if got := stats.CompareRuns([]stats.Runs{{Base: base[:2], New: new[:2]}}); got[0].Tested {
		t.Errorf("got %+v", got)
	}
}

// The p-values of samples, by hand. A sample that cannot be tested does not count.
func TestCompareSamples(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5}, []float64{11, 12, 13, 14, 15}
	few := []stats.Runs{{Base: low[:2], New: high[:2]}}
	three := []stats.Runs{{Base: low[:3], New: high[:3]}}
	got := stats.CompareSamples([][]stats.Runs{{{Base: low, New: high}, {Base: low, New: low}}, few, {}, {{Base: high, New: low}}, three})
	// Two of 252 divisions are as far apart: 1 − (1 − 2/252)² that those of one of two samples
	// are, and the three observations each are another family. The divisions are random: three
	// standard deviations of 9999 draws are 0.004, and twice that for two families.
	want := 1 - math.Pow(1-2./252, 4)
	for i, delta := range map[int]float64{0: 10, 3: -10} {
		if c := got[i][0]; !c.Tested || math.Abs(c.P-want) > 0.008 || c.Delta != delta || (c.Low > 0) != (delta > 0) || (c.High < 0) != (delta < 0) {
			t.Errorf("sample %d: %+v, want p %v", i, c, want)
		}
	}
	if len(got) != 5 || got[0][1].P != 1 || got[0][1].Low > 0 || got[0][1].High < 0 || len(got[1]) != 1 || got[1][0].Tested || len(got[2]) != 0 {
		t.Errorf("got %+v", got)
	}
	// t = 10 / √(2/3) is 12.247, whose two-sided p-value with 4 degrees of freedom is
	// 1 − x(3 − x²)/2 with x = t / √(4 + t²).
	x := 12.247449 / math.Sqrt(4+150)
	if want := 1 - math.Pow(x*(3-x*x)/2, 2); math.Abs(got[4][0].P-want) > 1e-6 {
		t.Errorf("three observations each: %+v, want p %v", got[4][0], want)
	}
}

// A sample of four observations each has 70 divisions. Two of them are as far apart, and another
// sample without a change hardly ever is: p is about 2/70, and not twice that.
func TestCompareSmallSamples(t *testing.T) {
	same := stats.Runs{Base: []float64{1, 4, 2, 3}, New: []float64{2, 3, 4, 1}}
	got := stats.CompareSamples([][]stats.Runs{{{Base: []float64{1, 2, 3, 4}, New: []float64{101, 102, 103, 104}}}, {same}})
	if c := got[0][0]; math.Abs(c.P-2./70) > 0.006 || c.Low <= 0 || got[1][0].P < 0.9 {
		t.Errorf("got %+v", got)
	}
}

// In many samples p-values and intervals agree, and only so many are tested.
func TestCompareManySamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var samples [][]stats.Runs
	for i := range 50 {
		s := stats.Runs{}
		for range 10 {
			s.Base, s.New = append(s.Base, random.Float64()), append(s.New, random.Float64()+float64(i%3))
		}
		samples = append(samples, []stats.Runs{s})
	}
	tested, found := 0, 0
	for i, changes := range stats.CompareSamples(samples) {
		c := changes[0]
		if !c.Tested {
			continue
		}
		tested++
		if c.P <= stats.Level {
			found++
		}
		if (c.P <= stats.Level) != (c.Low > 0 || c.High < 0) || c.P <= stats.Level != (i%3 > 0) {
			t.Errorf("sample %d: %+v", i, c)
		}
	}
	if tested != 40 || found != 26 { // of 0 to 39, those that 3 does not divide
		t.Errorf("%d tested, %d found", tested, found)
	}
}
