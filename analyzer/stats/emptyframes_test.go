package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// frameOf returns a frame of one process, with a vsync each 10 ms.
func frameOf(p *analyzer.Process, n int, framework analyzer.Framework, cpu trace.Duration, empty bool, syncs ...analyzer.DisplaySync) *analyzer.Frame {
	start := trace.Time(trace.Second) + trace.Time(n)*trace.Time(10*trace.Millisecond)
	f := &analyzer.Frame{
		Process: p, TID: trace.TID(p.PID), Framework: framework, CPUTime: cpu, DisplaySyncs: syncs,
		Actual: analyzer.Interval{Start: start, End: start.Add(5 * trace.Millisecond)},
	}
	if empty {
		f.Facts = analyzer.Empty
	} else {
		f.Transactions = []analyzer.Sent{{Index: int64(n), At: start}}
	}
	return f
}

// Of five empty frames two serve a callback only, one also an animator, one a request without a
// type, and one nothing. They ran for 1 + 2 + 4 + 8 + 16 ms.
func TestEmptyFrames(t *testing.T) {
	callback, animator := analyzer.DisplaySync{ID: 3, Type: analyzer.CallbackSync}, analyzer.DisplaySync{ID: 7, Type: analyzer.AnimatorSync}
	component, unknown := analyzer.DisplaySync{ID: 9, Type: analyzer.XComponentSync}, analyzer.DisplaySync{ID: 3, Type: analyzer.UnknownSync}
	p := &analyzer.Process{PID: 200, Name: "demo"}
	const ms = trace.Millisecond
	timeline := &analyzer.Timeline{Processes: []*analyzer.Process{p}, Frames: []*analyzer.Frame{
		frameOf(p, 0, analyzer.Platform, 1*ms, true, callback),
		frameOf(p, 1, analyzer.Platform, 2*ms, true, callback),
		frameOf(p, 2, analyzer.Platform, 4*ms, true, callback, animator),
		frameOf(p, 3, analyzer.Platform, 3*ms, false, callback, component),
		frameOf(p, 4, analyzer.Platform, 8*ms, true, unknown),
		frameOf(p, 5, analyzer.Platform, 16*ms, true),
	}}
	sameJSON(t, stats.Compute(timeline, stats.Options{}).Processes[0].EmptyFrames, &stats.EmptyFrames{
		Frames: 5, CPU: ptr(31.0), WithoutSync: 1,
		DisplaySyncs: []stats.DisplaySync{
			{ID: 3, Type: ptr("callback"), Frames: 4, Empty: 3, Share: 3.0 / 5, CPU: ptr(7.0)},
			{ID: 3, Frames: 1, Empty: 1, Share: 1.0 / 5, CPU: ptr(8.0)},
			{ID: 7, Type: ptr("animator"), Frames: 1, Empty: 1, Share: 1.0 / 5, CPU: ptr(4.0)},
		},
	})
	for _, f := range timeline.Frames {
		f.CPUTime = 0 // no sched_switch in the trace
	}
	got := stats.Compute(timeline, stats.Options{}).Processes[0].EmptyFrames
	if got.CPU != nil || got.DisplaySyncs[0].CPU != nil {
		t.Errorf("%+v has processor time", got)
	}
}

// doubtful makes it unknown whether a frame is empty.
func doubtful(f *analyzer.Frame) *analyzer.Frame {
	f.Facts = f.Facts&^analyzer.Empty | analyzer.EmptyUnknown
	return f
}

// The empty frames of a process are unknown if those of none of its frames is known. Others count.
func TestEmptyIsUnknown(t *testing.T) {
	p, q := &analyzer.Process{PID: 200}, &analyzer.Process{PID: 300}
	for name, c := range map[string]struct {
		frames []*analyzer.Frame
		want   []*int // of p and q
	}{
		"ArkUI without transactions beside Flutter": {[]*analyzer.Frame{
			doubtful(frameOf(p, 0, analyzer.Platform, 0, true)), frameOf(q, 1, analyzer.Flutter, 0, false), frameOf(q, 2, analyzer.Flutter, 0, true),
		}, []*int{nil, ptr(1)}},
		"Flutter without buffers beside ArkUI": {[]*analyzer.Frame{
			frameOf(p, 0, analyzer.Platform, 0, false), {Process: q, TID: 300, Framework: analyzer.Flutter, Facts: analyzer.EmptyUnknown, Actual: analyzer.Interval{Start: 5, End: 6}},
		}, []*int{ptr(0), nil}},
		"ArkUI in one process, Flutter in the other": {[]*analyzer.Frame{
			frameOf(p, 0, analyzer.Platform, 0, false), frameOf(p, 1, analyzer.Platform, 0, true), frameOf(q, 1, analyzer.Flutter, 0, false),
		}, []*int{ptr(1), ptr(0)}},
		"frames of both": {[]*analyzer.Frame{
			frameOf(p, 0, analyzer.Platform, 0, false), frameOf(p, 1, analyzer.Platform, 0, true), doubtful(frameOf(p, 2, analyzer.Flutter, 0, true)), frameOf(q, 1, analyzer.Flutter, 0, false),
		}, []*int{ptr(1), ptr(0)}},
	} {
		report := stats.Compute(&analyzer.Timeline{Processes: []*analyzer.Process{p, q}, Frames: c.frames}, stats.Options{})
		for i, got := range report.Processes {
			if want := c.want[i]; (got.Frames.Empty == nil) != (want == nil) || want != nil && *got.Frames.Empty != *want {
				t.Errorf("%s: process %s has %v empty frames, want %v", name, got.PID, got.Frames.Empty, want)
			}
			if (got.EmptyFrames != nil) != (c.want[i] != nil && *c.want[i] > 0) {
				t.Errorf("%s: process %s: %+v", name, got.PID, got.EmptyFrames)
			}
		}
	}
}
