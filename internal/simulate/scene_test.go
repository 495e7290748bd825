package simulate

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/slow"
)

func generate(t *testing.T, c Scene) ([]byte, *SceneTruth) {
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
				c := Scene{Kernel: kernel, RefreshHz: hz, Cause: Cause(cause), Seed: uint64(i + 7*j)}
				t.Run(fmt.Sprintf("%s/%s/%d", kernel, cause, hz), func(t *testing.T) { test(t, c) })
			}
		}
	}
}

// A frame is late if and only if a cause was injected into it, and the cause explains
// the overrun: what remains of the frame fits into its budget.
func TestSceneLateFrames(t *testing.T) {
	scenes(t, func(t *testing.T, c Scene) {
		_, truth := generate(t, c)
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
		_, truth := generate(t, c)
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
		c.Frames = 60
		text, _ := generate(t, c)
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
		_, a := generate(t, c)
		c.Kernel = KernelLinux
		text, b := generate(t, c)
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
func waitsOf(t *testing.T, truth *SceneTruth, vsync int64) *FrameWaits {
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
		_, truth := generate(t, c)
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
		_, truth := generate(t, c)
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
		quiet, a := generate(t, c)
		c.Noise = true
		noisy, b := generate(t, c)
		if len(noisy) < len(quiet)+5000 {
			t.Errorf("%s: %d bytes with noise, %d without", kernel, len(noisy), len(quiet))
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: noise changed the truth", kernel)
		}
	}
}

// A cause is removed, shortened, put elsewhere or doubled, and the truth follows.
func TestSceneVariants(t *testing.T) {
	base := Scene{Kernel: KernelLinux, Cause: CauseStorageD, Seed: 6, At: []int64{15}}
	storage := func(t *testing.T, c Scene, vsync int64, stage string) trace.Duration {
		_, truth := generate(t, c)
		return waitsOf(t, truth, vsync).total(func(w Wait) bool { return w.Wait == "io" && w.Stage == stage })
	}
	const frame = firstAppVsync + 15
	whole := storage(t, base, frame, "layout")

	none := base
	none.Cause = CauseNone
	if d := storage(t, none, frame, "layout"); d != 0 {
		t.Errorf("without a cause: %v", d)
	}
	short := base
	short.Injected = 30
	if d := storage(t, short, frame, "layout"); (whole - 3*d).Abs() > trace.Millisecond/4 {
		t.Errorf("a third of %v: %v", whole, d)
	}
	if _, truth := generate(t, short); truth.Causes[0].Late {
		t.Error("a third makes the frame late")
	}
	build := base
	build.InBuild = true
	if d := storage(t, build, frame, "build"); d != whole || storage(t, build, frame, "layout") != 0 {
		t.Errorf("in another slice: %v of %v", d, whole)
	}
	later := base
	later.At = []int64{15, 21}
	if d := storage(t, later, frame+6, "layout"); (whole - d).Abs() > trace.Millisecond/4 {
		t.Errorf("in another frame: %v of %v", d, whole)
	}
	usual := base
	usual.Usual = CauseStorageD
	if d := storage(t, usual, frame-1, "layout"); d < share(16666666, 5) || d > share(16666666, 6) {
		t.Errorf("in a usual frame: %v", d)
	}
	if _, truth := generate(t, usual); len(truth.Causes) != 1 {
		t.Errorf("%d causes", len(truth.Causes))
	}

	two := base
	two.Second, two.First = CauseLock, 70
	_, truth := generate(t, two)
	if len(truth.Causes) != 2 || truth.Causes[1].Cause != CauseLock || truth.Causes[1].Wait != "own_thread" {
		t.Fatalf("two causes: %v", truth.Causes)
	}
	a, b := truth.Causes[0].NS, truth.Causes[1].NS
	if percent := a * 100 / (a + b); percent < 69 || percent > 71 {
		t.Errorf("70 per cent are %d", percent)
	}
}

// Without events the trace lacks what the option says, and nothing else.
func TestSceneLacks(t *testing.T) {
	for _, test := range []struct {
		name   string
		scene  Scene
		absent string
	}{
		{"reasons", Scene{Cause: CauseStorageD, NoBlockedReason: true}, "sched_blocked_reason"},
		{"no reason", Scene{Cause: CauseDWithoutReason}, "sched_blocked_reason"},
		{"kernel events", Scene{Cause: CauseNoSched}, "sched_"},
		{"processes", Scene{Cause: CauseStorageD, NoTGID: true}, "(20170)"},
		{"iowait", Scene{Cause: CauseStorageS}, "iowait=1"},
	} {
		for _, test.scene.Kernel = range []Kernel{KernelHongMeng, KernelLinux} {
			text, _ := generate(t, test.scene)
			if bytes.Contains(text, []byte(test.absent)) {
				t.Errorf("%s: %s has %s", test.name, test.scene.Kernel, test.absent)
			}
			if bytes.Contains(text, []byte("\r\n")) {
				t.Error("CRLF without being asked for")
			}
		}
	}
	text, _ := generate(t, Scene{Kernel: KernelLinux, Cause: CauseStorageD, CRLF: true})
	if bytes.Count(text, []byte("\r\n")) != bytes.Count(text, []byte("\n")) {
		t.Error("not all lines end in CRLF")
	}
}

func TestSceneErrors(t *testing.T) {
	good := Scene{Kernel: KernelLinux, Cause: CauseLock}
	for name, change := range map[string]func(c *Scene){
		"kernel":    func(c *Scene) { c.Kernel = "" },
		"era":       func(c *Scene) { c.Era = "4.0" },
		"cause":     func(c *Scene) { c.Cause = "x" },
		"second":    func(c *Scene) { c.Second = CauseVsyncLate },
		"usual":     func(c *Scene) { c.Usual = CauseVsyncLate },
		"rate":      func(c *Scene) { c.RefreshHz = 1000 },
		"frames":    func(c *Scene) { c.Frames = 3 },
		"share":     func(c *Scene) { c.First = 99 },
		"injected":  func(c *Scene) { c.Injected = 300 },
		"too close": func(c *Scene) { c.At = []int64{14, 16} },
		"too late":  func(c *Scene) { c.At = []int64{39} },
	} {
		c := good
		change(&c)
		if _, err := c.Generate(io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := good.Generate(io.Discard); err != nil {
		t.Error(err)
	}
}

// A scene leaves no coroutines behind.
func TestSceneStops(t *testing.T) {
	before := runtime.NumGoroutine()
	generate(t, Scene{Kernel: KernelLinux, Cause: CauseLock})
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d more goroutines", n)
	}
}

// Whatever the options, only frames with a cause are late.
func TestSceneOptions(t *testing.T) {
	slow.SkipRace(t)
	for seed := range slow.Of(uint64(1), 8) {
		for i, cause := range Causes() {
			c := Scene{
				Kernel: []Kernel{KernelLinux, KernelHongMeng}[(int(seed)+i)%2], RefreshHz: []int{60, 90, 120, 144}[(int(seed)+i)%4],
				Cause: Cause(cause), Seed: seed, Noise: seed%3 == 0, Decoys: seed%2 == 1, InBuild: seed%5 == 0,
			}
			if seed > 5 && c.Cause != CauseLock {
				c.Usual = CauseLock
			}
			_, truth := generate(t, c)
			injected := map[int64]bool{}
			for _, cause := range truth.Causes {
				injected[cause.Vsync] = true
			}
			for _, f := range truth.Frames {
				if f.Late != (injected[f.Vsync] && !c.Cause.Harmless()) {
					t.Errorf("%+v: frame %d: late is %t", c, f.Vsync, f.Late)
				}
			}
		}
	}
}
