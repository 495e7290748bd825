package analyzer_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestFlag(t *testing.T) {
	const (
		mainLate   = analyzer.MainLate
		gpuLate    = analyzer.GPULate
		empty      = analyzer.Empty
		misaligned = analyzer.Misaligned
		unknown    = analyzer.EmptyUnknown
		none       = -1
	)
	for _, test := range []struct {
		facts       analyzer.Facts
		app, render int
	}{
		{0, 0, 0},
		{mainLate, 1, 1},
		{gpuLate, 1, 1},
		{mainLate | gpuLate, 1, 1},
		{empty, 2, 2},
		{empty | mainLate, 2, 2},
		{misaligned, 0, 3},
		{misaligned | mainLate, 1, 3},
		{misaligned | gpuLate, 1, 3},
		{misaligned | empty, 2, 2},
		{misaligned | empty | mainLate, 2, 2},
		{unknown, none, none},
		{unknown | mainLate, 1, 1},
		{unknown | misaligned, none, 3},
	} {
		for kind, want := range map[analyzer.Kind]int{analyzer.ApplicationFrame: test.app, analyzer.RenderFrame: test.render} {
			f := analyzer.Frame{Kind: kind, Facts: test.facts}
			if got, ok := f.Flag(); ok != (want != none) || ok && got != want {
				t.Errorf("flag of a %s frame with facts %b is %d, %v, want %d", kind, test.facts, got, ok, want)
			}
		}
	}
}

func TestFrameEnd(t *testing.T) {
	f := analyzer.Frame{Actual: analyzer.Interval{Start: 100, End: 200}, Deadline: 190}
	if f.End() != 200 || f.Overrun() != 0 || f.Late() {
		t.Errorf("a frame not called late ends at %d, late %v by %d", f.End(), f.Late(), f.Overrun())
	}
	f.Facts = analyzer.MainLate
	if f.Overrun() != 10 || !f.Late() {
		t.Errorf("late %v by %d, want 10", f.Late(), f.Overrun())
	}
	f.GPU = []analyzer.Interval{{Start: 110, End: 250}, {Start: 120, End: 130}}
	f.Facts = analyzer.GPULate
	if f.End() != 250 || f.Overrun() != 60 || !f.Late() {
		t.Errorf("with gpu work the frame ends at %d, late %v by %d, want 250, 60", f.End(), f.Late(), f.Overrun())
	}
	f.GPU[0].End = 150
	must.Equal(t, f.End(), 200, "the end")
}

func TestInterval(t *testing.T) {
	for _, test := range []struct {
		interval analyzer.Interval
		known    bool
		duration trace.Duration
	}{
		{analyzer.Interval{}, false, 0},
		{analyzer.Interval{Start: 5}, false, 0},
		{analyzer.Interval{End: 5}, false, 0},
		{analyzer.Interval{Start: 5, End: 5}, true, 0},
		{analyzer.Interval{Start: 5, End: 12}, true, 7},
	} {
		if got := test.interval; got.Known() != test.known || got.Duration() != test.duration {
			t.Errorf("%s: known %v, duration %d, want %v, %d", got, got.Known(), int64(got.Duration()), test.known, int64(test.duration))
		}
	}
}
