package reconstruct_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
)

// gallery is the application of the traces here that traces itself.
const gallery, galleryName = 20170, "com.example.gallery"

// ownTraces returns a trace of the system with hangs, and the events in it.
func ownTraces(t *testing.T) ([]byte, []rawfile.Event) {
	t.Helper()
	config := simulate.Demonstration()
	config.Hangs = []simulate.Hang{{At: 4205 * trace.Millisecond, Length: 310 * trace.Millisecond, Name: "JSMarshalling"}}
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	events := must.Get(rawfile.Parse(text.Bytes()))(t)
	return text.Bytes(), events
}

func analyzed(t *testing.T, text []byte) *analyzer.Timeline {
	t.Helper()
	timeline, _ := must.Get2(reconstruct.Analyze(context.Background(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{}))(t)
	must.Do(t, timeline.Validate())
	return timeline
}

// lateOf returns the vsync ids of the late frames of the main thread of the gallery.
func lateOf(t *analyzer.Timeline) (ids []int64) {
	for f := range t.Complete() {
		if f.Process.PID == gallery && f.TID == gallery && f.Late() {
			ids = append(ids, f.VsyncID)
		}
	}
	return ids
}

// TestOwnTrace: an application's own trace, in both modes, has the late frames and hangs that the
// trace of the system has of it.
func TestOwnTrace(t *testing.T) {
	text, events := ownTraces(t)
	full := analyzed(t, text)
	if full.Diagnostics.Recorded != analyzer.FromSystem || len(lateOf(full)) < 5 || len(full.Hangs) == 0 {
		t.Fatalf("the system's trace: recorded %d, late %d, %d hangs", full.Diagnostics.Recorded, lateOf(full), len(full.Hangs))
	}
	worker := slices.Clone(events)
	at := slices.IndexFunc(worker, func(e rawfile.Event) bool { return e.PID == gallery })
	worker = slices.Insert(worker, at, rawfile.Event{Comm: "OS_TaskWorker_0", TID: gallery + 5, PID: gallery, CPU: 1, Time: worker[at].Time, Name: "print", Args: "B|20170|H:Task|M62"},
		rawfile.Event{Comm: "OS_TaskWorker_0", TID: gallery + 5, PID: gallery, CPU: 1, Time: worker[at].Time, Name: "print", Args: "E|20170|M62"})
	for _, test := range []struct {
		all  bool
		want analyzer.Recorded
	}{{false, analyzer.FromOwnMain}, {true, analyzer.FromOwnThreads}} {
		own := rawfile.Own(worker, rawfile.OwnOptions{PID: gallery, Process: galleryName, AllThreads: test.all})
		got := analyzed(t, own)
		if r := got.Diagnostics.Recorded; r != test.want || !r.Own() {
			t.Errorf("all threads %t: recorded %d, want %d", test.all, r, test.want)
		}
		if late, want := lateOf(got), lateOf(full); !slices.Equal(late, want) {
			t.Errorf("all threads %t: late %d, want %d", test.all, late, want)
		}
		var hangs, want []analyzer.Interval
		for _, h := range full.Hangs {
			if h.Process.PID == gallery { // lines of an own trace have microseconds
				want = append(want, analyzer.Interval{Start: h.Start / 1000 * 1000, End: h.End / 1000 * 1000})
			}
		}
		for _, h := range got.Hangs {
			hangs = append(hangs, h.Interval)
		}
		must.EqualSlices(t, hangs, want, "all threads %t: hangs", test.all)
	}
}

// TestOwnTraceWithoutFrames: the main thread of an application has a user interface, whatever its
// markers are.
func TestOwnTraceWithoutFrames(t *testing.T) {
	_, events := ownTraces(t)
	events = slices.DeleteFunc(events, func(e rawfile.Event) bool {
		return !strings.HasSuffix(e.Args, "M62") && !strings.Contains(e.Args, "JSMarshalling")
	})
	at := slices.IndexFunc(events, func(e rawfile.Event) bool { return strings.Contains(e.Args, "JSMarshalling") })
	if at < 0 {
		t.Fatal("the trace has no hang")
	}
	end := events[at]
	end.Time, end.Args = end.Time+int64(310*trace.Millisecond), "E|20170|M0538"
	own := analyzed(t, rawfile.Own([]rawfile.Event{events[at], end}, rawfile.OwnOptions{PID: gallery, Process: galleryName}))
	if len(own.Frames) != 0 || len(own.Hangs) != 1 || own.Hangs[0].Slice != "JSMarshalling" || own.Hangs[0].Duration() != 310*trace.Millisecond {
		t.Errorf("%d frames, hangs %v", len(own.Frames), own.Hangs)
	}
}

// TestNoOwnTrace: one line of another origin is enough, and so is a cut file too little.
func TestNoOwnTrace(t *testing.T) {
	_, events := ownTraces(t)
	own := string(rawfile.Own(events, rawfile.OwnOptions{PID: gallery, Process: galleryName}))
	for name, line := range map[string]string{
		"another process": "  ample.notebook-21480   (  21480) [007] .... 3700.000408: tracing_mark_write: B|21480|H:Task|M62\n",
		"a kernel's name": "  .example.gallery-20170   (  20170) [007] .... 3700.000408: tracing_mark_write: B|20170|H:Task|M62\n",
		"a kernel's flag": "  xample.gallery-20170   (  20170) [007] d... 3700.000408: tracing_mark_write: B|20170|H:Task|M62\n",
		"a kernel event":  "  xample.gallery-20170   (  20170) [007] .... 3700.000408: cpu_frequency: state=1 cpu_id=1\n",
	} {
		if r := analyzed(t, []byte(own+line)).Diagnostics.Recorded; r.Own() {
			t.Errorf("%s: recorded %d", name, r)
		}
	}
	for _, end := range []int{len(own) / 3, len(own) / 2, len(own) - 7} {
		must.Equal(t, analyzed(t, []byte(own[:end])).Diagnostics.Recorded, analyzer.FromOwnMain, "cut at %d: recorded", end)
	}
	broken := strings.Replace(own, "H:FlushBuild", "H:Flush\nBuild", 1) // a name may have a newline
	must.Equal(t, analyzed(t, []byte(broken)).Diagnostics.Recorded, analyzer.FromOwnMain, "a name with a newline: recorded")
	clock := strings.ReplaceAll(own, " .... 3700.", " .... 0.") // a clock that has just begun
	must.Equal(t, analyzed(t, []byte(clock)).Diagnostics.Recorded, analyzer.FromOwnMain, "a clock near 0: recorded")
}
