package causes

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// Only the pictures of an application count if it was asked for, whoever made render_service late: here
// the drawing for a picture of the first one, after which a picture of each came late. A frame of the
// second one was late itself by one vsync, so that half of its 20 ms are its own. Without a choice, those of the
// one that lost the most count.
func TestSummaryOfPictures(t *testing.T) {
	first, second := &analyzer.Process{PID: 10, Name: "com.example.first"}, &analyzer.Process{PID: 20, Name: "com.example.second"}
	service := &analyzer.Process{PID: 30, Name: "render_service"}
	var list []*why.Explanation
	frame := func(p *analyzer.Process, vsync int64, overrun trace.Duration) *analyzer.Frame {
		e := late(p, vsync, trace.Duration(vsync)*10_000, 5_000, overrun)
		if overrun == 0 {
			e.Outcome, e.Frame.Facts = why.NotLate, 0
		} else {
			e.Shares = []why.Share{storage(8_000, overrun)}
		}
		e.Frame.Period, e.Frame.Expected = 10*trace.Millisecond, analyzer.Interval{Start: at(trace.Duration(vsync) * 10_000), End: at(trace.Duration(vsync+1) * 10_000)}
		if p == service {
			e.Frame.Kind = analyzer.RenderFrame
		}
		list = append(list, e)
		return e.Frame
	}
	picture := func(p *analyzer.Process, vsync int64, overrun trace.Duration, root *analyzer.Frame, shares ...why.Share) *analyzer.Frame {
		f := frame(p, vsync, overrun)
		missed := int64(0)
		if overrun > 0 {
			missed = 1
			f.Facts |= analyzer.Misaligned
		}
		f.Render = frame(service, vsync+1+missed, 0)
		if len(shares) > 0 {
			list[len(list)-1].Shown = &why.Explanation{Lost: 10 * trace.Millisecond, Shares: shares, Root: root}
		}
		return f.Render
	}
	draw := why.Share{Stage: why.StageDraw, Wait: why.Run, Slice: "Blur", Share: 10 * trace.Millisecond}
	busy := why.Share{Stage: why.StageDisplay, Wait: why.WaitFence, Share: 10 * trace.Millisecond}
	root := picture(first, 101, 0, nil, draw)
	busy.Earlier = root
	before := picture(second, 102, 0, root, busy)
	busy.Earlier = before
	picture(first, 103, 0, root, busy)
	picture(second, 110, 3_000, nil)
	tl, c := timeline(list...)
	for _, test := range []struct{ process, want string }{
		{"", "com.example.second: 1 of 2 frames late, 3.0 ms lost, 100 % of it waiting for storage in FlushLayoutTask (io_schedule)\n" +
			"Its pictures came 20.0 ms late in all: 10.0 by the application, 10.0 shown late (1 frame)\n" +
			"render_service showed 1 of its pictures late, by 10.0 ms in all, 100 % of it running in Blur [drawing]"},
		{"first", "com.example.first: 0 of 2 frames late\nrender_service showed 2 of its pictures late, by 20.0 ms in all, 100 % of it running in Blur [drawing]"},
		{"second", "com.example.second: 1 of 2 frames late, 3.0 ms lost, 100 % of it waiting for storage in FlushLayoutTask (io_schedule)\n" +
			"Its pictures came 20.0 ms late in all: 10.0 by the application, 10.0 shown late (1 frame)\n" +
			"render_service showed 1 of its pictures late, by 10.0 ms in all, 100 % of it running in Blur [drawing]"},
	} {
		o := Options{}
		if test.process != "" {
			o.Process, o.Pattern = func(p *analyzer.Process) bool { return strings.HasSuffix(p.Name, test.process) }, test.process
		}
		in := Input{Name: "trace.ftrace", Causes: c, Processes: Processes(tl, c, o)}
		_, said, _ := Summary(&in)
		must.Equal(t, strings.Join(append([]string{said.Summary}, said.Sentences...), "\n"), test.want, "%q", test.process)
		d := (&builder{Options: o, in: &in}).document()
		must.Equal(t, strings.Join(append([]string{d.Answer}, d.Sentences...), "\n"), test.want, "%q: the document", test.process)
	}
}

// Applications whose frames are not judged come before a render_service that was on time, and after a late one.
func TestSummaryOfUnjudged(t *testing.T) {
	const unjudged, onTime = "com.example.web: no frame is judged: deadlines are unknown", "com.example.app: 0 of 1 frame late"
	for _, test := range []struct {
		overrun     trace.Duration // of the frame of render_service
		application bool           // another one, on time
		want        string
	}{
		{0, false, unjudged + "\nrender_service: 0 of 1 frame late"},
		{3_000, false, "render_service: 1 of 1 frame late, 3.0 ms lost, 100 % of it waiting for storage in FlushLayoutTask (io_schedule)\n" + unjudged},
		{0, true, onTime},
	} {
		var list []*why.Explanation
		for i, name := range []string{"render_service", "com.example.web", "com.example.app"} {
			e := late(&analyzer.Process{PID: trace.PID(i + 1), Name: name}, 7, 10_000, 5_000, test.overrun)
			switch {
			case i == 0:
				e.Frame.Kind = analyzer.RenderFrame
				e.Shares = []why.Share{storage(8_000, test.overrun)}
			case i == 1:
				e.Frame.Deadline = 0
			case !test.application:
				continue
			}
			if i > 0 || test.overrun == 0 {
				e.Outcome, e.Frame.Facts = why.NotLate, 0
			}
			list = append(list, e)
		}
		tl, c := timeline(list...)
		in := Input{Name: "trace.ftrace", Causes: c, Processes: Processes(tl, c, Options{})}
		_, said, _ := Summary(&in)
		must.Equal(t, strings.Join(append([]string{said.Summary}, said.Sentences...), "\n"), test.want)
	}
}

// Without frames of applications, layers on time are what the user saw.
func TestSummaryOfLayersOnTime(t *testing.T) {
	for _, test := range []struct{ process, layers, want string }{
		{"render_service", "video", "render_service: 0 of 1 frame late\nvideo: no cadence: which buffers are late is unknown"},
		{"render_service", "video camera", "render_service: 0 of 1 frame late\nno cadence in 2 layers: which buffers are late is unknown"},
		{"com.example.app", "video", "com.example.app: 0 of 1 frame late"},
	} {
		e := late(&analyzer.Process{PID: 1, Name: test.process}, 7, 10_000, 5_000, 0)
		e.Outcome, e.Frame.Facts = why.NotLate, 0
		if test.process == "render_service" {
			e.Frame.Kind = analyzer.RenderFrame
		}
		tl, c := timeline(e)
		in := Input{Name: "trace.ftrace", Causes: c, Processes: Processes(tl, c, Options{})}
		for name := range strings.FieldsSeq(test.layers) {
			in.Layers = append(in.Layers, &ExplainedLayer{Layer: &analyzer.Layer{Name: name}})
		}
		said, _, _ := summary(&in, Options{})
		must.Equal(t, strings.Join(append([]string{said.Summary}, said.Sentences...), "\n"), test.want)
	}
}

// A frame that was late because its vsync or a service was late is not the application's fault.
func TestSummaryOfSystem(t *testing.T) {
	for _, test := range []struct {
		cause why.Share
		want  string
	}{
		{why.Share{Stage: why.StageStart, Wait: why.WaitVsync}, "Its pictures came 10.0 ms late in all: 10.0 by late vsyncs or services"},
		{why.Share{Wait: why.WaitBinder, Culprit: &why.Culprit{PID: 40, Process: "foundation", Sure: true}}, "Its pictures came 10.0 ms late in all: 10.0 by late vsyncs or services"},
		{why.Share{Wait: why.WaitOtherProcess, Culprit: &why.Culprit{PID: 40, Process: "foundation"}}, ""},
		{why.Share{Wait: why.WaitBinder, Culprit: &why.Culprit{PID: 11, Process: "com.example.app:render", Sure: true}}, ""},
		{why.Share{Wait: why.Run}, ""},
	} {
		test.cause.Share = 3 * trace.Millisecond
		app, service := &analyzer.Process{PID: 10, Name: "com.example.app"}, &analyzer.Process{PID: 30, Name: "render_service"}
		e := late(app, 1, 0, 13_000, 3_000, test.cause)
		e.Frame.Expected, e.Frame.Period = analyzer.Interval{Start: at(0), End: at(10_000)}, 10*trace.Millisecond
		e.Frame.Facts |= analyzer.Misaligned
		r := late(service, 2, 20_000, 5_000, 0)
		r.Frame.Kind, r.Outcome, r.Frame.Facts = analyzer.RenderFrame, why.NotLate, 0
		r.Frame.Expected, r.Frame.Period = analyzer.Interval{Start: at(20_000), End: at(30_000)}, 10*trace.Millisecond
		e.Frame.Render = r.Frame
		tl, c := timeline(e, r)
		_, said, _ := Summary(&Input{Name: "a.ftrace", Causes: c, Processes: Processes(tl, c, Options{})})
		got := strings.Join(said.Sentences, "; ")
		if test.want == "" && strings.Contains(got, "came late") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %q in it", test.cause.Wait, got, test.want)
		}
	}
}
