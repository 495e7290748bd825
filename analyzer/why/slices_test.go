package why_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/why/place"
)

var (
	rawLine   = regexp.MustCompile(`-(\d+) +(?:\([^)]*\) +)?\[(\d+)\] +\S+ +(\d+)\.(\d+): (\w+): (.*)`)
	rawSwitch = regexp.MustCompile(`prev_pid=(\d+) .*==> .*next_pid=(\d+)`)
	rawMarker = regexp.MustCompile(`^B\|\d+\|H:(.*?)(?:\|[A-Z]\d*)?$`)
)

// selfTimes returns the time that a thread spent in each slice of the interval, from the
// lines alone: whether it ran, and outside of interrupts.
func selfTimes(text []byte, tid int, within analyzer.Interval) []why.SliceTime {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	times := map[string]*why.SliceTime{}
	var stack []string
	var at trace.Time
	cpu, handlers := -1, map[int]int{} // cpu is -1 while the thread waits
	until := func(t trace.Time) {
		from, to := max(at, within.Start), min(t, within.End)
		at = t
		if from >= to || len(stack) == 0 {
			return
		}
		name := stack[len(stack)-1]
		if times[name] == nil {
			times[name] = &why.SliceTime{Slice: name}
		}
		if cpu >= 0 && handlers[cpu] == 0 {
			times[name].Running += to.Sub(from)
		} else {
			times[name].Waiting += to.Sub(from)
		}
	}
	for line := range strings.Lines(string(text)) {
		m := rawLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		t := trace.Time(number(m[3]))*trace.Time(trace.Second) + trace.Time(number((m[4] + "000000000")[:9]))
		until(t)
		switch event, args := m[5], m[6]; event {
		case "sched_switch":
			s := rawSwitch.FindStringSubmatch(args)
			handlers[number(m[2])] = 0
			if number(s[1]) == tid {
				cpu = -1
			}
			if number(s[2]) == tid {
				cpu = number(m[2])
			}
		case "irq_handler_entry", "softirq_entry", "ipi_entry":
			handlers[number(m[2])]++
		case "irq_handler_exit", "softirq_exit", "ipi_exit":
			handlers[number(m[2])] = max(0, handlers[number(m[2])]-1)
		case "tracing_mark_write", "print":
			if number(m[1]) != tid {
				continue
			}
			if b := rawMarker.FindStringSubmatch(args); b != nil {
				stack = append(stack, string(place.AppendKey(nil, []byte(b[1]))))
			} else if strings.HasPrefix(args, "E|") && len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	var list []why.SliceTime
	for _, s := range times {
		list = append(list, *s)
	}
	return list
}

// checkSlices compares the times in slices, and the pieces, of late frames with those of
// the lines. It returns the number of frames in which the thread ran in several slices of
// one stage.
func checkSlices(t *testing.T, text []byte) int {
	t.Helper()
	timeline, causes := explain(t, bytes.NewReader(text))
	several := 0
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if e.Overrun == 0 {
			if e.Slices != nil {
				t.Errorf("frame %d is on time and has slices", f.VsyncID)
			}
			continue
		}
		want := selfTimes(text, int(f.TID), f.Actual)
		got := slices.Clone(e.Slices)
		byName := func(a, b why.SliceTime) int { return strings.Compare(a.Slice, b.Slice) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if !slices.Equal(got, want) {
			t.Errorf("frame %d: slices\n%v, want\n%v", f.VsyncID, got, want)
		}
		if !slices.IsSortedFunc(e.Slices, func(a, b why.SliceTime) int { return int(b.Self() - a.Self()) }) {
			t.Errorf("frame %d: not the longest first: %v", f.VsyncID, e.Slices)
		}
		ran, stages, pieces := map[string]trace.Duration{}, map[why.Stage]int{}, 0
		for _, p := range e.Pieces {
			if p.Several {
				pieces = 200
			}
			if (p.Wait == why.Run || p.Wait == why.GCRun) && p.Slice != "" {
				ran[p.Slice] += p.End.Sub(p.Start)
				stages[p.Stage]++
			}
		}
		for _, s := range want {
			if pieces < 200 && len(e.Pieces) < 200 && ran[s.Slice] != s.Running {
				t.Errorf("frame %d: pieces of %d in %s, which ran for %d", f.VsyncID, ran[s.Slice], s.Slice, s.Running)
			}
		}
		for _, n := range stages {
			if n > 2 {
				several++
				break
			}
		}
	}
	return several
}

// The time in a slice is what the lines say, whatever else the thread did in its stage.
func TestSliceTimes(t *testing.T) {
	several := 0
	for i, cause := range []simulate.Cause{
		simulate.CauseMoreWork, simulate.CauseStorageS, simulate.CauseImageDecode, simulate.CauseGC, simulate.CauseResourceRead,
		simulate.CauseIRQStorm, simulate.CausePreempted, simulate.CausePreviousFrame,
	} {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			var text bytes.Buffer
			s := simulate.Scene{Kernel: kernel, RefreshHz: 120, Cause: cause, Seed: uint64(i + 1), Decoys: true}
			if _, err := s.Generate(&text); err != nil {
				t.Fatal(err)
			}
			t.Run(string(cause)+"/"+string(kernel), func(t *testing.T) { several += checkSlices(t, text.Bytes()) })
		}
	}
	if several < 5 {
		t.Errorf("%d frames ran in several slices of one stage", several)
	}
	t.Run("run1", func(t *testing.T) {
		text := recorded(t, "run1.ftrace.gz")
		if n := checkSlices(t, text); n < 10 {
			t.Errorf("%d frames ran in several slices of one stage", n)
		}
	})
}

// A frame with more pieces than are kept has the right times, and no piece has the name of
// a slice for the time in others.
func TestSliceTimesOfManyPieces(t *testing.T) {
	const n = 1500
	s := &script{}
	s.frames(24, nil, func(i int) {
		if i != 10 {
			return
		}
		for range n { // 18 ms, 12 of them in A
			s.begin(500, "A")
			s.at += 8
			s.end(500)
			s.begin(500, "B")
			s.at += 4
			s.end(500)
		}
		s.begin(500, "Long")
		s.at += 3000
		s.end(500)
	}, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if f.VsyncID != 110 {
			continue
		}
		times := map[string]why.SliceTime{}
		for _, s := range e.Slices {
			times[s.Slice] = s
		}
		if a, b := times["A"].Running, times["B"].Running; a != n*8*trace.Microsecond || b != n*4*trace.Microsecond {
			t.Errorf("%d in A, %d in B", a, b)
		}
		if len(e.Pieces) > 200 {
			t.Errorf("%d pieces", len(e.Pieces))
		}
		at, ran := e.Start, map[string]trace.Duration{}
		for _, p := range e.Pieces {
			if p.Start != at || p.Several != strings.Contains(causetext.PieceTitle(&p), "several slices (build)") || p.Several && p.Slice != "" {
				t.Errorf("%+v: %s", p, causetext.PieceTitle(&p))
			}
			at = p.End
			ran[p.Slice] += p.End.Sub(p.Start)
		}
		if at != e.End || ran["Long"] != 3*trace.Millisecond || ran["A"] > times["A"].Running || ran["B"] > times["B"].Running {
			t.Errorf("pieces end at %d, not %d: %v", at, e.End, ran)
		}
	}
}
