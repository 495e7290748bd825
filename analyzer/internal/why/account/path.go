package account

import (
	"iter"

	"ohframe/analyzer/internal/why/record"
	"ohframe/analyzer/trace"
	"ohframe/internal/place"
)

// maxPathNodes bounds the slices by place that are distinguished in a stretch.
const maxPathNodes = 1 << 12

// pathNode is the slices of one name at a place of a stretch, with those inside of them.
type pathNode struct {
	pathID
	time  trace.Duration
	calls int
	last  uint32 // the number of the last one
}

type pathID struct {
	parent int32
	key    record.Key
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
		node := &p.nodes[n]
		node.time += d
		if node.last != stack[i].number {
			node.calls, node.last = node.calls+1, stack[i].number
		}
		parent = n
	}
}

// Calls is the time of slices of one name, or of names that differ only in the numbers of their
// words.
type Calls struct {
	Slice string // with * for numbers that differ
	Time  trace.Duration
	Calls int
}

// Is reports whether a slice of a name is one of them.
func (c *Calls) Is(slice string) bool { return c.Slice == slice || c.Slice == place.Numberless(slice) }

// MostOf returns those of the slices in a list that have the most time, and how many others
// there are. Names that differ only in numbers count as one if none has half of the whole time.
func MostOf(list iter.Seq[Calls], whole trace.Duration) (most Calls, others int) {
	sum := func(name func(string) string) (most Calls, others int) {
		var sums []Calls
		at := map[string]int{}
		for c := range list {
			c.Slice = name(c.Slice)
			n, ok := at[c.Slice]
			if !ok {
				n = len(sums)
				at[c.Slice] = n
				sums = append(sums, Calls{Slice: c.Slice})
			}
			sums[n].Time += c.Time
			sums[n].Calls += c.Calls
		}
		for _, c := range sums {
			if c.Time > most.Time {
				most = c
			}
		}
		return most, max(0, len(sums)-1)
	}
	most, others = sum(func(name string) string { return name })
	if 2*most.Time < whole && others > 0 {
		if all, rest := sum(place.Numberless); 2*all.Time >= whole {
			return all, rest
		}
	}
	return most, others
}

// Path returns the slices with most of the time of a stretch that keeps it, from the outermost one
// inwards, at most n: each has at least half of the time of the one around it.
func (b *Book) Path(a *Account, n int) []Calls {
	var list []Calls
	nodes := a.details.paths.nodes
	around := func(parent int32) bool { return parent < 0 }
	for left := a.End.Sub(a.Start); len(list) < n; {
		most, _ := MostOf(func(yield func(Calls) bool) {
			for i := range nodes {
				if x := &nodes[i]; around(x.parent) && !yield(Calls{b.record.Name(x.key), x.time, x.calls}) {
					return
				}
			}
		}, left)
		if most.Calls == 0 || 2*most.Time < left {
			break
		}
		list = append(list, most)
		path := make([]bool, len(nodes))
		for i := range nodes {
			x := &nodes[i]
			path[i] = around(x.parent) && most.Is(b.record.Name(x.key))
		}
		around, left = func(parent int32) bool { return parent >= 0 && path[parent] }, most.Time
	}
	return list
}
