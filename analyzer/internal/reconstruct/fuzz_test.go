package reconstruct_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// actor is a thread that a made-up trace has.
type actor struct {
	comm     string
	tid, pid int
}

// actors are two applications, one with a worker, render_service with the threads
// that draw, commit and wait, and a thread without a known process.
var actors = [...]actor{
	{"demo.app", 200, 200}, {"demo.worker", 201, 200}, {"other.app", 300, 300},
	{"render_service", 100, 100}, {"RSUniRenderThre", 101, 100}, {"RSHardwareThrea", 102, 100}, {"PresentFence_0", 103, 100},
	{"stranger", 400, -1},
}

// spellings are markers about frames, in the spellings of several systems. n is a small
// number of a vsync or transaction, and at its vsync's time in nanoseconds.
var spellings = [...]func(n, pid int, at int64) string{
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:ReceiveVsync name:demo dataCount:%dbytes now:%d expectedEnd:%d vsyncId:%d", 24*(n%4), at, at+10_000_000, n)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:ReceiveVsync name:rs dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", at, at+15_000_000, n)
	},
	func(n, pid int, at int64) string { return fmt.Sprintf("H:ReceiveVsync now:%d expectedEnd:%d", at, at) },
	func(n, pid int, at int64) string { return fmt.Sprintf("H:OnVsyncEvent now:%d", at) },
	func(n, pid int, at int64) string { return "H:OnVsyncEvent" },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:UIVsyncTask[timestamp:%d][vsyncID:%d]", at, n)
	},
	func(n, pid int, at int64) string { return "H:UV_TRACE" },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:MarshRSTransactionData cmdCount:1 transactionFlag:[200,%d],tid:%d,timestamp:%d", n, 200+n%2, at)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:MarshRSTransactionData cmdCount:1 transactionFlag:[%d,%d],isUni:1", pid, n)
	},
	func(n, pid int, at int64) string { return fmt.Sprintf("H:RSMainThread::DoComposition: %d", at+200_000) },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:RSMainThread::ProcessCommandUni [200,%d] [300,%d] cache [200,%d] [200,%d]", n, n, n+1, n-1)
	},
	func(n, pid int, at int64) string { return "H:RSMainThread::ProcessCommandUni" },
	func(n, pid int, at int64) string { return "H:RenderFrame" },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:CommitLayers rate:100, now:%d, vsyncId:%d", at, n)
	},
	func(n, pid int, at int64) string { return "H:CommitLayers rate:100" },
	func(n, pid int, at int64) string { return fmt.Sprintf("H:Present Fence %d", n) },
	func(n, pid int, at int64) string { return fmt.Sprintf("H:Present Fence %d has signaled", n) },
	func(n, pid int, at int64) string { return fmt.Sprintf("H:Waiting for Present Fence %d", n) },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:GenerateVsyncCount:1, period:%d, now:%d", 10_000_000-n, at)
	},
	func(n, pid int, at int64) string { return fmt.Sprintf("H:other %d", n) },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:RecordInputEvent: %s=%d(ns)", [...]string{"first_move", "last_up", "last_down"}[n%3], at)
	},
	func(n, pid int, at int64) string { return "H:GetInputTime: now time" },
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:EVENT_REPORT_RESPONSE_RS sceneId = %s, uniqueId = %d", scenes[n%2], at/1e6)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:RSJankStats::%s%d%s: %s, demo.app, pages/Index, 16938762055%02d, EXPLICIT_ANIMATOR, uid%d",
			[...]string{"ReportEventResponse responseLatency is ", "ReportEventComplete e2eLatency is "}[n%2], n, "ms", scenes[n%2], n, at/1e6)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:RSJankStats::SetReportEventResponse %s animation is interrupted by X", scenes[n%2])
	},
	func(n, pid int, at int64) string { return "H:client dispatch touchId:1" },
	func(n, pid int, at int64) string {
		return "H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB()"
	},
	func(n, pid int, at int64) string {
		return "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility()"
	},
	func(n, pid int, at int64) string {
		return "H:void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbilityNoAppRecord()"
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication()##demo%d", n%3)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility()##demo%d", n%3)
	},
	func(n, pid int, at int64) string {
		return fmt.Sprintf("H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction()##demo%d", n%3)
	},
}

// scenes are names of scenes.
var scenes = [...]string{"APP_LIST_FLING", "ABILITY_OR_PAGE_SWITCH"}

// play makes a trace of a script. Every three bytes are a line: the thread, the marker, and
// the time and number. Times advance by up to 14 ms, and sometimes go back.
func play(script []byte) string {
	const base, period = 1_000_000, 10_000 // microseconds
	var b strings.Builder
	now := int64(base)
	for ; len(script) >= 3; script = script[3:] {
		who, what, how := actors[script[0]%8], script[1], int(script[2])
		switch step := int64(script[0] / 8); {
		case step == 31:
			now -= 3_000
		case step > 0:
			now += step * step * 15
		}
		now = max(now, 1)
		n, at := how%16, (base+int64(how%16)*period)*1000
		tgid := "-----"
		if who.pid >= 0 {
			tgid = fmt.Sprint(who.pid)
		}
		fmt.Fprintf(&b, " %s-%d (%s) [%03d] .... %d.%06d: ", who.comm, who.tid, tgid, how%3, now/1e6, now%1e6)
		pid := max(who.pid, 1)
		switch {
		case what < 90: // what begins must be able to end
			fmt.Fprintf(&b, "print: E|%d|\n", pid)
		case what < 94:
			fmt.Fprintf(&b, "print: %c|%d|H:M: Frame queued|%d|M62\n", "SF"[what%2], pid, n)
		case what == 97:
			fmt.Fprintf(&b, "print: %c|%d|H:TRAILING_ANIMATION|0|M62\n", "SF"[n%2], pid)
		case what < 102 && what > 97:
			fmt.Fprintf(&b, "print: %c|%d|H:%s|0|M62\n", "SF"[what%2], pid, scenes[what/2%2])
		case what == 102:
			fmt.Fprintf(&b, "print: S|%d|H:%s, demo.app, pages/Index, 16938762055%02d|%d|M62\n", pid, scenes[n%2], n, n)
		case what == 94:
			fmt.Fprintf(&b, "print: trace_event_clock_sync: parent_ts=%d.%06d\n", at/1e9, at/1000%1e6)
		case what == 95:
			fmt.Fprintf(&b, "sched_waking: comm=%s pid=%d prio=1 target_cpu=000\n", who.comm, actors[how%8].tid)
		case what == 96:
			b.WriteString("print: C|1|H:damaged\n")
		default:
			fmt.Fprintf(&b, "print: B|%d|%s|M62\n", pid, spellings[int(what)%len(spellings)](n, pid, at))
		}
	}
	return b.String()
}

// firstBegin is the first marker that begins a slice.
const firstBegin = 103

// begin is the script of a line that begins a slice, late milliseconds after the
// one before.
func begin(who, spelling, n, late int) []byte {
	what := spelling
	for what < firstBegin {
		what += len(spellings)
	}
	return []byte{byte(who + 8*steps(late)), byte(what), byte(n)}
}

func end(who, late int) []byte { return []byte{byte(who + 8*steps(late)), 0, 0} }

// steps is what a script says for about so many milliseconds.
func steps(ms int) int {
	for step := range 31 {
		if step*step*15 >= ms*1000 {
			return step
		}
	}
	return 30
}

// frameScript plays a frame of an application that render_service picks up, draws and
// shows, without fault but for its delays.
func frameScript(n, appTakes, renderTakes int) []byte {
	return bytes.Join([][]byte{
		begin(0, 0, n, 1), begin(0, 3, n, 0), begin(0, 7, n, 1), end(0, 0), end(0, appTakes), end(0, 0),
		begin(3, 1, n+1, 5), begin(3, 9, n+1, 0), begin(3, 10, n, 0), end(3, renderTakes), end(3, 0), end(3, 0),
		begin(4, 12, n, 0), end(4, 1), begin(5, 13, n+1, 0), begin(5, 15, n, 0), end(5, 0), end(5, 0), begin(6, 17, n, 0), end(6, 2),
	}, nil)
}

// Whatever happens on the threads, in whatever order, the timeline is valid; it is
// the same for any number of workers, source and way to end lines; and so is any
// part of it.
func FuzzTimeline(f *testing.F) {
	f.Add(frameScript(1, 1, 1), byte(0))
	f.Add(bytes.Join([][]byte{frameScript(1, 1, 1), frameScript(3, 12, 1), frameScript(6, 1, 13)}, nil), byte(1))
	f.Add(bytes.Repeat(frameScript(2, 1, 1), 3), byte(2))
	f.Add(frameScript(1, 1, 1)[6:], byte(0x43))                                                           // begins within a frame
	f.Add(bytes.Join([][]byte{begin(1, 6, 1, 0), begin(1, 3, 1, 1), begin(1, 8, 1, 0)}, nil), byte(0x80)) // a worker's frame that does not end
	f.Fuzz(func(t *testing.T, script []byte, how byte) {
		if len(script) > 1200 {
			return
		}
		text := play(script)
		var options reconstruct.Options
		if how&1 != 0 {
			options.ClockOffset = new(trace.Duration)
		}
		analyze := func(r io.Reader, workers int) *analyzer.Timeline {
			timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), r, hitrace.Options{Workers: workers}, options))(t)
			if err := timeline.Validate(); err != nil {
				t.Fatalf("%v\n%s%s", err, text, timeline)
			}
			must.Equal(t, totals.Lines, len(script)/3, "lines")
			return timeline
		}
		timeline := analyze(strings.NewReader(text), 1)
		want := timeline.String()
		for name, r := range map[string]io.Reader{
			"bytes": iotest.OneByteReader(strings.NewReader(text)), "CR LF": strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
		} {
			must.Equal(t, analyze(r, 3).String(), want, "%s", name)
		}
		counts := timeline.Counts()
		must.Equal(t, counts.Frames+counts.Truncated, len(timeline.Frames), "frames counted")
		from := trace.Time(trace.Second).Add(trace.Duration(how>>2) * trace.Millisecond)
		timeline.Cut(from, from.Add(20*trace.Millisecond))
		if err := timeline.Validate(); err != nil {
			t.Errorf("cut: %v\n%s%s", err, text, timeline)
		}
	})
}

// Traces in which fuzzing found a defect. Times are those of the comments.

// The kernel cuts names in the middle of a character. What is kept is text.
func TestNameCutInACharacter(t *testing.T) {
	timeline := timelineOf(t, "\xe7\x9b\xb8\xe5-200 (200) [000] .... 1.010000: print: B|200|H:x|M62\n")
	if p := timeline.Processes[0]; p.Name != "相\uFFFD" || p.Threads[0].Name != p.Name {
		t.Errorf("process %q, thread %q", p.Name, p.Threads[0].Name)
	}
}

// If several traces follow one another, lines with times that were read in any of them are
// skipped. Later lines are read.
func TestTracesThatOverlap(t *testing.T) {
	const (
		header = "# tracer: nop\n"
		early  = "     a-1 (1) [000] .... 1.000000: print: E|1|\n"
		late   = "     a-1 (1) [000] .... 1.020000: print: E|1|\n"
		vsync  = `     render_service-100 (100) [001] .... 1.010000: print: B|100|H:ReceiveVsync name:rs dataCount:24bytes now:1010000000 expectedEnd:1025000000 vsyncId:60|M62
     render_service-100 (100) [001] .... 1.010300: print: E|100|
`
		sent = `           demo.app-200 (200) [000] .... 1.001000: print: B|200|H:ReceiveVsync name:demo dataCount:24bytes now:1000000000 expectedEnd:1010000000 vsyncId:7|M62
           demo.app-200 (200) [000] .... 1.001100: print: B|200|H:MarshRSTransactionData cmdCount:1 transactionFlag:[200,5],tid:200,timestamp:1000000000|M62
           demo.app-200 (200) [000] .... 1.001200: print: E|200|
           demo.app-200 (200) [000] .... 1.001300: print: E|200|
     render_service-100 (100) [001] .... 1.010000: print: B|100|H:ReceiveVsync name:rs dataCount:24bytes now:1010000000 expectedEnd:1025000000 vsyncId:60|M62
     render_service-100 (100) [001] .... 1.010100: print: B|100|H:RSMainThread::ProcessCommandUni [200,5]|M62
     render_service-100 (100) [001] .... 1.010200: print: E|100|
     render_service-100 (100) [001] .... 1.010300: print: E|100|
`
	)
	for _, test := range []struct {
		name, text   string
		frames, lost int // complete frames, and lines that are not read
	}{
		{"the earliest time is not that of the first line", header + late + vsync + header + early + vsync, 1, 2},
		{"lines out of order", header + vsync + strings.Repeat(early, 12) + header + strings.Repeat(early, 12) + vsync, 1, 14},
		{"a third trace", header + vsync + header + early + header + early + header + vsync + header + strings.ReplaceAll(vsync, " 1.010", " 1.020"), 2, 3},
		{"twice, without a header", sent + sent, 2, 0},
	} {
		timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(test.text), hitrace.Options{}, reconstruct.Options{}))(t)
		if err := timeline.Validate(); err != nil || timeline.Counts().Frames != test.frames || totals.Problems.Lost() != test.lost {
			t.Errorf("%s: %v, %d lines lost; want %d frames, %d lines lost:\n%s", test.name, err, totals.Problems.Lost(), test.frames, test.lost, timeline)
		}
		taken := 0
		for _, f := range timeline.Frames {
			if f.Render != nil {
				taken++
			}
		}
		if taken > 1 {
			t.Errorf("%s: %d frames have one transaction", test.name, taken)
		}
	}
}
