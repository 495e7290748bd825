package perfetto_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/why"
	"ohframe/analyzer/why/judge"
	"ohframe/analyzer/why/record"
	"ohframe/exporter"
	"ohframe/internal/causetext"
	"ohframe/internal/simulate"
	"ohframe/internal/slow"
	"ohframe/internal/tracetest"
)

// waitsTrace is a trace with a frame for each of several causes.
const waitsTrace = "../../testdata/why/waits.ftrace"

// withCauses returns a converted trace with causes.
func withCauses(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(waitsTrace)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, exporter.Options{Causes: true, Events: exporter.NoEvents}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Causes that ohframe wrote are read as they were found.
func TestCausesOfOurs(t *testing.T) {
	texts := map[string][]byte{}
	examples, _ := filepath.Glob("../../testdata/frames/*.txtar")
	for _, path := range slices.Concat(tracetest.Paths(t), []string{waitsTrace}, examples) {
		text := []byte(tracetest.Read(t, path))
		if filepath.Ext(path) == ".txtar" {
			archive := txtar.Parse(text)
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace" })
			text = archive.Files[i].Data
		}
		texts[tracetest.Name(path)] = text
	}
	var busy bytes.Buffer
	if _, err := (simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseRenderBusy}).Generate(&busy); err != nil {
		t.Fatal(err)
	}
	texts["render thread busy"] = busy.Bytes()
	var gc bytes.Buffer
	if _, err := (simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseGC}).Generate(&gc); err != nil {
		t.Fatal(err)
	}
	texts["garbage collection"] = gc.Bytes()
	texts["two traces"] = slices.Concat(texts["why/waits.ftrace"], texts["testdata/demo.ftrace"])
	late := 0
	for name, text := range texts {
		for _, options := range []exporter.Options{{Causes: true}, {Causes: true, Events: exporter.NoEvents, Compress: true}} {
			t.Run(fmt.Sprintf("%s/%s", name, options.Events), func(t *testing.T) { late += causesOfOurs(t, text, options) })
		}
	}
	if late < 60 {
		t.Errorf("%d late frames", late)
	}
}

// causesOfOurs returns the number of late frames.
func causesOfOurs(t *testing.T, text []byte, options exporter.Options) int {
	recorder := record.New(limits.Default())
	timeline, _, err := analyzer.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, analyzer.Options{}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judge.Explain(recorder.Finish(), timeline)
	unlinkTruncated(timeline)
	if timeline.Counts().Frames == 0 {
		return 0
	}
	var written bytes.Buffer
	if _, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, options); err != nil {
		t.Fatal(err)
	}
	gotTimeline, got, stats, err := perfetto.ReadCauses(t.Context(), &written, perfetto.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(stats.Warnings()) > 0 {
		t.Error(stats.Warnings())
	}
	if a, b := describeCauses(gotTimeline, got), describeCauses(timeline, causes); a != b {
		t.Errorf("the causes differ at %s", firstDifference(a, b))
	}
	return strings.Count(describeCauses(timeline, causes), "\nlate ")
}

// describeCauses returns everything that is known of causes, for each frame.
func describeCauses(t *analyzer.Timeline, c *why.Causes) string {
	if c == nil {
		return "no causes"
	}
	frames := slices.SortedFunc(t.Complete(), func(a, b *analyzer.Frame) int { return strings.Compare(key(a), key(b)) })
	name := func(f *analyzer.Frame) string {
		if f == nil {
			return "none"
		}
		return key(f)
	}
	culprit := func(c *why.Culprit) string {
		if c == nil {
			return "nobody"
		}
		return fmt.Sprintf("%+v", *c)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%t %t %t\n", c.Scheduled, c.Woken, c.Functions)
	for _, f := range frames {
		e := c.Of(f)
		if e == nil {
			continue
		}
		fmt.Fprintf(&s, "%s: %d to %d, unknown %d: %v\n", key(f), e.Start, e.End, e.Unknown, e.Parts)
		if e.Outcome == why.NotLate {
			continue
		}
		fmt.Fprintf(&s, "late %d: %s %s %s, root %s: %s\n", e.Overrun, e.Outcome, e.Confidence, e.Basis, name(e.Root), causetext.Sentence(c, e))
		for i := range e.Shares {
			x := &e.Shares[i]
			fmt.Fprintf(&s, "%s %s %s %q %q %d %d %d %d %d earlier %s, %s, %s\n", causetext.Title(x), x.Stage, x.Wait, x.Slice, x.Function,
				x.Value, x.Usual, x.Share, x.SliceValue, x.SliceUsual, name(x.Earlier), culprit(x.Culprit), x.Advice)
		}
	}
	r := c.Rank(frames)
	fmt.Fprintf(&s, "%d frames, %d lost, %d unknown\n", r.Late, r.Lost, r.Unknown)
	for _, x := range r.Costs {
		fmt.Fprintf(&s, "%s %v %s %d %d %d %d %s %s %s\n", causetext.CostTitle(x), x.Stages, x.Wait, len(x.Frames), x.Lost, x.Direct, x.KnockOn, name(x.Worst), culprit(x.Culprit), x.Advice)
	}
	return s.String()
}

// A trace that was written without causes has none, nor has one of Android.
func TestNoCauses(t *testing.T) {
	text, err := os.ReadFile(waitsTrace)
	if err != nil {
		t.Fatal(err)
	}
	for _, options := range []exporter.Options{{}, {Causes: true, NoTracks: true}} {
		var out bytes.Buffer
		if _, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, options); err != nil {
			t.Fatal(err)
		}
		if _, causes, _, err := perfetto.ReadCauses(t.Context(), &out, perfetto.Options{}); err != nil || causes != nil {
			t.Errorf("%+v: causes %v, error %v", options, causes, err)
		}
	}
	if _, causes, _, err := perfetto.ReadCauses(t.Context(), bytes.NewReader(androidRecording().bytes), perfetto.Options{}); err != nil || causes != nil {
		t.Errorf("Android: causes %v, error %v", causes, err)
	}
}

// What is over a limit is skipped and counted.
func TestCausesOverLimits(t *testing.T) {
	trace := withCauses(t)
	_, _, stats, err := perfetto.ReadCauses(t.Context(), bytes.NewReader(trace), perfetto.Options{Limits: limits.Limits{States: 10}})
	if err != nil || stats.Over.States == 0 || !strings.Contains(fmt.Sprint(stats.Warnings()), "(limit: states)") {
		t.Errorf("%v, %+v, %q", err, stats.Over, stats.Warnings())
	}
	_, _, stats, err = perfetto.ReadCauses(t.Context(), bytes.NewReader(trace), perfetto.Options{Limits: limits.Limits{Strings: 10}})
	if err != nil || stats.Over.Strings == 0 {
		t.Errorf("%v, %+v", err, stats.Over)
	}
}

// Whatever damage is done to a trace, causes can be ranked and described, and the
// shares of a frame are its overrun.
func TestDamagedCauses(t *testing.T) {
	trace := withCauses(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range slow.Of(200, 2000) {
		damaged := slices.Clone(trace)
		for range 1 + random.IntN(20) {
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
		}
		timeline, causes, _, err := perfetto.ReadCauses(t.Context(), bytes.NewReader(damaged), perfetto.Options{})
		if err != nil {
			continue
		}
		describeCauses(timeline, causes)
		for f := range timeline.Complete() {
			e := causes.Of(f)
			if e == nil || len(e.Shares) == 0 {
				continue
			}
			left := e.Overrun
			for _, s := range e.Shares {
				left -= s.Share
			}
			if left != 0 || e.Overrun != f.Overrun() {
				t.Errorf("%s: shares of %d lack %d", f, e.Overrun, left)
			}
		}
	}
}
