package hitrace_test

import (
	"math"
	"slices"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// Every id has its own value, those that no kernel gives, too, and All has all in one order.
func TestThreads(t *testing.T) {
	ids := []trace.TID{0, 1, 127, 128, 2047, 2048, 1<<22 - 1, math.MinInt32, -1, 1 << 22, math.MaxInt32}
	var table hitrace.Threads[int]
	for i := range ids {
		tid := ids[len(ids)-1-i]
		if table.Get(tid) != nil {
			t.Errorf("%d has a value before it has one", tid)
		}
		value := int(tid)
		table.Put(tid, &value)
	}
	for _, tid := range ids {
		if v := table.Get(tid); v == nil || *v != int(tid) {
			t.Errorf("%d has %v", tid, v)
		}
	}
	var got []trace.TID
	for tid, v := range table.All() {
		must.Equal(t, *v, int(tid), "All: %d has", tid)
		got = append(got, tid)
	}
	if !slices.Equal(got, ids) || table.Len() != len(ids) {
		t.Errorf("%d threads: %v, want %v", table.Len(), got, ids)
	}
}
