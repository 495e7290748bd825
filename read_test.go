package ohframe

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/tune"
)

const latency = "16666666\n" +
	"1000000000\t1016000000\t1001000000\n" +
	"1016000000\t1033000000\t1017000000\n" +
	"1033000000\t1066000000\t1034000000\n"

const framestats = "** Graphics info for pid 4321 [com.example.app] **\n---PROFILEDATA---\n" +
	"Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,\n" +
	"0,1000000000,1000000000,9223372036854775807,0,1000100000,1000200000,1000300000,1000400000,1001000000,1001100000,1001500000,1004000000,1006000000,\n" +
	"---PROFILEDATA---\n"

func gzipped(content string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(content))
	w.Close()
	return out.String()
}

// Each kind of input is recognised by its content and gives a timeline in which
// everything is as it must be.
func TestRead(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	var converted bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &converted, pftrace.Options{}))(t)
	complete := 0
	for _, test := range []struct {
		name, content, format string
		frames                int // complete ones; -1 for as many as the text has
	}{
		{"text", string(text), "text trace", -1},
		{"text in CR LF", strings.ReplaceAll(string(text), "\n", "\r\n"), "text trace", -1},
		{"text in gzip", gzipped(string(text)), "text trace in gzip", -1},
		{"text in gzip in gzip", gzipped(gzipped(string(text))), "text trace in gzip in gzip", -1},
		{"latency in gzip", gzipped(latency), "SurfaceFlinger latency in gzip", 6},
		{"framestats with a mark", "\xef\xbb\xbf" + framestats, "gfxinfo framestats", 1},
		{"converted, in gzip", gzipped(converted.String()), "Perfetto trace in gzip", -1},
		{"converted", converted.String(), "Perfetto trace", -1},
		{"latency", latency, "SurfaceFlinger latency", 6},
		{"framestats", framestats, "gfxinfo framestats", 1},
		{"framestats without marks", strings.ReplaceAll(framestats, "---PROFILEDATA---\n", "")[strings.Index(framestats, "\n")+1:], "gfxinfo framestats", 1},
	} {
		in, err := Read(t.Context(), strings.NewReader(test.content), Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if in.Format != test.format {
			t.Errorf("%s: read as a %s", test.name, in.Format)
		}
		must.NoError(t, in.Timeline.Validate(), "%s", test.name)
		n := in.Timeline.Counts().Frames
		if complete == 0 {
			complete = n
		}
		if want := max(test.frames, 0); n != want && (test.frames >= 0 || n != complete) {
			t.Errorf("%s: %d frames, want %d", test.name, n, test.frames)
		}
	}
	if complete < 90 {
		t.Errorf("the demo has %d frames", complete)
	}
}

func TestReadErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":                         "empty",
		"hello\n":                  "not a trace",
		gzipped(""):                "empty, in gzip",
		gzipped("hello\n"):         "not a trace, in gzip",
		gzipped("16666666\n"):      "only a refresh period: there is no layer of that name, in gzip",
		gzipped("hello\n") + "\n":  "not a trace, in gzip; data after the end of the gzip stream",
		"\x89PNG\r\n\x1a\n":        "not a trace (PNG image)",
		"# tracer: nop\n#\n":       "a trace without events",
		"16666666\n":               "only a refresh period: there is no layer of that name",
		"\x0a\x04\x08\x01\x50\x01": "a Perfetto trace without frames",
		"16666666\n0\t0\t0\n":      "no frame of the layer was shown",
		"# tracer: nop\n#\n app-1 (1) [000] ....   4711: print: E|1\n":                             "a trace without events: 1 × time not understood",
		"---PROFILEDATA---\nFlags,\n---PROFILEDATA---\n":                                           "no rows of frames in the gfxinfo dump: 1 table without",
		"Stats since: 752958278148ns\nTotal frames rendered: many\nJanky frames: 35335 (42.99%)\n": "no rows of frames in the gfxinfo dump",
		gzipped("No process found for: com.example.app\n"):                                         `no rows of frames in the gfxinfo dump: "com.example.app" is not running, in gzip`,
		"0123456789":  "not a trace",
		"123456789\n": "not a trace",
	} {
		_, err := Read(t.Context(), strings.NewReader(content), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", content, err, want)
		}
	}
	// A layer without frames is likely another than was meant; one with a frame that
	// is pending is not.
	for content, hint := range map[string]bool{"16666666\n0\t0\t0\n": true, "16666666\n0\t0\t0\n1\t9223372036854775807\t1\n": false} {
		_, err := Read(t.Context(), strings.NewReader(content), Options{})
		if what := (*Error)(nil); !errors.As(err, &what) || strings.Contains(what.Hint, "BLAST") != hint {
			t.Errorf("%q: got %+v", content, err)
		}
	}
	// A Perfetto trace that ends within a packet is said to be cut.
	_, err := Read(t.Context(), strings.NewReader("\x0a\x04\x08\x01\x50\x01\x0a\x7f\x08\x01"), Options{})
	if err == nil || !strings.Contains(err.Error(), "cut or damaged") {
		t.Errorf("cut trace: got %v", err)
	}
	// So is one whose container is, with a warning where frames were before.
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	in, err := Read(t.Context(), strings.NewReader(gzipped(string(text))[:10_000]), Options{})
	if err != nil || len(in.Warnings) != 1 || in.Warnings[0].Code != trace.WarnDamaged || !strings.HasPrefix(in.Warnings[0].Text, "gzip stream is truncated after ") || len(in.Timeline.Frames) == 0 {
		t.Errorf("cut gzip: got %+v, %v", in, err)
	}
	// Lines that are not understood are counted, unless there are no others.
	_, err = Read(t.Context(), strings.NewReader("hello\n"), Options{})
	if !errors.Is(err, ErrNotATrace) {
		t.Errorf("prose: got %v", err)
	}
	in, err = Read(t.Context(), strings.NewReader(" a-1 (1) [000] .... 1.000000: print: E|1\nhello\n"), Options{})
	if err != nil || in.Lines.Events != 1 || in.Lines.NotUnderstood != 1 {
		t.Errorf("damaged trace: got %+v, %v", in, err)
	}
}

// A window cuts frames of other inputs as it cuts those of a text trace.
func TestCut(t *testing.T) {
	app := &analyzer.Frame{Process: &analyzer.Process{PID: 2}, TID: 2, Actual: analyzer.Interval{Start: 10, End: 20}}
	render := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1}, TID: 1, Actual: analyzer.Interval{Start: 20, End: 30},
		Commit: analyzer.Interval{Start: 31, End: 32}, Present: 40, Applications: []*analyzer.Frame{app},
	}
	app.Render, app.Transactions = render, []analyzer.Sent{{Index: 1, At: 20, AppliedBy: render}}
	timeline := func() *analyzer.Timeline {
		a, r := *app, *render
		a.Render, r.Applications = &r, []*analyzer.Frame{&a}
		a.Transactions = []analyzer.Sent{{Index: 1, At: 20, AppliedBy: &r}}
		return &analyzer.Timeline{
			Frames: []*analyzer.Frame{&a, &r}, Processes: []*analyzer.Process{render.Process, app.Process},
			Span: analyzer.Interval{Start: 10, End: 40},
		}
	}
	for _, test := range []struct {
		from, to          string
		frames, truncated int
		linked, presented bool
	}{
		{"", "", 2, 0, true, true},
		{"0.000000010", "0.000000041", 2, 0, true, true},
		{"0.000000021", "", 0, 1, false, true},
		{"", "0.000000035", 2, 0, true, false},
		{"", "0.000000015", 0, 1, false, false},
		{"0.000000031", "", 0, 0, false, false},
	} {
		got := timeline()
		var w trace.Window
		w.From = must.Get(trace.ParseEdge(test.from))(t)
		w.To = must.Get(trace.ParseEdge(test.to))(t)
		o := Options{Window: w}
		// Its parts do not add up, as those of a frame of a damaged trace.
		first := got.Frames[0]
		causes := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{first: {Frame: first, Start: 10, End: 20, Parts: []why.Part{{Time: 99}}}}}
		o.cut(got, causes)
		if e := causes.Frames[first]; w.IsOpen() && (e == nil || e.Parts[0].Time != 99) {
			t.Error("what is known of a frame is gone without a window")
		}
		must.NoError(t, got.Validate(), "%s to %s", test.from, test.to)
		counts := got.Counts()
		linked, presented := counts.Linked > 0, false
		for _, f := range got.Frames {
			presented = presented || f.Present.Known()
		}
		if counts.Frames != test.frames || counts.Truncated != test.truncated || linked != test.linked || presented != test.presented {
			t.Errorf("%s to %s: %+v, presented %t, want %+v", test.from, test.to, counts, presented, test)
		}
	}
}

// The number of workers is that of the context.
func TestWorkers(t *testing.T) {
	var o Options
	must.Equal(t, o.reader(tune.Tuning{Workers: 3}.In(t.Context())).Workers, 3)
	must.Equal(t, o.reader(t.Context()).Workers, 0)
}

// Without pieces, late frames have the same causes.
func TestNoPieces(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	read := func(tuning tune.Tuning) *Trace {
		return must.Get(Read(tuning.In(t.Context()), bytes.NewReader(text), Options{Causes: true}))(t)
	}
	with, without := read(tune.Tuning{}), read(tune.Tuning{NoPieces: true})
	late := 0
	for i, f := range with.Timeline.Frames {
		want, got := with.Causes.Of(f), without.Causes.Of(without.Timeline.Frames[i])
		if want == nil || want.Lost == 0 {
			continue
		}
		late++
		if len(want.Pieces) == 0 || len(got.Pieces) > 0 || len(got.Slices) > 0 {
			t.Errorf("%s has %d pieces, without them %d, and %d slices", f, len(want.Pieces), len(got.Pieces), len(got.Slices))
		}
		must.Equal(t, without.Why(got.Frame).String(), with.Why(f).String())
		for n, s := range want.Shares {
			if !reflect.DeepEqual(got.Shares[n].Instances, s.Instances) {
				t.Errorf("%s: instances %v, want %v", f, got.Shares[n].Instances, s.Instances)
			}
		}
	}
	if late == 0 {
		t.Error("no frame is late")
	}
}
