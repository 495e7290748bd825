package serve_test

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/serve"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/uitest"
	"ohframe/internal/ui"
)

// frame returns a frame of a process, in milliseconds: expected from 0 to 10,
// actually from 1 to end.
func frame(pid trace.PID, at, end int, facts analyzer.Facts) *analyzer.Frame {
	f := &analyzer.Frame{
		Process: &analyzer.Process{PID: pid, Name: "some name"}, Facts: facts, VsyncID: int64(1000 + at),
		Expected: interval(at, at+10), Actual: interval(at+1, at+end),
	}
	f.Deadline = f.Expected.End
	return f
}

const ms = int(trace.Millisecond)

func interval(start, end int) analyzer.Interval {
	return analyzer.Interval{Start: trace.Time(start * ms), End: trace.Time(end * ms)}
}

// look returns the view of frames at a place.
func look(t *testing.T, at string, frames ...*analyzer.Frame) (serve.View, error) {
	t.Helper()
	place, err := serve.ParsePlace(at)
	if err != nil {
		t.Fatal(err)
	}
	timeline := &analyzer.Timeline{Frames: frames, Span: interval(50, 2000)}
	return serve.Look(timeline, nil, serve.ViewOptions{At: place})
}

func TestLook(t *testing.T) {
	a := frame(20, 100, 12, analyzer.MainLate)
	worst := frame(7, 200, 14, analyzer.MainLate)
	same := frame(20, 300, 14, analyzer.MainLate)
	inTime := frame(9, 1000, 5, 0)
	truncated := frame(11, 500, 60, analyzer.MainLate|analyzer.Truncated)
	frames := []*analyzer.Frame{a, worst, same, truncated, inTime}
	// The application and the render service count vsyncs separately.
	render := frame(1, 100, 8, 0)
	render.Kind = analyzer.RenderFrame
	both := []*analyzer.Frame{render, frame(20, 100, 9, 0), a}

	for _, test := range []struct {
		at             string
		frames         []*analyzer.Frame
		selected, span analyzer.Interval
	}{
		{"", frames, worst.Actual, analyzer.Interval{}},
		{"", []*analyzer.Frame{inTime, truncated}, analyzer.Interval{}, analyzer.Interval{}},
		{"", nil, analyzer.Interval{}, analyzer.Interval{}},
		{"2000", frames, inTime.Actual, analyzer.Interval{}},
		{"1100", both, a.Actual, analyzer.Interval{}},           // the late one
		{"1100", both[:2], both[1].Actual, analyzer.Interval{}}, // the application's
		{"0.500", frames, analyzer.Interval{}, interval(400, 600)},
		{"+450ms", frames, analyzer.Interval{}, interval(400, 600)}, // the trace starts at 50 ms
		{"0.150", frames, analyzer.Interval{}, interval(100, 250)},  // the first frame is expected at 100 ms
		{"0.990", frames, analyzer.Interval{}, interval(890, 1010)}, // the last is expected to end at 1010 ms
	} {
		got, err := look(t, test.at, test.frames...)
		if err != nil || got.Selected != test.selected || got.Span != test.span {
			t.Errorf("at %q: %v and %v, error %v; want %v and %v", test.at, got.Selected, got.Span, err, test.selected, test.span)
		}
	}
	for at, want := range map[string]error{
		"7": serve.ErrNoSuchFrame, "1500": serve.ErrNoSuchFrame, // truncated
		"0.050": serve.ErrOutside, "1.011": serve.ErrOutside, "+5s": serve.ErrOutside,
	} {
		if _, err := look(t, at, frames...); !errors.Is(err, want) {
			t.Errorf("at %q: %v, want %v", at, err, want)
		}
	}
	if got, err := look(t, "", truncated); err != nil || !reflect.DeepEqual(got, serve.View{}) {
		t.Errorf("without frames: %v, %v", got, err)
	}
	for _, text := range []string{"worst", "-5", "0", "+7", "1.2.3", "10 46"} {
		if place, err := serve.ParsePlace(text); err == nil {
			t.Errorf("%q: parsed as %v", text, place)
		}
	}
}

// pattern returns the pattern of the only command with the given id.
func pattern(t *testing.T, commands []ui.Command, id string) *regexp.Regexp {
	t.Helper()
	var found *regexp.Regexp
	for _, c := range commands {
		if c.ID == id {
			if found != nil || c.Args[len(c.Args)-1] != "path" {
				t.Errorf("command %v", c)
			}
			found = regexp.MustCompile(c.Args[0])
		}
	}
	return found
}

// Processes with late frames are expanded.
func TestExpand(t *testing.T) {
	view, err := look(t, "", frame(20, 100, 12, analyzer.MainLate), frame(7, 200, 14, analyzer.GPULate), frame(20, 300, 14, analyzer.MainLate), frame(8, 300, 9, 0))
	if err != nil {
		t.Fatal(err)
	}
	expand := pattern(t, view.Commands, "dev.perfetto.ExpandTracksByRegex")
	for path, want := range map[string]bool{
		"gallery 20":                   true,
		"Process 7":                    true,
		"Machine 1 > gallery 20":       true,
		"gallery 20 > Frames":          true,
		"gallery 20 > Actual Timeline": false,
		"gallery 8":                    false,
		"gallery 120":                  false,
		"gallery 201":                  false,
	} {
		if expand.MatchString(path) != want {
			t.Errorf("%s on %q: %v", expand, path, !want)
		}
	}
	view, err = look(t, "", frame(8, 300, 9, 0))
	if err != nil {
		t.Fatal(err)
	}
	if expand := pattern(t, view.Commands, "dev.perfetto.ExpandTracksByRegex"); !expand.MatchString("gallery 8") {
		t.Errorf("%s does not expand a process without late frames", expand)
	}
}

// The three worst frames have notes, the worst first.
func TestNotes(t *testing.T) {
	view, err := look(t, "", frame(20, 100, 12, analyzer.MainLate), frame(7, 200, 14, analyzer.MainLate), frame(8, 300, 11, analyzer.MainLate), frame(8, 400, 13, analyzer.MainLate))
	if err != nil {
		t.Fatal(err)
	}
	var notes [][]string
	for _, c := range view.Commands {
		if c.ID == "dev.perfetto.AddNoteAtTimestamp" {
			notes = append(notes, c.Args)
		}
	}
	want := [][]string{
		{"201000000", "some name 1200 late 4.0 ms"}, {"401000000", "some name 1400 late 3.0 ms"}, {"101000000", "some name 1100 late 2.0 ms"},
	}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// TestViewInEngine runs what the UI does with the link: the selection has one frame, the
// commands work, and the notes name the causes.
func TestViewInEngine(t *testing.T) {
	enginetest.ForTest(t)
	text, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range slow.Of([]bool{false}, []bool{false, true}) {
		var out bytes.Buffer
		options := exporter.Options{Causes: true}
		if all {
			options.NoEvents = true
		}
		summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, options)
		if err != nil {
			t.Fatal(err)
		}
		session := enginetest.Load(t, out.Bytes())
		view, err := serve.Look(summary.Timeline, summary.Causes, serve.ViewOptions{All: all})
		if err != nil {
			t.Fatal(err)
		}
		_, arguments := read(t, serve.Link{UI: serve.Own(9001), Port: 9001, Path: "demo.pftrace", View: view}.String())
		selected := enginetest.Query(t, session, "SELECT name FROM slice WHERE ts = "+arguments["ts"]+" AND dur = "+arguments["dur"]) // as the UI does
		if len(selected.Rows) != 1 || selected.Rows[0][0] != "10046" {                                                                // docs/perfetto.md lists it as the worst
			t.Errorf("selects\n%s", selected)
		}
		uitest.Run(t, session, view.Commands)
		workspace := pattern(t, view.Commands, "dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors")
		if (workspace == nil) != all {
			t.Errorf("all %v: workspace %v", all, workspace)
		}
		notes := 0
		for _, c := range view.Commands {
			if c.ID == "dev.perfetto.AddNoteAtTimestamp" {
				if notes++; !strings.Contains(c.Args[1], " ms: ") {
					t.Errorf("note without a cause: %q", c.Args[1])
				}
			}
		}
		if notes != 3 {
			t.Errorf("%d notes", notes)
		}
	}
}
