package simulate_test

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// recorded returns a scene with its recording, as it is read back.
func recorded(t *testing.T, s simulate.Scene, r simulate.Recording) (truth *simulate.Truth, rec *sample.Recording, lines []byte) {
	t.Helper()
	var text, perf bytes.Buffer
	truth = must.Get(s.GenerateWithSamples(&text, &perf, r))(t)
	var plain bytes.Buffer
	if _, err := s.Generate(&plain); err != nil || !bytes.Equal(plain.Bytes(), text.Bytes()) {
		t.Errorf("%+v: the recording changed the trace, %v", s, err)
	}
	rec, err := analysis.ReadSamples(bytes.NewReader(perf.Bytes()), int64(perf.Len()), perfdata.Options{})
	if err != nil || len(rec.Warnings) > 0 {
		t.Fatalf("%+v: %v, %v", r, err, rec)
	}
	return truth, rec, text.Bytes()
}

// counts returns the function that a sample counts for, as docs/why.md says.
func counts(p *sample.Profile, s *sample.Sample) (function, module string) {
	var user, leaf *sample.Frame
	for f := range p.Calls(s.Stack) {
		m := &p.Modules[f.Module]
		if strings.HasPrefix(m.Path, "/data/") || strings.HasSuffix(m.Path, ".ets") {
			user = f
			break
		}
		leaf = cmp.Or(leaf, f)
		if !m.Kernel {
			user = cmp.Or(user, f)
		}
	}
	f := cmp.Or(user, leaf)
	m := &p.Modules[f.Module]
	module = m.Path[bytes.LastIndexByte([]byte(m.Path), '/')+1:]
	if m.Kernel {
		module = "kernel"
	}
	return p.Functions[f.Function].Name, module
}

// running has when threads were on processors.
type running map[[2]int][][2]trace.Time

var switchLine = regexp.MustCompile(`\[(\d+)\] \S+ +(\d+)\.(\d+): sched_switch: .* prev_pid=(\d+) .* next_pid=(\d+) `)

func intervals(text []byte) running {
	r, since := running{}, map[int]trace.Time{}
	for _, m := range switchLine.FindAllSubmatch(append(text, ' '), -1) {
		var n [6]int
		for i := range n[1:] {
			n[i+1], _ = strconv.Atoi(string(m[i+1]))
		}
		at := trace.Time(n[2]*1e9 + n[3]*1e3)
		r[[2]int{n[4], n[1]}] = append(r[[2]int{n[4], n[1]}], [2]trace.Time{since[n[1]], at})
		since[n[1]] = at
	}
	return r
}

// contain reports whether a thread ran when a sample was taken. One of a switch is at the end of
// an interval.
func (r running) contain(x *simulate.SampleTruth) bool {
	for _, i := range r[[2]int{int(x.TID), x.CPU}] {
		if !x.OffCPU && i[0] <= x.Time && x.Time < i[1] || x.OffCPU && x.Time.Sub(i[1]).Abs() < trace.Microsecond {
			return true
		}
	}
	return false
}

// A recording has the samples of its truth: times, threads, functions.
func TestRecording(t *testing.T) {
	lost := map[simulate.Cause]bool{simulate.CauseNoSched: true, simulate.CauseLostEvents: true, simulate.CauseLostSwitches: true}
	for i, cause := range simulate.Causes() {
		s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2], Cause: simulate.Cause(cause), Seed: uint64(i), ClockOffset: 3 * trace.Second}
		r := simulate.Recording{Seed: uint64(i), OffCPU: i%2 == 0, All: i%3 == 0, Clock: []simulate.Clock{"perf", "monotonic", "boot"}[i%3]}
		truth, rec, text := recorded(t, s, r)
		want := truth.Recording
		on, off := intervals(text), 0
		must.Equal(t, rec.Profile.Clock.ID, []sample.ClockID{sample.ClockPerf, sample.ClockMonotonic, sample.ClockBoot}[i%3], "clock")
		slices.SortStableFunc(rec.Samples, func(a, b sample.Sample) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.TID, b.TID)) })
		if len(rec.Samples) != len(want.Samples) || len(rec.Samples) < 100 {
			t.Fatalf("%s: %d samples, want %d", cause, len(rec.Samples), len(want.Samples))
		}
		for j := range rec.Samples {
			got, x := &rec.Samples[j], &want.Samples[j]
			function, module := counts(rec.Profile, got)
			a := fmt.Sprint(got.Time.Add(want.Offset), got.PID, got.TID, got.CPU, rec.Profile.Events[got.Event].Name, got.Period, function, module)
			b := fmt.Sprint(x.Time, x.PID, x.TID, x.CPU, map[bool]string{false: "hw-cpu-cycles", true: "sched:sched_switch"}[x.OffCPU], x.Period, x.Function, x.Module)
			if a != b {
				t.Fatalf("%s: sample %d: %s, want %s", cause, j, a, b)
			}
			if x.OffCPU {
				off++
			}
			if !lost[s.Cause] && !on.contain(x) {
				t.Fatalf("%s: thread %d did not run on %d at %d", cause, x.TID, x.CPU, x.Time)
			}
		}
	}
}
