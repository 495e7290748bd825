package perfetto_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

const (
	app    = 4321
	second = 5432
	sf     = 321
)

// ms is a time in the trace: SurfaceFlinger's vsyncs are 10 ms apart.
func ms(n float64) uint64 { return 1_000_000_000_000 + uint64(n*1e6) }

// surface writes a frame's expected and actual slice.
func (r *recording) surface(cookie, token, display int64, pid int32, layer string, expected, actual [2]float64, v verdict) {
	if v.prediction == pb.FrameTimelineEvent_PREDICTION_VALID {
		r.event(ms(expected[0]), expectedSurface(cookie, token, display, pid, layer))
		r.end(ms(expected[1]), cookie)
	}
	r.event(ms(actual[0]), actualSurface(cookie+1, token, display, pid, layer, v))
	r.end(ms(actual[1]), cookie+1)
}

func (r *recording) display(cookie, token int64, expected, actual [2]float64, v verdict) {
	if v.prediction == pb.FrameTimelineEvent_PREDICTION_VALID {
		r.event(ms(expected[0]), expectedDisplay(cookie, token, sf))
		r.end(ms(expected[1]), cookie)
	}
	r.event(ms(actual[0]), actualDisplay(cookie+1, token, sf, v))
	r.end(ms(actual[1]), cookie+1)
}

func processTree() *pb.TracePacket {
	process := func(pid int32, command ...string) *pb.ProcessTree_Process {
		return &pb.ProcessTree_Process{Pid: &pid, Cmdline: command}
	}
	thread := func(tid, tgid int32, name string) *pb.ProcessTree_Thread {
		return &pb.ProcessTree_Thread{Tid: &tid, Tgid: &tgid, Name: &name}
	}
	return &pb.TracePacket{Timestamp: proto.Uint64(ms(0)), Data: &pb.TracePacket_ProcessTree{ProcessTree: &pb.ProcessTree{
		Processes: []*pb.ProcessTree_Process{
			process(app, "com.example.gallery", "--flag"), process(sf, "/system/bin/surfaceflinger"), process(7),
		},
		Threads: []*pb.ProcessTree_Thread{thread(app, app, "example.gallery"), thread(4400, app, "RenderThread"), thread(sf, sf, "surfaceflinger")},
	}}}
}

// An Android recording with a frame of every sort.
func androidRecording() *recording {
	r := &recording{}
	with := func(change func(*verdict)) verdict {
		v := fine
		change(&v)
		return v
	}
	r.packet(&pb.TracePacket{Timestamp: proto.Uint64(ms(0)), Data: &pb.TracePacket_ProcessTree{ProcessTree: &pb.ProcessTree{
		// The process is not yet what it will be.
		Processes: []*pb.ProcessTree_Process{{Pid: proto.Int32(app), Cmdline: []string{"zygote64"}}},
	}}})
	r.packet(processTree())

	// Two layers of one application, both on time, in one display frame.
	r.surface(1, 100, 101, app, "TX - gallery#10", [2]float64{10, 20}, [2]float64{11, 18}, fine)
	r.surface(3, 100, 101, app, "TX - popup#11", [2]float64{10, 20}, [2]float64{11.5, 19}, fine)
	r.display(5, 101, [2]float64{20, 30}, [2]float64{20.5, 30.25}, with(func(v *verdict) { v.delay = 0.25 }))

	// An application that is late and shown a vsync late. Its display frame is on time.
	r.surface(7, 102, 105, app, "TX - gallery#10", [2]float64{20, 30}, [2]float64{21, 36}, with(func(v *verdict) {
		v.jank, v.present, v.onTime, v.delay = analyzer.JankAppDeadlineMissed, pb.FrameTimelineEvent_PRESENT_LATE, false, 10
	}))
	r.display(9, 105, [2]float64{40, 50}, [2]float64{40.5, 50}, fine)

	// SurfaceFlinger too late on the GPU; then taken on another vsync.
	r.display(11, 107, [2]float64{50, 60}, [2]float64{50.5, 70}, with(func(v *verdict) {
		v.jank, v.present, v.onTime, v.gpu = analyzer.JankSFGPUDeadlineMissed, pb.FrameTimelineEvent_PRESENT_LATE, false, true
	}))
	scheduling := with(func(v *verdict) {
		v.jank, v.present = analyzer.JankSFScheduling|analyzer.JankSFCPUDeadlineMissed, pb.FrameTimelineEvent_PRESENT_LATE
		v.onTime = false
	})
	r.surface(13, 108, 109, second, "TX - second#20", [2]float64{50, 60}, [2]float64{51, 59}, with(func(v *verdict) {
		v.jank, v.present = analyzer.JankSFScheduling, pb.FrameTimelineEvent_PRESENT_LATE
	}))
	r.display(15, 109, [2]float64{70, 80}, [2]float64{75, 90}, scheduling)

	// Dropped; then an expired prediction. SurfaceFlinger invents its start, 2 ms before
	// the end, and does not know whether the frame was late.
	r.surface(17, 110, 111, app, "TX - gallery#10", [2]float64{70, 80}, [2]float64{71, 79}, with(func(v *verdict) {
		v.jank, v.present = analyzer.JankDropped, pb.FrameTimelineEvent_PRESENT_DROPPED
	}))
	r.surface(19, 60, 111, second, "TX - second#20", [2]float64{}, [2]float64{83, 85}, verdict{
		jank: analyzer.JankUnknown, present: pb.FrameTimelineEvent_PRESENT_UNKNOWN, prediction: pb.FrameTimelineEvent_PREDICTION_EXPIRED,
	})
	r.display(21, 111, [2]float64{80, 90}, [2]float64{80.5, 90.5}, fine)

	// A refresh that SurfaceFlinger skipped has no token. Nor has this layer.
	r.event(ms(100), actualDisplay(23, 0, sf, verdict{
		jank: analyzer.JankDropped, present: pb.FrameTimelineEvent_PRESENT_DROPPED, prediction: pb.FrameTimelineEvent_PREDICTION_VALID,
	}))
	r.end(ms(110), 23)
	r.event(ms(101), actualSurface(25, -1, -1, app, "TX - gallery#10", fine))
	r.end(ms(105), 25)

	// Not over when the trace ends, at 130.
	r.event(ms(120), actualSurface(27, 120, 121, app, "TX - gallery#10", fine))
	r.event(ms(110), expectedDisplay(29, 113, sf)) // of no frame
	r.end(ms(130), 29)
	r.end(ms(129), 999) // of no slice
	return r
}

func TestAndroid(t *testing.T) {
	timeline, stats := read(t, androidRecording().bytes)

	at := func(n float64) trace.Time { return trace.Time(ms(n)) }
	interval := func(start, end float64) analyzer.Interval { return analyzer.Interval{Start: at(start), End: at(end)} }
	const mainLate, gpuLate, misaligned = analyzer.MainLate, analyzer.GPULate, analyzer.Misaligned
	const truncated, dropped = analyzer.Truncated, analyzer.Dropped
	none := analyzer.Interval{}
	wants := []struct {
		kind             analyzer.Kind
		pid              trace.PID
		process, layer   string
		id               int64
		actual, expected analyzer.Interval
		facts            analyzer.Facts
		render           int64 // vsync id; zero if there is none
		present          float64
	}{
		{analyzer.ApplicationFrame, app, "com.example.gallery", "TX - gallery#10, TX - popup#11", 100, interval(11, 19), interval(10, 20), 0, 101, 0},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 101, interval(20.5, 30.25), interval(20, 30), 0, 0, 30.25},
		{analyzer.ApplicationFrame, app, "com.example.gallery", "TX - gallery#10", 102, interval(21, 36), interval(20, 30), mainLate, 105, 0},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 105, interval(40.5, 50), interval(40, 50), 0, 0, 50},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 107, interval(50.5, 70), interval(50, 60), gpuLate, 0, 70},
		{analyzer.ApplicationFrame, second, "", "TX - second#20", 108, interval(51, 59), interval(50, 60), misaligned, 109, 0},
		{analyzer.ApplicationFrame, app, "com.example.gallery", "TX - gallery#10", 110, interval(71, 79), interval(70, 80), dropped, 0, 0},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 109, interval(75, 90), interval(70, 80), misaligned | mainLate, 0, 90},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 111, interval(80.5, 90.5), interval(80, 90), 0, 0, 90.5},
		{analyzer.ApplicationFrame, second, "", "TX - second#20", 60, interval(83, 85), none, 0, 111, 0},
		{analyzer.RenderFrame, sf, "/system/bin/surfaceflinger", "", 0, interval(100, 110), none, dropped, 0, 0},
		{analyzer.ApplicationFrame, app, "com.example.gallery", "TX - gallery#10", 0, interval(101, 105), none, 0, 0, 0},
		{analyzer.ApplicationFrame, app, "com.example.gallery", "TX - gallery#10", 120, interval(120, 130), none, truncated, 0, 0},
	}
	if len(timeline.Frames) != len(wants) {
		t.Fatalf("%d frames, want %d:\n%s", len(timeline.Frames), len(wants), timeline)
	}
	for i, w := range wants {
		f := timeline.Frames[i]
		layers := strings.Join(f.LayerNames(), ", ")
		if f.Kind != w.kind || f.Process.PID != w.pid || f.Process.Name != w.process || layers != w.layer || f.VsyncID != w.id {
			t.Errorf("frame %d is %s of layers %q", i, f, layers)
		}
		if f.Actual != w.actual || f.Expected != w.expected || f.Vsync != w.expected.Start || f.Deadline != w.expected.End {
			t.Errorf("frame %d: times are %s", i, f)
		}
		must.Equal(t, f.Facts, w.facts, "frame %d: facts", i)
		var render int64
		if f.Render != nil {
			render = f.Render.VsyncID
		}
		must.Equal(t, render, w.render, "frame %d was taken by", i)
		if w.present == 0 && f.Present.Known() || w.present != 0 && f.Present != at(w.present) {
			t.Errorf("frame %d shown at %d, want %v ms", i, f.Present, w.present)
		}
		// SurfaceFlinger's frames are expected to end at 30, 50, 60, 80 and 90 ms: all
		// frames are near two that are 10 ms apart.
		must.Equal(t, f.Period, 10*trace.Millisecond, "frame %d: period", i)
	}
	if n := len(timeline.Frames[1].Applications); n != 1 {
		t.Errorf("display frame 101 took %d frames, want the one with both layers", n)
	}
	if stats.Ours || stats.Malformed != 0 {
		t.Errorf("%+v", stats)
	}
	must.Equal(t, timeline.Span, interval(10, 130), "span")
	gallery := timeline.Processes[2]
	if gallery.PID != app || len(gallery.Threads) != 2 || gallery.Threads[1] != (analyzer.Thread{TID: 4400, Name: "RenderThread"}) {
		t.Errorf("%+v", gallery)
	}
}

// Frames that are late, for each field that a packet may leave out.
func TestAndroidLate(t *testing.T) {
	for _, test := range []struct {
		name  string
		start *pb.FrameTimelineEvent
		end   float64 // expected is 10 to 20
		want  analyzer.Facts
	}{
		{"neither verdict nor jank, in time", surfaceSaying(nil, 0), 20, 0},
		{"neither verdict nor jank, late", surfaceSaying(nil, 0), 20.001, analyzer.MainLate},
		{"jank alone", surfaceSaying(nil, analyzer.JankAppDeadlineMissed), 25, analyzer.MainLate},
		{"another's jank alone", surfaceSaying(nil, analyzer.JankDisplayHAL), 25, 0},
		{"verdict against the times", surfaceSaying(proto.Bool(true), analyzer.JankNone), 25, 0},
		{"verdict alone", surfaceSaying(proto.Bool(false), 0), 25, analyzer.MainLate},
		{"late, and shown in time", surfaceSaying(proto.Bool(false), analyzer.JankNone), 25, analyzer.MainLate},
		{"stuffed", surfaceSaying(proto.Bool(true), analyzer.JankBufferStuffing), 25, 0},
	} {
		var r recording
		r.event(ms(10), expectedSurface(1, 5, 6, app, "layer"))
		r.end(ms(20), 1)
		r.event(ms(11), test.start)
		r.end(ms(test.end), 2)
		timeline, _ := read(t, r.bytes)
		must.Equal(t, timeline.Frames[0].Facts, test.want, "%s: facts", test.name)
	}
	// A display frame's end is its present time, and says nothing of its work.
	var r recording
	r.event(ms(10), expectedDisplay(1, 5, sf))
	r.end(ms(20), 1)
	r.event(ms(11), &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualDisplayFrameStart_{
		ActualDisplayFrameStart: &pb.FrameTimelineEvent_ActualDisplayFrameStart{Cookie: proto.Int64(2), Token: proto.Int64(5), Pid: proto.Int32(sf)},
	}})
	r.end(ms(20.5), 2)
	timeline, _ := read(t, r.bytes)
	if f := timeline.Frames[0]; f.Facts != 0 || f.Present != trace.Time(ms(20.5)) {
		t.Errorf("%s", f)
	}
}

// surfaceSaying returns the start of a frame with no other verdict than that.
func surfaceSaying(onTime *bool, jank analyzer.JankType) *pb.FrameTimelineEvent {
	e := actualSurface(2, 5, 6, app, "layer", fine)
	start := e.GetActualSurfaceFrameStart()
	start.OnTimeFinish, start.JankType, start.PresentType = onTime, nil, nil
	if jank != 0 {
		start.JankType = proto.Int32(int32(jank))
	}
	return e
}

// After a restart SurfaceFlinger counts from the beginning: the token of a
// display frame comes again.
func TestTokensComeAgain(t *testing.T) {
	var r recording
	for i, start := range []float64{10, 1000} {
		cookie := int64(10 * i)
		r.surface(cookie+1, 1, 2, app, "layer", [2]float64{start, start + 10}, [2]float64{start + 1, start + 9}, fine)
		r.display(cookie+3, 2, [2]float64{start + 10, start + 20}, [2]float64{start + 11, start + 20}, fine)
	}
	timeline, _ := read(t, r.bytes)
	for i := range 2 {
		a, d := timeline.Frames[2*i], timeline.Frames[2*i+1]
		if a.Render != d {
			t.Errorf("%s\nis not linked to\n%s", a, d)
		}
		// The expected intervals are those of the first frames.
		if first := i == 0; a.Expected.Known() != first || d.Expected.Known() != first {
			t.Errorf("%s is expected at %s, its render frame at %s", a, a.Expected, d.Expected)
		}
	}
}
