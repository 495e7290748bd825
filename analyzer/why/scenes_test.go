package why_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// variants are the ways in which scenes are traced.
var variants = []func(*simulate.Scene){
	func(*simulate.Scene) {},
	func(s *simulate.Scene) { s.Decoys = true },
	func(s *simulate.Scene) { s.NoBlockedReason = true },
	func(s *simulate.Scene) { s.CRLF, s.NoTGID, s.ClockOffset = true, true, 12_345_678_901 },
}

// TestInjectedCauses finds the causes that scenes were generated with: of all causes,
// kernels, refresh rates and variants, with several seeds each, if slow tests run. Frames
// without a cause are on time.
func TestInjectedCauses(t *testing.T) {
	n, frames := 0, 0
	for i, cause := range simulate.Causes() {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			for j, hz := range []int{60, 90, 120} {
				for k, change := range variants {
					for seed := range slow.Of(1, 4) {
						if n++; n%slow.Of(13, 1) > 0 {
							continue
						}
						s := simulate.Scene{Kernel: kernel, RefreshHz: hz, Cause: simulate.Cause(cause), Seed: uint64(i + 7*j + 11*k + 31*seed)}
						change(&s)
						frames += checkScene(t, s)
					}
				}
			}
		}
	}
	t.Logf("%d frames with injected causes", frames)
}

// checkScene compares what is found in a scene with the truth. It returns the number of
// frames that are not on time.
func checkScene(t *testing.T, s simulate.Scene) (frames int) {
	t.Helper()
	var text bytes.Buffer
	truth := must.Get(s.Generate(&text))(t)
	timeline, causes := explain(t, &text)
	injected := map[int64]*simulate.CauseTruth{}
	app := true
	for _, c := range truth.Causes {
		injected[c.Vsync] = c
		app = app && c.Kind == simulate.AppFrame
	}
	for f := range timeline.Complete() {
		e, c := causes.Of(f), injected[f.VsyncID]
		got, want := "", "on time"
		switch {
		case c != nil:
			if got, want = foundOf(c, e), expected(&s, c); want != "on time" {
				frames++
			}
			delete(injected, f.VsyncID)
		case !app && !s.Cause.Harmless() || s.Cause == simulate.CauseVsyncLate:
			got = map[bool]string{true: "late", false: want}[e.Lost > 0] // it may be picked up late
		default: // a cause in the application does not change frames of render_service
			got = foundOf(&simulate.CauseTruth{}, e)
		}
		if got != want {
			t.Errorf("%+v: %s frame %d: %s, want %s: %s%s%s", s, f.Kind, f.VsyncID, got, want,
				causetext.Sentence(causes, e), causetext.Shown(causes, e), causetext.PickUp(causes, e))
		}
	}
	for _, c := range injected {
		t.Errorf("%+v: no frame %d", s, c.Vsync)
	}
	return frames
}

// expected is what should be found. More work in a garbage collection is a collection. What
// happens without scheduling events, or while they are lost, is unknown.
func expected(s *simulate.Scene, c *simulate.CauseTruth) string {
	wait := c.Wait
	switch {
	case c.PickUp != "":
		return "picked up late: " + c.PickUp
	case c.NotBegun > 0:
		return fmt.Sprintf("%d not begun: %s", c.NotBegun, c.Slice)
	case c.Cause.ShowsLate():
		wait = "shown late: " + c.Stage + " " + c.Wait
	case !c.Late:
		return "on time"
	case c.Cause == simulate.CauseNoSched:
		return "place_only"
	case c.Cause == simulate.CauseLostEvents, c.Cause == simulate.CauseLostSwitches:
		return "unknown"
	case strings.HasPrefix(c.Slice, "PartialGC::"):
		wait = "gc"
	case c.Wait == "run.work":
		wait = "run"
	case c.Wait == "fence" && s.NoBlockedReason && s.Kernel == simulate.KernelHongMeng:
		wait = "kernel"
	}
	thread := threadOf(c.Culprit)
	return strings.Join([]string{wait, c.Slice, thread, c.Leaf, c.LeafSlice, c.Argument, c.LeafArgument, c.Reason, fmt.Sprint(c.KnockOnOf, c.Capped), threadOf(c.LeafFor)}, ", ")
}

// threadOf returns the thread of process:thread.
func threadOf(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// capped reports whether a cause is a limit of the CPU with its reason.
func capped(s *why.Share) bool {
	return s.FrequencyLimit > 0 && strings.Contains(s.LimitReason, simulate.CoolingDevice)
}

// foundOf returns what is found, as far as the truth says it.
func foundOf(c *simulate.CauseTruth, e *why.Explanation) string {
	wait, s := "", e.Cause()
	switch {
	case e.NotBegun != nil:
		return fmt.Sprintf("%d not begun: %s", e.Frame.NotBegun, e.NotBegun.Shares[0].Slice)
	case e.Outcome == why.NotLate && e.Shown != nil && e.Shown.Lost > 0:
		s = &e.Shown.Shares[0]
		wait = "shown late: " + s.Stage.String() + " " + s.Wait.String()
	case e.Outcome == why.NotLate && e.PickUp != nil:
		return "picked up late: " + e.PickUp.Outcome.String()
	case e.Outcome == why.NotLate:
		return "on time"
	case e.Outcome != why.OneCause && e.Outcome != why.KnockOn:
		return e.Outcome.String()
	default:
		wait = s.Wait.String()
	}
	k, root := s.Culprit, int64(0)
	if k == nil {
		k = &why.Culprit{}
	}
	if e.Root != nil && c.KnockOnOf != 0 {
		root = e.Root.VsyncID
	}
	argument := ""
	if len(s.Instances) > 0 {
		argument = causetext.Arguments(s.Instances[0].Arguments)
	}
	other := ""
	if k.For != nil && c.LeafFor != "" {
		other = k.For.Thread
	}
	if c.Culprit == "" {
		return strings.Join([]string{wait, said(c.Slice, s.Slice), "", c.Leaf, c.LeafSlice, said(c.Argument, argument), c.LeafArgument, c.Reason, fmt.Sprint(root, capped(s)), c.LeafFor}, ", ")
	}
	return strings.Join([]string{wait, said(c.Slice, s.Slice), k.Thread, said(c.Leaf, k.Wait.String()), said(c.LeafSlice, k.Slice), said(c.Argument, argument), said(c.LeafArgument, causetext.Arguments(k.Arguments)), said(c.Reason, s.GCReason), fmt.Sprint(root, capped(s)), other}, ", ")
}

// said returns what is found, or nothing if the truth does not say it.
func said(truth, found string) string {
	if truth == "" {
		return ""
	}
	return found
}
