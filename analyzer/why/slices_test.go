package why_test

import (
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
)

// A frame with more pieces than are kept has the right times, and no piece has the name of
// a slice for the time in others.
func TestSliceTimesOfManyPieces(t *testing.T) {
	const n = 1500
	s := &script{}
	s.frames(24, nil, func(i int) {
		if i != 10 {
			return
		}
		for range n { // 18 ms, 12 of them in A
			s.begin(500, "A")
			s.at += 8
			s.end(500)
			s.begin(500, "B")
			s.at += 4
			s.end(500)
		}
		s.begin(500, "Long")
		s.at += 3000
		s.end(500)
	}, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if f.VsyncID != 110 {
			continue
		}
		times := map[string]why.SliceTime{}
		for _, s := range e.Slices {
			times[s.Slice] = s
		}
		if a, b := times["A"].Running, times["B"].Running; a != n*8*trace.Microsecond || b != n*4*trace.Microsecond {
			t.Errorf("%d in A, %d in B", a, b)
		}
		if len(e.Pieces) > 200 {
			t.Errorf("%d pieces", len(e.Pieces))
		}
		at, ran := e.Start, map[string]trace.Duration{}
		for _, p := range e.Pieces {
			if p.Start != at || p.Several != strings.Contains(causetext.PieceTitle(&p), "several slices (build)") || p.Several && p.Slice != "" {
				t.Errorf("%+v: %s", p, causetext.PieceTitle(&p))
			}
			at = p.End
			ran[p.Slice] += p.End.Sub(p.Start)
		}
		if at != e.End || ran["Long"] != 3*trace.Millisecond || ran["A"] > times["A"].Running || ran["B"] > times["B"].Running {
			t.Errorf("pieces end at %d, not %d: %v", at, e.End, ran)
		}
	}
}
