package simulate

import (
	"bytes"
	"math"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func simulated(t *testing.T, c Config) ([]byte, *Truth) {
	t.Helper()
	var b bytes.Buffer
	truth := must.Get(Write(&b, c))(t)
	return b.Bytes(), truth
}

// The same configuration gives the same trace, and what the rest of the device does changes
// no frame.
func TestDeterminism(t *testing.T) {
	c := Everything()
	c.Background = 5000
	first, truth := simulated(t, c)
	if again, _ := simulated(t, c); !bytes.Equal(first, again) {
		t.Error("the same configuration gave another trace")
	}
	c.Background = 0
	_, quiet := simulated(t, c)
	same := func(f, g *Frame) bool {
		return f.TID == g.TID && f.Start == g.Start && f.End == g.End && f.Render == g.Render && f.Present == g.Present
	}
	if !slices.EqualFunc(quiet.Frames, truth.Frames, same) {
		t.Error("background work changed the frames")
	}
}

// A kind of frame that no simulation makes is a kind that no test checks.
func TestEverythingHappens(t *testing.T) {
	counts, outside, gpu := map[string]int{}, 0, 0
	for seed := range uint64(4) {
		c := Everything()
		c.Seed, c.Duration, c.CutStart = seed, 2*trace.Second, seed%2 == 0
		_, truth := simulated(t, c)
		outside, gpu = outside+truth.OutsideTransactions, gpu+truth.OutsideGPU
		for _, f := range truth.Frames {
			for fact, has := range map[string]bool{
				"late": f.Late, "empty": f.Empty, "misaligned": f.Misaligned, "coalesced": f.Coalesced > 0, "truncated": f.Truncated,
				"late by": f.LateMain, "late GPU": f.LateGPU, "sends twice": len(f.Indices) > 1, "not taken": len(f.Indices) > 0 && f.TakenBy == nil,
				"GPU": len(f.GPU) > 0, "commit": f.Commit.Known(), "presented": f.Present.Known(), "estimated": f.PresentEstimated,
				"worker": int(f.TID) != int(f.PID),
			} {
				if has {
					counts[string(f.Kind)+" "+fact]++
				}
			}
		}
	}
	for _, fact := range []string{
		"app late", "app empty", "app misaligned", "app coalesced", "app truncated", "app sends twice", "app not taken", "app worker",
		"render late by", "render late GPU", "render empty", "render misaligned", "render coalesced", "render truncated",
		"render GPU", "render commit", "render presented", "render estimated",
	} {
		if counts[fact] == 0 {
			t.Errorf("nothing happened: %s", fact)
		}
	}
	if outside == 0 || gpu == 0 {
		t.Errorf("%d transactions and %d GPU works outside frames", outside, gpu)
	}
}

// A frame of a scene is late if and only if a cause that is not harmless was injected into it.
func TestSceneLateFrames(t *testing.T) {
	before := runtime.NumGoroutine()
	for i, cause := range Causes() {
		s := Scene{Kernel: []Kernel{KernelHongMeng, KernelLinux}[i%2], RefreshHz: 60 + 30*(i%3), Cause: Cause(cause), Seed: uint64(i)}
		truth := must.Get(s.Generate(new(bytes.Buffer)))(t)
		late := map[int64]bool{}
		for _, c := range truth.Causes {
			late[c.Vsync] = !c.Cause.Harmless()
		}
		if len(late) == 0 && s.Cause != CauseNone || len(truth.Frames) < 76 {
			t.Errorf("%s: %d causes, %d frames", cause, len(late), len(truth.Frames))
		}
		for _, f := range truth.Frames {
			if f.Late != late[f.Vsync] {
				t.Errorf("%s: %s frame %d: late is %t", cause, f.Kind, f.Vsync, f.Late)
			}
		}
	}
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d coroutines are left", n)
	}
}

// A big trace has the mix of lines of a real capture.
func TestCaptureMix(t *testing.T) {
	const size = 4 << 20
	text, _ := simulated(t, Capture(size))
	if len(text) < size || len(text) > size+size/20 {
		t.Errorf("%d bytes, want %d", len(text), size)
	}
	counts, total, want := map[string]float64{}, 0.0, 0.0
	for _, m := range regexp.MustCompile(`(?m)^[^#].*?\] \S+ +[\d.]+: (?:print: (.)|(\w+))`).FindAllSubmatch(text, -1) {
		counts[string(m[1])+string(m[2])]++
		total++
	}
	for _, k := range captureMix {
		want += float64(k.count)
	}
	for _, k := range captureMix {
		if got, want := 100*counts[k.line]/total, 100*float64(k.count)/want; math.Abs(got-want) > 1 {
			t.Errorf("%s: %.2f %% of all lines, want %.2f %%", k.line, got, want)
		}
	}
}

// A scene with several causes in its frames gives the same bytes again. Without one of the causes, its frame
// is as much shorter as the cause is long, and all frames that are not near it stay the same to the
// nanosecond, as random numbers do not depend on what happened before. (A slower clock changes other threads, too.)
func TestSceneWithoutCause(t *testing.T) {
	const length, near = 4 * trace.Millisecond, 4
	for i, cause := range []Cause{
		"more_work", CauseStorageD, "timer", "binder", "binder_chain", "lock", "other_process", "gc_elsewhere", "irq_storm", "buffer", "preempted",
		CauseVsyncLate, "no_cpu", "previous_frame", "on_idle", "between_frames",
	} {
		s := Scene{Kernel: []Kernel{KernelHongMeng, KernelLinux}[i%2], RefreshHz: 60 + 30*(i%3), Cause: CauseNone, Seed: uint64(i), Injections: []Injection{
			{Cause: "more_work", Length: 2 * trace.Millisecond, Slice: "Feed::Bind", Often: 50},
			{Cause: "lock", Vsync: 12, Length: 9 * trace.Millisecond, Thread: 1},
			{Cause: cause, Vsync: 20, Length: length, Thread: 2},
			{Cause: "preempted", Vsync: 20, Length: 12 * trace.Millisecond, Thread: 1},
			{Cause: "binder", Vsync: 28, Length: 9 * trace.Millisecond, Slice: "Story::Parse"},
		}}
		generate := func() (string, *Truth) {
			var b bytes.Buffer
			truth := must.Get(s.Generate(&b))(t)
			return b.String(), truth
		}
		text, truth := generate()
		if again, _ := generate(); again != text {
			t.Errorf("%s: the same scene gave another trace", cause)
		}
		s.Injections[2].Length = 0
		_, without := generate()
		frames := map[int64]*Frame{}
		for _, f := range without.Frames {
			frames[f.Vsync] = f
		}
		shorter := trace.Duration(-1)
		for _, f := range truth.Frames {
			g := frames[f.Vsync]
			if k := f.Vsync % 10000; k == 20 && f.Kind == AppFrame && g != nil {
				shorter = f.End.Sub(g.End)
			} else if k < 20-1 || k > 20+near {
				if g == nil || f.Start != g.Start || f.End != g.End || f.Late != g.Late || f.Present != g.Present {
					t.Errorf("%s: without it, frame %d is %+v, want %+v", cause, f.Vsync, g, f)
				}
			}
		}
		if cause != "previous_frame" && (shorter-length).Abs() > length/10 {
			t.Errorf("%s: without it, the frame ends %v earlier, want %v", cause, shorter, length)
		}
	}
}
