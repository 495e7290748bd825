package stats_test

import (
	"encoding/json"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

func TestHangsOfProcesses(t *testing.T) {
	timeline := func() *analyzer.Timeline {
		x := twoApplications()
		x.Span = interval(1000, 3000)
		gallery := &analyzer.Process{PID: 300, Name: "without frames"}
		for _, f := range x.Frames {
			if f.Process.Name == "gallery" {
				gallery = f.Process
			}
		}
		x.Hangs = []analyzer.Hang{
			{Process: gallery, Interval: interval(1400, 1700)}, {Process: gallery, Interval: interval(2000, 2500)},
			{Process: &analyzer.Process{PID: 300, Name: "without frames"}, Interval: interval(1400, 2000)},
		}
		return x
	}
	of := func(x *analyzer.Timeline) (list []string) {
		for _, p := range stats.Compute(x, stats.Options{}).Processes {
			list = append(list, string(must.Get(json.Marshal(p.Hangs))(t)))
		}
		return list
	}
	const (
		two  = `{"hangs":2,"severe":1,"hang_ns":800000000,"hang_ms_per_s":400,"longest_ns":500000000}`
		one  = `{"hangs":1,"severe":1,"hang_ns":600000000,"hang_ms_per_s":300,"longest_ns":600000000}`
		none = `{"hangs":0,"severe":0,"hang_ns":0,"hang_ms_per_s":0,"longest_ns":0}`
	)
	// An application without frames has measures of its hangs alone.
	must.EqualSlices(t, of(timeline()), []string{two, none, one, "null"})
	p := stats.Compute(timeline(), stats.Options{Process: func(p *analyzer.Process) bool { return p.PID == 300 }}).Processes[0]
	if p.Name != "without frames" || p.Frames.Complete != 0 || p.FPS != nil || p.JankRate != nil || p.Hitches != nil || p.Durations != nil || p.Observed != nil || p.Lost != nil {
		t.Errorf("an application without frames is %+v", p)
	}
	android := timeline()
	android.Frames[len(android.Frames)-1].Android = &analyzer.Android{} // of notes
	must.EqualSlices(t, of(android), []string{two, "null", one, "null"})
	dump := timeline()
	dump.Dump = true
	must.EqualSlices(t, of(dump), []string{"null", "null", "null"})
}

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
