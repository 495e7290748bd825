package serve_test

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/locate"
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
func look(t *testing.T, at locate.Found, frames ...*analyzer.Frame) serve.View {
	t.Helper()
	view, err := serve.Look(&analyzer.Timeline{Frames: frames}, nil, serve.ViewOptions{At: at})
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func TestLook(t *testing.T) {
	worst := frame(7, 200, 14, analyzer.MainLate)
	inTime := frame(9, 1000, 5, 0)
	truncated := frame(11, 500, 60, analyzer.MainLate|analyzer.Truncated)
	frames := []*analyzer.Frame{frame(20, 100, 12, analyzer.MainLate), worst, frame(20, 300, 14, analyzer.MainLate), truncated, inTime}
	at := func(millisecond int) locate.Found { return locate.Found{Time: trace.Time(millisecond * ms)} }
	for _, test := range []struct {
		at             locate.Found
		frames         []*analyzer.Frame
		selected, span analyzer.Interval
	}{
		{locate.Found{}, frames, worst.Actual, analyzer.Interval{}},
		{locate.Found{}, []*analyzer.Frame{inTime, truncated}, analyzer.Interval{}, analyzer.Interval{}},
		{locate.Found{}, nil, analyzer.Interval{}, analyzer.Interval{}},
		{locate.Found{Frame: inTime}, frames, inTime.Actual, analyzer.Interval{}},
		{at(500), frames, analyzer.Interval{}, interval(400, 600)},
		{at(150), frames, analyzer.Interval{}, interval(100, 250)},  // the first frame is expected at 100 ms
		{at(990), frames, analyzer.Interval{}, interval(890, 1010)}, // the last is expected to end at 1010 ms
	} {
		if got := look(t, test.at, test.frames...); got.Selected != test.selected || got.Span != test.span {
			t.Errorf("at %v: %v and %v; want %v and %v", test.at, got.Selected, got.Span, test.selected, test.span)
		}
	}
	if got := look(t, locate.Found{}, truncated); !reflect.DeepEqual(got, serve.View{}) {
		t.Errorf("without frames: %v", got)
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
	view := look(t, locate.Found{}, frame(20, 100, 12, analyzer.MainLate), frame(7, 200, 14, analyzer.GPULate), frame(20, 300, 14, analyzer.MainLate), frame(8, 300, 9, 0))
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
	view = look(t, locate.Found{}, frame(8, 300, 9, 0))
	if expand := pattern(t, view.Commands, "dev.perfetto.ExpandTracksByRegex"); !expand.MatchString("gallery 8") {
		t.Errorf("%s does not expand a process without late frames", expand)
	}
}

// The three worst frames have notes, the worst first.
func TestNotes(t *testing.T) {
	view := look(t, locate.Found{}, frame(20, 100, 12, analyzer.MainLate), frame(7, 200, 14, analyzer.MainLate), frame(8, 300, 11, analyzer.MainLate), frame(8, 400, 13, analyzer.MainLate))
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
