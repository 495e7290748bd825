package threads

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// A log has the entries that were added, also if times go back and values are the largest.
// The last state can become unknown afterwards.
func TestLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := []uint32{0, 1, 0x7f, 0x80, 1 << 20, 1<<32 - 1}
	times := []trace.Time{0, 1, 999, 1000, 1 << 40, 1<<62 + 1, -5, -1000, 1 << 30}
	l := &Log{}
	var want []Entry
	last := -1 // the last state in want
	for range 5000 {
		e := Entry{At: times[r.IntN(len(times))], Kind: EntryKind(r.IntN(int(ReasonEntry) + 1))}
		switch e.Kind {
		case StateEntry:
			e.State = State(r.IntN(int(Dead) + 1))
			switch e.State {
			case Running:
				e.CPU = uint8(r.IntN(256))
			case Preempted, Woken:
				e.CPU, e.Value = uint8(r.IntN(256)), numbers[r.IntN(len(numbers))]
			case Blocked:
				e.Value = numbers[r.IntN(len(numbers))]
			}
		case BeginEntry, ReasonEntry, FrequencyEntry:
			e.Value = numbers[r.IntN(len(numbers))]
		case InterruptEntry:
			e.Value = uint32(r.IntN(2))
		}
		head := l.addEntry(e)
		want = append(want, e)
		if e.Kind == StateEntry {
			l.state, last = head, len(want)-1
		}
		if last < 0 {
			continue
		}
		switch w := &want[last]; r.IntN(8) {
		case 0:
			l.doubt(true)
			w.doubtful = true
		case 1:
			l.doubt(false)
			w.doubtful, w.State, w.Value = false, Unknown, 0
		}
	}
	i := 0
	for e := range l.Entries() {
		if e != want[i] {
			t.Fatalf("entry %d: %+v, want %+v", i, e, want[i])
		}
		i++
	}
	must.Equal(t, i, len(want), "entries")
}

// The leaves of each wait are those that were added.
func TestLeafStore(t *testing.T) {
	var s leafStore
	var places []uint32
	var want [][]Leaf
	for i := range 20_000 {
		at := trace.Time(i) * 1e12
		list := make([]Leaf, i%(maxOccupants+1))
		for n := range list {
			list[n] = Leaf{
				at, at + 5, trace.TID(i), trace.PID(n - 1), why.Wait((i + n) % why.WaitCount), NameKey(1<<32 - 1 - i), NameKey(n % 2 * i), uint32(n / 2 % 2 * i),
				NameKey(n / 4 * i), NameKey(n % 3 / 2 * i), trace.TID(n % 5 / 4 * i), trace.Duration(n % 5 / 4 * i * 1e6),
			}
			at += trace.Time(n - 3)
		}
		places, want = append(places, s.addLeaves(list)), append(want, list)
	}
	for i, place := range places {
		if got := slices.Collect(s.leavesAt(place)); place == 0 || !slices.Equal(got, want[i]) {
			t.Fatalf("wait %d: %v, want %v", i, got, want[i])
		}
	}
	if got := slices.Collect(s.leavesAt(0)); got != nil {
		t.Errorf("no wait: %v", got)
	}
}
