package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
)

// maxRepeats bounds the different arguments that are counted for one cause, those that occur first.
const maxRepeats = 4096

// repeats counts the arguments of the instances of a cause, in the order in which they occur first.
type repeats struct {
	at   map[Argument]int // in list
	list []repeat
}

type repeat struct {
	Repeat
	last *analyzer.Frame // with it
}

// repeatsOf returns the arguments of the instances of a cause of a frame; without any, of the thread
// that it waited for.
func repeatsOf(f *analyzer.Frame, s *Share) (r repeats) {
	list := s.CountArguments()
	if len(list) == 0 && s.Culprit != nil {
		list = RepeatsOf([]Instance{{Time: s.Culprit.Time, Arguments: s.Culprit.Arguments}}, 1)
	}
	for _, x := range list {
		if !x.Identifies() {
			r.add(repeat{x, f})
		}
	}
	return r
}

// add adds what was counted of an argument. Its frames are others, but for the last one.
func (r *repeats) add(one repeat) {
	i, known := r.at[one.Argument]
	switch {
	case known:
		x := &r.list[i]
		x.Instances += one.Instances
		x.Time += one.Time
		x.AtLeast = x.AtLeast || one.AtLeast
		if x.last != one.last {
			x.Frames += one.Frames
			x.last = one.last
		}
	case len(r.list) < maxRepeats:
		if r.at == nil {
			r.at = map[Argument]int{}
		}
		r.at[one.Argument] = len(r.list)
		r.list = append(r.list, one)
	}
}

func (r *repeats) merge(one *repeats) {
	for _, x := range one.list {
		r.add(x)
	}
}

// sorted returns the arguments of several instances, those with the most time first.
func (r *repeats) sorted() []Repeat {
	var list []Repeat
	for i := range r.list {
		if r.list[i].Instances > 1 {
			list = append(list, r.list[i].Repeat)
		}
	}
	slices.SortFunc(list, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Instances, a.Instances), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return list[:min(len(list), MaxInstances)]
}
