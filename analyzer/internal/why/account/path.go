package account

import (
	"iter"

	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// maxPathNodes bounds the slices by place that are distinguished in a stretch.
const maxPathNodes = 1 << 12

// pathNode is the slices of one name at a place of a stretch, with those inside of them.
type pathNode struct {
	pathID
	sliceSum
}

// sliceSum is the time in slices of one key, and their number.
type sliceSum struct {
	time  trace.Duration
	calls int    // the number of slices
	last  uint32 // the highest number of those
}

// add adds time in the slice of a number.
func (s *sliceSum) add(d trace.Duration, number uint32) {
	if s.time += d; number > s.last {
		s.calls, s.last = s.calls+1, number
	}
}

type pathID struct {
	parent int32
	key    threads.NameKey
}

// Trace makes a Stretch record the times of its slices by place, for Path, and its pieces. It returns a.
func (a *Account) Trace() *Account {
	a.details.paths, a.details.late = &paths{at: map[pathID]int32{}}, true
	return a
}

// paths are the times of slices by place.
type paths struct {
	nodes []pathNode
	at    map[pathID]int32 // index by parent and key
}

// add adds time in a stack of open slices.
func (p *paths) add(stack []level, d trace.Duration) {
	parent := int32(-1)
	for i := range stack {
		id := pathID{parent, stack[i].key}
		n, ok := p.at[id]
		if !ok {
			if len(p.nodes) >= maxPathNodes {
				return
			}
			n = int32(len(p.nodes))
			p.nodes = append(p.nodes, pathNode{pathID: id})
			p.at[id] = n
		}
		p.nodes[n].add(d, stack[i].number)
		parent = n
	}
}

// IsOf reports whether a slice of a name is one of several.
func IsOf(s *why.NamedSlices, slice string) bool {
	return s.Slice == slice || s.Slice == place.Numberless(slice)
}

// MostOf returns those of the slices in a list that have the most time, and how many others
// there are. Names that differ only in numbers count as one if none has half of the whole time.
func MostOf(list iter.Seq[why.NamedSlices], whole trace.Duration) (most why.NamedSlices, others int) {
	sum := func(name func(string) string) (most why.NamedSlices, others int) {
		var sums []why.NamedSlices
		at := map[string]int{}
		for c := range list {
			c.Slice = name(c.Slice)
			n, ok := at[c.Slice]
			if !ok {
				n = len(sums)
				at[c.Slice] = n
				sums = append(sums, why.NamedSlices{Slice: c.Slice})
			}
			sums[n].Value += c.Value
			sums[n].Calls += c.Calls
		}
		for _, c := range sums {
			if c.Value > most.Value {
				most = c
			}
		}
		return most, max(0, len(sums)-1)
	}
	most, others = sum(func(name string) string { return name })
	if 2*most.Value < whole && others > 0 {
		if all, rest := sum(place.Numberless); 2*all.Value >= whole {
			return all, rest
		}
	}
	return most, others
}

// Path returns the slices with most of the time of a stretch that keeps it, from the outermost one
// inwards, at most n: each has at least half of the time of the one around it.
func (b *Book) Path(a *Account, n int) []why.NamedSlices {
	var list []why.NamedSlices
	nodes := a.details.paths.nodes
	around := func(parent int32) bool { return parent < 0 }
	for left := a.End.Sub(a.Start); len(list) < n; {
		most, _ := MostOf(func(yield func(why.NamedSlices) bool) {
			for i := range nodes {
				if x := &nodes[i]; around(x.parent) && !yield(why.NamedSlices{Slice: b.record.Name(x.key), Value: x.time, Calls: x.calls}) {
					return
				}
			}
		}, left)
		if most.Calls == 0 || 2*most.Value < left {
			break
		}
		list = append(list, most)
		path := make([]bool, len(nodes))
		for i := range nodes {
			x := &nodes[i]
			path[i] = around(x.parent) && IsOf(&most, b.record.Name(x.key))
		}
		around, left = func(parent int32) bool { return parent >= 0 && path[parent] }, most.Value
	}
	return list
}
