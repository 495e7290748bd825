package reconstruct_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// userTrace is a trace of an application, 200, and render_service, 100, on a grid of vsyncs of
// 10 ms from 1 s on. The application's frame n begins at 1000+10n ms and takes 4 ms; the render
// frame of the next vsync takes it, and the display shows that at 1018+10n ms.
type userTrace struct {
	lines    []userLine
	noFences bool
}

type userLine struct {
	us   int // since boot
	text string
}

// line adds a marker of a thread at a time in ms.
func (u *userTrace) line(ms float64, tid, pid int, marker string) *userTrace {
	names := map[int]string{100: "render_service", 102: "RSHardwareThread", 103: "Present Fence", 150: "OS_IPC_1_150", 151: "<...>", 200: "e.of.a.demo.app", 201: "worker", 202: "Acquire Fence", 300: "ohos.sceneboard", 400: "foundation", 500: "daemon"}
	u.lines = append(u.lines, userLine{int(ms * 1000), fmt.Sprintf("%16s-%d  (%5d) [000] ....  %.6f: print: %s", names[tid], tid, pid, ms/1000, marker)})
	return u
}

// raw adds an event of a main thread at a time in ms.
func (u *userTrace) raw(ms float64, name string, tid int, event string) {
	u.lines = append(u.lines, userLine{int(ms * 1000), fmt.Sprintf("%16s-%d  (%5d) [000] ....  %.6f: %s", name, tid, tid, ms/1000, event)})
}

// app adds a marker of the application's main thread.
func (u *userTrace) app(ms float64, marker string) *userTrace { return u.line(ms, 200, 200, marker) }

// marks adds a marker of no length.
func (u *userTrace) mark(ms float64, pid int, name string) *userTrace {
	return u.line(ms, pid, pid, fmt.Sprintf("B|%d|H:%s|M0538", pid, name)).line(ms+0.001, pid, pid, fmt.Sprintf("E|%d|M0538", pid))
}

// scene adds a scene of the application; an end of 0 leaves that out.
func (u *userTrace) scene(name string, begin, end float64) *userTrace {
	if begin != 0 {
		u.app(begin, "S|200|H:"+name+"|0|M0538")
	}
	if end != 0 {
		u.app(end, "F|200|H:"+name+"|0|M0538")
	}
	return u
}

// frames adds the application's frames with the given numbers.
func (u *userTrace) frames(numbers ...int) *userTrace {
	for _, n := range numbers {
		at, ns := float64(1000+10*n), int64(1000+10*n)*1e6
		u.app(at+0.1, fmt.Sprintf("B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:%d expectedEnd: %d vsyncId:%d, fd:9|M0538", ns, ns+10e6, 10+n))
		u.app(at+0.2, fmt.Sprintf("B|200|H:OnVsyncEvent now:%d|M0538", ns))
		u.app(at+1, fmt.Sprintf("B|200|H:MarshRSTransactionData cmdCount:3 transactionFlag:[200,%d]|M0538", n+1)).app(at+1.1, "E|200|M0538")
		u.app(at+4, "E|200|M0538").app(at+4.1, "E|200|M0538")
		u.render(n+1, fmt.Sprintf("[200,%d]", n+1))
	}
	return u
}

// render adds a render frame.
func (u *userTrace) render(n int, applied string) *userTrace {
	at, ns := float64(1000+10*n), int64(1000+10*n)*1e6
	rs := func(ms float64, marker string) { u.line(ms, 100, 100, marker) }
	rs(at+0.1, fmt.Sprintf("B|100|H:ReceiveVsync name:rs dataCount: 24bytes now:%d expectedEnd: %d vsyncId:%d, fd:9|M0538", ns, ns+15e6, 60+n))
	rs(at+0.2, fmt.Sprintf("B|100|H:RSMainThread::DoComposition: %d|M0538", ns+100e3))
	rs(at+0.3, "B|100|H:RSMainThread::ProcessCommandUni"+applied+"|M0538")
	rs(at+0.4, "E|100|M0538")
	rs(at+2, "E|100|M0538")
	rs(at+2.1, "E|100|M0538")
	u.line(at+3, 102, 100, fmt.Sprintf("B|100|H:CommitLayers rate:100,now:%d,vsyncId:%d,size:1,Names:demo,zorder: 0,|M0538", ns, 60+n))
	if !u.noFences {
		u.line(at+3.1, 102, 100, fmt.Sprintf("B|100|H:Present Fence %d|M0538", n)).line(at+3.15, 102, 100, "E|100|M0538")
		u.line(at+3.4, 103, 100, fmt.Sprintf("B|100|H:Waiting for Present Fence %d|M0538", n)).line(at+8, 103, 100, "E|100|M0538")
	}
	u.line(at+3.3, 102, 100, "E|100|M0538")
	return u
}

// timeline returns the timeline of the trace.
func (u *userTrace) timeline(t *testing.T) *analyzer.Timeline {
	t.Helper()
	slices.SortStableFunc(u.lines, func(a, b userLine) int { return a.us - b.us })
	var text strings.Builder
	for _, l := range u.lines {
		text.WriteString(l.text + "\n")
	}
	timeline, _, err := reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	return timeline
}

// described returns the interactions, hangs and blocks, one a line.
func described(timeline *analyzer.Timeline) string {
	var lines []string
	for line := range strings.Lines(timeline.String()) {
		if strings.HasPrefix(line, "scene ") || strings.HasPrefix(line, "launch ") || strings.HasPrefix(line, "hang ") || strings.HasPrefix(line, "block ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

const demo = " of 200 e.of.a.demo.app"

// Each case is a rule of docs/frames.md 15.
func TestInteractions(t *testing.T) {
	upTo := func(n int) (list []int) {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	input := func(u *userTrace, ms float64, what string) *userTrace {
		return u.mark(ms+2, 200, fmt.Sprintf("RecordInputEvent: %s=%d(ns)", what, int64(ms*1e6)))
	}
	described1 := func(id int, scene, rest string) string { return fmt.Sprintf("scene %d %s%s %s", id, scene, demo, rest) }
	for name, c := range map[string]struct {
		trace func(u *userTrace)
		want  []string
	}{
		// Frame 2, 1020 to 1024, is open at the begin and shown at 1038; frame 5 begins by the
		// end and is shown at 1068. Frame 1 is shown at 1028, after the begin.
		"explicit": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move")
		},
			[]string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames")}},
		// The first frame that shows it is the application's, as above; the last is the render
		// frame shown at 1048. Render frames are shown at 1028, 1038 and 1048 within.
		"implicit": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("ABILITY_OR_PAGE_SWITCH", 1022, 1055), 1005, "last_up")
		},
			[]string{described1(1, "ABILITY_OR_PAGE_SWITCH", "last_up 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1048000000 3 render frames")}},
		// Without application frames: render frame 3 begins at 1030.1 and is shown at 1038.
		"implicit, render only": {func(u *userTrace) {
			u.frames(0).scene("APP_TAB_SWITCH", 1025, 1062)
			for n := 2; n < 9; n++ {
				u.render(n, "")
			}
		}, []string{described1(1, "APP_TAB_SWITCH", "begin 1025000000 end 1062000000 shown 1038000000..1058000000 4 render frames input_unseen")}},
		"input too old for a page switch": {func(u *userTrace) {
			input(u.frames(upTo(99)...).scene("ABILITY_OR_PAGE_SWITCH", 1703, 1729).scene("APP_TAB_SWITCH", 1803, 1829), 1005, "last_up")
		}, []string{
			described1(1, "ABILITY_OR_PAGE_SWITCH", "begin 1703000000 end 1729000000 shown 1718000000..1728000000 3 render frames"),
			described1(2, "APP_TAB_SWITCH", "last_up 1005000000 begin 1803000000 end 1829000000 shown 1818000000..1828000000 3 render frames"),
		}},
		// 600 ms and 601 ms after the input at 1005, whose line is at 1007.
		"input just not too old": {func(u *userTrace) {
			input(u.frames(upTo(99)...).scene("ABILITY_OR_PAGE_SWITCH", 1605, 1629), 1005, "last_up")
		}, []string{described1(1, "ABILITY_OR_PAGE_SWITCH", "last_up 1005000000 begin 1605000000 end 1629000000 shown 1628000000..1628000000 3 render frames")}},
		"input just too old": {func(u *userTrace) {
			input(u.frames(upTo(99)...).scene("ABILITY_OR_PAGE_SWITCH", 1606, 1629), 1005, "last_up")
		}, []string{described1(1, "ABILITY_OR_PAGE_SWITCH", "begin 1606000000 end 1629000000 shown 1628000000..1628000000 3 render frames")}},
		"said to have no input": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1022, 1055), 1005, "last_up").mark(1021, 200, "GetInputTime: now time")
		}, []string{described1(1, "APP_TAB_SWITCH", "begin 1022000000 end 1055000000 shown 1038000000..1048000000 3 render frames")}},
		"said to have no input 5 ms before": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1022, 1055), 1005, "last_up").mark(1017, 200, "GetInputTime: now time")
		}, []string{described1(1, "APP_TAB_SWITCH", "begin 1022000000 end 1055000000 shown 1038000000..1048000000 3 render frames")}},
		"another one said to have no input": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1022, 1055), 1005, "last_up").mark(1016.9, 200, "GetInputTime: now time")
		}, []string{described1(1, "APP_TAB_SWITCH", "last_up 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1048000000 3 render frames")}},
		"again with the same input": {func(u *userTrace) {
			input(u.frames(upTo(40)...).scene("APP_LIST_FLING", 1022, 1055).scene("APP_LIST_FLING", 1155, 1165), 1005, "first_move")
		}, []string{
			described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames"),
			described1(2, "APP_LIST_FLING", "first_move 1005000000 begin 1155000000 end 1165000000 shown 1178000000..1178000000 3 app frames"),
		}},
		"again, its input is lost": {func(u *userTrace) {
			input(u.frames(upTo(40)...).scene("APP_LIST_FLING", 1022, 1055).scene("APP_LIST_FLING", 1156, 1165), 1005, "first_move")
		}, []string{
			described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames"),
			described1(2, "APP_LIST_FLING", "begin 1156000000 end 1165000000 shown 1178000000..1178000000 3 app frames input_unseen"),
		}},
		// Scenes of other threads use up no room.
		"many slices of another process": {func(u *userTrace) {
			for i := range 20000 {
				u.line(1001, 500, 500, fmt.Sprintf("S|500|H:REQ_%d|1|M0538", i))
			}
			input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move")
		}, []string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames")}},
		// What the application sends is not in the trace, so the first frame is unknown.
		"no transactions": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("ABILITY_OR_PAGE_SWITCH", 1022, 1055), 1005, "last_up")
			u.lines = slices.DeleteFunc(u.lines, func(l userLine) bool {
				return strings.Contains(l.text, "Marsh") || strings.Contains(l.text, "app-200") && l.us%10000 == 1100
			})
		}, []string{described1(1, "ABILITY_OR_PAGE_SWITCH", "last_up 1005000000 begin 1022000000 end 1055000000 not_shown")}},
		"input with a position, of another clock": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055).mark(1006, 200, "RecordInputEvent: first_move=99000000000000(ns), pos=(3,4)")
		}, []string{described1(1, "APP_LIST_FLING", "begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames input_astray")}},
		"tail": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055).scene("TRAILING_ANIMATION 12 List", 1045, 1055), 1005, "first_move")
		}, []string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 tail 1045000000 5 app frames")}},
		// The commits end 3.3 ms after their vsync: the frames are shown on the next one.
		"no fences": {func(u *userTrace) {
			u.noFences = true
			input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move")
		}, []string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1040000000..1070000000~ 5 app frames no_fences")}},
		// The first line is at 1000.1. Frame 0 is shown at 1018, frame 2 at 1038.
		"no begin": {func(u *userTrace) { u.frames(upTo(9)...).scene("APP_LIST_FLING", 0, 1025) },
			[]string{described1(1, "APP_LIST_FLING", "end 1025000000 shown ?..1038000000 3 app frames begin_cut")}},
		"no begin, long after the trace began": {func(u *userTrace) { u.frames(0, 1, 1200, 1201).scene("APP_LIST_FLING", 0, 13_015) },
			[]string{described1(1, "APP_LIST_FLING", "end 13015000000 begin_lost not_shown")}},
		// The last line is at 1098.
		"no end": {func(u *userTrace) { input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1062, 0), 1005, "first_move") },
			[]string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1062000000 shown 1078000000..? 4 app frames end_cut")}},
		// It ends, but the display shows frame 5, the last that begins by then, after the trace.
		"the last picture is after the trace": {func(u *userTrace) {
			input(u.frames(upTo(6)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move")
			u.lines = slices.DeleteFunc(u.lines, func(l userLine) bool { return l.us > 1_060_000 })
		}, []string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..? 4 app frames end_cut")}},
		// As in "explicit": nothing of it is after the trace.
		"the last picture is the last one": {func(u *userTrace) {
			input(u.frames(upTo(6)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move")
		}, []string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames")}},
		// It ends at 11 022; the last frame that begins by then is 2, the frames of the other
		// second are after it.
		"no end for ten seconds": {func(u *userTrace) {
			input(u.frames(0, 1, 2, 1200, 1201).scene("APP_LIST_FLING", 1012, 0), 1005, "first_move")
		},
			[]string{described1(1, "APP_LIST_FLING", "first_move 1005000000 begin 1012000000 shown 1028000000..1038000000 3 app frames timed out end_lost")}},
		// The end of the first is lost: it ends before the second begins. Frame 0 is shown at
		// 1018, frame 1 at 1028.
		"two of one name": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1012, 0).scene("APP_TAB_SWITCH", 1032, 1055)
		},
			[]string{
				described1(1, "APP_TAB_SWITCH", "begin 1012000000 shown 1028000000..1028000000 2 render frames end_lost input_unseen"),
				described1(2, "APP_TAB_SWITCH", "begin 1032000000 end 1055000000 shown 1048000000..1048000000 2 render frames input_unseen"),
			}},
		// Only the first lacks its end. It ends before the second begins, whatever follows.
		"three of one name": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1012, 0).scene("APP_TAB_SWITCH", 1032, 1055).scene("APP_TAB_SWITCH", 1062, 1085)
		},
			[]string{
				described1(1, "APP_TAB_SWITCH", "begin 1012000000 shown 1028000000..1028000000 2 render frames end_lost input_unseen"),
				described1(2, "APP_TAB_SWITCH", "begin 1032000000 end 1055000000 shown 1048000000..1048000000 2 render frames input_unseen"),
				described1(3, "APP_TAB_SWITCH", "begin 1062000000 end 1085000000 shown 1078000000..1078000000 2 render frames input_unseen"),
			}},
		// The first, without an end, runs no longer than the second, which is the last that ran.
		"interrupted after a lost end": {func(u *userTrace) {
			input(u.frames(upTo(20)...).scene("APP_TAB_SWITCH", 1002, 0).scene("APP_TAB_SWITCH", 1012, 1118).scene("APP_LIST_FLING", 1119, 1150), 1115, "first_move")
			u.mark(1120, 100, "RSJankStats::SetReportEventResponse APP_TAB_SWITCH animation is interrupted by APP_LIST_FLING")
		}, []string{
			described1(1, "APP_TAB_SWITCH", "begin 1002000000 shown 1018000000..1018000000 1 render frames end_lost input_unseen"),
			described1(2, "APP_TAB_SWITCH", "begin 1012000000 end 1118000000 shown 1028000000..1118000000 11 render frames interrupted input_unseen"),
			described1(3, "APP_LIST_FLING", "first_move 1115000000 begin 1119000000 end 1150000000 shown 1138000000..1158000000 4 app frames"),
		}},
		"no frames": {func(u *userTrace) { u.frames(0).scene("APP_LIST_FLING", 1050, 1060) },
			[]string{described1(1, "APP_LIST_FLING", "begin 1050000000 end 1060000000 input_unseen not_shown")}},
		"no scenes": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("app_list_fling", 1022, 1055).scene("APP_List", 1022, 1055).scene("_APP", 1022, 1055).scene("A", 1022, 1055)
			u.app(1022, "C|200|H:APP_LIST_FLING|1|M0538").mark(1023, 200, "APP_LIST_FLING")
			u.line(1022, 201, 200, "S|200|H:APP_LIST_FLING|0|M0538").line(1055, 201, 200, "F|200|H:APP_LIST_FLING|0|M0538")
			u.line(1022, 500, 500, "S|500|H:APP_LIST_FLING|0|M0538").line(1055, 500, 500, "F|500|H:APP_LIST_FLING|0|M0538")
		}, nil},
		"hangs": {func(u *userTrace) {
			u.frames(0, 90, 200).app(1100, "B|200|H:Load|M0538").app(1101, "B|200|H:inner|M0538").app(1349, "E|200|M0538").app(1350, "E|200|M0538")
			u.app(1400, "B|200|H:Short|M0538").app(1649.9, "E|200|M0538")
			u.app(1899, "B|200|H:Around a frame|M0538").app(2200, "E|200|M0538")
			u.app(2300, "B|200|H:Shorter|M0538").app(2399.9, "E|200|M0538").app(2500, "B|200|H:Block|M0538").app(2600, "E|200|M0538")
			u.line(1100, 500, 500, "B|500|H:Daemon|M0538").line(2000, 500, 500, "E|500|M0538")
		}, []string{"hang of 200 1100000000..1350000000 Load", "block of 200 1400000000..1649900000", "block of 200 2500000000..2600000000"}},
		// The trace ends at 2000.1 with a line of another process.
		"blocked to the end": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:Load|M0538").app(1101, "B|200|H:inner|M0538").app(1110, "E|200|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, []string{"hang of 200 1100000000..2000100000 Load ends after the trace"}},
		"blocked for 250 ms": {func(u *userTrace) { u.frames(0).app(1100, "B|200|H:Load|M0538").line(1350, 500, 500, "C|500|H:x|1") },
			[]string{"hang of 200 1100000000..1350000000 Load ends after the trace"}},
		"blocked for less": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:Load|M0538").line(1349.999, 500, 500, "C|500|H:x|1")
		}, nil},
		// All that is in it is known only in the trace.
		"blocked from the begin": {func(u *userTrace) {
			u.line(1000, 500, 500, "C|500|H:x|1").app(1100, "B|200|H:inner|M0538").app(1400, "E|200|M0538").app(1500, "E|200|M0538").app(1500.1, "E|200|M0538").frames(90)
		}, []string{"hang of 200 1000000000..1500100000 ? begins before the trace"}},
		// The begin of a slice after a frame is lost.
		"an end without a begin later": {func(u *userTrace) { u.frames(0).app(1500, "E|200|M0538").frames(90) }, nil},
		"a frame to the end": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:1100000000 expectedEnd: 1110000000 vsyncId:50, fd:9|M0538")
			u.app(1100.1, "B|200|H:OnVsyncEvent now:1100000000|M0538").app(1100.2, "B|200|H:FlushLayoutTask|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, []string{"hang of 200 1100000000..2000100000 ReceiveVsync ends after the trace"}},
		// It has handled its vsync, so one of the ends in it is lost.
		"a frame with a lost end": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:1100000000 expectedEnd: 1110000000 vsyncId:50, fd:9|M0538")
			u.app(1100.1, "B|200|H:OnVsyncEvent now:1100000000|M0538").app(1100.2, "B|200|H:FlushLayoutTask|M0538")
			u.app(1102, "E|200|M0538").app(1102.1, "E|200|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, nil},
		// Frames follow, so the end of the slice before them is lost. A slice after them hangs.
		"a lost end": {func(u *userTrace) {
			u.app(1001, "B|200|H:Load|M0538").frames(1, 2, 3).line(2000.1, 500, 500, "C|500|H:x|1")
		}, nil},
		"a lost end and a touch": {func(u *userTrace) {
			u.frames(0).app(1010, "B|200|H:Load|M0538").mark(1500, 200, "client dispatch touchId:3").line(2000.1, 500, 500, "C|500|H:x|1")
		}, nil},
		"blocked after a lost end": {func(u *userTrace) {
			u.app(1001, "B|200|H:Load|M0538").frames(1, 2, 3).app(1100, "B|200|H:Parse|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, []string{"hang of 200 1100000000..2000100000 Parse ends after the trace"}},
		// A slice around all that the thread does, as that of a main loop.
		"a loop": {func(u *userTrace) {
			u.app(1000, "B|200|H:Loop|M0538").frames(1, 2, 3).app(1100, "E|200|M0538").frames(20).app(1300, "B|200|H:Load|M0538").app(1600, "E|200|M0538")
		}, []string{"hang of 200 1300000000..1600000000 Load"}},
		"no freezes": {func(u *userTrace) {
			u.frames(0).app(1100, "S|200|H:Async|7|M0538").app(1100, "B|200|H:WaitForVsync|M0538")
			u.line(1100, 201, 200, "B|200|H:Worker|M0538").line(1100, 500, 500, "B|500|H:Daemon|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, nil},
		"render_service to the end": {func(u *userTrace) {
			u.frames(0).line(1100, 100, 100, "B|100|H:Init|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
		}, []string{"hang of 100 1100000000..2000100000 Init ends after the trace"}},
		// The system ends an application that does not answer.
		"killed": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:Load|M0538")
			u.raw(1700, "e.of.a.demo.app", 200, "sched_switch: prev_comm=e.of.a.demo.app prev_pid=200 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120")
			u.line(2000.1, 500, 500, "C|500|H:x|1")
		}, []string{"hang of 200 1100000000..1700000000 Load"}},
		// With the scheduling of its process only, the trace is the application's.
		"one process without frames": {func(u *userTrace) {
			u.app(1100, "B|200|H:Load|M0538").app(1400, "E|200|M0538")
			u.raw(1101, "e.of.a.demo.app", 200, "sched_switch: prev_comm=e.of.a.demo.app prev_pid=200 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120")
		}, []string{"hang of 200 1100000000..1400000000 Load"}},
		"one process, scheduling of others": {func(u *userTrace) {
			u.app(1100, "B|200|H:Load|M0538").app(1400, "E|200|M0538")
			u.raw(1101, "e.of.a.demo.app", 200, "sched_switch: prev_comm=e.of.a.demo.app prev_pid=200 prev_prio=120 prev_state=S ==> next_comm=daemon next_pid=500 next_prio=120")
			u.raw(1102, "daemon", 500, "sched_switch: prev_comm=daemon prev_pid=500 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120")
		}, nil},
		// What follows a loss may lack the end.
		"lost events": {func(u *userTrace) {
			u.frames(0).app(1100, "B|200|H:Load|M0538").line(2000.1, 500, 500, "C|500|H:x|1")
			u.lines = append(u.lines, userLine{1_500_000, "CPU:0 [LOST 17 EVENTS]"})
		}, nil},
		// The process has the full name of its bundle from the scene.
		"device": {func(u *userTrace) {
			input(u.frames(upTo(9)...).scene("APP_LIST_FLING", 1022, 1055), 1005, "first_move").mark(1023, 200, "EVENT_REPORT_RESPONSE_RS sceneId = APP_LIST_FLING, uniqueId = 1022")
			scene := "APP_LIST_FLING, com.example.of.a.demo.app, pages/Index, 1693876205590, IMPLICIT_ANIMATOR, uid1022"
			u.line(1030, 100, 100, "S|100|H:"+scene+"|7|M0538").line(1070, 100, 100, "F|100|H:"+scene+"|7|M0538")
			later := strings.Replace(scene, "5590", "5591", 1)
			u.mark(1031, 100, "RSJankStats::ReportEventResponse responseLatency is 31ms: "+later).mark(1071, 100, "RSJankStats::ReportEventComplete e2eLatency is 63ms: "+later)
			u.mark(1072, 100, "RSJankStats::ReportEventJankFrame maxFrameTime is 12ms, maxHitchTime is 2ms, maxTechFrameTime is 11ms, maxRealFrameTime is 11ms,maxFrameRefreshRate is 120fps: "+later+", shaderTime: <0,0>,<0,0>")
			u.mark(1073, 100, "RSJankStats::ReportEventHitchTimeRatio hitch time ratio is 1e-05 ms/s: "+later).mark(1074, 100, "RSJankStats::RecordAnimationDynamicFrameRate frame rate is 88.61: "+later)
		}, []string{"scene 1 APP_LIST_FLING of 200 com.example.of.a.demo.app on pages/Index first_move 1005000000 begin 1022000000 end 1055000000 shown 1038000000..1048000000 3 render frames device's response 31 device's completion 63 device's hitches 1e-05 device's longest 12 device's fps 88.61"}},
		// The fling's input is 113 ms after the begin of the first scene and 85 ms after that of
		// the second one, which is not interrupted then.
		"interrupted": {func(u *userTrace) {
			input(u.frames(upTo(20)...).scene("APP_TAB_SWITCH", 1002, 1155).scene("APP_LIST_FLING", 1119, 1150), 1115, "first_move")
			u.mark(1001, 300, "RecordInputEvent: last_down=1000500000(ns)").line(1030, 300, 300, "S|300|H:APP_TAB_SWITCH|0|M0538").line(1155, 300, 300, "F|300|H:APP_TAB_SWITCH|0|M0538")
			u.mark(1120, 100, "RSJankStats::SetReportEventResponse APP_TAB_SWITCH animation is interrupted by APP_LIST_FLING")
		}, []string{
			described1(1, "APP_TAB_SWITCH", "begin 1002000000 end 1155000000 shown 1018000000..1148000000 14 render frames interrupted input_unseen"),
			"scene 2 APP_TAB_SWITCH of 300 ohos.sceneboard begin 1030000000 end 1155000000 shown 1038000000..1148000000 12 render frames input_unseen",
			described1(3, "APP_LIST_FLING", "first_move 1115000000 begin 1119000000 end 1150000000 shown 1138000000..1158000000 4 app frames"),
		}},
		// Inputs 6 ms apart are those of two scenes.
		"device, early, two of one name": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1022, 1025).scene("APP_TAB_SWITCH", 1032, 1055)
			u.mark(1030, 100, "RSJankStats::ReportEventResponse responseLatency is 31ms: APP_TAB_SWITCH, com.example.of.a.demo.app, pages/One, 1693876205590")
			u.mark(1040, 100, "RSJankStats::ReportEventResponse responseLatency is 32ms: APP_TAB_SWITCH, com.example.of.a.demo.app, pages/Two, 1693876205596")
		}, []string{
			"scene 1 APP_TAB_SWITCH of 200 com.example.of.a.demo.app on pages/One begin 1022000000 end 1025000000 shown 1038000000..1038000000 2 render frames device's response 31 input_unseen",
			"scene 2 APP_TAB_SWITCH of 200 com.example.of.a.demo.app on pages/Two begin 1032000000 end 1055000000 shown 1048000000..1048000000 2 render frames device's response 32 input_unseen",
		}},
		// 4.x: no kind and no id. The page switch is not interrupted.
		"device, early": {func(u *userTrace) {
			u.frames(upTo(9)...).scene("APP_TAB_SWITCH", 1002, 1055).scene("APP_LIST_FLING", 1022, 1055)
			u.mark(1035, 100, "RSJankStats::ReportEventResponse responseLatency is 31ms: APP_LIST_FLING, other.bundle, pages/Index, 1693876205590")
			u.mark(1036, 100, "RSJankStats::ReportEventResponse responseLatency is 32ms: APP_LIST_FLING, com.example.of.a.demo.app, pages/Two, 1693876205590")
			u.mark(1037, 100, "RSJankStats::ReportEventComplete e2eLatency is 32ms: APP_LIST_FLING, com.example.of.a.demo.app, pages/Two, 1693876205592")
			u.mark(1038, 100, "RSJankStats::ReportEventComplete e2eLatency is 40ms: APP_LIST_FLING, com.example.of.a.demo.app, pages/Two, 1693876205592")
			u.mark(1039, 100, "RSJankStats::SetReportEventResponse APP_TAB_SWITCH animation is interrupted by APP_LIST_FLING")
		}, []string{
			"scene 1 APP_TAB_SWITCH of 200 com.example.of.a.demo.app begin 1002000000 end 1055000000 shown 1018000000..1048000000 4 render frames interrupted input_unseen",
			"scene 2 APP_LIST_FLING of 200 com.example.of.a.demo.app on pages/Two begin 1022000000 end 1055000000 shown 1038000000..1068000000 5 app frames device's response 32 input_unseen device_contradicts",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &userTrace{}
			c.trace(u)
			if got, want := described(u.timeline(t)), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Each case is a kind of launch of docs/frames.md 15.12. Frame 9 begins at 1090.1, its render
// frame at 1100.1, and it is shown at 1108.
func TestLaunches(t *testing.T) {
	const bundle = "##com.example.of.a.demo.app"
	dispatch := func(u *userTrace, ms float64) { u.mark(ms, 300, "client dispatch touchId:3") }
	start := func(u *userTrace, ms float64) {
		u.mark(ms, 300, "OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB(sptr<SessionInfo>, bool &)")
	}
	load := func(u *userTrace, ms float64, process bool) {
		u.line(ms, 400, 400, "B|400|H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility(std::shared_ptr<AbilityInfo>)|M0538")
		if process {
			u.mark(ms+0.1, 400, "void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbilityNoAppRecord(int)")
		}
		u.line(ms+0.5, 400, 400, "E|400|M0538")
	}
	attach := func(u *userTrace, ms float64) {
		u.mark(ms, 400, "virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)"+bundle)
	}
	launch := func(u *userTrace, ms float64) {
		u.mark(ms, 200, "void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)"+bundle)
	}
	foreground := func(u *userTrace, ms float64) {
		u.mark(ms, 200, "void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction(const Want &, const LifeCycleStateInfo &, sptr<SessionInfo>)##EntryAbility")
	}
	const shown = "[First Frame, application 1090100000..1100100000] [First Frame, render 1100100000..1108000000]"
	const app = "200 com.example.of.a.demo.app"
	for name, c := range map[string]struct {
		trace func(u *userTrace)
		want  []string
	}{
		"cold": {func(u *userTrace) {
			dispatch(u, 1005)
			dispatch(u, 1010)
			start(u, 1011)
			load(u, 1020, true)
			load(u, 1025, false) // of another application, which exists
			attach(u, 1030)
			launch(u, 1040)
			foreground(u, 1050)
			foreground(u, 1070) // to the background, later
			u.frames(9, 10)
		}, []string{"launch 1 cold of " + app + " begin 1010000000 end 1108000000 shown 1108000000..1108000000 1 app frames [ProcessTouchEvent 1010000000..1011000000] [StartUIAbilityBySCB 1011000000..1020000000] [LoadAbility 1020000000..1030000000] [Application Launching 1030000000..1040000000] [UI Ability Launching 1040000000..1050000000] [UI Ability OnForeground 1050000000..1090100000] " + shown}},
		// 10 s after the last stage, and 1 ms more.
		"just within the time of a stage": {func(u *userTrace) {
			start(u, 1011)
			load(u, 1020, true)
			attach(u, 1030)
			launch(u, 11_030)
		}, []string{"launch 1 cold of " + app + " begin 1011000000 [StartUIAbilityBySCB 1011000000..1020000000] [LoadAbility 1020000000..1030000000] [Application Launching 1030000000..11030000000] [UI Ability Launching 11030000000..0] end_cut not_shown"}},
		"just beyond": {func(u *userTrace) {
			start(u, 1011)
			load(u, 1020, true)
			attach(u, 1030)
			launch(u, 11_031)
		}, []string{
			"launch 1 cold of unknown com.example.of.a.demo.app begin 1011000000 [StartUIAbilityBySCB 1011000000..1020000000] [LoadAbility 1020000000..1030000000] [Application Launching 1030000000..0] not_shown process_unseen",
			"launch 2 warm of " + app + " begin 11031000000 [UI Ability Launching 11031000000..0] end_cut not_shown",
		}},
		// Its start may be before the trace, up to 10 s before the stage.
		"the trace begins within it": {func(u *userTrace) {
			u.mark(1000, 500, "anything")
			load(u, 11_000, true)
			attach(u, 11_010)
			launch(u, 11_040)
			u.frames(1009)
		}, []string{"launch 1 cold of " + app + " end 11108000000 shown 11108000000..11108000000 1 app frames [LoadAbility 11000000000..11010000000] [Application Launching 11010000000..11040000000] [UI Ability Launching 11040000000..11090100000] [First Frame, application 11090100000..11100100000] [First Frame, render 11100100000..11108000000] begin_cut"}},
		// So is that of the second one, of which this cannot be so.
		"a trace without starts": {func(u *userTrace) {
			launch(u, 1040)
			u.frames(9)
			load(u, 11_041, true)
			attach(u, 11_050)
		}, []string{
			"launch 1 warm of " + app + " begin 1040000000 end 1108000000 shown 1108000000..1108000000 1 app frames [UI Ability Launching 1040000000..1090100000] " + shown,
			"launch 2 cold of unknown com.example.of.a.demo.app begin 11041000000 [LoadAbility 11041000000..11050000000] [Application Launching 11050000000..0] end_cut not_shown process_unseen",
		}},
		"warm": {func(u *userTrace) {
			start(u, 1011)
			load(u, 1020, false)
			launch(u, 1040)
			u.frames(9)
		}, []string{"launch 1 warm of " + app + " begin 1011000000 end 1108000000 shown 1108000000..1108000000 1 app frames [StartUIAbilityBySCB 1011000000..1040000000] [UI Ability Launching 1040000000..1090100000] " + shown}},
		"hot": {func(u *userTrace) {
			start(u, 1011)
			foreground(u, 1050)
			u.frames(9)
		}, []string{"launch 1 hot of 200 e.of.a.demo.app" + " begin 1011000000 end 1108000000 shown 1108000000..1108000000 1 app frames [StartUIAbilityBySCB 1011000000..1050000000] [UI Ability OnForeground 1050000000..1090100000] " + shown}},
		"to the background": {func(u *userTrace) {
			foreground(u, 1050)
			u.frames(9)
		}, nil},
		"the application is not there": {func(u *userTrace) {
			start(u, 1011)
			load(u, 1020, true)
			attach(u, 1030)
		}, []string{"launch 1 cold of unknown com.example.of.a.demo.app begin 1011000000 [StartUIAbilityBySCB 1011000000..1020000000] [LoadAbility 1020000000..1030000000] [Application Launching 1030000000..0] end_cut not_shown process_unseen"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &userTrace{}
			c.trace(u)
			if got, want := described(u.timeline(t)), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A window cuts a hang and a late frame as the edges of a trace do.
func TestHangsOfAWindow(t *testing.T) {
	u := (&userTrace{}).frames(0, 90)
	u.app(1100, "B|200|H:Load|M0538").app(1700, "E|200|M0538")
	u.app(2000, "B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:2000000000 expectedEnd: 2010000000 vsyncId:70, fd:9|M0538")
	u.app(2000.1, "B|200|H:OnVsyncEvent now:2000000000|M0538").app(2500, "E|200|M0538").app(2500.1, "E|200|M0538")
	at := func(ms int) trace.Time { return trace.Time(ms) * trace.Time(trace.Millisecond) }
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{1000, 3000, "hang of 200 1100000000..1700000000 Load"},
		{1200, 3000, "hang of 200 1200000000..1700000000 Load begins before the window"},
		{1000, 1350, "hang of 200 1100000000..1350000000 Load ends after the window"},
		{1300, 1600, "hang of 200 1300000000..1600000000 Load begins before the window ends after the window"},
		{1000, 1349, ""},
		{1800, 3000, ""},
	} {
		timeline := u.timeline(t)
		timeline.Cut(at(c.from), at(c.to))
		if got := described(timeline); got != c.want {
			t.Errorf("from %d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	// Its deadline is at 2010 ms, its period 10 ms.
	for end, want := range map[int]analyzer.Judgement{
		2020: {}, 2021: {Late: analyzer.Yes, Overrun: 11 * trace.Millisecond, OverrunKnown: true, AtLeast: true},
		3000: {Late: analyzer.Yes, Overrun: 490 * trace.Millisecond, OverrunKnown: true},
	} {
		timeline := u.timeline(t)
		timeline.Cut(at(1900), at(end))
		for _, f := range timeline.Frames {
			if j := f.Judgement(); f.VsyncID == 70 && (j.Late != want.Late || j.Lost() != want.Overrun || j.AtLeast != want.AtLeast) {
				t.Errorf("until %d: %+v, want %+v", end, j, want)
			}
		}
	}
}

// A window cuts interactions as the edges of a trace do, and their numbers stay.
func TestInteractionsOfAWindow(t *testing.T) {
	u := (&userTrace{}).frames(0, 1, 2, 3, 4, 5, 6, 7, 8).scene("APP_LIST_FLING", 1002, 1012).scene("APP_LIST_FLING", 1022, 1055).scene("APP_LIST_FLING", 1082, 1085)
	timeline := u.timeline(t)
	timeline.Cut(1030*trace.Time(trace.Millisecond), 1045*trace.Time(trace.Millisecond))
	// Frame 1, which the render frame of the window's first vsync takes, ends before it; frame 2
	// too. Frame 3 is shown at 1048, after the window.
	want := "scene 2 APP_LIST_FLING" + demo + " begin_cut end_cut not_shown"
	if got := described(timeline); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
