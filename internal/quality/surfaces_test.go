package quality_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
)

// step is what one thread writes at a time: names of slices, each in the one before.
type step struct {
	micros int // after 3700 s
	thread string
	pid    int // in the payload
	slices []string
}

// with adds steps to the demo, or to a part of it, in order of time.
func with(text []byte, steps ...step) []byte {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	at := func(line []byte) string {
		if m := timedLine.FindSubmatch(line); m != nil {
			return string(m[3]) + "." + string(m[4])
		}
		return ""
	}
	for _, s := range steps {
		for i := range 2 * len(s.slices) {
			text := fmt.Sprintf("E|%d|", s.pid)
			if i < len(s.slices) {
				text = fmt.Sprintf("B|%d|%s", s.pid, s.slices[i])
			}
			lines = append(lines, fmt.Appendf(nil, " %s [000] ....  3700.%06d: print: %s\n", s.thread, s.micros, text))
		}
	}
	slices.SortStableFunc(lines, func(a, b []byte) int { return strings.Compare(at(a), at(b)) })
	out := bytes.Join(lines, nil)
	n := len(lines) - 6
	return entries.ReplaceAll(out, fmt.Appendf(nil, "entries-written: %d/%d ", n, n))
}

// video queues and takes a buffer of a layer every 33 ms.
func video(queued bool) (steps []step) {
	for n := range 12 {
		if queued {
			steps = append(steps, step{40_000 + 33_000*n, "OS_IPC_1_1099-1099 ( 1027)", 1027, []string{fmt.Sprintf("H:FlushBuffer name: Video queueId: 87960930222081 sequence: %d", n%3+1)}})
		}
		steps = append(steps, step{45_000 + 33_000*n, "render_service-1027 ( 1027)", 1027, []string{"H:AcquireBuffer name: Video queueId: 87960930222081", fmt.Sprintf("H:acquire buffer sequence: %d", n%3+1)}})
	}
	return steps
}

// container writes frames of an application of Android.
func container() (steps []step) {
	for n := range 4 {
		steps = append(steps, step{50_000 + 50_000*n, "ndroid.launcher-30700 (30700)", 700, []string{fmt.Sprintf("Choreographer#doFrame %d", 100+n)}})
	}
	return steps
}

// outside sends transactions outside frames, from a thread of a name.
func outside(comm string, tid int) (steps []step) {
	for n := range 30 {
		steps = append(steps, step{20_000 + 16_667*n, fmt.Sprintf("%s-%d (  777)", comm, tid), 777, []string{fmt.Sprintf("H:MarshRSTransactionData cmdCount: 3, transactionFlag:[777,%d], tid:777, timestamp:0", 10+n)}})
	}
	return steps
}

// A trace with layers, or with frames of other frameworks, has what its data quality says: the
// reasons name what is missing, and the advice no tag whose markers are in the trace.
func TestSurfaces(t *testing.T) {
	whole := demo(t)
	service := without(whole, "20170", "20480")
	for _, c := range []struct {
		name        string
		text        []byte
		layers      int
		code, text2 string // a reason, empty for none
		advice      string
	}{
		{name: "frames and a layer", text: with(whole, video(true)...), layers: 1},
		{name: "a layer without frames of applications", text: with(service, video(true)...), layers: 1, code: "no_application_frames", text2: "no frames of applications, only 1 layer"},
		{name: "an application that draws outside frames", text: with(service, outside("com.example.kmp", 777)...), layers: 1, code: "no_application_frames", text2: "no frames of applications: com.example.kmp drew outside frames"},
		{name: "one without a name", text: with(service, outside("loop", 779)...), layers: 1, code: "no_application_frames", text2: "no frames of applications: process 777 drew outside frames"},
		{name: "no application drew", text: service, code: "no_application_frames", text2: "no frames of applications"},
		{name: "frames in a container", text: with(service, container()...), code: "framework_deadlines", text2: "deadlines of 4 of 4 choreographer frames are unknown, and so is their jank rate"},
		{name: "frames in a container, and ArkUI's", text: with(whole, container()...), code: "framework_deadlines", text2: "deadlines of 4 of 4 choreographer frames are unknown, and so is their jank rate"},
		{name: "without the tag ace", text: with(without(whole, "OnVsyncEvent", "UIVsyncTask"), video(true)...), layers: 1, code: "no_ace", text2: "no marker OnVsyncEvent, jank of applications is unknown", advice: "record the tag ace"},
		{name: "without FlushBuffer", text: with(whole, video(false)...), layers: 1, code: "no_queue_times", text2: "no marker FlushBuffer of layers, how long buffers waited is unknown"},
		{name: "without present fences", text: with(without(whole, "Present Fence"), video(true)...), layers: 1, code: "no_presents", text2: "no present times, hitches and the frame rate of layers are unknown"},
		{name: "nothing but a layer", text: with(without(whole, "print: "), video(true)...), layers: 1, code: "no_frames", text2: "no complete frames, only 1 layer"},
		{name: "without the tag graphic", text: without(whole, "ReceiveVsync", "RSMainThread", "MarshRSTransactionData", "VSyncGenerator", "CommitLayers", "Present Fence", "RenderFrame", "render_service"), code: "inferred_deadlines", text2: "no marker ReceiveVsync, deadlines are inferred from the times between vsyncs", advice: "record the tag graphic"},
		{name: "without both tags", text: without(whole, "H:"), code: "no_frames", text2: "no complete frames", advice: "record the tags graphic and ace"},
	} {
		q := of(t, c.text, ohframe.Options{})
		var reasons []string
		for _, r := range q.Reasons {
			if r.Verdict != stats.Good {
				reasons = append(reasons, r.Code+": "+r.Text)
			}
		}
		if c.code == "" && len(reasons) > 0 || c.code != "" && !slices.Contains(reasons, c.code+": "+c.text2) {
			t.Errorf("%s: reasons %q, want %s: %s", c.name, reasons, c.code, c.text2)
		}
		advice := ""
		if q.Advice != nil {
			advice = *q.Advice
		}
		if q.Layers != c.layers || advice != c.advice {
			t.Errorf("%s: %d layers, advice %q, want %d, %q", c.name, q.Layers, advice, c.layers, c.advice)
		}
	}
}
