package account

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/why/record"
)

// maxPathNodes bounds the slices by place that are distinguished in a stretch.
const maxPathNodes = 1 << 12

// pathNode is the slices of one name at a place of a stretch, with those inside of them.
type pathNode struct {
	parent int32
	key    record.Key
	time   trace.Duration
}

// KeepPath makes a Stretch record the times of its slices by place, for Path. It returns a.
func (a *Account) KeepPath() *Account {
	a.details.paths = &paths{at: map[pathNode]int32{}}
	return a
}

// paths are the times of slices by place.
type paths struct {
	nodes []pathNode
	at    map[pathNode]int32 // index by parent and key
}

// add adds time in a stack of open slices.
func (p *paths) add(stack []level, d trace.Duration) {
	parent := int32(-1)
	for i := range stack {
		id := pathNode{parent: parent, key: stack[i].key}
		n, ok := p.at[id]
		if !ok {
			if len(p.nodes) >= maxPathNodes {
				return
			}
			n = int32(len(p.nodes))
			p.nodes = append(p.nodes, id)
			p.at[id] = n
		}
		p.nodes[n].time += d
		parent = n
	}
}

// PathSlice is the slices of one name at a place of a stretch.
type PathSlice struct {
	Slice string
	Time  trace.Duration
}

// Path returns the slices with most of the time of a stretch that keeps it, from the outermost one
// inwards, at most n: each has at least half of the time of the one around it.
func (b *Book) Path(a *Account, n int) []PathSlice {
	var list []PathSlice
	parent := int32(-1)
	for left := a.End.Sub(a.Start); len(list) < n; {
		best := int32(-1)
		for i := range a.details.paths.nodes {
			node := &a.details.paths.nodes[i]
			if node.parent == parent && 2*node.time >= left && (best < 0 || node.time > a.details.paths.nodes[best].time) {
				best = int32(i)
			}
		}
		if best < 0 {
			break
		}
		node := &a.details.paths.nodes[best]
		list = append(list, PathSlice{b.record.Name(node.key), node.time})
		parent, left = best, node.time
	}
	return list
}
