package account

import (
	"slices"
	"testing"

	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// Time on a processor is one piece while the slice is the same. If there are too many pieces,
// short ones are merged where the thread ran, and then the shortest are left out.
func TestAddPiece(t *testing.T) {
	d := &details{late: true}
	add := func(from, to trace.Time, wait why.Wait, key threads.NameKey, number uint32) {
		d.addPiece(piece{start: from, end: to, id: newID(why.StageLayout, wait, key), wait: number})
	}
	add(0, 10, why.Run, 2, 0)
	add(10, 30, why.Run, 3, 0)
	add(30, 40, why.Run, 4, 0)
	add(40, 45, why.Run, 4, 0)
	add(45, 50, why.WaitIO, 4, 1)
	add(50, 55, why.WaitIO, 4, 2) // another wait
	add(55, 60, why.WaitIO, 5, 2) // in another slice
	add(60, 61, why.WaitIO, 5, 2)
	var got []piece
	for _, p := range d.pieces {
		got = append(got, piece{start: p.start, end: p.end, id: p.id, wait: p.wait})
	}
	want := []piece{
		{0, 10, newID(why.StageLayout, why.Run, 2), 0, false},
		{10, 30, newID(why.StageLayout, why.Run, 3), 0, false},
		{30, 45, newID(why.StageLayout, why.Run, 4), 0, false},
		{45, 50, newID(why.StageLayout, why.WaitIO, 4), 1, false},
		{50, 55, newID(why.StageLayout, why.WaitIO, 4), 2, false},
		{55, 61, newID(why.StageLayout, why.WaitIO, 5), 2, false},
	}
	must.EqualSlices(t, got, want)

	d.pieces = nil
	for i := range trace.Time(210) { // each tenth is the shortest, the rest are long
		length := trace.Time(4)
		if i%10 == 0 {
			length = 2
		}
		add(i*5, i*5+length, why.WaitIO, 2, uint32(i+1))
	}
	list := d.longest()
	if len(list) != 200 || !slices.IsSortedFunc(list, func(a, b piece) int { return int(a.start - b.start) }) {
		t.Errorf("%d pieces, want %d in order", len(list), 200)
	}
	short := 0
	for _, p := range list {
		if p.end-p.start == 2 {
			short++
		}
	}
	must.Equal(t, short, 210/10-10, "short pieces")
}
