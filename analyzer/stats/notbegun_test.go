package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

// A frame that never began makes the next one due a refresh period earlier: a hitch of the application and of
// render_service, for which no frame is late (docs/frames.md 3.12).
func TestNotBegun(t *testing.T) {
	d := newDrawing()
	d.every(1000, 1050, 10)
	after, _ := d.draw(1080)
	d.every(1090, 1140, 10)
	after.NotBegun, after.Held = 2, interval(1056, 1073)
	for _, kind := range []stats.Kind{stats.Application, stats.RenderService} {
		p := measured(t, &d.scene, kind)
		must.Equal(t, p.Frames.Late, 0)
		must.Equal(t, p.Hitches.Hitches, 1)
		must.Equal(t, p.Hitches.Hitch, 20*ms)
		must.Equal(t, p.Hitches.LostFrames, 2)
		if kind == stats.RenderService {
			must.Equal(t, p.NotBegun, nil)
			continue
		}
		n := *p.NotBegun
		must.Equal(t, *n.Rate, 2.0/15) // of 13 frames and 2
		n.Rate = nil
		must.Equal(t, n, stats.NotBegun{Frames: 2, Time: 20 * ms, Longest: 20 * ms, Wanted: 15})
		must.Equal(t, *p.Lost, 13*ms) // from 1060 to 1073
	}
	after.NotBegun, after.Held = 0, analyzer.Interval{}
	must.Equal(t, measured(t, &d.scene, stats.Application).Hitches.Hitches, 0)
}
