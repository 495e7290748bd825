package why

import (
	"cmp"
	"slices"
)

// maxRepeats bounds the different arguments that are counted for one cause.
const maxRepeats = 4096

// isIdentity reports whether an argument names one object, so that another slice with it says
// nothing new.
func isIdentity(name string) bool {
	switch name {
	case "node", "parent", "id":
		return true
	}
	return false
}

// repeatsOf returns the arguments of the instances of a cause of one frame; without any, of the thread
// that it waited for.
func repeatsOf(s *Share) map[Argument]*Repeat {
	list := s.Instances
	if len(list) == 0 && s.Culprit != nil {
		list = []Instance{{Time: s.Culprit.Time, Arguments: s.Culprit.Arguments}}
	}
	var m map[Argument]*Repeat
	for i := range list {
		seen := map[Argument]bool{}
		for _, a := range list[i].Arguments {
			if isIdentity(a.Name) || seen[a] {
				continue
			}
			seen[a] = true
			if m == nil {
				m = map[Argument]*Repeat{}
			}
			if m[a] == nil {
				m[a] = &Repeat{Argument: a, Frames: 1}
			}
			m[a].Instances++
			m[a].Time += list[i].Time
		}
	}
	return m
}

// mergeRepeats adds the arguments of one to those of all. Both are of other frames unless they
// are two shares of one.
func mergeRepeats(all, one map[Argument]*Repeat, otherFrames bool) map[Argument]*Repeat {
	for a, r := range one {
		x := all[a]
		if x == nil {
			if len(all) >= maxRepeats {
				continue
			}
			if all == nil {
				all = map[Argument]*Repeat{}
			}
			c := *r
			all[a] = &c
			continue
		}
		x.Instances += r.Instances
		x.Time += r.Time
		if otherFrames {
			x.Frames += r.Frames
		}
	}
	return all
}

// sortedRepeats returns the arguments of several instances, those with the most time first.
func sortedRepeats(m map[Argument]*Repeat) []Repeat {
	var list []Repeat
	for _, r := range m {
		if r.Instances > 1 {
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Instances, a.Instances), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return list[:min(len(list), MaxInstances)]
}
