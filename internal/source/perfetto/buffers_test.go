package perfetto_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

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
