package account

import (
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// The account of a frame on time has the cells and processors that were added, in the order
// in which they were.
func TestPack(t *testing.T) {
	b := &Book{shared: &shared{}}
	id := func(key int) ID {
		return newID(why.Stage(key%why.StageCount), why.Wait(key%why.WaitCount), 1<<key)
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
		b.closeAccount(a)
		if a.details != nil {
			t.Fatal("it has details")
		}
		must.EqualSlices(t, slices.Collect(a.Cells()), wantCells, "cells")
		must.EqualSlices(t, slices.Collect(a.ran()), wantRan, "ran on")
	}
}
