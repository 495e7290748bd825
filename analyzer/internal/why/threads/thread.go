package threads

import (
	"math"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/place"
)

// State is what a thread does with the processors.
type State uint8

// The states.
const (
	Unknown   State = iota // before its first event, or after lost events
	Running                // on a processor
	Preempted              // off the processor, and still runnable
	Woken                  // woken up, and not on a processor yet
	Blocked                // waiting for something
	Dead                   // has ended
)

// segment is a stretch of time in which a thread's state does not change.
type segment struct {
	start, end trace.Time // end is unknown for the current one
	wait       WaitFacts  // what is known of a blocked state
	cpu        trace.CPU  // on which it runs, or ran last
	// record is the number of the wait, as in Record.Wait, if the thread is logged.
	record uint32
	callee trace.TID // the thread that serves the call that it waits for; 0 if none
	state  State
	issued bool // the thread has asked for storage just before
}

// The numbers of segments that are kept of a thread's past. Few threads are ever followed.
const (
	briefPast = 4
	longPast  = 32
)

// history is the last segments of a thread, the current one included. Segments are large,
// so each is written where it stays.
type history struct {
	list []segment
	now  int // index in list of the current one; the oldest follows, once list is full
}

// begin begins a segment, which replaces the oldest one if past ones are before it.
func (h *history) begin(past int) *segment {
	if len(h.list) <= past {
		h.list = append(h.list, segment{})
		h.now = len(h.list) - 1
	} else if h.now++; h.now == len(h.list) {
		h.now = 0
	}
	return &h.list[h.now]
}

// past returns the number of segments before the current one.
func (h *history) past() int { return len(h.list) - 1 }

// before returns a segment of the past: 0 is the last one.
func (h *history) before(i int) *segment {
	if i = h.now - 1 - i; i < 0 {
		i += len(h.list)
	}
	return &h.list[i]
}

// thread is a thread of the trace, whether it makes frames or not.
type thread struct {
	tid  trace.TID
	pid  trace.PID
	kind threadKind
	comm string // as the last name that the kernel gave it; empty if unknown
	// issued: it has asked for storage since it last began to run.
	issued bool

	now    *segment // the last of states
	states history
	// followed: others have waited for the thread, so its past is long.
	followed bool

	slices []openSlice
	// labels are those of the open slices that may have arguments, one after another.
	labels []byte
	deeper int // open slices beyond the limit
	closed ring[closedSlice]

	calls []call
	log   *Log // nil unless the thread makes frames

	first [briefPast + 1]segment // what states begins with
}

// threadKind is what a thread's name says about it.
type threadKind uint8

const (
	ordinary threadKind = iota
	idleThread
	interruptThread
	schedulerThread
	renderThread // of render_service
)

type openSlice struct {
	start   trace.Time
	key     NameKey
	reason  NameKey // of a garbage collection; 0 if unknown
	arrival uint32  // index in passages.arrivals, plus one; 0 for other slices
	part    uint32  // the same of passages.parts
	label   int32   // where its label begins in thread.labels
	// argument is the number of its label once it has ended; 0 without arguments.
	argument uint32
}

type closedSlice struct {
	openSlice
	end   trace.Time
	depth int
}

// ring is the last elements of a sequence.
type ring[T any] struct {
	list   []T
	oldest int // index in list, once it is full
}

// add adds an element. It replaces the oldest one if the ring has size elements.
func (r *ring[T]) add(v T, size int) {
	if len(r.list) < size {
		if r.list == nil {
			r.list = make([]T, 0, size)
		}
		r.list = append(r.list, v)
		return
	}
	r.list[r.oldest] = v
	if r.oldest++; r.oldest == len(r.list) { // a remainder would take as long as all the rest
		r.oldest = 0
	}
}

func (r *ring[T]) len() int { return len(r.list) }

// before returns an element: 0 is the last one that was added.
func (r *ring[T]) before(i int) *T {
	if i = r.oldest - 1 - i; i < 0 {
		i += len(r.list)
	}
	return &r.list[i]
}

// newThread returns a thread before its first event. Its state is unknown.
func newThread(tid trace.TID) *thread {
	t := &thread{tid: tid, pid: trace.UnknownPID}
	t.states.list = t.first[:1]
	t.now = &t.first[0]
	return t
}

// enter ends the current segment and begins another one.
func (t *thread) enter(at trace.Time, state State, cpu trace.CPU) {
	if t.now.state != Unknown {
		t.now.end = at
		t.now = t.states.begin(t.size(briefPast, longPast))
	}
	*t.now = segment{start: at, state: state, cpu: cpu}
}

// size returns the size of a ring of the thread.
func (t *thread) size(brief, long int) int {
	if t.followed {
		return long
	}
	return brief
}

// maxFollowed bounds the threads with long rings.
const maxFollowed = 1 << 13

// keepMore makes the rings of the past as long as for threads that are followed.
func (r *Recorder) keepMore(t *thread) {
	if t.followed || r.followed >= maxFollowed {
		return
	}
	r.followed++
	t.followed = true
	h := &t.states
	h.list, h.now = slices.Concat(h.list[h.now+1:], h.list[:h.now+1]), h.past()
	t.now = &h.list[h.now]
}

// lastBlocked returns the latest blocked segment that nothing explains yet, or nil.
func (t *thread) lastBlocked() *segment {
	if t.now.state == Blocked {
		return t.now
	}
	for i := range min(t.states.past(), briefPast) {
		if s := t.states.before(i); s.state == Blocked {
			return s
		}
	}
	return nil
}

// The sizes of the rings of ended slices.
const (
	briefClosed = 8
	longClosed  = 32
)

// cut calls do with the parts of a stretch of time between the ends of slices that were open for a quarter
// of it or more.
func (t *thread) cut(start, end trace.Time, do func(start, end trace.Time)) {
	var buffer [16]trace.Time
	at := buffer[:0]
	look := func(from, to trace.Time) {
		if from, to = max(from, start), min(to, end); 4*to.Sub(from) < end.Sub(start) {
			return
		}
		if from > start {
			at = append(at, from)
		}
		if to < end {
			at = append(at, to)
		}
	}
	for i := range t.slices {
		look(t.slices[i].start, end)
	}
	for i := range t.closed.list {
		if c := &t.closed.list[i]; c.end > start {
			look(c.start, c.end)
		}
	}
	slices.Sort(at)
	for _, x := range slices.Compact(at) {
		do(start, x)
		start = x
	}
	do(start, end)
}

// placeOf returns the innermost slice that was open for at least half of a stretch of
// time, or 0, and the number of its label. For slices in a garbage collection it returns the
// collection, and its reason.
func (r *Recorder) placeOf(t *thread, start, end trace.Time) (key, reason NameKey, argument uint32) {
	depth, least, innermost := 0, math.MaxInt, -1
	collection := NameKey(0)
	look := func(s *openSlice, to trace.Time, d, open int) {
		if 2*(min(to, end).Sub(max(s.start, start))) < end.Sub(start) {
			return
		}
		if d > depth {
			depth, key, argument, innermost = d, s.key, s.argument, open
		}
		if d < least && r.keys.places[s.key].Class == place.ClassGC {
			least, collection, reason = d, s.key, s.reason
		}
	}
	for i := range t.slices {
		look(&t.slices[i], end, i+1, i)
	}
	for i := range t.closed.list {
		if c := &t.closed.list[i]; c.end > start {
			look(&c.openSlice, c.end, c.depth, -1)
		}
	}
	if collection != 0 {
		return collection, reason, 0
	}
	if innermost >= 0 {
		argument = r.argumentOf(t, innermost, end)
	}
	return key, reason, argument
}
