package why_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestCounterfactual: had a cause alone taken its usual time, the frame would have been late by its gain
// less. The scenes, whose late frames have one to three causes, are simulated again without one of the
// causes. All that is said with high or medium confidence must be true, all causes that have a quarter of
// the overrun must be named, and nothing else that has more than a tenth.
func TestCounterfactual(t *testing.T) {
	results := make([][]gain, slow.Of(18, 300))
	var wait sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := worker; i < len(results); i += runtime.GOMAXPROCS(0) {
				results[i] = counterfactual(t, simulate.NewSeveral(uint64(i), 3, 1+i%3))
			}
		})
	}
	wait.Wait()
	kinds, confidences := gains{}, gains{}
	for _, list := range results {
		for i := range list {
			g := &list[i]
			sure := g.confidence < 3
			if sure {
				kinds.add(g.kind, g)
			}
			confidences.add(g.confidence.String(), g)
			if sure && !g.right() {
				t.Error(g.text)
			}
		}
	}
	for _, m := range []gains{kinds, confidences} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			t.Logf("%-17s %4d, printed %7.1f ms, gained %7.1f ms, within a tenth %4d", name, m[name].number, m[name].printed.Milliseconds(), m[name].real.Milliseconds(), m[name].right)
		}
	}
}

// A gain is what the explanation of a frame says would be saved, and what really is.
type gain struct {
	kind          string
	confidence    why.Confidence
	printed, real trace.Duration
	text          string
}

// right reports whether the times agree within a tenth. Besides, a wait ends with a wakeup and two switches,
// which take up to 40 µs together, and the usual parts of frames vary by up to 3 %.
func (g *gain) right() bool {
	return (g.printed - g.real).Abs() <= g.printed/10+100*trace.Microsecond
}

// gains are their sums by name.
type gains map[string]*struct {
	number, right int
	printed, real trace.Duration
}

func (m gains) add(name string, g *gain) {
	if m[name] == nil {
		m[name] = new(struct {
			number, right int
			printed, real trace.Duration
		})
	}
	m[name].number++
	m[name].printed += g.printed
	m[name].real += g.real
	if g.right() {
		m[name].right++
	}
}

// counterfactual explains a scene and compares that with the scenes without its causes.
func counterfactual(t *testing.T, s *simulate.Several) (list []gain) {
	var text bytes.Buffer
	truth, err := s.Generate(&text)
	if err != nil {
		t.Error(err)
		return nil
	}
	timeline, causes := explain(t, &text)
	reruns := map[string]map[int64]trace.Duration{}
	without := func(vsync int64, places ...int) trace.Duration {
		key := fmt.Sprint(places)
		if reruns[key] == nil {
			late, err := s.Without(places...).Overruns()
			must.NoError(t, err)
			reruns[key] = late
		}
		return reruns[key][vsync]
	}
	// A vsync that waited until the thread was free is that of the next frame.
	injected := map[int64][]*simulate.CauseTruth{}
	for _, f := range truth.Frames {
		for _, c := range truth.Causes {
			if c.Vsync <= f.Vsync && c.Vsync >= f.Vsync-int64(f.Coalesced) {
				injected[f.Vsync] = append(injected[f.Vsync], c)
			}
		}
	}
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if f.Kind != analyzer.ApplicationFrame || !e.Late() {
			continue
		}
		about := func(kind string, printed, real trace.Duration) {
			list = append(list, gain{kind, e.Confidence, printed, real, fmt.Sprintf("%s, %d Hz, seed %d, %d causes, frame %d, %.1f ms late: %s: %.1f ms, really %.1f ms: %s",
				s.Kernel, s.RefreshHz, s.Seed, s.Causes, f.VsyncID, e.Lost.Milliseconds(), kind, printed.Milliseconds(), real.Milliseconds(), causetext.Sentence(causes, e))})
		}
		named := map[*simulate.CauseTruth]bool{}
		for _, share := range together(e) {
			kind, thread := "not injected", ""
			if share.Culprit != nil {
				thread = share.Culprit.Thread
			}
			var places []int
			for _, c := range injected[f.VsyncID] {
				if c.Agrees(share.Wait.String(), share.Slice, thread) {
					named[c] = true
					kind = string(c.Cause)
					places = append(places, s.Place(c.Injection))
				}
			}
			switch {
			case share.Share*10 < e.Lost:
			case places != nil:
				about(kind, share.Gain, e.Lost-without(f.VsyncID, places...))
			case share.Wait == why.EarlierFrame:
				about("knock-on", share.Gain, e.Lost-without(f.VsyncID, []int{0, 1, 2}[:s.Causes]...))
			default:
				about(kind+": "+share.Wait.String(), share.Gain, 0)
			}
		}
		for _, c := range injected[f.VsyncID] {
			if real := e.Lost - without(f.VsyncID, s.Place(c.Injection)); !named[c] && min(real, s.Injections[c.Injection].Length)*4 >= e.Lost {
				about("not named: "+string(c.Cause), 0, real)
			}
		}
	}
	return list
}

// together returns the shares of a frame, with those of a slower CPU as one: it is slower for the whole frame.
func together(e *why.Explanation) (list []why.Share) {
	for _, s := range e.Shares {
		i := slices.IndexFunc(list, func(o why.Share) bool { return s.Wait == why.RunSlow && o.Wait == s.Wait })
		if i < 0 {
			list = append(list, s)
			continue
		}
		list[i].Slice, list[i].Share, list[i].Gain = "", list[i].Share+s.Share, min(list[i].Gain+s.Gain, e.Lost)
	}
	return list
}
