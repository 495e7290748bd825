package simulate

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/slow"
)

func generateScene(t *testing.T, c Scene) ([]byte, *Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := c.Generate(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), truth
}

// scenes calls test with every cause: in both kernels and at three refresh rates if
// slow tests run in full, else in one of each.
func scenes(t *testing.T, test func(t *testing.T, c Scene)) {
	for _, kernel := range []Kernel{KernelHongMeng, KernelLinux} {
		for i, cause := range Causes() {
			for j, hz := range []int{60, 90, 120} {
				if !slow.Enabled() && (j != i%3 || i%2 == 0 != (kernel == KernelLinux)) {
					continue
				}
				c := Scene{
					Kernel: kernel, RefreshHz: hz, Cause: Cause(cause), Seed: uint64(i + 7*j),
					Noise: i%3 == 0, Decoys: i%2 == 1, InBuild: i%5 == 0,
				}
				t.Run(fmt.Sprintf("%s/%s/%d", kernel, cause, hz), func(t *testing.T) { test(t, c) })
			}
		}
	}
}

// A frame is late if and only if a cause was injected into it, and the cause explains
// the overrun: what remains of the frame fits into its budget.
func TestSceneLateFrames(t *testing.T) {
	scenes(t, func(t *testing.T, c Scene) {
		_, truth := generateScene(t, c)
		injected := map[int64]trace.Duration{}
		for _, cause := range truth.Causes {
			injected[cause.Vsync] += cause.NS
			if cause.Late == cause.Cause.Harmless() {
				t.Errorf("frame %d: late is %t with %s", cause.Vsync, cause.Late, cause.Cause)
			}
		}
		if len(injected) == 0 && c.Cause != CauseNone {
			t.Error("nothing was injected")
		}
		if len(truth.Frames) < 76 {
			t.Errorf("%d frames", len(truth.Frames))
		}
		for _, f := range truth.Frames {
			d, changed := injected[f.Vsync]
			if f.Late != (changed && !c.Cause.Harmless()) {
				t.Errorf("%s frame %d: late is %t, injected %v", f.Kind, f.Vsync, f.Late, d)
			}
			if f.Late && !f.LateGPU && (f.End.Sub(f.Deadline) > d || f.End.Add(-d).Sub(f.ExpectedStart) > f.Period*6/10) {
				t.Errorf("frame %d overruns by %v, injected %v", f.Vsync, f.End.Sub(f.Deadline), d)
			}
		}
	})
}

// The waits of a frame add up to its span.
func TestSceneWaits(t *testing.T) {
	scenes(t, func(t *testing.T, c Scene) {
		_, truth := generateScene(t, c)
		if len(truth.Waits) != len(truth.Frames) {
			t.Errorf("%d of %d frames have waits", len(truth.Waits), len(truth.Frames))
		}
		for _, w := range truth.Waits {
			sum := trace.Duration(0)
			for _, wait := range w.Waits {
				sum += wait.NS
			}
			if span := w.End.Sub(w.Start); sum != span {
				t.Errorf("frame %d: waits of %v in a span of %v", w.Vsync, sum, span)
			}
		}
	})
}

// TestSceneSchedule replays the kernel's lines.
func TestSceneSchedule(t *testing.T) {
	slow.SkipRace(t)
	scenes(t, func(t *testing.T, c Scene) {
		if c.Cause == CauseNoSched || c.Cause == CauseLostEvents || c.Cause == CauseLostSwitches {
			t.Skip("has gaps on purpose")
		}
		if c.RefreshHz != 60 {
			t.Skip("takes long")
		}
		c.Frames, c.Noise = 60, false // which wakes threads that run
		text, _ := generateScene(t, c)
		checkSchedule(t, readLines(t, text), c.Kernel)
	})
}

// The same cause is the same model in both kernels' spelling: frames and waits agree
// to the nanosecond.
func TestSceneRespelled(t *testing.T) {
	slow.SkipRace(t)
	scenes(t, func(t *testing.T, c Scene) {
		if c.Kernel == KernelLinux {
			t.Skip("compared with the other")
		}
		c.Era = "6.1"
		_, a := generateScene(t, c)
		c.Kernel = KernelLinux
		text, b := generateScene(t, c)
		same := func(x, y *FrameWaits) bool {
			return x.Start == y.Start && x.End == y.End && slices.Equal(x.Waits, y.Waits)
		}
		if !slices.EqualFunc(a.Waits, b.Waits, same) {
			t.Error("the waits differ")
		}
		if c.Cause != CauseNoSched && !strings.Contains(string(text), "sched_waking: ") {
			t.Error("not the spelling of Linux")
		}
	})
}

// waitsOf returns the model's record of a frame.
func waitsOf(t *testing.T, truth *Truth, vsync int64) *FrameWaits {
	t.Helper()
	for _, w := range truth.Waits {
		if w.Vsync == vsync {
			return w
		}
	}
	t.Fatalf("no frame %d", vsync)
	return nil
}

// total adds up the waits that match.
func (f *FrameWaits) total(match func(w Wait) bool) (sum trace.Duration) {
	for _, w := range f.Waits {
		if match(w) {
			sum += w.NS
		}
	}
	return sum
}

// What a truth says of a cause is in the record of what the frame's thread did: so
// much of that wait, in that place, because of that thread.
func TestSceneCauses(t *testing.T) {
	slow.SkipRace(t)
	// In the record of these the time has another wait: how the thread was before it
	// received the vsync, on the GPU, or after the frame.
	elsewhere := []string{"earlier_frame", "earlier_work", "vsync", "gpu", "pick_up", "unknown", ""}
	scenes(t, func(t *testing.T, c Scene) {
		_, truth := generateScene(t, c)
		for _, cause := range truth.Causes {
			waits := waitsOf(t, truth, cause.Vsync)
			if cause.Cause.ShowsLate() {
				continue // see TestSceneShown
			}
			if slices.Contains(elsewhere, cause.Wait) {
				if cause.NS < share(truth.Period, 15) || cause.NS > 2*truth.Period {
					t.Errorf("injected %v", cause.NS)
				}
				continue
			}
			in := func(w Wait) bool {
				return w.Wait == strings.TrimSuffix(strings.TrimSuffix(cause.Wait, ".work"), ".slow") &&
					(cause.Stage == "" || w.Stage == cause.Stage) && (cause.Slice == "" || w.Slice == cause.Slice)
			}
			got := waits.total(in)
			if cause.Wait == "irq" { // also in the slices after
				got = waits.total(func(w Wait) bool { return w.Wait == "irq" })
			}
			usual := trace.Duration(0)
			if w := cause.Wait; w == "run.work" || w == "run.slow" {
				usual = got - cause.NS // a usual frame has some, too
			}
			if got-usual != cause.NS || usual < 0 || usual > truth.Period/2 {
				t.Errorf("frame %d: injected %v of %s, the thread had %v:\n%v", cause.Vsync, cause.NS, cause.Wait, got, waits.Waits)
			}
			// Chains end at a thread that did not wake the frame's.
			if cause.Cause == CauseBinderChain || cause.Cause == CauseNoCPU || cause.Culprit == "" || cause.Wait == "irq" {
				continue
			}
			if by := waits.total(func(w Wait) bool { return in(w) && w.By == cause.Culprit }); by != got {
				t.Errorf("frame %d: %v of %v because of %s:\n%v", cause.Vsync, by, got, cause.Culprit, waits.Waits)
			}
		}
	})
}

// Of the frames of a scene whose cause comes after the main thread, the display shows those
// with the cause a refresh later than the others.
func TestSceneShown(t *testing.T) {
	scenes(t, func(t *testing.T, c Scene) {
		if !c.Cause.ShowsLate() {
			t.Skip("render_service is not on time")
		}
		_, truth := generateScene(t, c)
		late := map[int64]bool{}
		for _, cause := range truth.Causes {
			late[cause.Vsync] = true
		}
		for _, f := range truth.Frames {
			if f.Kind != RenderFrame || !f.Present.Known() {
				continue
			}
			periods := (f.Present.Sub(f.ExpectedStart) + f.Period/4) / f.Period
			if want := map[bool]trace.Duration{false: 1, true: 2}[late[f.Vsync]]; periods != want {
				t.Errorf("frame %d is shown %d periods after its vsync, not %d", f.Vsync, periods, want)
			}
		}
	})
}

// Noise leaves all that the threads did as it was.
func TestSceneNoise(t *testing.T) {
	for _, kernel := range []Kernel{KernelHongMeng, KernelLinux} {
		c := Scene{Kernel: kernel, Cause: CauseBinderChain, Seed: 4}
		quiet, a := generateScene(t, c)
		c.Noise = true
		noisy, b := generateScene(t, c)
		if len(noisy) < len(quiet)+5000 {
			t.Errorf("%s: %d bytes with noise, %d without", kernel, len(noisy), len(quiet))
		}
		if !bytes.Equal(asJSON(t, a), asJSON(t, b)) {
			t.Errorf("%s: noise changed the truth", kernel)
		}
	}
}

// A scene leaves no coroutines behind.
func TestSceneStops(t *testing.T) {
	before := runtime.NumGoroutine()
	generateScene(t, Scene{Kernel: KernelLinux, Cause: CauseLock})
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d more goroutines", n)
	}
}
