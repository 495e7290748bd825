package record

import "ohframe/analyzer/trace"

// log is the entries of a thread that makes frames, as they are recorded.
type log struct {
	tid    trace.TID
	chunks [][]Entry
	state  *Entry // the last change of state
	full   bool   // the limit was reached: what follows is unknown
}

// Entry is a point at which the state, the slices, or the processor of a thread changes.
type Entry struct {
	At    trace.Time
	Kind  EntryKind
	State State // of a StateEntry
	CPU   uint8 // on which the thread begins to run; NoCPU beyond the last number
	// doubtful: the state is unknown from where events were lost.
	doubtful bool
	Value    uint32
}

// NoCPU is the number of an unknown processor.
const NoCPU = 0xff

// EntryKind is the kind of an Entry. It says what Value is.
type EntryKind uint8

// The kinds.
const (
	StateEntry     EntryKind = iota // number of the wait, for Record.Wait; 0 if the thread runs
	BeginEntry                      // key of the slice
	EndEntry                        // nothing
	InterruptEntry                  // 1 if an interrupt handler begins on the processor, 0 if the last one ends
	FrequencyEntry                  // frequency of the processor in kHz
	ReasonEntry                     // key of the reason of the garbage collection that the slice before is
)

// Entries are allocated in chunks, the first ones small: many threads make few frames.
// Entries never move, so that the last change of state can be corrected.
const (
	firstChunk = 1 << 4
	chunkSize  = 1 << 10
)

func (l *log) add(e Entry) *Entry {
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == cap(l.chunks[n-1]) {
		l.chunks = append(l.chunks, make([]Entry, 0, min(firstChunk<<min(n, 6), chunkSize)))
		n++
	}
	last := &l.chunks[n-1]
	*last = append(*last, e)
	return &(*last)[len(*last)-1]
}
