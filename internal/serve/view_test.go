package serve_test

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/engine/enginetest"
	"ohframe/internal/serve"
)

// frame returns a frame of a process, in milliseconds: expected from 0 to 10,
// actually from 1 to end.
func frame(pid trace.PID, at, end int, facts analyzer.Facts) *analyzer.Frame {
	f := &analyzer.Frame{
		Process: &analyzer.Process{PID: pid, Name: "some name"}, Facts: facts,
		Expected: interval(at, at+10), Actual: interval(at+1, at+end),
	}
	f.Deadline = f.Expected.End
	return f
}

const ms = int(trace.Millisecond)

func interval(start, end int) analyzer.Interval {
	return analyzer.Interval{Start: trace.Time(start * ms), End: trace.Time(end * ms)}
}

func TestLookAtWorst(t *testing.T) {
	a := frame(20, 100, 12, analyzer.MainLate)
	worst := frame(7, 200, 14, analyzer.MainLate)
	same := frame(20, 300, 14, analyzer.MainLate)
	inTime := frame(9, 1000, 5, 0)
	truncated := frame(11, 500, 60, analyzer.MainLate|analyzer.Truncated)
	render := frame(1, 210, 6, 0)
	render.Kind = analyzer.RenderFrame
	render.GPU = []analyzer.Interval{interval(212, 219)}
	worst.Render = render
	view := func(frames ...*analyzer.Frame) serve.View {
		return serve.LookAtWorst(&analyzer.Timeline{Frames: frames})
	}

	got := view(a, worst, render, same, truncated, inTime)
	// Expected from 200 on; the render frame's expected end, 220, is the last.
	if want := interval(200-20, 220+20); got.Span != want {
		t.Errorf("view %v, want %v", got.Span, want)
	}
	render.Present = trace.Time(230 * ms)
	got = view(a, worst, render, same, truncated, inTime)
	if want := interval(200-30, 230+30); got.Span != want {
		t.Errorf("view %v, want %v", got.Span, want)
	}

	// Where there is nothing to see before or after, the view does not begin or end.
	if got, want := view(worst, render).Span, interval(200, 220); got != want {
		t.Errorf("view %v, want %v", got, want)
	}

	// Late on the GPU alone: that is where the frame ends.
	gpu := frame(1, 400, 5, analyzer.GPULate)
	gpu.GPU = []analyzer.Interval{interval(403, 450)}
	if got, want := view(a, gpu, inTime).Span, interval(350, 500); got != want {
		t.Errorf("view %v, want %v", got, want)
	}

	if got := view(inTime, truncated); !reflect.DeepEqual(got, serve.View{}) {
		t.Errorf("no late frame: %v", got)
	}
	if got := view(); !reflect.DeepEqual(got, serve.View{}) {
		t.Errorf("no frame: %v", got)
	}
}

// The commands' patterns match the paths that the UI has for tracks.
func TestCommands(t *testing.T) {
	got := serve.LookAtWorst(&analyzer.Timeline{Frames: []*analyzer.Frame{
		frame(20, 100, 12, analyzer.MainLate), frame(7, 200, 14, analyzer.GPULate), frame(20, 300, 14, analyzer.MainLate),
		frame(8, 300, 9, 0),
	}}).Commands
	if len(got) != 2 || got[0].ID != "dev.perfetto.PinTracksByRegex" || got[1].ID != "dev.perfetto.ExpandTracksByRegex" {
		t.Fatalf("commands %v", got)
	}
	paths := map[string][2]bool{ // pinned, expanded
		"gallery 20 > Actual Timeline":       {true, false},
		"gallery 20 > Expected Timeline":     {true, false},
		"gallery 20":                         {false, true},
		"render_service 7 > Actual Timeline": {true, false},
		"Process 7":                          {false, true},
		"gallery 8 > Actual Timeline":        {false, false},
		"gallery 120 > Actual Timeline":      {false, false},
		"gallery 201 > Actual Timeline":      {false, false},
		"gallery 201":                        {false, false},
		"gallery 20 > main 20":               {false, false}, // a thread
		"CPU 20 > Frequency":                 {false, false},
	}
	for i, command := range got {
		if len(command.Args) != 2 || command.Args[1] != "path" {
			t.Fatalf("arguments %q", command.Args)
		}
		pattern := regexp.MustCompile(command.Args[0])
		for path, want := range paths {
			if pattern.MatchString(path) != want[i] {
				t.Errorf("%s on %q: %v", command.ID, path, !want[i])
			}
		}
	}
}

// The UI goes to a stretch of time only if all of it is within the trace.
func TestViewIsWithinTrace(t *testing.T) {
	enginetest.ForTest(t)
	text, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	for _, framesOnly := range []bool{false, true} {
		var out bytes.Buffer
		summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, exporter.Options{FramesOnly: framesOnly})
		if err != nil {
			t.Fatal(err)
		}
		span := serve.LookAtWorst(summary.Timeline).Span
		bounds := enginetest.Query(t, enginetest.Load(t, out.Bytes()), "SELECT trace_start(), trace_end()").Rows[0]
		if start, end := bounds[0].(int64), bounds[1].(int64); !span.Known() || int64(span.Start) < start || int64(span.End) > end {
			t.Errorf("frames only %v: view %v, trace from %d to %d", framesOnly, span, start, end)
		}
	}
}
