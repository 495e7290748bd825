package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// instances returns the slices with arguments in which a cause of a frame was the longest, and the arguments of all
// of them if they are more. The wait is that of its pieces.
func (j *judge) instances(a *account.Account, s *why.Share, wait why.Wait) ([]why.Instance, []why.Repeat) {
	if s.Slice == "" {
		return nil, nil
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
		return nil, nil
	}
	for p := range j.book.Stretches(a, s.Slice, wait, s.Stage) {
		for at := p.Start; at < p.End; { // a piece may be of several slices that follow one another
			inner, next := -1, p.End // the innermost one around at
			for n := range list {
				if x := &list[n]; x.Start > at {
					next = min(next, x.Start)
				} else if at < x.End && (inner < 0 || x.Start > list[inner].Start || x.Start == list[inner].Start && x.End < list[inner].End) {
					inner = n
				}
			}
			if inner >= 0 {
				next = min(next, list[inner].End)
				list[inner].Time += next.Sub(at)
			}
			at = next
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
	if len(list) <= why.MaxInstances {
		return list, nil
	}
	repeats := why.RepeatsOf(list, s.Calls)
	return list[:why.MaxInstances], slices.DeleteFunc(repeats, func(r why.Repeat) bool { return r.Identifies() })
}
