package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

type eventKind uint8

const (
	markEvent        eventKind = iota // a thread writes a marker
	wakeEvent                         // a thread is woken: it gets a processor
	runEvent                          // it starts on that processor
	stopEvent                         // the thread leaves the processor
	noiseMarkEvent                    // a background thread writes a marker
	noiseKernelEvent                  // the kernel writes a line in a background thread's name
)

// event is a future event of the trace. Its text is stored in the queue's arena, or made
// when it is written: late texts depend on the order of events across threads, such as
// transaction indices.
type event struct {
	time   trace.Time
	order  uint64
	thread *thread
	by     *thread // the thread that wakes it
	late   func(b []byte) []byte
	from   uint32
	to     uint32
	kind   eventKind
	state  byte // the state of a stopping thread
}

// eventQueue contains planned events and returns them in order of time, and those of
// equal time in the order in which they were planned.
type eventQueue struct {
	planned []event
	arena   []byte
	spare   []byte
	order   uint64
}

func (q *eventQueue) push(e event) {
	q.order++
	e.order = q.order
	q.planned = append(q.planned, e)
}

// text appends to the arena. The caller pushes the event with the text.
func (q *eventQueue) text(e *event, write func(b []byte) []byte) {
	e.from = uint32(len(q.arena))
	q.arena = write(q.arena)
	e.to = uint32(len(q.arena))
}

// release hands all events before the limit to write and forgets them.
func (q *eventQueue) release(limit trace.Time, write func(e *event, text []byte)) {
	slices.SortFunc(q.planned, func(a, b event) int {
		if a.time != b.time {
			return cmp.Compare(a.time, b.time)
		}
		return cmp.Compare(a.order, b.order)
	})
	n := 0
	for n < len(q.planned) && q.planned[n].time < limit {
		e := &q.planned[n]
		write(e, q.arena[e.from:e.to])
		n++
	}
	kept := q.spare[:0]
	for i := range q.planned[n:] {
		e := &q.planned[n+i]
		from := uint32(len(kept))
		kept = append(kept, q.arena[e.from:e.to]...)
		e.from, e.to = from, uint32(len(kept))
	}
	q.arena, q.spare = kept, q.arena
	q.planned = append(q.planned[:0], q.planned[n:]...)
}
