package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/internal/diff"
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

// Without a difference the test says so about as often as it should, although units
// differ: a test that pools the frames would reject most of these. With a difference it
// sees it, and the interval contains it.
func TestBootstrap(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const tries = 60
	false5 := 0
	for i := range tries {
		a, b := simulated(r, 40, 0.1, 0.05), simulated(r, 40, 0.1, 0.05)
		if bootstrap(a, b, jankRate, fmt.Sprint(i))[0].p < 0.05 {
			false5++
		}
	}
	if false5 > 9 { // binomial: 3 expected, 10 or more with a probability of 0.001
		t.Errorf("%d of %d comparisons of equal fleets are significant", false5, tries)
	}
	missed, outside := 0, 0
	for i := range tries {
		a, b := simulated(r, 60, 0.1, 0.02), simulated(r, 60, 0.15, 0.02)
		got := bootstrap(a, b, jankRate, fmt.Sprint(i))[0]
		if got.p >= 0.05 {
			missed++
		}
		if got.low > 0.05 || got.high < 0.05 {
			outside++
		}
	}
	if missed > 0 || outside > 11 {
		t.Errorf("of %d: %d differences missed, %d outside of the interval", tries, missed, outside)
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
			got := fmt.Sprint(len(s.number), s.blocked, *bootstrap(s, s, jankRate, "seed")[0])
			if try == 0 {
				want = got
			} else if got != want {
				t.Errorf("%d units: got %s, then %s", units, want, got)
			}
		}
	}
}

// The example of Holm's procedure with four tests, by hand: the smallest times 4, the
// next times 3, 2 and 1, never below an earlier one.
func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.04, 0.03, 0.005})
	if want := []float64{0.03, 0.06, 0.06, 0.02}; !slices.EqualFunc(got, want, func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }) {
		t.Errorf("got %v, want %v", got, want)
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
	conditions, err := diff.ParseConditions("jank_rate>+5pp,p50_ms>+10%,fps<-50%")
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
	if len(same.Pairs) != 2 || len(same.Failed()) != 0 {
		t.Errorf("against itself: %d pairs, failed %v", len(same.Pairs), same.Failed())
	}
	worse := compare(dir, other)
	jank := worse.Pairs[0].Changes[slices.Index(compared, "jank_rate")]
	if jank.Verdict != More || *jank.Low <= 0 || *jank.New != 1 {
		t.Errorf("all frames late: %+v", jank)
	}
	var failed []string
	for _, o := range worse.Failed() {
		failed = append(failed, o.Condition.String())
	}
	if got := strings.Join(failed, " "); got != "jank_rate>+5pp p50_ms>+10% jank_rate>+5pp p50_ms>+10%" {
		t.Errorf("failed: %s", got)
	}
	for _, format := range DiffFormats {
		var first, second bytes.Buffer
		if err := worse.Write(&first, format, false); err != nil {
			t.Fatal(err)
		}
		if err := compare(dir, other).Write(&second, format, false); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: not the same twice, %v", format, err)
		}
	}
}
