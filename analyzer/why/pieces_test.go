package why

import (
	"context"
	"os"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
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
		recorder := NewRecorder(limits.Default())
		timeline, _, err := analyzer.Analyze(context.Background(), f, hitrace.Options{}, analyzer.Options{}, recorder.Sink())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range recorder.Explain(timeline).Frames {
			if e.Overrun == 0 {
				if len(e.Pieces) > 0 {
					t.Errorf("%s was not late and has pieces", e.Frame)
				}
				continue
			}
			late++
			at, parts := e.Start, map[Part]trace.Duration{}
			for _, p := range e.Pieces {
				if p.Start != at || p.End <= p.Start {
					t.Errorf("%s: a piece from %s to %s, want one from %s", e.Frame, p.Start, p.End, at)
				}
				at = p.End
				parts[Part{Stage: p.Stage, Wait: p.Wait}] += p.End.Sub(p.Start)
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
				if got := parts[Part{Stage: part.Stage, Wait: part.Wait}]; got != part.Time {
					t.Errorf("%s: pieces of %s %s: %d, want %d", e.Frame, part.Stage, part.Wait, got, part.Time)
				}
			}
		}
	}
	if late < 15 {
		t.Errorf("%d late frames", late)
	}
}

// Time on a processor is one piece while the slice is the same. Of too many pieces, short
// ones are joined where the thread ran, and then the shortest are left out.
func TestAddPiece(t *testing.T) {
	frame := &analyzer.Frame{Facts: analyzer.MainLate}
	a := &account{frame: frame, span: span{deadline: 1, end: 2000}}
	add := func(from, to trace.Time, wait place.Wait, key Key, record uint32) {
		a.addPiece(piece{start: from, end: to, id: cellID{place.Layout, wait, key}, record: record})
	}
	add(0, 10, place.Run, 2, 0)
	add(10, 30, place.Run, 3, 0)
	add(30, 40, place.Run, 4, 0)
	add(40, 45, place.Run, 4, 0)
	add(45, 50, place.WaitIO, 4, 1)
	add(50, 55, place.WaitIO, 4, 2) // another wait
	add(55, 60, place.WaitIO, 5, 2) // in another slice
	add(60, 61, place.WaitIO, 5, 2)
	var got []piece
	for _, p := range a.pieces {
		got = append(got, piece{start: p.start, end: p.end, id: p.id, record: p.record})
	}
	want := []piece{
		{0, 10, cellID{place.Layout, place.Run, 2}, 0, false},
		{10, 30, cellID{place.Layout, place.Run, 3}, 0, false},
		{30, 45, cellID{place.Layout, place.Run, 4}, 0, false},
		{45, 50, cellID{place.Layout, place.WaitIO, 4}, 1, false},
		{50, 55, cellID{place.Layout, place.WaitIO, 4}, 2, false},
		{55, 61, cellID{place.Layout, place.WaitIO, 5}, 2, false},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	a.pieces = nil
	for i := range trace.Time(210) { // each tenth is the shortest, the rest are long
		length := trace.Time(4)
		if i%10 == 0 {
			length = 2
		}
		add(i*5, i*5+length, place.WaitIO, 2, uint32(i+1))
	}
	list := a.longest()
	if len(list) != 200 || !slices.IsSortedFunc(list, func(a, b piece) int { return int(a.start - b.start) }) {
		t.Errorf("%d pieces, want %d in order", len(list), 200)
	}
	short := 0
	for _, p := range list {
		if p.end-p.start == 2 {
			short++
		}
	}
	if want := 210/10 - 10; short != want {
		t.Errorf("%d short pieces, want %d", short, want)
	}
}
