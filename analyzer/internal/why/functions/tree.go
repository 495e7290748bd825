package functions

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Limits of a flame graph.
const (
	// maxDepth is the maximum number of calls of a sample: a page shows some 50. Of deeper ones
	// the outermost are kept.
	maxDepth = 128
	// maxNodes bounds the memory of a tree, maxCalls what is returned of it.
	maxNodes = 1 << 16
	maxCalls = 512
	// manyCalls is how many calls are kept of a tree with more than maxCalls. Each can have one
	// for what was left out.
	manyCalls = maxCalls / 2
)

// Others is the name of the calls of a function that were left out of a tree.
const Others = "…(others)"

// Tree is a tree of calls.
type Tree struct {
	table *Table
	nodes []node // the root comes first
	by    map[call]int32
	path  []ID
}

type node struct {
	function ID
	parent   int32
	samples  int
	time     float64
}

// call is a function that a node calls.
type call struct {
	parent   int32
	function ID
}

// NewTree returns an empty tree of calls of functions of a table.
func NewTree(t *Table) *Tree {
	return &Tree{table: t, nodes: []node{{parent: -1}}, by: map[call]int32{}}
}

// Add adds a sample that is of so much time, in nanoseconds.
func (t *Tree) Add(sample int32, time float64) {
	t.path = t.table.Path(t.path[:0], sample)
	at := int32(0)
	t.nodes[0].add(time)
	for _, f := range t.path[:min(len(t.path), maxDepth)] {
		next, ok := t.by[call{at, f}]
		if !ok {
			if len(t.nodes) == maxNodes {
				return
			}
			next = int32(len(t.nodes))
			t.by[call{at, f}] = next
			t.nodes = append(t.nodes, node{function: f, parent: at})
		}
		t.nodes[next].add(time)
		at = next
	}
}

func (n *node) add(time float64) {
	n.samples++
	n.time += time
}

// Calls returns the calls, each before those that it makes, and those of a call with the largest
// time first. It is nil for an empty tree.
func (t *Tree) Calls() why.Calls {
	if t.nodes[0].samples == 0 {
		return nil
	}
	less := func(a, b int32) int {
		x, y := &t.nodes[a], &t.nodes[b]
		f, g := t.table.Name(x.function), t.table.Name(y.function)
		return cmp.Or(cmp.Compare(y.time, x.time), cmp.Compare(f.Name, g.Name), cmp.Compare(f.Module, g.Module), cmp.Compare(a, b))
	}
	kept := make([]bool, len(t.nodes))
	order := make([]int32, len(t.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	if len(order) > maxCalls {
		// A call has at least the time of those that it makes, and a lower index.
		slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(t.nodes[b].time, t.nodes[a].time), cmp.Compare(a, b)) })
		order = order[:manyCalls]
	}
	for _, i := range order {
		kept[i] = true
	}
	children, others := make([][]int32, len(t.nodes)), map[int32]*node{}
	for i := 1; i < len(t.nodes); i++ {
		switch n := &t.nodes[i]; {
		case kept[i]:
			children[n.parent] = append(children[n.parent], int32(i))
		case kept[n.parent]:
			if others[n.parent] == nil {
				others[n.parent] = &node{}
			}
			others[n.parent].samples += n.samples
			others[n.parent].time += n.time
		}
	}
	var list why.Calls
	var add func(i, parent int32)
	add = func(i, parent int32) {
		n, at := &t.nodes[i], int32(len(list))
		list = append(list, why.Call{Function: t.table.Name(n.function), Parent: parent, Samples: n.samples, Time: trace.Duration(n.time)})
		slices.SortFunc(children[i], less)
		for _, c := range children[i] {
			add(c, at)
		}
		if o := others[i]; o != nil {
			list = append(list, why.Call{Function: why.Function{Name: Others}, Parent: at, Samples: o.samples, Time: trace.Duration(o.time)})
		}
	}
	add(0, -1)
	return list
}
