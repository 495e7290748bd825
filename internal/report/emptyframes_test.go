package report

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

// idler returns an input with a process whose frames are empty for a reason.
func idler(syncs ...stats.DisplaySync) Input {
	p := gallery()
	p.Frames.Empty, p.EmptyRate = known(60), known(.4)
	p.EmptyFrames = &stats.EmptyFrames{Frames: 60, CPU: known(85.5), WithoutSync: 15, DisplaySyncs: syncs}
	return Input{Name: "idle.ftrace", Stats: &stats.Report{
		Processes: []*stats.Process{p, service()}, Interactions: []*stats.Interaction{}, Layers: []*stats.Layer{},
	}}
}

var manySyncs = []stats.DisplaySync{
	{ID: 3, Type: known("callback"), Frames: 70, Empty: 45, Share: .75, CPU: known(60.5)},
	{ID: 18, Type: known("animator"), Frames: 30, Empty: 30, Share: .5, CPU: known(20.0)},
	{ID: 4, Frames: 9, Empty: 9, Share: .15},
	{ID: 5, Type: known("xcomponent"), Frames: 8, Empty: 1, Share: 1.0 / 60},
}

// Why frames are empty is shown where it is known: three display syncs of a process, with the
// empty frames that serve none.
func TestEmptyFrames(t *testing.T) {
	want := []string{
		"  Why frames are empty    PID  Asks for vsyncs     Empty   Share  CPU ms",
		"  example.gallery       20170  own callback 3   45 of 70  75.0 %    60.5",
		"  example.gallery       20170  animator 18      30 of 30  50.0 %    20.0",
		"  example.gallery       20170  display sync 4     9 of 9  15.0 %       –",
		"  example.gallery       20170  no display sync        15  25.0 %       –",
		"  Frames         150        60 empty (40.0 %), 2 truncated, not counted",
	}
	got := squeezed(write(t, []Input{idler(manySyncs...)}, "table", Options{}))
	for _, line := range want {
		if line = squeezed(line); !strings.Contains(got, line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	must.Lack(t, got, "XComponent", "the fourth display sync is shown")
	html := write(t, []Input{idler(manySyncs...)}, "html", Options{})
	for _, part := range []string{"own callback 3", "45 of 70", define("display sync")} {
		must.Contain(t, html, part)
	}
	// Without display syncs, the report has no block about them.
	for _, format := range []string{"table", "html"} {
		if out := write(t, []Input{idler()}, format, Options{}); strings.Contains(out, "Asks for vsyncs") || strings.Contains(out, define("display sync")) {
			t.Errorf("%s of a trace without display syncs has them", format)
		}
	}
}

// squeezed returns text with single blanks.
func squeezed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

// If the trace does not say which frames are empty, none is.
func TestEmptyUnknown(t *testing.T) {
	frames := film().Timeline.Frames
	var doubtful []*analyzer.Frame
	for _, f := range frames {
		doubt := *f
		doubt.Facts = f.Facts&^analyzer.Empty | analyzer.EmptyUnknown
		doubtful = append(doubtful, &doubt)
	}
	untimed := func(*analyzer.Frame) bool { return false }
	known, unknown := newFrameColumns(frames, nil, untimed), newFrameColumns(doubtful, nil, untimed)
	for i, f := range frames {
		if want := f.Facts.Has(analyzer.Empty); known.Marks[i].has(empty) != want || unknown.Marks[i].has(empty) {
			t.Errorf("%s: marks %b and %b", f, known.Marks[i], unknown.Marks[i])
		}
	}
	if text := strings.Join(known.Texts, "; "); !strings.Contains(text, "empty: it sent") || strings.Contains(strings.Join(unknown.Texts, "; "), "empty:") {
		t.Errorf("texts: %s; %s", text, unknown.Texts)
	}
}
