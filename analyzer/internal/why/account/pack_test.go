package account

import (
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
)

// The account of a frame on time has the cells and processors that were added, in the order
// in which they were.
func TestPack(t *testing.T) {
	b := &Book{}
	id := func(key int) ID {
		return ID{why.Stage(key % why.StageCount), why.Wait(key % why.WaitCount), 1 << key}
	}
	for n := range 32 {
		a := &Account{Frame: &analyzer.Frame{}}
		d := b.open(a)
		for i := range n {
			d.add(id(i), 1000, 0)
			if i%3 > 0 {
				d.add(id(i), 1<<30, 1<<31)
			}
			if i%3 == 1 {
				d.cells[i].Time = d.cells[i].Clocked
			}
			d.cells[i].Calls = 1 << i >> 1
			d.ranOn(uint8(255-i%7), 1<<i)
		}
		wantCells, wantRan := slices.Clone(d.cells), slices.Clone(d.ran)
		b.close(a)
		if a.details != nil {
			t.Fatal("it has details")
		}
		if got := slices.Collect(a.Cells()); !slices.Equal(got, wantCells) {
			t.Errorf("cells %v, want %v", got, wantCells)
		}
		if got := slices.Collect(a.ran()); !slices.Equal(got, wantRan) {
			t.Errorf("ran on %v, want %v", got, wantRan)
		}
	}
}
