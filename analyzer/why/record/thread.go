package record

import (
	"math"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
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
	state      State
	letter     byte      // the kernel's letter of a blocked state: S, D, I
	cpu        trace.CPU // on which it runs, or ran last
	wait       Wait      // what is known of a blocked state
	// record is the number of the wait, as in Record.Wait, if the thread is logged.
	record uint32
}

// The sizes of the rings of a thread's past. Few threads are ever followed.
const (
	briefPast = 4
	longPast  = 32
)

// thread is a thread of the trace, whether it makes frames or not.
type thread struct {
	tid  trace.TID
	pid  trace.PID
	kind threadKind
	comm string // as the last name that the kernel gave it; empty if unknown
	// issued: it has asked for storage since it last began to run.
	issued bool

	now  segment
	past ring[segment] // what came before now
	// followed: others have waited for the thread, so its rings are long.
	followed bool

	slices []openSlice
	deeper int // open slices beyond the limit
	closed ring[closedSlice]

	calls []call
	log   *log // nil unless the thread makes frames
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
	key     Key
	reason  Key    // of a garbage collection; 0 if unknown
	arrival uint32 // index in passages.arrivals, plus one; 0 for other slices
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

// inOrder returns the elements, the oldest first.
func (r *ring[T]) inOrder() []T { return slices.Concat(r.list[r.oldest:], r.list[:r.oldest]) }

// enter ends the current segment and begins another one.
func (t *thread) enter(s segment) {
	if t.now.state != Unknown {
		t.now.end = s.start
		t.past.add(t.now, t.size(briefPast, longPast))
	}
	t.now = s
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
	t.past = ring[segment]{list: t.past.inOrder()}
}

// lastBlocked returns the latest blocked segment that nothing explains yet, or nil.
func (t *thread) lastBlocked() *segment {
	if t.now.state == Blocked {
		return &t.now
	}
	for i := range min(t.past.len(), briefPast) {
		if s := t.past.before(i); s.state == Blocked {
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

func (t *thread) closeSlice(s openSlice, at trace.Time, depth int) {
	if at.Sub(s.start) < leastFollowed {
		return // too short to explain a wait
	}
	t.closed.add(closedSlice{s, at, depth}, t.size(briefClosed, longClosed))
}

// placeOf returns the innermost slice that was open for at least half of a stretch of
// time: 0 if there was none. Of slices inside of a garbage collection it returns the
// collection, and its reason.
func (r *Recorder) placeOf(t *thread, start, end trace.Time) (key, reason Key) {
	depth, least := 0, math.MaxInt
	collection := Key(0)
	look := func(s *openSlice, to trace.Time, d int) {
		if 2*(min(to, end).Sub(max(s.start, start))) < end.Sub(start) {
			return
		}
		if d > depth {
			depth, key = d, s.key
		}
		if d < least && r.keys.places[s.key].Class == place.ClassGC {
			least, collection, reason = d, s.key, s.reason
		}
	}
	for i := range t.slices {
		look(&t.slices[i], end, i+1)
	}
	for i := range t.closed.list {
		c := &t.closed.list[i]
		look(&c.openSlice, c.end, c.depth)
	}
	if collection != 0 {
		key = collection
	}
	return key, reason
}
