package perfetto_test

import (
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	pb "ohframe/internal/perfettopb"
)

// The frames of Perfetto's own tests of frame timelines, as facts: which slices there
// are, when, and what is said of them. All tests are in one recording, each with
// processes and tokens of its own, so that the engine loads one trace.

var (
	unsevere = pb.FrameTimelineEvent_SEVERITY_UNKNOWN.Enum()
	partial  = pb.FrameTimelineEvent_SEVERITY_PARTIAL.Enum()
)

// jank returns a verdict with a jank type, of unknown severity.
func jank(types analyzer.JankType, present pb.FrameTimelineEvent_PresentType, prediction pb.FrameTimelineEvent_PredictionType, onTime bool) verdict {
	return verdict{jank: types, present: present, prediction: prediction, onTime: onTime, severe: unsevere}
}

// suite returns the recording of all tests.
func suite() *recording {
	m := &made{}
	process := func(pid int32, name string) *pb.ProcessTree_Process {
		return &pb.ProcessTree_Process{Pid: &pid, Ppid: proto.Int32(1), Cmdline: []string{name}}
	}
	m.packet(&pb.TracePacket{Timestamp: proto.Uint64(0), Data: &pb.TracePacket_ProcessTree{ProcessTree: &pb.ProcessTree{Processes: []*pb.ProcessTree_Process{
		process(1001, "process1"), process(1002, "process2"), process(1003, "process3"), process(1004, "process4"),
		process(2001, "com.android.systemui"), process(2002, "/system/bin/surfaceflinger"),
		process(5001, "com.android.systemui"), process(5002, "com.google.android.apps.nexuslauncher"),
	}}}})
	for i, record := range []func(m *made){frameTimelineEvents, powerModeChange, metric, perFrame, jankCUJ, differentUIThread} {
		m.tokens, m.app, m.sf = int64(i+1)*1_000_000, 0, 0
		record(m)
	}
	return &m.recording
}

// GraphicsParser:actual_frame_timeline_events and expected_frame_timeline_events.
func frameTimelineEvents(m *made) {
	m.app, m.sf = 1000, 666
	m.expectDisplay(2, 20, 26) // of no application
	m.actualDisplay(2, 20, 26, fine)
	m.expectDisplay(4, 40, 46)
	m.actualDisplay(4, 42, 47, fine)
	m.expectSurface(1, 4, 21, 36)
	m.actualSurface(1, 4, "Layer1", 21, 37, fine)
	m.expectDisplay(6, 80, 86)
	m.actualDisplay(6, 81, 88, fine)
	m.expectSurface(5, 6, 41, 56)
	m.actualSurface(5, 6, "Layer1", 41, 74, appLate)
	scheduling := jank(analyzer.JankSFScheduling, early, valid, true)
	m.expectDisplay(8, 120, 126)
	m.actualDisplay(8, 108, 112, scheduling)
	m.expectSurface(7, 8, 90, 106)
	m.actualSurface(7, 8, "Layer1", 90, 106, scheduling)
	m.expectDisplay(12, 140, 146)
	m.actualDisplay(12, 148, 156, jank(analyzer.JankSFCPUDeadlineMissed|analyzer.JankSFScheduling, presentLate, valid, false))
	m.expectDisplay(15, 170, 176) // took two layers
	m.actualDisplay(15, 170, 176, fine)
	for _, layer := range []string{"Layer1", "Layer2"} {
		m.expectSurface(14, 15, 150, 170)
		m.actualSurface(14, 15, layer, 150, 167, fine)
	}
	m.expectDisplay(17, 200, 206) // took a frame of unknown expectation
	m.actualDisplay(17, 200, 206, fine)
	expiredFrame := jank(analyzer.JankUnknown, notKnown, expired, false)
	expiredFrame.severe = partial
	m.actualSurface(16, 17, "Layer1", 80, 190, expiredFrame)
	// Two frames with one token and the same cookies. The first frame's events have no end.
	for _, v := range []verdict{jank(analyzer.JankSFStuffing, presentLate, valid, false), jank(analyzer.JankDropped, dropped, 0, false)} {
		m.event(220, expectedDisplay(-1, m.token(18), m.sf))
		m.event(245, actualDisplay(-2, m.token(18), m.sf, v))
	}
	for range 2 {
		m.end(230, -1)
		m.end(260, -2)
	}
}

// GraphicsParser:display_power_mode_change. The application's frame starts after the
// display frame that took it.
func powerModeChange(m *made) {
	m.app, m.sf = 3000, 3666
	power := jank(analyzer.JankDisplayPowerModeChange, onTime, valid, true)
	m.expectDisplay(1, 100, 110)
	m.actualDisplay(1, 100, 110, power)
	m.expectSurface(2, 1, 120, 130)
	m.actualSurface(2, 1, "Layer1", 120, 135, power)
	m.expectDisplay(3, 140, 150)
	m.actualDisplay(3, 140, 150, jank(analyzer.JankNonAnimating, onTime, valid, true))
	m.expectDisplay(4, 160, 170)
	m.actualDisplay(4, 160, 170, jank(analyzer.JankDisplayNotOn, onTime, valid, true))
}

// FrameTimeline:android_frame_timeline_metric: predictions, and nothing expected. Times
// are in half milliseconds.
func metric(m *made) {
	const half = 500_000
	for _, f := range []struct {
		pid        int32
		token      int64
		start, end int64
		v          verdict
	}{
		{1002, 201, 42, 74, fine},
		{1002, 202, 62, 94, jank(analyzer.JankAppDeadlineMissed, onTime, valid, true)}, // two layers
		{1002, 202, 64, 80, jank(analyzer.JankAppDeadlineMissed, onTime, valid, true)},
		{1001, 101, 82, 148, jank(analyzer.JankAppDeadlineMissed, presentLate, valid, false)},
		{1001, 102, 82, 150, jank(analyzer.JankAppDeadlineMissed|analyzer.JankBufferStuffing, presentLate, valid, false)},
		{1003, 301, 162, 190, jank(analyzer.JankSFCPUDeadlineMissed, presentLate, valid, false)},
		{1003, 302, 180, 192, jank(analyzer.JankDropped, dropped, valid, false)},
		{1004, 402, 20, 24, jank(analyzer.JankSFStuffing, dropped, valid, false)},
		{1004, 502, 25, 28, jank(analyzer.JankSFScheduling, dropped, valid, false)},
		{1004, 602, 29, 30, jank(analyzer.JankSFCPUDeadlineMissed, dropped, valid, false)},
		{1004, 702, 31, 32, jank(analyzer.JankSFGPUDeadlineMissed, dropped, valid, false)},
		{1004, 802, 33, 34, jank(analyzer.JankSFScheduling|analyzer.JankSFStuffing, dropped, valid, false)},
	} {
		m.app = f.pid
		m.actualSurface(f.token, f.token+10, "Layer1", f.start*half, f.end*half, f.v)
	}
}

// unpredicted is a frame without fault whose prediction is unknown.
var unpredicted = verdict{jank: analyzer.JankNone, present: onTime, prediction: noToken, onTime: true}

// AndroidMetrics:android_blocking_calls_cuj_per_frame: expected slices of frames with
// unknown predictions. Times are in milliseconds; all have 16 to be done.
func perFrame(m *made) {
	for _, f := range []struct {
		pid         int32
		token       int64
		layer       string
		start, took int64
	}{
		{5001, 15, "TX - first_layer#0", 10, 16}, {5001, 20, "TX - first_layer#0", 27, 7}, {5001, 22, "TX - first_layer#0", 44, 7},
		{5001, 24, "TX - first_layer#0", 61, 6}, {5001, 65, "TX - third_layer#2", 85, 6},
		{5002, 75, "TX - second_layer#1", 104, 16}, {5002, 80, "TX - second_layer#1", 121, 7}, {5002, 82, "TX - second_layer#1", 139, 6},
	} {
		m.app = f.pid
		m.expectSurface(f.token, f.token+100, f.start*1e6, (f.start+16)*1e6)
		m.actualSurface(f.token, f.token+100, f.layer, f.start*1e6, (f.start+f.took)*1e6, unpredicted)
	}
}

// AndroidMetrics:android_jank_cuj: unknown predictions, frames of several layers, one
// of them taken by two display frames, and one that begins at time 0. Times are in
// tenths of a millisecond.
func jankCUJ(m *made) {
	m.app, m.sf = 2001, 2002
	const tenth = 100_000
	janky := func(types analyzer.JankType) verdict {
		if types == 0 {
			return unpredicted
		}
		return jank(types, presentLate, noToken, false)
	}
	for _, d := range []struct {
		token, start, expected, actual int64
		jank                           analyzer.JankType
	}{
		{110, 10000, 160, 160, 0}, {120, 10160, 200, 100, 0}, {130, 10320, 160, 160, 0}, {140, 10480, 160, 160, 0},
		{160, 10700, 160, 160, 0}, {190, 11000, 160, 160, 0}, {200, 12000, 160, 320, analyzer.JankSFCPUDeadlineMissed},
	} {
		m.expectDisplay(d.token, d.start*tenth, (d.start+d.expected)*tenth)
		m.actualDisplay(d.token, d.start*tenth, (d.start+d.actual)*tenth, janky(d.jank))
	}
	expected := map[int64]bool{}
	surface := func(token, expectedStart, start, took int64, v verdict, display int64, layer string) {
		if !expected[token] {
			expected[token] = true
			length := int64(200)
			if token == 10 {
				length = 160
			}
			m.expectSurface(token, token+100, expectedStart*tenth, (expectedStart+length)*tenth)
		}
		if took > 0 {
			m.actualSurface(token, display, layer, start*tenth, (start+took)*tenth, v)
		}
	}
	const missed, shade = analyzer.JankAppDeadlineMissed, "TX - NotificationShade#0"
	surface(10, 0, 0, 160, janky(0), 110, shade)
	surface(20, 80, 80, 280, janky(missed|analyzer.JankSFScheduling), 120, shade)
	surface(30, 300, 300, 250, janky(missed), 130, shade)
	surface(40, 400, 400, 400, janky(missed), 140, shade)
	surface(60, 700, 700, 100, janky(missed), 160, shade)
	surface(60, 700, 700, 200, janky(missed), 190, shade)
	surface(90, 1000, 1000, 230, janky(missed), 190, shade)
	surface(100, 2000, 2000, 220, janky(analyzer.JankSFGPUDeadlineMissed|analyzer.JankSFScheduling), 200, shade)
	surface(110, 3000, 3000, 610, janky(0), 210, shade)
	surface(110, 3000, 3000, 800, janky(missed), 210, "TX - JankyLayer#1")
	stuffed := janky(analyzer.JankBufferStuffing)
	stuffed.onTime = true
	surface(120, 4000, 4000, 610, stuffed, 220, shade)
	surface(130, 5000, 5000, 20, janky(0), 230, shade)
	surface(130, 5000, 5500, 60, janky(missed), 230, shade)
	surface(140, 6000, 6086, 170, janky(missed), 240, shade)
	surface(145, 6500, 6500, 200, janky(analyzer.JankSFStuffing), 245, shade)
	surface(150, 7000, 7005, 145, janky(0), 250, shade)
	surface(160, 8000, 0, 0, verdict{}, 0, "") // nothing was drawn
	surface(1000, 11000, 11000, 5000, janky(missed), 1100, shade)
}

// AndroidMetrics:android_blocking_calls_cuj_different_ui_thread: frames at time 0.
func differentUIThread(m *made) {
	m.app = 4000
	for _, token := range []int64{10, 20} {
		m.expectSurface(token, token+100, 0, 16_000_000)
		m.actualSurface(token, token+100, "TX - some_layer#0", 0, 16_000_000, unpredicted)
	}
}
