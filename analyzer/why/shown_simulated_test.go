package why_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// Frames that are shown late because of an earlier one are knock-ons of the frame with the injected cause,
// and that has all of the lateness.
func TestShownLateKnockOns(t *testing.T) {
	slow.SkipRace(t)
	knockOns, n := 0, 0
	for _, cause := range []simulate.Cause{simulate.CauseDrawWork, "commit_busy", "commit_binder", "display_late"} {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			for _, hz := range []int{60, 90, 120} {
				for periods := trace.Duration(1); periods <= 3; periods++ {
					if n++; n%slow.Of(3, 1) > 0 {
						continue
					}
					s := simulate.Scene{Kernel: kernel, RefreshHz: hz, Seed: uint64(n), Cause: simulate.CauseNone, Frames: 60}
					for _, k := range []int64{14, 26, 38} {
						s.Injections = append(s.Injections, simulate.Injection{Cause: cause, Vsync: k, Length: periods * 1_100_000_000 / trace.Duration(hz)})
					}
					knockOns += checkShownLate(t, s)
				}
			}
		}
	}
	if knockOns == 0 {
		t.Error("no frame was shown late because of another one")
	}
	t.Logf("%d knock-ons", knockOns)
}

// Had one cause of frames that were shown late taken its usual time, all frames would have been shown
// earlier by its gain in sum, knock-ons included. The scenes are simulated again without one of the causes.
func TestShownLateGains(t *testing.T) {
	slow.SkipRace(t)
	for n, parts := range [][2]trace.Duration{{95, 60}, {60, 95}, {92, 87}, {60, 30}, {140, 70}} { // of a refresh, in percent
		for k, hz := range []int{60, 90, 120} {
			s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[(n+k)%2], RefreshHz: hz, Seed: uint64(n), Cause: simulate.CauseNone, Frames: 60}
			for _, vsync := range []int64{14, 38} {
				for i, cause := range []simulate.Cause{simulate.CauseDrawWork, "commit_binder"} {
					s.Injections = append(s.Injections, simulate.Injection{Cause: cause, Vsync: vsync, Length: parts[i] * trace.Second / 100 / trace.Duration(hz)})
				}
			}
			checkShownGains(t, s)
		}
	}
}

func checkShownGains(t *testing.T, s simulate.Scene) {
	t.Helper()
	var text bytes.Buffer
	truth := must.Get(s.Generate(&text))(t)
	timeline, causes := explain(t, &text)
	r := causes.RankShown(slices.Collect(timeline.Complete()))
	for i, slice := range []string{"ApplyKawaseBlur", "Repaint"} {
		without := s
		without.Injections = slices.Clone(s.Injections)
		for n := range s.Injections {
			if n%2 == i {
				without.Injections[n].Length = 0
			}
		}
		other := must.Get(without.Generate(io.Discard))(t)
		shown := map[int64]trace.Time{}
		for _, f := range other.Frames {
			if f.Kind == simulate.RenderFrame {
				shown[f.Vsync] = f.Present
			}
		}
		var real, gain trace.Duration
		for _, f := range truth.Frames {
			if f.Kind == simulate.RenderFrame && f.Present.Known() && shown[f.Vsync].Known() {
				real += f.Present.Sub(shown[f.Vsync])
			}
		}
		for _, c := range r.Costs {
			if c.Slice == slice {
				gain += c.Gain
			}
		}
		if (gain - real).Abs() > real/10+trace.Millisecond {
			t.Errorf("%+v: without %s, frames were shown %.1f ms earlier, not %.1f of %.1f", s, slice, real.Milliseconds(), gain.Milliseconds(), r.Lost.Milliseconds())
		}
	}
}

func checkShownLate(t *testing.T, s simulate.Scene) (knockOns int) {
	t.Helper()
	var text bytes.Buffer
	truth := must.Get(s.Generate(&text))(t)
	timeline, causes := explain(t, &text)
	injected := map[int64]*simulate.CauseTruth{}
	for _, c := range truth.Causes {
		injected[c.Vsync] = c
	}
	var frames []*analyzer.Frame
	var lost trace.Duration
	for f := range timeline.Complete() {
		frames = append(frames, f)
		e := causes.Of(f)
		if !e.ShownLate() {
			continue
		}
		lost += e.Shown.Lost
		root := e.Frame
		if e.Shown.Root != nil {
			root = e.Shown.Root
			knockOns++
		}
		// The thread that commits may be busy with something else for so long that it delays several frames.
		direct := root == f && e.Shown.Shares[0].Wait.String() == truth.Causes[0].Wait && e.Shown.Shares[0].Slice == truth.Causes[0].Slice
		if !direct && (injected[root.VsyncID] == nil || root.VsyncID >= f.VsyncID) {
			t.Errorf("%+v: frame %d is late because of %d: %s", s, f.VsyncID, root.VsyncID, causetext.Shown(causes, e))
		}
	}
	r := causes.RankShown(frames)
	c := truth.Causes[0]
	if top := r.Costs[0]; r.Lost != lost || top.Lost*100 < lost*99 || top.Wait.String() != c.Wait || top.Stage().String() != c.Stage || said(c.Slice, top.Slice) != c.Slice ||
		injected[top.Worst.Frame.VsyncID] == nil || top.KnockOns != knockOns || top.Direct+top.KnockOn != top.Lost {
		t.Errorf("%+v: %s lost %v of %v (%v), %d of %d by knock-on, worst %d; want %s in %s of %d", s, causetext.CostTitle(top), top.Lost, r.Lost, lost, top.KnockOns, len(top.Late), top.Worst.Frame.VsyncID, c.Wait, c.Stage, knockOns)
	}
	return knockOns
}
