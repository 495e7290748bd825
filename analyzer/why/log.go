package why

import "ohframe/analyzer/trace"

// log is what happened on a thread that makes frames, in order of time.
type log struct {
	tid    trace.TID
	chunks [][]entry
	state  *entry // the last change of state
	full   bool   // the limit was reached: what follows is unknown
}

// entry is a point at which the state, the slices, or the processor of a thread
// changes.
type entry struct {
	at    trace.Time
	kind  entryKind
	state state
	cpu   uint8 // on which the thread begins to run; noCPU beyond the last number
	// doubtful: the state is unknown from where events were lost.
	doubtful bool
	value    uint32
}

// entryKind is the kind of an entry. It says what value is.
type entryKind uint8

const (
	stateEntry     entryKind = iota // index of the wait in Recorder.waits, plus one
	beginEntry                      // key of the slice
	endEntry                        // nothing
	interruptEntry                  // 1 if an interrupt handler begins on the processor, 0 if the last one ends
	frequencyEntry                  // frequency of the processor in kHz
	reasonEntry                     // key of the reason of the garbage collection that the slice before is
)

// Entries are allocated in chunks, the first ones small: many threads make few frames.
// Entries never move, so that the last change of state can be corrected.
const (
	firstChunk = 1 << 4
	chunkSize  = 1 << 10
)

func (l *log) add(e entry) *entry {
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == cap(l.chunks[n-1]) {
		l.chunks = append(l.chunks, make([]entry, 0, min(firstChunk<<min(n, 6), chunkSize)))
		n++
	}
	last := &l.chunks[n-1]
	*last = append(*last, e)
	return &(*last)[len(*last)-1]
}
