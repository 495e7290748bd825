package locate

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/testing/must"
)

const ms = int(trace.Millisecond)

// frame returns a frame of a process, in milliseconds: expected from at to at+10, actually
// from at+1 to at+end. Its vsync id is 1000 + at.
func frame(name string, pid trace.PID, at, end int, facts analyzer.Facts) *analyzer.Frame {
	f := &analyzer.Frame{
		Process: &analyzer.Process{PID: pid, Name: name}, Facts: facts, VsyncID: int64(1000 + at),
		Expected: interval(at, at+10), Actual: interval(at+1, at+end),
	}
	f.Deadline = f.Expected.End
	return f
}

func interval(start, end int) analyzer.Interval {
	return analyzer.Interval{Start: trace.Time(start * ms), End: trace.Time(end * ms)}
}

// find returns what flags find in frames of a trace that starts at 50 ms.
func find(t *testing.T, process, frame string, frames []*analyzer.Frame) (Found, error) {
	t.Helper()
	p := must.Get(Parse(process, frame))(t)
	timeline := &analyzer.Timeline{Frames: frames, Span: interval(50, 2000)}
	for _, f := range frames {
		timeline.Processes = append(timeline.Processes, f.Process)
	}
	return p.Find(timeline)
}

func TestFind(t *testing.T) {
	const odd = "it's <b>:8\x00 app"
	first := frame("com.example.a", 20, 100, 9, 0)
	late := frame("com.example.b", 30, 100, 12, analyzer.MainLate)
	render := frame("render_service", 7, 100, 8, 0)
	render.Kind = analyzer.RenderFrame
	worst := frame(odd, 10, 300, 15, analyzer.MainLate)
	same := frame("com.example.a", 20, 500, 9, 0) // the vsync id of first, on another thread
	same.VsyncID = first.VsyncID
	last := frame("com.example.a", 20, 1000, 5, 0)
	last.Actual.Start += 475354
	truncated := frame("com.example.c", 40, 700, 60, analyzer.MainLate|analyzer.Truncated)
	all := []*analyzer.Frame{render, first, late, worst, same, truncated, last}

	for _, test := range []struct {
		process, frame string
		want           *analyzer.Frame
		others         []*analyzer.Frame
	}{
		{"", "2000", last, nil},
		{"", "1100", late, []*analyzer.Frame{first, same, render}}, // the late one, then the application's
		{"example.a", "1100", first, []*analyzer.Frame{same}},
		{"com.example.*", "1100", late, []*analyzer.Frame{first, same}},
		{"7", "1100", render, nil},
		{"render", "1100", render, nil},
		{odd, "1300", worst, nil},

		// A process alone is its worst frame.
		{"com.example.b", "", late, nil},
		{"com.example.*", "", late, nil},
		{odd, "", worst, nil},
		{"20", "", first, nil},

		// The start of a frame, also written with fewer digits.
		{"", "0.301", worst, nil},
		{"", "0.301000000", worst, nil},
		{"", "0.3010004", worst, nil}, // it contains the time, as below
		{"", "1.001475354", last, nil},
		{"", "1.001475353", nil, nil},
		{"", "1.001475", last, nil},
		{"", "1.001476", last, nil},
		{"", "1.001", last, nil},
		{"", "1.002", last, nil},
		{"", "1.0", nil, nil},
		{"", "0.30", nil, nil},
		{"", "+951.5ms", last, nil}, // the trace starts at 50 ms
		{"", "+951.5 ms", last, nil},
		{"", "+951.4ms", nil, nil},
		{"", "+0.951s", last, nil},
		{"", "+951475.354us", last, nil},
		{"", "+0.9s", nil, nil},
		{"", "0.101", late, []*analyzer.Frame{first, render}},
		{"example.a", "0.101", first, nil},
		{"7", "0.101", render, nil},
		{"7", "0.301", nil, nil}, // another process's frame
	} {
		name := fmt.Sprintf("--process %q --frame %q", test.process, test.frame)
		got, err := find(t, test.process, test.frame, all)
		if err != nil || got.Frame != test.want || !slices.Equal(got.Others, test.others) {
			t.Errorf("%s: %v, error %v, want %v and %v", name, got, err, test.want, test.others)
		}
		if got.Frame == nil && !got.Time.Known() {
			t.Errorf("%s: neither a frame nor a time", name)
		}
	}

	for at, want := range map[string]trace.Time{"0.5": trace.Time(500 * ms), "+450ms": trace.Time(500 * ms), "0.100": trace.Time(100 * ms), "1.010": trace.Time(1010 * ms)} {
		if got, err := find(t, "", at, all); err != nil || got.Time != want {
			t.Errorf("--frame %s: %v, error %v, want %s", at, got, err, want)
		}
	}

	// Around a time without a frame is the nearest frame of the processes that are named.
	for _, test := range []struct {
		process, at string
		want        *analyzer.Frame
	}{
		{"", "0.350", worst},  // until 315 ms; the next begins at 501 ms
		{"20", "0.350", same}, // the one before ends at 109 ms
		{"20", "0.120", first},
		{"7", "0.350", render},
		{"example.a", "0.110", first},
	} {
		if got, err := find(t, test.process, test.at, all); err != nil || got.Frame != nil || got.Near != test.want {
			t.Errorf("--process %q --frame %s: near %+v, error %v, want %+v", test.process, test.at, got.Near, err, test.want)
		}
	}

	// Inside frames it is the one that missed its deadline by most.
	for _, test := range []struct {
		process, at string
		want        *analyzer.Frame
		others      int
		time        trace.Time
	}{
		{"", "0.105", late, 0, trace.Time(105 * ms)},
		{"", "+55ms", late, 0, trace.Time(105 * ms)}, // the trace starts at 50 ms
		{"", "0.112", late, 0, trace.Time(112 * ms)}, // its end
		{"20", "0.105", first, 0, trace.Time(105 * ms)},
		{"7", "0.105", render, 0, trace.Time(105 * ms)},
		{"", "0.31", worst, 0, trace.Time(310 * ms)}, // too coarse for a start
		{"", "0.302", worst, 0, trace.Time(302 * ms)},
		{"", "0.101", late, 2, 0}, // starts
	} {
		got, err := find(t, test.process, test.at, all)
		if err != nil || got.Frame != test.want || len(got.Others) != test.others || got.Near != nil {
			t.Errorf("--process %q --frame %s: %+v, error %v, want %+v", test.process, test.at, got, err, test.want)
		}
		if got.Time != test.time && (test.time != 0 || got.Time.Known()) {
			t.Errorf("--process %q --frame %s: time %s, want %s", test.process, test.at, got.Time, test.time)
		}
	}
	// A coarse time names only an exact start.
	whole := frame("com.example.a", 20, 999, 9, 0)
	for at, inside := range map[string]bool{"1.0": false, "1.005": true} {
		if got, err := find(t, "", at, []*analyzer.Frame{whole}); err != nil || got.Frame != whole || got.Time.Known() != inside {
			t.Errorf("--frame %s: %+v, error %v", at, got, err)
		}
	}

	if got, err := find(t, "", "", all); err != nil || got.Frame != nil || got.Time.Known() {
		t.Errorf("without flags: %v, error %v", got, err)
	}
	for _, test := range []struct {
		process, frame, what, hint string
	}{
		{"", "999", "--frame: no complete frame has the vsync id 999", "ohframe frames lists the vsync ids"},
		{"", "1700", "--frame: no complete frame has the vsync id 1700", "ohframe frames lists the vsync ids"}, // truncated
		{"nobody", "1300", "--frame: no complete frame of the selected processes has the vsync id 1300", "processes that have it: " + `"it's <b>:8\x00 app"`},
		{"7", "2000", "--frame: no complete frame of the selected processes has the vsync id 2000", "processes that have it: com.example.a"},
		{"nobody", "", "--process: no process with frames matches", "processes with frames: "},
		{"nobody", "+1ms", "--process: no process with frames matches", "processes with frames: "},
		{"", "0.099", "--frame 0.099: the time is outside the frames, which are from 0.100000000 to 1.010000000", "ohframe frames lists the vsync ids and times"},
		{"", "1.011", "--frame 1.011: the time is outside the frames, which are from 0.100000000 to 1.010000000", "ohframe frames lists the vsync ids and times"},
		{"", "+5s", "--frame +5s: the time is outside the frames, which are from +50.0 ms to +960.0 ms", "ohframe frames lists the vsync ids and times"},
	} {
		_, err := find(t, test.process, test.frame, all)
		e := (*diag.Error)(nil)
		if err == nil || err.Error() != test.what || !errors.As(err, &e) || !strings.HasPrefix(e.Hint, test.hint) {
			t.Errorf("--process %q --frame %q: %v, %+v, want %s", test.process, test.frame, err, e, test.what)
		}
	}

	// Without frames there is nothing to look at, but a frame is missing.
	if got, err := find(t, "", "0.5", []*analyzer.Frame{truncated}); err != nil || got.Frame != nil || got.Time.Known() {
		t.Errorf("without frames: %v, error %v", got, err)
	}
	if _, err := find(t, "", "1700", []*analyzer.Frame{truncated}); err == nil {
		t.Error("without frames: no error for a vsync id")
	}
}

// A process with layers alone has no frame to open, but times.
func TestLayersWithoutFrames(t *testing.T) {
	f := frame("com.example.a", 20, 999, 9, 0)
	line := &analyzer.Timeline{Frames: []*analyzer.Frame{f}, Processes: []*analyzer.Process{f.Process}}
	line.Layers = []*analyzer.Layer{{Name: "playerSurface", Process: &analyzer.Process{PID: 30, Name: "com.example.video"}}}
	for process, hint := range map[string]string{"video": "it has layers: ", "nobody": "processes with frames: "} {
		p := must.Get(Parse(process, ""))(t)
		_, err := p.Find(line)
		e := (*diag.Error)(nil)
		if !errors.As(err, &e) || !strings.HasPrefix(e.Hint, hint) {
			t.Errorf("%s: %v, %+v", process, err, e)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, frame := range []string{"worst", "-5", "0", "+", "1.2.3", "10 46", "name:", ":10046", "name:10046", "+1.5:3"} {
		if p, err := Parse("", frame); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("--frame: %q is no vsync id", frame)) {
			t.Errorf("--frame %q: parsed as %v, error %v", frame, p, err)
		}
	}
	if p, err := Parse("[", ""); err == nil {
		t.Errorf("--process [: parsed as %v", p)
	}
}

// The vsync id of a time is that of a frame that starts then or contains it.
func TestVsync(t *testing.T) {
	first, later := frame("com.example.a", 20, 100, 9, 0), frame("com.example.b", 30, 300, 9, 0)
	without := frame("com.example.a", 20, 500, 9, 0)
	without.VsyncID = 0
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{first, later, without}, Span: interval(50, 2000)}
	for _, test := range []struct {
		frame   string
		vsync   int64
		process *analyzer.Process
		what    string
	}{
		{"", 0, nil, ""},
		{"1100", 1100, nil, ""}, // whether there is such a frame is said later
		{"7", 7, nil, ""},
		{"0.101", 1100, first.Process, ""},
		{"+255ms", 1300, later.Process, ""},
		{"0.200", 0, nil, "--frame 0.200: no frame at that time"},
		{"0.501", 0, nil, "--frame 0.501: that frame has no vsync id"},
		{"9.0", 0, nil, "--frame 9.0: the time is outside the frames, which are from 0.100000000 to 0.510000000"},
	} {
		vsync, process, err := must.Get(Parse("", test.frame))(t).Vsync(timeline)
		what := ""
		if err != nil {
			what = err.Error()
		}
		if vsync != test.vsync || process != test.process || what != test.what {
			t.Errorf("--frame %q: %d of %v, error %q, want %d, %q", test.frame, vsync, process, what, test.vsync, test.what)
		}
	}
}

// A command of a process without an id has its name, as a pattern.
func TestProcess(t *testing.T) {
	for _, name := range []string{"layer", "com.example/a.Main#0", "Surface[a]*?", `it's "a" \ $b`, "a\x00b\nc"} {
		word := Process(name, trace.UnknownPID)
		out, err := exec.Command("sh", "-c", "printf %s "+word).Output()
		if err != nil {
			t.Skip(err) // on Windows
		}
		p, err := Parse(string(out), "")
		if err != nil || !p.process(&analyzer.Process{Name: name, NoPID: true}) || p.process(&analyzer.Process{Name: "xSurfacea", NoPID: true}) {
			t.Errorf("%q: %s, error %v", name, word, err)
		}
	}
	must.Equal(t, Process("a", 7), "7")
}

// A command that records names the application if its full name is known, and works as it is.
func TestRecord(t *testing.T) {
	for process, app := range map[string]string{
		"com.example.gallery": " --app com.example.gallery", "com.example.gallery:render": " --app com.example.gallery",
		"com.my.shopping": " --app com.my.shopping", "m.example.notes": "", "ohos.sceneboard": "", "render_service": "", "": "",
		"com.example a.b": "", "com.example;rm.b": "", "com.$(a).b": "", "-com.example.a": "",
	} {
		must.Equal(t, Record(process, "--perf"), "ohframe record -t 10 --perf"+app, "%s", process)
	}
}
