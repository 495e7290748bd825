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
	"ohframe/internal/testing/must"
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

// app adds a marker of the application's main thread.
func (u *userTrace) app(ms float64, marker string) *userTrace { return u.line(ms, 200, 200, marker) }

// mark adds a marker of no length.
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
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{}))(t)
	must.Do(t, timeline.Validate())
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

func TestInteractions(t *testing.T) { eachCase(t, "interactions", described) }

func TestLaunches(t *testing.T) { eachCase(t, "launches", described) }

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
		must.Equal(t, described(timeline), c.want, "from %d to %d", c.from, c.to)
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
	want := "scene 2 APP_LIST_FLING of 200 e.of.a.demo.app begin_cut end_cut not_shown"
	must.Equal(t, described(timeline), want)
}
