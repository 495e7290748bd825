package hitrace

import (
	"iter"
	"maps"
	"slices"

	"ohframe/analyzer/trace"
)

// A kernel has at most 4 million threads. Their ids are looked up in two steps. Pages are
// small because a short trace has few threads, and thousands of such traces have a table each.
const (
	tablePage = 1 << 7
	maxTID    = 1 << 22
)

// Threads has a value for some threads. Looking one up costs a fraction of what it costs in
// a map. The zero value is empty.
type Threads[T any] struct {
	pages []*[tablePage]*T
	rest  map[trace.TID]*T // of ids that no kernel gives, from damaged lines
	count int
}

// Len returns the number of threads with a value.
func (t *Threads[T]) Len() int { return t.count }

// Get returns the value of a thread, nil without one.
func (t *Threads[T]) Get(tid trace.TID) *T {
	n := uint32(tid) / tablePage
	if n >= uint32(len(t.pages)) {
		return t.rest[tid]
	}
	page := t.pages[n]
	if page == nil {
		return nil
	}
	return page[uint32(tid)%tablePage]
}

// Put sets the value of a thread that has none. It must not be nil.
func (t *Threads[T]) Put(tid trace.TID, value *T) {
	t.count++
	if uint32(tid) >= maxTID {
		if t.rest == nil {
			t.rest = map[trace.TID]*T{}
		}
		t.rest[tid] = value
		return
	}
	n := int(tid / tablePage)
	if n >= len(t.pages) {
		t.pages = append(t.pages, make([]*[tablePage]*T, n+1-len(t.pages))...)
	}
	page := &t.pages[n]
	if *page == nil {
		*page = new([tablePage]*T)
	}
	(*page)[tid%tablePage] = value
}

// All returns the values in an order that depends on the thread ids alone.
func (t *Threads[T]) All() iter.Seq2[trace.TID, *T] {
	return func(yield func(trace.TID, *T) bool) {
		for i, page := range t.pages {
			if page == nil {
				continue
			}
			for k, value := range page {
				if value != nil && !yield(trace.TID(i*tablePage+k), value) {
					return
				}
			}
		}
		for _, tid := range slices.Sorted(maps.Keys(t.rest)) {
			if !yield(tid, t.rest[tid]) {
				return
			}
		}
	}
}
