package simulate

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
)

// variants are what the tests of the truth run over: all eras, whole and cut.
func variants(t *testing.T, test func(t *testing.T, c Config)) {
	for _, era := range Eras() {
		for _, cut := range []bool{false, true} {
			c := everything(era)
			c.CutStart, c.CutEnd = cut, cut
			name := era
			if cut {
				name += "/cut"
			}
			t.Run(name, func(t *testing.T) { test(t, c) })
		}
	}
	c := everything("6.0")
	c.Rates = []Rate{{Hz: 240}, {From: 700 * trace.Millisecond, Hz: 30}}
	c.Seed, c.Text.Nanoseconds = 2, true
	t.Run("240 to 30 Hz", func(t *testing.T) { test(t, c) })
}

// TestTruthIsConsistent checks facts against each other by the frame rules.
func TestTruthIsConsistent(t *testing.T) {
	variants(t, func(t *testing.T, c Config) {
		_, truth := simulateText(t, c)
		unique := map[Transaction]bool{}
		sources := map[Transaction]*Frame{}
		lastEnd := map[trace.TID]trace.Time{}
		lastPresent := trace.Time(0)
		for _, f := range truth.Frames {
			if f.Kind == RenderFrame {
				for _, tr := range f.Sources {
					if sources[tr] != nil {
						t.Errorf("%v was taken twice", tr)
					}
					if tr.Index == 0 {
						t.Errorf("render frame %d took a transaction before it was sent", f.Vsync)
					}
					sources[tr] = f
				}
			}
		}
		for _, f := range truth.Frames {
			at := fmt.Sprintf("%s %d at %v", f.Kind, f.Vsync, f.Start)
			if f.Truncated != (f.Start == 0 || f.End == 0) {
				t.Errorf("%s: truncated is %v", at, f.Truncated)
			}
			if f.Start.Known() && f.Start < lastEnd[f.TID] {
				t.Errorf("%s: begins before the thread's last frame ended", at)
			}
			lastEnd[f.TID] = max(lastEnd[f.TID], f.End)
			if f.End.Known() && f.End <= f.Start {
				t.Errorf("%s: ends at %v", at, f.End)
			}
			if f.ExpectedStart.Known() && f.Start < f.ExpectedStart {
				t.Errorf("%s: begins before its vsync", at)
			}
			if f.ExpectedEnd.Known() {
				want := f.Period
				if f.Kind == RenderFrame && findEra(c.Era).longDeadline {
					want = 2*f.Period - 5*trace.Millisecond
				}
				if got := f.ExpectedEnd.Sub(f.ExpectedStart); got != want {
					t.Errorf("%s: expected to take %v, not %v", at, got, want)
				}
			}
			end := f.End
			for _, work := range f.GPU {
				if work[0] < f.Start || f.End.Known() && work[0] > f.End {
					t.Errorf("%s: holds GPU work from %v", at, work[0])
				}
				end = max(end, work[1])
			}
			if late := f.Deadline.Known() && end > f.Deadline; !f.Truncated && f.Late != late {
				t.Errorf("%s: late is %v, ends at %v, deadline %v", at, f.Late, end, f.Deadline)
			}
			if f.Kind == RenderFrame && f.Late != (f.LateMain || f.LateGPU) {
				t.Errorf("%s: late, but neither main nor GPU", at)
			}
			if f.Present.Known() {
				if f.Present <= f.Commit || f.Commit == 0 || f.Present <= lastPresent {
					t.Errorf("%s: committed %v, presented %v, the one before %v", at, f.Commit, f.Present, lastPresent)
				}
				lastPresent = f.Present
			}
			if f.Kind == RenderFrame {
				if f.Empty && len(f.Sources) > 0 {
					t.Errorf("%s: empty, but took %v", at, f.Sources)
				}
				continue
			}
			if !f.Truncated && f.Empty != (len(f.Indices) == 0) {
				t.Errorf("%s: empty is %v with %v", at, f.Empty, f.Indices)
			}
			var takenBy *Frame
			for i, index := range f.Indices {
				tr := Transaction{f.PID, index}
				if unique[tr] {
					t.Errorf("%s: another frame sent %d", at, index)
				}
				unique[tr] = true
				if i > 0 && index <= f.Indices[i-1] {
					t.Errorf("%s: indices %v do not rise", at, f.Indices)
				}
				if takenBy = sources[tr]; takenBy != nil && !takenBy.Start.Known() {
					takenBy = nil
				}
			}
			if f.TakenBy != takenBy {
				t.Errorf("%s: taken by %v, not %v", at, f.TakenBy, takenBy)
			}
			if takenBy != nil && len(findEra(c.Era).cached) > 0 && takenBy.ExpectedStart <= f.ExpectedStart {
				t.Errorf("%s: taken on its own vsync, where it would have been held", at)
			}
			misaligned := takenBy != nil && f.ExpectedEnd.Known() &&
				takenBy.ExpectedStart.Sub(f.ExpectedEnd).Abs() >= trace.Millisecond
			if f.Misaligned != misaligned {
				t.Errorf("%s: misaligned is %v", at, f.Misaligned)
			}
			if misaligned && !takenBy.Misaligned {
				t.Errorf("%s: misaligned, but the render frame is not", at)
			}
		}
	})
}

// TestEverythingHappens guards the other tests, and those of other packages: a kind of
// frame that no simulation makes is a kind that no test checks.
func TestEverythingHappens(t *testing.T) {
	cut, long := everything("6.0"), everything("6.0")
	cut.CutStart, cut.CutEnd = true, true
	long.Seed, long.Duration = 2, 3*trace.Second
	counts, outside, gpu := map[string]int{}, 0, 0
	for _, c := range []Config{cut, long} {
		_, truth := simulateText(t, c)
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

// The clock markers have the monotonic time to a float's precision.
func TestClockSync(t *testing.T) {
	text, _ := simulateText(t, Everything())
	m := regexp.MustCompile(`(\d+\.\d+): tracing_mark_write: trace_event_clock_sync: parent_ts=(\d+\.\d+)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("no parent_ts")
	}
	var line, parent float64
	fmt.Sscan(string(m[1]), &line)
	fmt.Sscan(string(m[2]), &parent)
	if d := line - parent; d < 3600-0.001 || d > 3600+0.001 {
		t.Errorf("line %v, parent_ts %v", line, parent)
	}
}

func TestDeterminism(t *testing.T) {
	c := everything("6.0")
	c.Kernel, c.Background = KernelHongMeng, 5000
	first, truth := simulateText(t, c)
	second, again := simulateText(t, c)
	if !bytes.Equal(first, second) || !bytes.Equal(asJSON(t, truth), asJSON(t, again)) {
		t.Error("the same configuration gave another trace")
	}
	c.Seed++
	third, _ := simulateText(t, c)
	if bytes.Equal(first, third) {
		t.Error("another seed gave the same trace")
	}
	// What the rest of the device does must not change the frames.
	c.Seed--
	c.Background = 0
	if _, quiet := simulateText(t, c); !bytes.Equal(asJSON(t, quiet), asJSON(t, truth)) {
		t.Error("background work changed the frames")
	}
}

func TestErrors(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		`no era is called "7.9"`:     func(c *Config) { c.Era = "7.9" },
		`no kernel is called "x"`:    func(c *Config) { c.Kernel = "x" },
		"less than 30 away":          func(c *Config) { c.Apps = append(c.Apps, App{Bundle: "b", PID: 20029}) },
		"background work is that of": func(c *Config) { c.Background = 1 },
	} {
		c := Default()
		change(&c)
		if _, err := Write(new(bytes.Buffer), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for want, change := range map[string]func(c *Scene){
		"a kernel":               func(c *Scene) { c.Kernel = "" },
		"a render thread":        func(c *Scene) { c.Era = "4.0" },
		`no cause is called "x"`: func(c *Scene) { c.Cause = "x" },
		"two causes":             func(c *Scene) { c.Second = CauseVsyncLate },
		"refresh rate":           func(c *Scene) { c.RefreshHz = 1000 },
		"20 frames":              func(c *Scene) { c.Frames = 3 },
		"99 per cent":            func(c *Scene) { c.First = 99 },
	} {
		c := Scene{Kernel: KernelLinux, Cause: CauseLock}
		change(&c)
		if _, err := c.Generate(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
