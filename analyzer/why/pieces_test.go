package why_test

import (
	"context"
	"os"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/why/judge"
)

// The pieces of a late frame are all of its time, in order, and each other thread that
// was waited for did what it did within its piece.
func TestPieces(t *testing.T) {
	late := 0
	for _, name := range []string{"../../testdata/demo.ftrace", "../../testdata/why/waits.ftrace"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, causes, _, err := judge.Analyze(context.Background(), f, hitrace.Options{}, analyzer.Options{}, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range causes.Frames {
			if e.Overrun == 0 {
				if len(e.Pieces) > 0 {
					t.Errorf("%s was not late and has pieces", e.Frame)
				}
				continue
			}
			late++
			at, parts := e.Start, map[why.Part]trace.Duration{}
			for _, p := range e.Pieces {
				if p.Start != at || p.End <= p.Start {
					t.Errorf("%s: a piece from %s to %s, want one from %s", e.Frame, p.Start, p.End, at)
				}
				at = p.End
				parts[why.Part{Stage: p.Stage, Wait: p.Wait}] += p.End.Sub(p.Start)
				last := p.Start
				for _, o := range p.Others {
					if o.Start < last || o.End > p.End || o.Time != o.End.Sub(o.Start) || o.Time <= 0 {
						t.Errorf("%s: %s from %s to %s in a piece from %s to %s", e.Frame, o.Name(), o.Start, o.End, p.Start, p.End)
					}
					last = o.End
				}
			}
			if at != e.End {
				t.Errorf("%s: the pieces end at %s, not %s", e.Frame, at, e.End)
			}
			for _, part := range e.Parts {
				if got := parts[why.Part{Stage: part.Stage, Wait: part.Wait}]; got != part.Time {
					t.Errorf("%s: pieces of %s %s: %d, want %d", e.Frame, part.Stage, part.Wait, got, part.Time)
				}
			}
		}
	}
	if late < 15 {
		t.Errorf("%d late frames", late)
	}
}
