package exporter

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
)

// openFrame is a frame slice as it is in a trace.
type openFrame struct {
	start *perfettopb.TracePacket
	order int
	end   int64
}

// framesIn pairs the starts and ends of frame slices, and checks what Perfetto
// requires of them.
func framesIn(t *testing.T, data []byte) []openFrame {
	t.Helper()
	var list []openFrame
	byCookie := map[int64]int{}
	for _, p := range packetsOf(t, data) {
		e := p.GetFrameTimelineEvent()
		if e == nil {
			continue
		}
		if end := e.GetFrameEnd(); end != nil {
			i, ok := byCookie[end.GetCookie()]
			if !ok {
				t.Fatalf("end of nothing: %v", p)
			}
			delete(byCookie, end.GetCookie())
			list[i].end = int64(p.GetTimestamp())
			if list[i].end < int64(list[i].start.GetTimestamp()) {
				t.Errorf("ends before it starts: %v", list[i].start)
			}
			continue
		}
		m := e.ProtoReflect()
		start := m.Get(m.WhichOneof(m.Descriptor().Oneofs().ByName("event"))).Message()
		fields := start.Descriptor().Fields()
		for _, name := range []protoreflect.Name{"cookie", "token", "pid", "display_frame_token"} {
			if f := fields.ByName(name); f != nil && !start.Has(f) {
				t.Errorf("without %s: %v", name, p)
			}
		}
		cookie := start.Get(fields.ByName("cookie")).Int()
		if _, taken := byCookie[cookie]; taken {
			t.Errorf("cookie of an open slice: %v", p)
		}
		byCookie[cookie] = len(list)
		list = append(list, openFrame{start: p, order: len(list)})
	}
	for _, i := range byCookie {
		t.Errorf("does not end: %v", list[i].start)
	}
	return list
}

// TestFramePackets compares the packets with the timeline, as TestConformance
// does what Perfetto makes of them.
func TestFramePackets(t *testing.T) {
	traces(t, func(t *testing.T, text string) {
		for _, options := range []Options{{}, {Events: NoEvents}} {
			data, summary := convert(t, text, options)
			tokens, _ := newTokens(summary.Timeline)
			list := framesIn(t, data)
			var expected, actual, arrows rows
			for _, f := range list {
				at := int64(f.start.GetTimestamp())
				switch e := f.start.GetFrameTimelineEvent(); {
				case e.GetExpectedSurfaceFrameStart() != nil:
					s := e.GetExpectedSurfaceFrameStart()
					expected.add(at, f.end-at, fmt.Sprint(s.GetToken()), s.GetDisplayFrameToken(), s.GetToken(), s.GetPid(), s.GetLayerName())
				case e.GetExpectedDisplayFrameStart() != nil:
					s := e.GetExpectedDisplayFrameStart()
					expected.add(at, f.end-at, fmt.Sprint(s.GetToken()), s.GetToken(), nil, s.GetPid(), nil)
				case e.GetActualSurfaceFrameStart() != nil:
					s := e.GetActualSurfaceFrameStart()
					actual.add(at, f.end-at, fmt.Sprint(s.GetToken()), s.GetDisplayFrameToken(), s.GetToken(), s.GetPid(), s.GetLayerName(),
						jankText(s.GetJankType()), presentTexts[int32(s.GetPresentType())], truth(s.GetOnTimeFinish()),
						predictionTexts[int32(s.GetPredictionType())], severityTexts[int32(s.GetJankSeverityType())],
						truth(s.GetGpuComposition()), delayCell(s.GetPresentDelayMillis()))
				case e.GetActualDisplayFrameStart() != nil:
					s := e.GetActualDisplayFrameStart()
					actual.add(at, f.end-at, fmt.Sprint(s.GetToken()), s.GetToken(), nil, s.GetPid(), nil,
						jankText(s.GetJankType()), presentTexts[int32(s.GetPresentType())], truth(s.GetOnTimeFinish()),
						predictionTexts[int32(s.GetPredictionType())], severityTexts[int32(s.GetJankSeverityType())],
						truth(s.GetGpuComposition()), delayCell(s.GetPresentDelayMillis()))
					arrows = append(arrows, arrowsTo(f, list)...)
				}
			}
			compare(t, "expected frames", expected, expectedRows(summary.Timeline, tokens))
			compare(t, "actual frames", actual, actualRows(summary.Timeline, tokens))
			compare(t, "arrows", arrows, arrowRows(summary.Timeline))
		}
	})
}

// delayCell returns the engine's cell for a present delay: NULL for NaN.
func delayCell(milliseconds float32) any {
	if milliseconds != milliseconds {
		return nil
	}
	return float64(milliseconds)
}

// arrowsTo returns the arrows that Perfetto draws to a display frame: from the
// surface frames with its token that stand before it in time, and at the same
// time in the file.
func arrowsTo(display openFrame, list []openFrame) rows {
	var r rows
	d := display.start.GetFrameTimelineEvent().GetActualDisplayFrameStart()
	at := display.start.GetTimestamp()
	for _, f := range list {
		s := f.start.GetFrameTimelineEvent().GetActualSurfaceFrameStart()
		if s == nil || s.GetDisplayFrameToken() != d.GetToken() {
			continue
		}
		if start := f.start.GetTimestamp(); start < at || start == at && f.order < display.order {
			r.add(s.GetPid(), s.GetLayerName(), start, d.GetPid(), at)
		}
	}
	return r
}

// The events that no track shows are left out by default: wakeups of a trace that has
// wakings, and those of the kernel that are only rows of Perfetto's table ftrace_event.
func TestEvents(t *testing.T) {
	const text = ` a-1 (1) [000] .... 1.000001: print: B|1|H:x
 a-1 (1) [000] .... 1.000002: sched_waking: comm=b pid=2 prio=120 target_cpu=000
 a-1 (1) [000] .... 1.000003: sched_wakeup: comm=c pid=3 prio=120 target_cpu=000
 a-1 (1) [000] .... 1.000004: mm_filemap_add_to_page_cache: dev 8:16 ino 1a2b pfn=1 ofs=0
 a-1 (1) [000] .... 1.000005: of_a_vendor: a=1
 a-1 (1) [000] .... 1.000006: cpu_idle: state=1 cpu_id=0
 a-1 (1) [000] .... 1.000007: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
`
	for _, test := range []struct {
		events            Events
		exported, leftOut int
	}{{ShownEvents, 4, 3}, {AllEvents, 7, 0}, {NoEvents, 0, 7}} {
		data, summary := convert(t, text, Options{Events: test.events})
		checkCounts(t, text, data, summary)
		if summary.Exported != test.exported || summary.LeftOut != test.leftOut {
			t.Errorf("%s: %d events exported and %d left out, want %d and %d", test.events, summary.Exported, summary.LeftOut, test.exported, test.leftOut)
		}
		if parsed, err := ParseEvents(test.events.String()); err != nil || parsed != test.events {
			t.Errorf("%s is parsed as %s: %v", test.events, parsed, err)
		}
	}
	if _, err := ParseEvents("some"); err == nil {
		t.Error("an unknown name is accepted")
	}
}

// Without events a trace has the same frames and names, and nothing else.
func TestNoEvents(t *testing.T) {
	text, _ := casesTrace()
	with, _ := convert(t, text, Options{})
	without, summary := convert(t, text, Options{Events: NoEvents})
	named := func(data []byte) (list []string) {
		for _, p := range packetsOf(t, data) {
			if tree := p.GetProcessTree(); tree != nil {
				list = append(list, fmt.Sprint(p.GetTimestamp(), tree.GetProcesses(), tree.GetThreads()))
			}
		}
		return list
	}
	if !slices.Equal(named(with), named(without)) {
		t.Error("the names differ")
	}
	if got := len(printedIn(t, without)); got != 0 {
		t.Errorf("%d markers", got)
	}
	if summary.LeftOut != summary.Totals.Events || summary.LeftOut == 0 {
		t.Errorf("%d events left out of %d", summary.LeftOut, summary.Totals.Events)
	}
}
