package perfetto_test

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	pb "ohframe/internal/perfettopb"
)

// lifeOf returns a buffer's frame, fate and times.
func lifeOf(b *analyzer.Buffer) string {
	return fmt.Sprintf("%d %s %d %d %d", b.Frame.VsyncID, b.Fate, b.Queued, b.Acquired, b.Present)
}

// The surface frames with one name and process are a layer, and each is a buffer. A dropped
// one has no times: its surface frame ends when it was dropped.
func TestBuffers(t *testing.T) {
	m := &made{}
	early := verdict{jank: analyzer.JankUnknown, present: notKnown, prediction: expired}
	m.actualSurface(2, 100, "TX - main#1", 10, 20, fine)
	m.actualSurface(2, 100, "TX - popup#2", 11, 22, fine)
	m.actualDisplay(100, 25, 40, fine)
	m.actualSurface(4, 102, "TX - main#1", 30, 50, layerDropped)
	m.actualSurface(6, 102, "TX - main#1", 40, 60, early)
	m.actualDisplay(102, 55, 70, fine) // taken before it is drawn
	m.actualSurface(8, 104, "TX - main#1", 70, 80, fine)
	m.actualDisplay(104, 85, 100, verdict{jank: analyzer.JankDropped, present: dropped, prediction: valid})
	m.actualSurface(10, 106, "TX - main#1", 90, 95, fine) // the trace has no display frame 106
	m.actualSurface(12, 108, "TX - main#1", 96, 97, early)
	m.actualSurface(14, 110, "", 100, 105, fine)
	m.slice(100, 105, func(cookie int64) *pb.FrameTimelineEvent { // moved, with the buffer of before
		e := actualSurface(cookie, 16, 110, app, "TX - main#1", fine)
		e.GetActualSurfaceFrameStart().IsBuffer = proto.Bool(false)
		return e
	})
	m.slice(100, 105, func(cookie int64) *pb.FrameTimelineEvent { // another process's
		e := actualSurface(cookie, 18, 110, second, "TX - main#1", fine)
		e.GetActualSurfaceFrameStart().IsBuffer = nil
		return e
	})
	m.actualDisplay(110, 110, 120, fine)
	m.actualSurface(20, 112, "TX - main#1", 115, unfinished, fine)
	timeline, _ := read(t, m.bytes)
	var got []string
	for _, l := range timeline.Layers {
		got = append(got, fmt.Sprintf("layer %d %s of %d", l.ID, l.Name, l.Process.PID))
		for _, b := range l.Buffers {
			got = append(got, lifeOf(b))
		}
	}
	want := []string{
		"layer 1 TX - main#1 of 4321",
		"2 shown 20 25 40",
		"4 dropped 0 0 0",
		"6 shown 60 0 70",
		"8 shown 80 85 0",
		"10 shown 95 0 0",
		"12 waiting 97 0 0",
		"20 shown 0 0 0",
		"layer 2 TX - popup#2 of 4321",
		"2 shown 22 25 40",
		"layer 3 TX - main#1 of 5432",
		"18 shown 105 110 120",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if b := timeline.Layers[0].Buffers[0]; b.Frame != timeline.Frames[0] || b.Render != b.Frame.Render {
		t.Errorf("of %s, taken by %s", b.Frame, b.Render)
	}
	// Cut at 70: only buffers with a time from there on are left.
	timeline.Cut(70, trace.MaxTime)
	if n := len(timeline.Layers[0].Buffers); n != 5 || len(timeline.Layers) != 2 {
		t.Errorf("%d buffers of %d layers after 70, want those of 6 to 20 and two layers", n, len(timeline.Layers))
	}
}

// Buffers of Android are early and late by the layer's cadence. The verdicts on frames are
// SurfaceFlinger's.
func TestBuffersPace(t *testing.T) {
	const period = 10 * trace.Millisecond
	m := &made{}
	vsync := int64(1_000_000_000)
	// A frame at every second vsync; the fifth comes one vsync late, without a prediction.
	for i := range int64(10) {
		shown := vsync + i*int64(2*period)
		v, late := fine, int64(0)
		if i == 4 {
			v, late = verdict{jank: analyzer.JankUnknown, present: notKnown, prediction: expired}, int64(period)
		}
		m.actualSurface(2*i+2, 2*i+3, "TX - video#1", shown-int64(2*period)+late, shown-int64(period)-1000+late, v)
		m.expectDisplay(2*i+3, shown-int64(period)+late, shown+late)
		m.actualDisplay(2*i+3, shown-int64(period)+late, shown+late, fine)
		m.expectDisplay(1000+i, shown, shown+int64(period)) // of the vsync between
		if i != 4 {
			m.actualDisplay(1000+i, shown, shown+int64(period), fine)
		}
	}
	timeline, _ := read(t, m.bytes)
	layer := stats.Compute(timeline, stats.Options{}).Layers[0]
	if layer.Cadence == nil || *layer.Cadence != 20 || layer.Judged != 9 || *layer.Late != 1 || *layer.Early != 1 || *layer.FPS != 50 {
		t.Errorf("%+v, want a cadence of 20 ms, 50 FPS, one late and one early of 9", layer)
	}
	b := timeline.Layers[0].Buffers[4]
	if b.Pace != analyzer.Late || b.Deadline != b.Acquired.Add(-period) || b.Overrun() != period {
		t.Errorf("%s: deadline %d, taken at %d", b.Pace, b.Deadline, b.Acquired)
	}
	if b.Frame.Deadline.Known() || b.Frame.Late() || b.Frame.Judged() {
		t.Errorf("%s was judged by its buffer", b.Frame)
	}
}
