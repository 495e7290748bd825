package why_test

import (
	"context"
	"io"
	"os"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/tracetest"
)

func explain(t testing.TB, r io.Reader) (*analyzer.Timeline, *why.Causes) {
	t.Helper()
	recorder := why.NewRecorder(limits.Default())
	timeline, _, err := analyzer.Analyze(context.Background(), r, hitrace.Options{}, analyzer.Options{}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	return timeline, recorder.Explain(timeline)
}

// TestSums: all the time of a frame is accounted for, and so is all of its overrun.
func TestSums(t *testing.T) {
	for _, name := range tracetest.Paths(t) {
		t.Run(tracetest.Name(name), func(t *testing.T) {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			timeline, causes := explain(t, f)
			for frame := range timeline.Complete() {
				checkSums(t, frame, causes.Of(frame))
			}
		})
	}
}

func checkSums(t testing.TB, f *analyzer.Frame, e *why.Explanation) {
	t.Helper()
	if e == nil {
		t.Fatalf("%s frame %d has no explanation", f.Kind, f.VsyncID)
	}
	sum := trace.Duration(0)
	for _, p := range e.Parts {
		if p.Time <= 0 {
			t.Errorf("%s frame %d: %v of %v", f.Kind, f.VsyncID, p.Time, p)
		}
		sum += p.Time
	}
	if span := e.End.Sub(e.Start); sum != span {
		t.Errorf("%s frame %d: parts sum up to %d, not %d", f.Kind, f.VsyncID, sum, span)
	}
	start := f.Actual.Start
	if f.Expected.Start.Known() {
		start = min(start, f.Expected.Start)
	}
	if e.Start > start {
		t.Errorf("%s frame %d: starts at %d, not %d", f.Kind, f.VsyncID, e.Start, start)
	}
	if f.Late() != (e.Overrun > 0) || e.Overrun != f.Overrun() {
		t.Errorf("%s frame %d: overrun %v, not %v", f.Kind, f.VsyncID, e.Overrun, f.Overrun())
	}
	if e.Overrun == 0 {
		if len(e.Shares) > 0 || e.Outcome != why.NotLate {
			t.Errorf("%s frame %d is on time and has causes", f.Kind, f.VsyncID)
		}
		return
	}
	sum = 0
	for _, s := range e.Shares {
		if s.Share < 0 || s.Share > s.Value-s.Usual {
			t.Errorf("%s frame %d: share %d of %d, usual %d", f.Kind, f.VsyncID, s.Share, s.Value, s.Usual)
		}
		sum += s.Share
	}
	if sum != e.Overrun {
		t.Errorf("%s frame %d: shares sum up to %d, not %d", f.Kind, f.VsyncID, sum, e.Overrun)
	}
}
