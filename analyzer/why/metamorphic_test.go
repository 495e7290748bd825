package why_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/why/record"
)

// verdict is all that is said about a frame, without absolute times.
type verdict struct {
	vsync int64
	late  bool
	cause string // outcome, wait and slice
	parts string
	text  string // everything
}

func verdicts(t testing.TB, r io.Reader, workers int, offset *trace.Duration) []verdict {
	t.Helper()
	recorder := record.New(trace.DefaultLimits())
	timeline, _, err := analyzer.Analyze(context.Background(), r, hitrace.Options{Workers: workers}, analyzer.Options{ClockOffset: offset}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judged(t, recorder, timeline)
	var list []verdict
	for f := range timeline.Complete() {
		e := causes.Of(f)
		v := verdict{vsync: f.VsyncID, late: e.Overrun > 0, cause: e.Outcome.String()}
		if s := e.Cause(); s != nil {
			v.cause += " " + s.Wait.String() + " in " + s.Slice
		}
		v.parts = fmt.Sprint(e.Parts)
		var b strings.Builder
		fmt.Fprintln(&b, f.Kind, f.VsyncID, e.Overrun, e.Unknown, e.Outcome, e.Confidence, e.Basis, causetext.Sentence(causes, e))
		for _, s := range e.Shares {
			fmt.Fprintln(&b, "  ", s.Stage, s.Wait, s.Slice, s.Value, s.Usual, s.Share, s.SliceValue, s.SliceUsual, s.Function, s.Advice)
			if s.Culprit != nil {
				fmt.Fprintln(&b, "    ", *s.Culprit)
			}
		}
		v.text = b.String() + v.parts
		list = append(list, v)
	}
	return list
}

func read(t testing.TB, text []byte) []verdict { return verdicts(t, bytes.NewReader(text), 2, nil) }

func sameVerdicts(t *testing.T, got, want []verdict) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d frames, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %s\nwant %s", got[i].text, want[i].text)
		}
	}
}

// eachScene calls test with a scene of each cause.
func eachScene(t *testing.T, test func(t *testing.T, s simulate.Scene, text []byte)) {
	for i, cause := range simulate.Causes() {
		if i%slow.Of(3, 1) > 0 {
			continue
		}
		s := simulate.Scene{
			Kernel: []simulate.Kernel{simulate.KernelLinux, simulate.KernelHongMeng}[i%2], Cause: simulate.Cause(cause),
			RefreshHz: 60 + 30*(i%3), Seed: uint64(i),
		}
		t.Run(cause, func(t *testing.T) { test(t, s, sceneText(t, s)) })
	}
}

func sceneText(t *testing.T, s simulate.Scene) []byte {
	t.Helper()
	var text bytes.Buffer
	if _, err := s.Generate(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Threads that have nothing to do with the frames change nothing.
func TestNoise(t *testing.T) {
	eachScene(t, func(t *testing.T, _ simulate.Scene, text []byte) {
		scheduled := bytes.Contains(text, []byte("sched_switch: "))
		var noisy []byte
		for i, line := range slices.Collect(bytes.Lines(text)) {
			noisy = append(noisy, line...)
			at := stamp.Find(line)
			if at == nil || i%3 > 0 {
				continue
			}
			a, b := 90001+i%5, 90001+(i+2)%5
			if scheduled { // else the noise would change what to record
				noisy = fmt.Appendf(noisy, " noise-%d (90000) [014] .... %ssched_wakeup: comm=noise pid=%d prio=120 target_cpu=014\n", a, at, b)
				noisy = fmt.Appendf(noisy, " noise-%d (90000) [014] .... %ssched_switch: prev_comm=noise prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=noise next_pid=%d next_prio=120\n", a, at, a, b)
			}
			noisy = fmt.Appendf(noisy, " noise-%d (90000) [014] .... %stracing_mark_write: B|90000|H:Noise\n", b, at)
			noisy = fmt.Appendf(noisy, " noise-%d (90000) [014] .... %stracing_mark_write: E|90000|\n", b, at)
		}
		sameVerdicts(t, read(t, noisy), read(t, text))
	})
}

// Another clock, and other names and numbers of threads, give the same causes.
func TestRenamed(t *testing.T) {
	slow.SkipRace(t)
	eachScene(t, func(t *testing.T, s simulate.Scene, text []byte) {
		zero := trace.Duration(0)
		want := verdicts(t, bytes.NewReader(text), 2, &zero)
		s.ClockOffset = 98_765_432_100_000
		shifted := sceneText(t, s)
		sameVerdicts(t, verdicts(t, bytes.NewReader(shifted), 2, &s.ClockOffset), want)

		renames := [][2]string{{"20177", "31977"}, {"1510", "2510"}, {"1800", "2800"}, {"TaskWorker-3", "OtherTask-12"}, {"hogd", "pigd"}}
		renamed := text
		for _, r := range renames {
			number := regexp.MustCompile(`\b` + r[0] + `\b`)
			renamed = number.ReplaceAll(renamed, []byte(r[1]))
		}
		for i := range want {
			for _, r := range renames {
				for _, text := range []*string{&want[i].text, &want[i].cause} {
					*text = regexp.MustCompile(`\b`+r[0]+`\b`).ReplaceAllString(*text, r[1])
				}
			}
		}
		sameVerdicts(t, verdicts(t, bytes.NewReader(renamed), 2, &zero), want)
	})
}

var numbers = regexp.MustCompile(`\d+`)

// Lines with the same time that have nothing in common may come in any order.
func TestEqualTimes(t *testing.T) {
	slow.SkipRace(t)
	eachScene(t, func(t *testing.T, _ simulate.Scene, text []byte) {
		lines := slices.Collect(bytes.Lines(text))
		swapped := 0
		for i := 0; i+1 < len(lines); i++ {
			a, b := lines[i], lines[i+1]
			x, y := stamp.FindIndex(a), stamp.FindIndex(b)
			if x == nil || y == nil || string(a[x[0]:x[1]]) != string(b[y[0]:y[1]]) {
				continue
			}
			// Threads, processors and everything else differ; small numbers are flags.
			mentioned := map[string]bool{}
			for _, n := range numbers.FindAll(slices.Concat(a[:x[0]], a[x[1]:]), -1) {
				mentioned[string(n)] = true
			}
			common := bytes.Contains(a, []byte("sched_blocked_reason")) || bytes.Contains(b, []byte("sched_blocked_reason"))
			for _, n := range numbers.FindAll(slices.Concat(b[:y[0]], b[y[1]:]), -1) {
				v, _ := strconv.Atoi(string(n))
				common = common || mentioned[string(n)] && v != 0 && v != 120
			}
			if !common {
				lines[i], lines[i+1] = b, a
				swapped++
				i++
			}
		}
		if swapped == 0 {
			t.Skip("nothing to swap")
		}
		sameVerdicts(t, read(t, slices.Concat(lines...)), read(t, text))
	})
}

// The result does not depend on the number of workers and on how the text arrives.
func TestWorkers(t *testing.T) {
	eachScene(t, func(t *testing.T, _ simulate.Scene, text []byte) {
		want := verdicts(t, bytes.NewReader(text), 1, nil)
		sameVerdicts(t, verdicts(t, bytes.NewReader(text), 7, nil), want)
		sameVerdicts(t, verdicts(t, iotest.HalfReader(bytes.NewReader(text)), 3, nil), want)
	})
}

// What comes after a late frame changes neither where its time went nor its cause.
func TestCutEnd(t *testing.T) {
	eachScene(t, func(t *testing.T, s simulate.Scene, text []byte) {
		if s.Cause.Harmless() {
			t.Skip("no late frame")
		}
		lines := slices.Collect(bytes.Lines(text))
		cut := read(t, slices.Concat(lines[:len(lines)*9/10]...))
		whole := map[int64]verdict{}
		for _, v := range read(t, text) {
			whole[v.vsync] = v
		}
		late := 0
		for _, v := range cut {
			if w := whole[v.vsync]; v.late {
				late++
				if v.parts != w.parts || v.cause != w.cause {
					t.Errorf("%s\nbefore the cut %s", v.text, w.text)
				}
			}
		}
		if late == 0 {
			t.Error("no late frame is left")
		}
	})
}

var wakeups = regexp.MustCompile(`(?m)^.* sched_wak(eup|ing|eup_new): .*\n`)

// Without wakeups, it is unknown whom threads waited for, but not how long.
func TestNoWakeups(t *testing.T) {
	slow.SkipRace(t)
	eachScene(t, func(t *testing.T, s simulate.Scene, text []byte) {
		sums := func(text []byte) (waited, ran map[int64]trace.Duration) {
			waited, ran = map[int64]trace.Duration{}, map[int64]trace.Duration{}
			timeline, causes := explain(t, bytes.NewReader(text))
			for f := range timeline.Complete() {
				for _, p := range causes.Of(f).Parts {
					switch p.Wait {
					case why.Run, why.GCRun:
						ran[f.VsyncID] += p.Time
					case why.EarlierFrame, why.EarlierWork:
					default:
						waited[f.VsyncID] += p.Time
					}
					if !causes.Woken && (p.Wait == why.WaitOwnThread || p.Wait == why.WaitOtherProcess || p.Wait == why.WaitTimer) {
						t.Errorf("frame %d: %s without wakeups", f.VsyncID, p.Wait)
					}
				}
			}
			return waited, ran
		}
		if s.Cause == simulate.CauseNoSched {
			t.Skip("has no wakeups")
		}
		waited, ran := sums(text)
		waited2, ran2 := sums(wakeups.ReplaceAll(text, nil))
		for id := range ran {
			if ran[id] != ran2[id] || waited[id] != waited2[id] {
				t.Errorf("frame %d: ran %v and waited %v, without wakeups %v and %v", id, ran[id], waited[id], ran2[id], waited2[id])
			}
		}
	})
}

// The lines of both kernels say the same.
func TestKernels(t *testing.T) {
	slow.SkipRace(t)
	eachScene(t, func(t *testing.T, s simulate.Scene, _ []byte) {
		s.Era, s.Kernel = "6.1", simulate.KernelLinux
		// Linux has no functions for waits in state S.
		s.NoBlockedReason = s.Cause == simulate.CauseStorageS || s.Cause == simulate.CauseTimer
		linux := read(t, sceneText(t, s))
		s.Kernel = simulate.KernelHongMeng
		hongmeng := read(t, sceneText(t, s))
		for _, list := range [][]verdict{linux, hongmeng} {
			for i := range list {
				v := &list[i]
				for _, name := range [][2]string{{"irq/34-mmc0", "udk-irq-7"}, {"dma_fence_default_wait", "dma_fence_default_w"}} {
					v.text = strings.ReplaceAll(v.text, name[0], name[1])
				}
			}
		}
		sameVerdicts(t, hongmeng, linux)
	})
}
