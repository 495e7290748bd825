package why_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// made is what a frame was made of: how long it did something in two stages and what else delayed
// it, in milliseconds.
type made struct {
	build, layout, other float64
	what                 string
}

func (m *made) line() string {
	return fmt.Sprintf("run 1 FlushBuild( run %.3f ) FlushLayoutTask( run %.3f %s %.3f )", m.build+.05, m.layout+.05, m.what, m.other+.05)
}

// TestFramesOfTwoKinds checks that a late frame is late because of what frames on time do not do, if
// 10 to 90 % of them build, or lay out, for much longer than the others: that is usual.
func TestFramesOfTwoKinds(t *testing.T) {
	for _, test := range []struct {
		name string
		late func(*rand.Rand, *made) // makes a frame late that has both long parts
		// share returns the causes of the frame, with their least shares.
		least map[why.Stage]map[why.Wait]float64
	}{
		{"longer", func(r *rand.Rand, m *made) { m.build += 8 + 4*r.Float64() }, map[why.Stage]map[why.Wait]float64{why.StageBuild: {why.Run: .9}}},
		{"storage", func(r *rand.Rand, m *made) { m.what, m.other = "io", 8+4*r.Float64() }, map[why.Stage]map[why.Wait]float64{why.StageLayout: {why.WaitIO: .9}}},
		{"lock", func(r *rand.Rand, m *made) { m.what, m.other = "own", 8+4*r.Float64() }, map[why.Stage]map[why.Wait]float64{why.StageLayout: {why.WaitOwnThread: .9}}},
		{"both", func(r *rand.Rand, m *made) {
			more := 6 + 2*r.Float64()
			m.build, m.what, m.other = m.build+more, "own", more
		}, map[why.Stage]map[why.Wait]float64{why.StageBuild: {why.Run: .45}, why.StageLayout: {why.WaitOwnThread: .45}}},
	} {
		for percent := 10; percent <= 90; percent += 10 {
			for seed := range uint64(4) {
				t.Run(fmt.Sprintf("%s/%d/%d", test.name, percent, seed), func(t *testing.T) {
					r := rand.New(rand.NewPCG(seed, uint64(percent)))
					build, layout := 2+2*r.Float64(), 2+r.Float64()
					two := seed%2 > 0 // both stages are of two kinds, independently
					var b strings.Builder
					fmt.Fprintln(&b, "every 50")
					late := map[int64]bool{}
					for n := int64(1); n <= 140; n++ {
						m := made{what: "io"}
						if late[n] = n%12 == 0; late[n] || r.IntN(100) < percent {
							m.build = build + .2*r.Float64()
						}
						if two && (late[n] || r.IntN(100) < percent) {
							m.layout = layout + .2*r.Float64()
						}
						if late[n] {
							test.late(r, &m)
						}
						fmt.Fprintln(&b, m.line())
					}
					p := &player{period: 10_000, every: 50_000}
					p.change(1, 500, "S", 0)
					for line := range strings.Lines(b.String()) {
						p.play(t, strings.Fields(strings.ReplaceAll(line, ")", " ) ")))
					}
					timeline, causes := explained(t, p)
					for f := range timeline.Complete() {
						e := causes.Of(f)
						if e.Late() != late[f.VsyncID] {
							t.Fatalf("frame %d: late %v", f.VsyncID, e.Late())
						}
						if e.Late() {
							checkLeast(t, e, test.least)
						}
					}
				})
			}
		}
	}
}

func checkLeast(t *testing.T, e *why.Explanation, least map[why.Stage]map[why.Wait]float64) {
	t.Helper()
	var sum trace.Duration
	for _, s := range e.Shares {
		sum += s.Share
		if s.Share > s.Value-s.Usual {
			t.Errorf("%s: a share of %s of %s, usual %s", e.Frame, s.Share, s.Value, s.Usual)
		}
		if s.Wait == why.Variation {
			t.Errorf("%s was a little slower everywhere", e.Frame)
		}
	}
	if sum != e.Lost {
		t.Errorf("%s: shares of %s, overrun %s", e.Frame, sum, e.Lost)
	}
	for stage, waits := range least {
		for wait, part := range waits {
			var share trace.Duration
			for _, s := range e.Shares {
				if s.Wait == wait && s.Stage == stage {
					share += s.Share
				}
			}
			if float64(share) < part*float64(e.Lost) {
				t.Errorf("%s: %s in %s has %s of %s: %v", e.Frame, wait, stage, share, e.Lost, e.Shares)
			}
		}
	}
}
