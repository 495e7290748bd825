package stats

import (
	"math"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// video returns a layer with a buffer every 30 ms, which are in the queue for 1, 2, … ms. The
// rest are the fates and paces of the buffers: "s" shown on time, "l" late, "o" long, "e"
// early, "d" dropped, "w" waiting.
func video(from int, buffers string) *analyzer.Layer {
	const ms = trace.Millisecond
	l := &analyzer.Layer{Name: "video", Cadences: []analyzer.Cadence{{Every: 30 * ms, Buffers: 1, Shown: 1}}}
	at := trace.Time(0).Add(trace.Duration(from) * ms)
	last := trace.Time(0)
	for i, c := range buffers {
		b := &analyzer.Buffer{Layer: l, Queued: at, Acquired: at.Add(trace.Duration(i+1) * ms), Fate: analyzer.Shown, Present: at.Add(50 * ms)}
		switch c {
		case 's':
			b.Pace = analyzer.Even
		case 'l':
			b.Pace = analyzer.Late
		case 'o':
			b.Pace = analyzer.Long
		case 'e':
			b.Pace = analyzer.Early
		case 'd':
			b.Fate, b.Present = analyzer.Discarded, 0
		case 'w':
			b.Fate, b.Present = analyzer.Waiting, 0
		}
		l.Buffers = append(l.Buffers, b)
		if b.Present.Known() {
			if last.Known() {
				b.Interval = b.Present.Sub(last)
			}
			last = b.Present
		}
		at = at.Add(30 * ms)
	}
	return l
}

func equal(x *float64, want float64) bool {
	return x == nil && math.IsNaN(want) || x != nil && math.Abs(*x-want) < 1e-9
}

// The measures of a layer by hand, and those of two layers together: no interval is between
// buffers of different layers.
func TestLayerMeasures(t *testing.T) {
	report := func(layers ...*analyzer.Layer) []*Layer {
		return Compute(&analyzer.Timeline{Layers: layers}, Options{}).Layers
	}
	list := report(video(1000, "slsdse"), video(2000, "solw"))
	joined := JoinLayers(list)
	unknown := math.NaN()
	for name, want := range map[string][3]float64{
		// Five presents at 0, 30, 60, 120 and 150 ms: four intervals of 150 ms. Three at 0, 30
		// and 60: two of 60 ms.
		"fps":          {4 / .15, 2 / .06, 6 / .21},
		"uneven":       {2. / 5, 2. / 3, 4. / 8},
		"late":         {1. / 5, 1. / 3, 2. / 8},
		"dropped":      {1. / 6, 0, 1. / 9},
		"queue_p50_ms": {3, 2, 3}, // 1 to 6; 1 to 4; the 5th of 1 1 2 2 3 3 4 4 5 6
		"queue_p95_ms": {unknown, unknown, unknown},
		"longest_ms":   {60, 30, 60},
		"gpu_p50_ms":   {unknown, unknown, unknown},
	} {
		m := LayerMeasures.Named(name)
		for i, l := range []*Layer{list[0], list[1], joined} {
			if got := m.Value(l); !equal(got, want[i]) {
				t.Errorf("%s of layer %d: %v, want %g", name, i, got, want[i])
			}
		}
	}
	if joined.Buffers != 10 || joined.Waiting != 1 || joined.Shown != 8 || joined.Dropped != 1 || JoinLayers(list[:1]) != list[0] {
		t.Errorf("together %+v", joined)
	}
	// A layer without any decided buffer has no rate.
	if l := report(video(0, "ww"))[0]; l.DroppedRate != nil || l.FPS != nil || l.UnevenRate != nil {
		t.Errorf("%+v", l)
	}
	// A pause is no interval, and no part of the frame rate.
	paused := video(1000, "sss")
	paused.Buffers[2].Pace, paused.Buffers[2].Interval = analyzer.Unpaced, 0
	if l := report(paused)[0]; !equal(l.FPS, 1/.03) {
		t.Errorf("%g FPS with a pause", *l.FPS)
	}
	if LayerMeasures.Named("jank_rate") != nil {
		t.Error("layers have a jank rate")
	}
}
