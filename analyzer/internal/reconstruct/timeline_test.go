package reconstruct_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// goldenTimeline returns the timeline of one of the goldens.
func goldenTimeline(t *testing.T, name string) *analyzer.Timeline {
	t.Helper()
	g := must.Get(readGolden("../../../testdata/frames/" + name + ".txtar"))(t)
	return g.timelineOf(t, g.trace)
}

// timelineOf returns the timeline of a trace.
func timelineOf(t *testing.T, text string) *analyzer.Timeline {
	t.Helper()
	return golden{}.timelineOf(t, text)
}

// All of these frames have deadlines, and their traces transactions.
func TestCounts(t *testing.T) {
	for name, want := range map[string]analyzer.Counts{
		"flag-precedence":    {Frames: 4, Judged: 4, EmptyKnown: 4, Late: 4, Empty: 2, Misaligned: 2, Linked: 1},
		"late-gpu":           {Frames: 2, Judged: 2, EmptyKnown: 2, Late: 2},
		"truncated-at-start": {Frames: 2, Judged: 2, EmptyKnown: 2, Linked: 1, Truncated: 3},
		"truncated-at-end":   {Frames: 3, Judged: 3, Late: 3, EmptyKnown: 2, Linked: 1, Truncated: 1},
		"commit-exact":       {Frames: 2, Judged: 2, EmptyKnown: 2, Presented: 2},
		"many-applications":  {Frames: 4, Judged: 4, EmptyKnown: 4, Linked: 3},
		"cache-and-skip":     {Frames: 4, Judged: 4, EmptyKnown: 4, Misaligned: 3, Linked: 2}, // one render frame of two applications
		"unmatched-ends":     {},
	} {
		must.Equal(t, goldenTimeline(t, name).Counts(), want, "%s", name)
	}
}

func TestProcessCounts(t *testing.T) {
	processes, counts := goldenTimeline(t, "truncated-at-start").ProcessCounts()
	var got []string
	for _, p := range processes {
		got = append(got, fmt.Sprintf("%s %+v", p.Name, counts[p]))
	}
	want := []string{
		fmt.Sprintf("render_service %+v", analyzer.Counts{Frames: 1, Judged: 1, EmptyKnown: 1, Truncated: 1}),
		fmt.Sprintf("demo.app %+v", analyzer.Counts{Frames: 1, Judged: 1, EmptyKnown: 1, Linked: 1, Truncated: 2}),
	}
	must.EqualSlices(t, got, want)
	// A process without frames is not among them.
	if processes, _ := goldenTimeline(t, "unmatched-ends").ProcessCounts(); len(processes) != 0 {
		t.Errorf("%d processes have frames", len(processes))
	}
}

func TestComplete(t *testing.T) {
	timeline := goldenTimeline(t, "truncated-at-start")
	var ids []int64
	for f := range timeline.Complete() {
		ids = append(ids, f.VsyncID)
	}
	if !slices.Equal(ids, []int64{8, 61}) || len(timeline.Frames) != 5 {
		t.Errorf("complete are %v of %d frames, want 8 and 61 of 5", ids, len(timeline.Frames))
	}
	for f := range timeline.Complete() {
		must.Equal(t, f.VsyncID, 8, "the first")
		break // must not panic
	}
}

func TestMissingMarkers(t *testing.T) {
	all := []string{"ReceiveVsync", "OnVsyncEvent", "MarshRSTransactionData", "RSMainThread::DoComposition"}
	for name, want := range map[string][]string{
		"unlinked":          {all[3]},
		"render-frame":      {all[1], all[2]},
		"many-applications": nil,
		"unmatched-ends":    all,
	} {
		timeline := goldenTimeline(t, name)
		must.EqualSlices(t, timeline.Diagnostics.MissingMarkers, want, "%s: missing", name)
	}
}

func TestProcesses(t *testing.T) {
	timeline := timelineOf(t, strings.Join([]string{
		" demo.worker-201   (  200) [000] ....     1.000001: print: B|200|H:x|M62",
		"       <...>-200   (  200) [000] ....     1.000002: print: E|200|M62",
		"    demo.app-200   (  200) [000] ....     1.000003: print: B|200|H:x|M62",
		"       <...>-200   (  200) [000] ....     1.000004: print: E|200|M62",
		"            -200   (  200) [000] ....     1.000004: print: B|200|H:x|M62",
		"  demo.quiet-204   (  200) [000] ....     1.000005: cpu_frequency: state=1 cpu_id=0",
		"       <...>-202   (-----) [000] ....     1.000005: print: B|200|H:x|M62",
		"       <...>-203   (-----) [000] ....     1.000006: sched_switch: prev_comm=short prev_pid=203 prev_prio=120 prev_state=S ==> next_comm=demo.helper next_pid=202 next_prio=120",
		"     renamed-201   (  200) [000] ....     1.000007: cpu_frequency: state=1 cpu_id=0",
		"   container-300   (  300) [000] ....     1.000008: print: B|37722|H:x|M62",
		"            -400   (  400) [000] ....     1.000009: print: B|400|H:x|M62",
		"      <idle>-0     (-----) [000] ....     1.000010: cpu_idle: state=1 cpu_id=0",
	}, "\n"))
	// The column wins over the payload, a name over none, the last over those
	// before; what the scheduler calls a thread serves where its lines say nothing.
	// The process of thread 203 is unknown.
	want := []*analyzer.Process{
		{PID: 200, Name: "demo.app", Threads: []analyzer.Thread{{TID: 200, Name: "demo.app"}, {TID: 201, Name: "renamed"}, {TID: 202, Name: "demo.helper"}, {TID: 204, Name: "demo.quiet"}}},
		{PID: 300, Name: "container", Threads: []analyzer.Thread{{TID: 300, Name: "container"}}},
		{PID: 400, Name: "", Threads: []analyzer.Thread{{TID: 400, Name: ""}}},
	}
	if !reflect.DeepEqual(timeline.Processes, want) {
		for _, p := range timeline.Processes {
			t.Errorf("got %+v", *p)
		}
		for _, p := range want {
			t.Errorf("want %+v", *p)
		}
	}
	must.Equal(t, timeline.Span, (analyzer.Interval{Start: 1_000001000, End: 1_000010000}), "the trace spans")
}

// The span is of all lines, in whatever order they come.
func TestSpan(t *testing.T) {
	timeline := timelineOf(t, ""+
		" a-1 (1) [000] .... 2.000000: cpu_idle: x\n"+
		" a-1 (1) [000] .... 1.000000: cpu_idle: x\n"+
		" a-1 (1) [000] .... 3.000000: cpu_idle: x\n"+
		" a-1 (1) [000] .... 2.500000: cpu_idle: x\n")
	must.Equal(t, timeline.Span, (analyzer.Interval{Start: 1_000000000, End: 3_000000000}), "the trace spans")
	if got := timelineOf(t, "# tracer: nop\n"); got.Span != (analyzer.Interval{}) || len(got.Frames) != 0 || len(got.Processes) != 0 {
		t.Errorf("a trace of no events spans %s", got.Span)
	}
}

func TestWall(t *testing.T) {
	timeline := timelineOf(t, ""+
		" a-1 (1) [000] .... 1.000000: print: trace_event_clock_sync: parent_ts=1.000000\n"+
		" a-1 (1) [000] .... 2.000000: print: trace_event_clock_sync: realtime_ts=1742436676307\n"+
		" a-1 (1) [000] .... 3.000000: print: trace_event_clock_sync: realtime_ts=1742436677307\n")
	must.Equal(t, timeline.Wall, (analyzer.WallClock{At: 2_000000000, Unix: 1742436676307_000000}), "wall clock")
}

func TestClockOffset(t *testing.T) {
	const (
		microsecond = trace.Microsecond
		millisecond = trace.Millisecond
		second      = trace.Second
	)
	for name, want := range map[string]analyzer.ClockOffset{
		"clock-generate-vsync": {Offset: 100*second + 200*microsecond, Measured: 100*second + 200*microsecond,
			Source: analyzer.ClockGenerateVsync, Samples: 2, Lag: 7 * microsecond},
		"clock-composition": {Offset: 100*second + 150*microsecond, Measured: 100*second + 150*microsecond,
			Source: analyzer.ClockDoComposition, Samples: 1, Lag: 143 * microsecond},
		"clock-receive-vsync": {Offset: 100*second + 90*microsecond, Measured: 100*second + 90*microsecond,
			Source: analyzer.ClockReceiveVsync, Samples: 3, Lag: 210 * microsecond},
		"clock-under-1ms": {Measured: 999999, Source: analyzer.ClockReceiveVsync, Samples: 1, Lag: 210 * microsecond},
		"clock-given":     {Offset: 100 * second, Measured: 100 * second, Source: analyzer.ClockGiven},
		"clock-none": {Source: analyzer.ClockGiven, Contradicted: 100 * second,
			ContradictedByMarkers: 100*second + 500*microsecond},
		"clock-unknown": {},
		"clock-sync-contradicts": {Measured: 100 * microsecond, Source: analyzer.ClockReceiveVsync, Samples: 1, Lag: 210 * microsecond,
			Contradicted: 100 * millisecond},
	} {
		must.Equal(t, goldenTimeline(t, name).Clock, want, "%s", name)
	}
}

// The minimum is over the whole trace, however many lines there are.
func TestClockOffsetOfManyLines(t *testing.T) {
	const lines = 101
	var text strings.Builder
	for i := range lines {
		now := 1000000 + i*10000          // µs
		lag := 90000090 + i*37%lines*1000 // µs; smallest on line 0, next on line 71
		if i == 0 {
			lag += 200 * 1000
		}
		fmt.Fprintf(&text, " demo.app-200 (200) [000] .... %d.%06d: print: B|200|H:ReceiveVsync now:%d000|M62\n",
			(now+lag)/1000000, (now+lag)%1000000, now)
	}
	got := timelineOf(t, text.String()).Clock
	want := trace.Duration(90_001090) * trace.Microsecond
	if got.Offset != want || got.Measured != want || got.Samples != lines {
		t.Errorf("clock %+v, want %v of %d samples", got, want, lines)
	}
}

func TestAnalyzeError(t *testing.T) {
	broken := errors.New("broken")
	timeline, _, err := reconstruct.Analyze(t.Context(), iotest.ErrReader(broken), hitrace.Options{}, reconstruct.Options{})
	if timeline != nil || err != broken {
		t.Errorf("timeline %v, error %v", timeline, err)
	}
}

// Ten application frames without any work show that a tag is missing, so that no deadlines are known (3.9);
// nine may have had none.
func TestHiddenWork(t *testing.T) {
	for n, want := range map[int]bool{9: true, 10: false} {
		u := &userTrace{}
		for i := range n {
			at, ns := float64(1000+10*i), int64(1000+10*i)*1e6
			u.app(at+0.1, fmt.Sprintf("B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:%d expectedEnd: %d vsyncId:%d, fd:9|M0538", ns, ns+10e6, 10+i)).app(at+1, "E|200|M0538")
		}
		timeline := u.timeline(t)
		for _, f := range timeline.Frames {
			must.Equal(t, f.Deadline.Known(), want, "%d frames", n)
		}
		must.Equal(t, len(timeline.Frames), n, "frames")
	}
}
