package fleet

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// simulated returns a sample of units. Each has its own rate of late frames around the
// given one: frames of a unit are not independent.
func simulated(r *rand.Rand, units int, rate, spread float64) *sample {
	s := newSample()
	for i := range units {
		u := s.unit(fmt.Sprintf("unit %d of %d", i, r.Uint32()))
		own := max(0, rate+spread*r.NormFloat64())
		for range 200 {
			u.sums[sumIndex["with_deadline"]]++
			if r.Float64() < own {
				u.sums[sumIndex["late"]]++
			}
		}
	}
	return s
}

var jankRate = []Measure{measure("jank_rate")}

// tested returns the p-values and the intervals of the changes of several groups, which
// are tested together.
func tested(measures []Measure, pairs ...[2]*sample) (p, low, high []float64) {
	groups := make([]*resampled, len(pairs))
	for i, pair := range pairs {
		groups[i] = resample(pair[0], pair[1], measures, fmt.Sprint("group ", i))
	}
	r := newReference(groups)
	for i, pair := range pairs {
		for k, m := range measures {
			l, h, x := r.interval(difference(m, pair[0].totals(), pair[1].totals()), groups[i].errors[k], groups[i].freedom)
			p, low, high = append(p, x), append(low, l), append(high, h)
		}
	}
	return p, low, high
}

// Without a difference the tests of several groups together find one about as often as
// the level says, although units differ: tests that pool the frames would find one in
// most.
func TestBootstrapFalse(t *testing.T) {
	tries := slow.Of(40, 2000)
	for _, units := range []int{MinUnits, 40} {
		r := rand.New(rand.NewPCG(7, 8))
		wrong := 0
		for range tries {
			var pairs [][2]*sample
			for range 4 {
				pairs = append(pairs, [2]*sample{simulated(r, units, 0.1, 0.05), simulated(r, units, 0.1, 0.05)})
			}
			p, low, high := tested(jankRate, pairs...)
			if slices.Min(p) <= stats.Level {
				wrong++
			}
			for i := range p {
				if (p[i] <= stats.Level) != (low[i] > 0 || high[i] < 0) {
					t.Errorf("p = %g, but the interval is %g to %g", p[i], low[i], high[i])
				}
			}
		}
		// Four standard deviations of the binomial distribution.
		if most := float64(tries)*stats.Level + 4*math.Sqrt(float64(tries)*stats.Level*(1-stats.Level)); float64(wrong) > most {
			t.Errorf("%d units: %d of %d comparisons of equal fleets find a change, want at most %.0f", units, wrong, tries, most)
		}
	}
}

// With a difference the test finds it, and the interval contains it.
func TestBootstrapTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const tries = 60
	missed, outside := 0, 0
	for range tries {
		p, low, high := tested(jankRate, [2]*sample{simulated(r, 60, 0.1, 0.02), simulated(r, 60, 0.15, 0.02)})
		if p[0] > stats.Level {
			missed++
		}
		if low[0] > 0.05 || high[0] < 0.05 {
			outside++
		}
	}
	if missed > 0 || outside > 10 { // binomial: 2.4 expected, more than 10 with a probability of 0.0001
		t.Errorf("of %d: %d differences missed, %d outside of the interval", tries, missed, outside)
	}
}

// All units alike: there is no chance, so any difference is significant.
func TestBootstrapAlike(t *testing.T) {
	alike := func(late int64) *sample {
		s := newSample()
		for i := range MinUnits {
			u := s.unit(fmt.Sprint(i))
			u.sums[sumIndex["with_deadline"]], u.sums[sumIndex["late"]] = 300, late
		}
		return s
	}
	p, low, high := tested(jankRate, [2]*sample{alike(30), alike(30)}, [2]*sample{alike(30), alike(45)})
	if p[0] != 1 || low[0] != 0 || high[0] != 0 {
		t.Errorf("no difference: p = %g, interval %g to %g", p[0], low[0], high[0])
	}
	if p[1] > 0.001 || low[1] != high[1] || math.Abs(low[1]-0.05) > 1e-12 {
		t.Errorf("from 10 %% to 15 %%: p = %g, interval %g to %g", p[1], low[1], high[1])
	}
}

// The order of units and of merges does not matter, with and without blocks.
func TestSamples(t *testing.T) {
	for _, units := range []int{20, maxUnits + 1, 2000} {
		var want string
		for try := range 4 {
			r := rand.New(rand.NewPCG(9, uint64(try)))
			parts := []*sample{newSample(), newSample(), newSample()}
			for _, i := range r.Perm(units) {
				u := parts[r.IntN(1+try%3)].unit(fmt.Sprint(i))
				u.sums[sumIndex["with_deadline"]] += 100
				u.sums[sumIndex["late"]] += int64(i % 10)
			}
			r.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			for _, p := range parts[1:] {
				parts[0].merge(p)
			}
			s := parts[0]
			got := fmt.Sprint(len(s.number), s.blocked, *resample(s, s, jankRate, "seed"))
			if try == 0 {
				want = got
			} else if got != want {
				t.Errorf("%d units: got %s, then %s", units, want, got)
			}
		}
	}
}

// A condition fails if the whole interval is beyond the limit, with Any if the change is. It
// is unknown if a side has too few units, if the measure is unknown, and if the group is gone.
func TestFleetConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	named := func(s *sample, name string) *side { return &side{[]*string{&name}, s} }
	sides := [2]map[string]*side{
		{
			"a": named(simulated(r, 40, 0.1, 0.02), "a"), "few": named(simulated(r, MinUnits-1, 0.1, 0.02), "few"),
			"gone": named(simulated(r, 40, 0.1, 0.02), "gone"),
		},
		{
			"a": named(simulated(r, 40, 0.2, 0.02), "a"), "few": named(simulated(r, 40, 0.2, 0.02), "few"),
			"later": named(simulated(r, 40, 0.1, 0.02), "later"),
		},
	}
	conditions, err := condition.Parse("jank_rate>+1pp,jank_rate>+9.9pp,jank_rate>+10%,jank_rate<-1pp,fps<-5%", condition.OfChanges)
	if err != nil {
		t.Fatal(err)
	}
	const few = "too few to test: 9 devices and 40 devices, each dataset needs 10; --fail-on-any compares the values"
	const gone = "the group is not in the new dataset"
	for _, test := range []struct {
		any  bool
		want []string
	}{
		{false, []string{
			"failed", "passed", "failed", "passed", "unknown unknown in both datasets",
			"unknown " + few, "unknown " + few, "unknown " + few, "unknown " + few, "unknown unknown in both datasets",
			"unknown " + gone, "unknown " + gone, "unknown " + gone, "unknown " + gone, "unknown " + gone,
		}},
		{true, []string{
			"failed", "failed", "failed", "passed", "unknown unknown in both datasets",
			"failed", "failed", "failed", "passed", "unknown unknown in both datasets",
			"unknown " + gone, "unknown " + gone, "unknown " + gone, "unknown " + gone, "unknown " + gone,
		}},
	} {
		c := &Comparison{Unit: deviceDim}
		c.pair(sides)
		if jank := c.Pairs[0].Changes[slices.Index(compared, "jank_rate")]; *jank.Low >= 0.099 || *jank.Delta <= 0.099 {
			t.Fatalf("the conditions do not fit: %g, %g to %g", *jank.Delta, *jank.Low, *jank.High)
		}
		c.judge(CompareOptions{FailOn: conditions, Any: test.any})
		var got []string
		for _, o := range c.Outcomes {
			got = append(got, strings.TrimSpace(string(o.Status)+" "+o.Reason))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("any %v:\ngot  %q\nwant %q", test.any, got, test.want)
		}
		if got, want := c.Outcomes[len(c.Outcomes)-1].String(), "gone: fps<-5%: "+gone; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A dataset against itself has no change; one with traces of another fleet has. The gate
// applies to the change.
func TestCompare(t *testing.T) {
	inputs := traces(t)
	dir, other := t.TempDir(), t.TempDir()
	run(t, &Runner{Dir: dir}, inputs, Options{Shards: 3})
	// The same frames, and every other one of an application late.
	r := &Runner{Dir: other}
	r.read = func(ctx context.Context, in io.Reader, o ohframe.Options) (*ohframe.Trace, error) {
		trace, err := ohframe.Read(ctx, in, o)
		if err == nil {
			for _, f := range trace.Timeline.Frames {
				f.Actual.End += 40e6
				f.Facts |= 1
			}
		}
		return trace, err
	}
	run(t, r, inputs, Options{Shards: 4})
	conditions, err := condition.Parse("jank_rate>+5pp,p50_ms>+10%,fps<-50%", condition.OfChanges)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(a, b string) *Comparison {
		x, err := Open(t.Context(), Files{}, a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := Open(t.Context(), Files{}, b)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Compare(t.Context(), x, y, CompareOptions{Query: Query{By: []string{"kind"}}, FailOn: conditions})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	same := compare(dir, dir)
	for _, p := range same.Pairs {
		for _, m := range p.Changes {
			// Few traces have presents: then draws without any are too many to say.
			if m.Delta != nil && (*m.Delta != 0 || m.Verdict == More || m.Verdict == Less) {
				t.Errorf("against itself: %s: %g, %s", m.Name, *m.Delta, m.Verdict)
			}
		}
	}
	if len(same.Pairs) != 2 || len(same.With(condition.Failed)) != 0 {
		t.Errorf("against itself: %d pairs, failed %v", len(same.Pairs), same.With(condition.Failed))
	}
	worse := compare(dir, other)
	jank := worse.Pairs[0].Changes[slices.Index(compared, "jank_rate")]
	if jank.Verdict != More || *jank.Low <= 0 || *jank.New != 1 {
		t.Errorf("all frames late: %+v", jank)
	}
	var failed []string
	for _, o := range worse.With(condition.Failed) {
		failed = append(failed, o.Condition.String())
	}
	if got := strings.Join(failed, " "); got != "jank_rate>+5pp p50_ms>+10% jank_rate>+5pp p50_ms>+10%" {
		t.Errorf("failed: %s", got)
	}
	report := Report{Dataset: worse.New, By: []string{"kind", "process"}}
	if report.Groups, err = worse.New.Groups(t.Context(), Query{By: report.By}); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{80, 120} {
		style := text.Style{Width: width}
		var table bytes.Buffer
		if err := cmp.Or(worse.Write(&table, "table", style), report.Write(&table, "table", style)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(table.String()) {
			// Commands are for copying.
			if n := text.Width(strings.TrimSuffix(line, "\n")); n > width && !strings.Contains(line, "ohframe open") {
				t.Errorf("%d of %d cells: %s", n, width, line)
			}
		}
		if narrow := strings.Contains(table.String(), "no room for p, Base;"); narrow != (width == 80) {
			t.Errorf("%d: columns are missing: %t\n%s", width, narrow, table.String())
		}
	}
	for _, format := range DiffFormats {
		var first, second bytes.Buffer
		if err := worse.Write(&first, format, text.Style{}); err != nil {
			t.Fatal(err)
		}
		if err := compare(dir, other).Write(&second, format, text.Style{}); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: not the same twice, %v", format, err)
		}
	}
}
