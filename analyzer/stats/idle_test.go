package stats_test

import (
	"fmt"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// drawing is a scene with one application, whose frames are on time and shown 20 ms after their
// vsync. The refresh period is 10 ms.
type drawing struct {
	scene
	app, service *analyzer.Process
}

func newDrawing() *drawing {
	d := &drawing{}
	d.app, d.service = d.process(100, "app"), d.process(1, "render_service")
	return d
}

// draw adds a frame of a vsync.
func (d *drawing) draw(vsync int) (app, render *analyzer.Frame) {
	app = d.scene.app(d.app, vsync, vsync, vsync+5, 0)
	render = d.render(d.service, vsync+10, vsync+10, vsync+12, 0)
	send(app, vsync+4, render)
	show(render, vsync+13, vsync+14, vsync+20)
	return app, render
}

// every adds a frame each so many milliseconds.
func (d *drawing) every(from, to, ms int) {
	for vsync := from; vsync <= to; vsync += ms {
		d.draw(vsync)
	}
}

// interaction adds a scene, or a launch.
func (d *drawing) interaction(kind analyzer.InteractionKind, explicit bool, from, to int) *analyzer.Interaction {
	i := &analyzer.Interaction{Kind: kind, Scene: "APP_LIST_FLING", Process: d.app, Begin: at(from), End: at(to), Observed: interval(from, to), Explicit: explicit}
	d.Interactions = append(d.Interactions, i)
	return i
}

// What is idle, by rule 9.6: frames are drawn on each vsync from 1000 to 1200 and from 2000 to
// 2200, 40 gaps in 400 ms, and what lies between is idle, or not. The gap is from 1220 to 2020, so
// without idle time there are 41 gaps in 1.2 s. For hitches, a time in which the main thread is blocked
// and no frame is due is idle as well (9.7).
func TestIdle(t *testing.T) {
	const idle, busy = "41 in 410ms", "41 in 1.2s"
	for _, test := range []struct {
		name                 string
		add                  func(d *drawing)
		application, service string
	}{
		{"nothing", func(*drawing) {}, idle, idle},
		{"a scene", func(d *drawing) { d.interaction(analyzer.SceneInteraction, true, 990, 2200) }, busy, busy},
		{"a scene of render_service", func(d *drawing) { d.interaction(analyzer.SceneInteraction, false, 990, 2230) }, idle, busy},
		{"a scene before", func(d *drawing) { d.interaction(analyzer.SceneInteraction, true, 990, 1900) }, idle, idle},
		{"a scene after", func(d *drawing) { d.interaction(analyzer.SceneInteraction, true, 1990, 2200) }, idle, idle},
		{"one scene before, one after", func(d *drawing) {
			d.interaction(analyzer.SceneInteraction, true, 990, 1200)
			d.interaction(analyzer.SceneInteraction, true, 1990, 2200)
		}, idle, idle},
		{"a scene without an end", func(d *drawing) { d.interaction(analyzer.SceneInteraction, true, 990, 2200).End = 0 }, idle, idle},
		{"a scene without a begin", func(d *drawing) { d.interaction(analyzer.SceneInteraction, true, 990, 2200).Begin = 0 }, idle, idle},
		{"a launch", func(d *drawing) { d.interaction(analyzer.LaunchInteraction, true, 990, 2200) }, idle, idle},
		{"empty frames", func(d *drawing) {
			for vsync := 1210; vsync < 2000; vsync += 10 {
				d.scene.app(d.app, vsync, vsync, vsync+5, analyzer.Empty)
				d.render(d.service, vsync+10, vsync+10, vsync+12, analyzer.Empty)
			}
		}, idle, idle},
		// From 1500 to 1700 the thread works, and what it sends is never taken.
		{"a frame that is not shown", func(d *drawing) { send(d.scene.app(d.app, 1500, 1500, 1700, analyzer.MainLate), 1690, nil) }, "41 in 610ms", idle},
		{"an empty frame that is late", func(d *drawing) { d.scene.app(d.app, 1500, 1500, 1700, analyzer.Empty|analyzer.MainLate) }, "41 in 610ms", idle},
		// From 1210 to 1300 and from 1700 to 1790: both are shorter than 95 ms, which with one period
		// is the bound and half a period.
		{"frames that leave no pause", func(d *drawing) {
			for vsync := 1300; vsync < 2000; vsync += 90 {
				send(d.scene.app(d.app, vsync, vsync, vsync+5, 0), vsync+4, nil)
			}
		}, busy, idle},
		{"a hang", func(d *drawing) {
			d.Hangs = append(d.Hangs, analyzer.Hang{Process: d.app, Interval: interval(1500, 1800)})
		}, "41 in 710ms, hitches in 410ms", idle},
		{"a main thread that is blocked", func(d *drawing) {
			d.Blocks = append(d.Blocks, analyzer.Block{Process: d.app, Interval: interval(1500, 1700)})
		}, "41 in 610ms, hitches in 410ms", idle},
		// It is shown, but when is unknown: its vsync is 1500, and render_service's next one 1520.
		{"a frame without a present time", func(d *drawing) { _, r := d.draw(1500); r.Present = 0 }, "41 in 430ms", "41 in 430ms"},
	} {
		d := newDrawing()
		d.every(1000, 1200, 10)
		d.every(2000, 2200, 10)
		test.add(d)
		d.ShowInteractions()
		for kind, want := range map[stats.Kind]string{stats.Application: test.application, stats.RenderService: test.service} {
			p := measured(t, &d.scene, kind)
			gaps := p.FPS.Frames - 1
			active := trace.Duration(float64(gaps) / *p.FPS.Rate * 1e9 + .5)
			got := fmt.Sprintf("%d in %s", gaps, active)
			if h := p.Hitches; h.Gaps == gaps && h.Time-h.Idle != active {
				got += fmt.Sprintf(", hitches in %s", h.Time-h.Idle)
			}
			must.Equal(t, got, want, "%s: %s", test.name, kind)
		}
	}
}

// A steady application without scenes, by how many refreshes it draws a frame.
func TestCadence(t *testing.T) {
	for _, test := range []struct {
		name     string
		period   int // ms
		every    int // periods
		fps      string
		cadence  string
		hitching string
	}{
		{"each vsync", 10, 1, "100.00", "1 of 100 Hz", "0"},
		{"every third", 10, 3, "33.33", "3 of 100 Hz", "0"},
		{"10 frames a second", 10, 10, "10.00", "10 of 100 Hz", "0"},
		{"9 frames a second", 10, 11, "null", "null", "null"},
		{"one frame a second", 10, 100, "null", "null", "null"},
		{"6 periods are more than 100 ms", 20, 6, "8.33", "6 of 50 Hz", "0"},
		{"7 periods are a pause", 20, 7, "null", "null", "null"},
		{"a panel at 1 Hz", 1000, 1, "1.00", "1 of 1 Hz", "0"},
		{"a panel at 1 Hz, too long", 1004, 1, "1.00", "1 of 1 Hz", "0"},
	} {
		d := newDrawing()
		for n := range 20 {
			app, render := d.draw(1000 + n*test.every*test.period)
			app.Period, render.Period = trace.Duration(test.period)*ms, trace.Duration(test.period)*ms
			app.Deadline, render.Vsync = app.Vsync.Add(app.Period), app.Vsync.Add(app.Period)
			render.Present = render.Vsync.Add(app.Period)
		}
		for _, kind := range []stats.Kind{stats.Application, stats.RenderService} {
			p := measured(t, &d.scene, kind)
			fps, cadence, hitching := "null", "null", "null"
			if p.FPS.Rate != nil {
				fps = fmt.Sprintf("%.2f", *p.FPS.Rate)
			}
			if c := p.FPS.Cadence; c != nil {
				cadence = fmt.Sprintf("%d of %d Hz", c.Every, c.Refresh)
			}
			if p.Hitches.Ratio != nil {
				hitching = fmt.Sprint(*p.Hitches.Ratio)
			}
			if fps != test.fps || cadence != test.cadence || hitching != test.hitching {
				t.Errorf("%s: %s FPS, every %s, hitches %s; want %s, %s, %s", test.name, fps, cadence, hitching, test.fps, test.cadence, test.hitching)
			}
		}
	}
}

// If the display's rate falls with the application's, nothing is lost.
func TestCadenceFollowsDisplay(t *testing.T) {
	d := newDrawing()
	d.every(1000, 1490, 10)
	for vsync := 1500; vsync <= 3500; vsync += 20 {
		app, render := d.draw(vsync)
		app.Period, render.Period = 20*ms, 20*ms
		app.Deadline, render.Vsync, render.Present = at(vsync+20), at(vsync+20), at(vsync+40)
	}
	for _, kind := range []stats.Kind{stats.Application, stats.RenderService} {
		p := measured(t, &d.scene, kind)
		if c := p.FPS.Cadence; c.Every != 1 || c.Refresh != 50 || *p.FPS.OfRefresh < .99 || p.Hitches.Hitches != 0 {
			t.Errorf("%s: %+v, %g of the refreshes, %d hitches", kind, c, *p.FPS.OfRefresh, p.Hitches.Hitches)
		}
	}
}
