package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer/why"
	"ohframe/internal/why/account"
	"ohframe/internal/why/place"
)

// instances returns the slices with arguments in which a cause of a frame was the longest. The
// wait is that of its pieces.
func (j *judge) instances(a *account.Account, s *why.Share, wait why.Wait, pieces []why.Piece) []why.Instance {
	if len(pieces) == 0 || s.Slice == "" {
		return nil
	}
	var list []why.Instance
	var labels []string
	for i, slice := range j.book.Instances(a) {
		if slice == s.Slice {
			list = append(list, why.Instance{Start: i.Start, End: i.End})
			labels = append(labels, j.book.Label(i))
		}
	}
	if len(list) == 0 {
		return nil
	}
	for i := range pieces {
		p := &pieces[i]
		if p.Slice != s.Slice || p.Wait != wait || s.Stage != why.NoStage && p.Stage != s.Stage {
			continue
		}
		inner := -1 // the innermost one around the piece
		for n := range list {
			if list[n].Start <= p.Start && p.Start < list[n].End && (inner < 0 || list[n].Start > list[inner].Start) {
				inner = n
			}
		}
		if inner >= 0 {
			list[inner].Time += min(p.End, list[inner].End).Sub(p.Start)
		}
	}
	for i := range list {
		if list[i].Time > 0 {
			list[i].Arguments = place.Arguments(labels[i])
		}
	}
	list = slices.DeleteFunc(list, func(i why.Instance) bool { return len(i.Arguments) == 0 })
	slices.SortFunc(list, func(a, b why.Instance) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return list[:min(len(list), why.MaxInstances)]
}
