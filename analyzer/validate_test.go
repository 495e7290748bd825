package analyzer_test

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// sound is a valid timeline, and its parts.
type sound struct {
	*analyzer.Timeline
	app, next, render *analyzer.Frame
}

func newSound() sound {
	demo := &analyzer.Process{PID: 200, Name: "demo.app", Threads: []analyzer.Thread{{TID: 200, Name: "demo.app"}, {TID: 201, Name: "demo.worker"}}}
	service := &analyzer.Process{PID: 100, Name: "render_service", Threads: []analyzer.Thread{{TID: 100, Name: "render_service"}}}
	render := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: service, TID: 100, VsyncID: 60,
		Actual: analyzer.Interval{Start: 1100, End: 1200}, Expected: analyzer.Interval{Start: 1090, End: 1300}, Deadline: 1300, Period: 100,
		Draw: analyzer.Interval{Start: 1150, End: 1210}, GPU: []analyzer.Interval{{Start: 1120, End: 1250}, {Start: 1130, End: 1140}},
		Commit: analyzer.Interval{Start: 1220, End: 1230}, Present: 1240,
	}
	app := &analyzer.Frame{
		Process: demo, TID: 200, VsyncID: 7, Actual: analyzer.Interval{Start: 1000, End: 1050}, Expected: analyzer.Interval{Start: 990, End: 1090},
		Deadline: 1090, Period: 100, Transactions: []analyzer.Sent{{Index: 5, At: 1010}, {Index: 6, At: 1020, AppliedBy: render}}, Render: render,
	}
	next := &analyzer.Frame{
		Process: demo, TID: 200, VsyncID: 8, Actual: analyzer.Interval{Start: 1200, End: 1300}, Expected: analyzer.Interval{Start: 1190, End: 1290},
		Deadline: 1290, Period: 100, Facts: analyzer.MainLate | analyzer.Empty,
	}
	render.Applications = []*analyzer.Frame{app}
	video, window := &analyzer.Layer{ID: 1, Name: "video", Process: demo}, &analyzer.Layer{ID: 2, Name: "window"}
	video.Buffers = []*analyzer.Buffer{{Layer: video, Queued: 1090, Acquired: 1110, Present: 1240, Fate: analyzer.Shown, Render: render}}
	return sound{&analyzer.Timeline{
		Frames: []*analyzer.Frame{app, render, next}, Processes: []*analyzer.Process{service, demo}, Layers: []*analyzer.Layer{video, window},
	}, app, next, render}
}

func TestValidate(t *testing.T) {
	if err := newSound().Validate(); err != nil {
		t.Fatalf("the sound timeline: %v", err)
	}
	must.NoError(t, new(analyzer.Timeline).Validate(), "the empty timeline")
	// A truncated frame may overlap others, and has no other facts, not even
	// that it has no transactions.
	cut := newSound()
	cut.next.Facts, cut.next.Actual.Start = analyzer.Truncated, 1150
	must.NoError(t, cut.Validate(), "with a truncated frame")
}

func TestValidateViolations(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(sound)
		want  string
	}{
		{"frames out of order", func(s sound) { s.Frames[0], s.Frames[1] = s.Frames[1], s.Frames[0] }, "starts before the frame before it"},
		{"processes out of order", func(s sound) { s.Processes[0], s.Processes[1] = s.Processes[1], s.Processes[0] }, "process 100 out of order"},
		{"process twice", func(s sound) { s.Processes[1].PID = s.Processes[0].PID }, "process 100 out of order or repeated"},
		{"thread twice", func(s sound) { s.Processes[1].Threads = append(s.Processes[1].Threads, analyzer.Thread{TID: 201}) }, "thread 201 twice in process 200"},

		{"no start", func(s sound) { s.app.Actual.Start = 0 }, "does not end after it starts"},
		{"nothing expected", func(s sound) { s.app.Expected.End = s.app.Expected.Start }, "has an empty expected interval"},
		{"no process", func(s sound) { s.app.Process = nil }, "has no process"},
		{"negative count", func(s sound) { s.app.Coalesced = -1 }, "has a negative count or period"},

		{"truncated and late", func(s sound) { s.next.Facts = analyzer.Truncated | analyzer.MainLate }, "is truncated and has other facts"},
		{"overlap", func(s sound) { s.app.Actual.End = 1201 }, "overlaps the frame before it"},
		{"late without a deadline", func(s sound) { s.next.Deadline = 0 }, "is late without a missed deadline"},
		{"late before the deadline", func(s sound) { s.app.Facts |= analyzer.MainLate }, "is late without a missed deadline"},
		{"missed and not late", func(s sound) { s.next.Facts &^= analyzer.MainLate }, "missed its deadline and is not late"},
		{"empty with transactions", func(s sound) { s.app.Facts |= analyzer.Empty }, "is empty with transactions"},
		{"not empty without transactions", func(s sound) { s.next.Facts &^= analyzer.Empty }, "is not empty without transactions"},

		{"link to an application frame", func(s sound) {
			s.app.Render, s.app.Transactions[1].AppliedBy = s.next, s.next
			s.next.Applications = s.render.Applications
			s.render.Applications = nil
		}, "is linked to no render frame of the timeline"},
		{"link of one side", func(s sound) { s.render.Applications = nil }, "is not known to its render frame"},
		{"link of the other side", func(s sound) { s.app.Render = nil }, "names an application frame that is not linked to it"},
		{"link twice", func(s sound) { s.render.Applications = []*analyzer.Frame{s.app, s.app} }, "names an application frame that is named already"},
		{"link by the first transaction", func(s sound) {
			s.app.Transactions[0].AppliedBy, s.app.Transactions[1].AppliedBy = s.render, nil
		}, "is linked without its last transaction"},

		{"application with gpu work", func(s sound) { s.app.GPU = s.render.GPU[1:] }, "draws itself"},
		{"application that is shown", func(s sound) { s.app.Present = 1100 }, "has what render frames have"},
		{"render frame with transactions", func(s sound) { s.render.Transactions = []analyzer.Sent{{Index: 1}} }, "has what application frames have"},

		{"gpu work before the frame", func(s sound) { s.render.GPU[0].Start = 1099 }, "has gpu work out of place"},
		{"gpu work after the frame", func(s sound) { s.render.GPU[1] = analyzer.Interval{Start: 1201, End: 1202} }, "has gpu work out of place"},
		{"layers out of order", func(s sound) { s.Layers[1].ID = 1 }, "layer 1, window: out of order or repeated"},
		{"layer of an unknown process", func(s sound) { s.Layers[0].Process = &analyzer.Process{PID: 9} }, "of an unknown process"},
		{"buffer of another layer", func(s sound) { s.Layers[0].Buffers[0].Layer = s.Layers[1] }, "has a buffer of another layer"},
		{"present of a dropped buffer", func(s sound) { s.Layers[0].Buffers[0].Fate = analyzer.Discarded }, "has a present time for a buffer that was not shown"},
		{"taken before it is queued", func(s sound) { s.Layers[0].Buffers[0].Queued = 1111 }, "takes a buffer before it is queued"},
		{"shown before it is taken", func(s sound) { s.Layers[0].Buffers[0].Acquired = 1250 }, "shows a buffer before it is taken"},
		{"render frame of nowhere", func(s sound) { s.Layers[0].Buffers[0].Render = &analyzer.Frame{Kind: analyzer.RenderFrame} }, "has a render frame of another timeline"},
		{"drawn by a render frame", func(s sound) { s.Layers[0].Buffers[0].Frame = s.render }, "has a frame of another timeline"},
		{"pace without a cadence", func(s sound) { s.Layers[0].Buffers[0].Pace = analyzer.Even }, "is judged without a cadence"},

		{"shown before the commit", func(s sound) { s.render.Present = 1219 }, "is shown before its commit"},
	} {
		s := newSound()
		test.spoil(s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: no violation", test.name)
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// All violations are reported, each with its frame.
func TestValidateTellsAll(t *testing.T) {
	s := newSound()
	s.app.Period, s.render.Present = -1, trace.Time(1)
	err := s.Validate()
	if err == nil {
		t.Fatal("no violation")
	}
	want := "app frame 7 of thread 200 at 0.000001000 has a negative count or period\n" +
		"render frame 60 of thread 100 at 0.000001100 is shown before its commit"
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
