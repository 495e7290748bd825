package threads

import (
	"encoding/binary"
	"iter"

	"ohframe/analyzer/trace"
)

// Entry is a point at which the state, the slices, or the processor of a thread changes.
type Entry struct {
	At    trace.Time
	Kind  EntryKind
	State State // of a StateEntry
	CPU   uint8 // on which the thread runs, ran last or will run; NoCPU beyond the last number
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
	StateEntry     EntryKind = iota // number of the wait, for Record.Wait; 0 if the thread does not wait
	BeginEntry                      // key of the slice
	EndEntry                        // nothing
	InterruptEntry                  // 1 if an interrupt handler begins on the processor, 0 if the last one ends
	FrequencyEntry                  // frequency of the processor in kHz
	ReasonEntry                     // key of the reason of the garbage collection that the slice before is
	ArgumentEntry                   // number of the label of the slice that ends next, for Record.Label
)

// Log is what happened on a thread that makes frames: entries in the order in which they
// were recorded. The last state lasts until End. There are some 40 entries for each frame, so
// they are packed:
//
//	head, time since the entry before, value
type Log struct {
	tid    trace.TID
	start  trace.Time // of the first entry
	end    trace.Time // of the trace
	last   packing
	chunks [][]byte // Entries never move, so that heads can be changed.
	state  *byte    // head of the last change of state
	full   bool     // the limit was reached: what follows is unknown
}

// packing is what the next entry depends on.
type packing struct {
	at   trace.Time
	wait uint32 // the number of the last wait
	kHz  uint32
}

// The bits of a head. The kind is that of the entry, or anyState and the state.
const (
	kindBits = 0x0f
	anyState = 8

	doubtfulBit = 0x10 // of a state: Entry.doubtful
	unknownBit  = 0x20 // of a state: it turned out to be unknown
	setBit      = 0x10 // of an interrupt: Value is 1; of a frequency: it is the same as before
	microBit    = 0x40 // the time is in microseconds, not nanoseconds
)

// Chunks double in size from the first: many threads make few frames.
const (
	firstChunk = 64
	chunkSize  = 4 << 10
	mostPacked = 32 // bytes of an entry
)

// addEntry appends an entry. It returns the head.
func (l *Log) addEntry(e Entry) *byte {
	n := len(l.chunks) - 1
	if n < 0 || cap(l.chunks[n])-len(l.chunks[n]) < mostPacked {
		n++
		l.chunks = append(l.chunks, make([]byte, 0, min(firstChunk<<min(n, 6), chunkSize)))
		if n == 0 {
			l.start, l.last.at = e.At, e.At
		}
	}
	p := l.chunks[n]
	head, first := byte(e.Kind), len(p)
	since := e.At.Sub(l.last.at)
	l.last.at = e.At
	if since%trace.Microsecond == 0 {
		head |= microBit
		since /= trace.Microsecond
	}
	p = binary.AppendUvarint(append(p, 0), uint64(since)) // a negative time has many bytes, and is rare
	switch e.Kind {
	case StateEntry:
		head |= anyState | byte(e.State)
		switch e.State {
		case Running:
			p = append(p, e.CPU)
		case Preempted, Woken:
			p = append(p, e.CPU)
			p = l.appendWait(p, e.Value)
		case Blocked:
			p = l.appendWait(p, e.Value)
		}
	case BeginEntry, ReasonEntry, ArgumentEntry:
		p = binary.AppendUvarint(p, uint64(e.Value))
	case InterruptEntry:
		if e.Value != 0 {
			head |= setBit
		}
	case FrequencyEntry:
		if e.Value == l.last.kHz {
			head |= setBit
		} else {
			l.last.kHz = e.Value
			p = binary.AppendUvarint(p, uint64(e.Value))
		}
	}
	p[first] = head
	l.chunks[n] = p
	return &p[first]
}

func (l *Log) appendWait(p []byte, number uint32) []byte {
	p = binary.AppendUvarint(p, uint64(number-l.last.wait))
	l.last.wait = number
	return p
}

// doubt makes the last state unknown: from where events were lost, or all of it.
func (l *Log) doubt(fromLoss bool) {
	switch {
	case l.state == nil:
	case fromLoss:
		*l.state |= doubtfulBit
	default:
		*l.state = *l.state&^doubtfulBit | unknownBit
	}
}

// End returns the end of the trace.
func (l *Log) End() trace.Time { return l.end }

// Entries returns the entries.
func (l *Log) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		last := packing{at: l.start}
		for _, chunk := range l.chunks {
			for p := Unpack(chunk); !p.Empty(); {
				if !yield(last.next(&p)) {
					return
				}
			}
		}
	}
}

// next unpacks an entry.
func (k *packing) next(p *Packed) Entry {
	head := p.Byte()
	since := trace.Duration(p.Uint())
	if head&microBit != 0 {
		since *= trace.Microsecond
	}
	k.at = k.at.Add(since)
	e := Entry{At: k.at, Kind: EntryKind(head & kindBits)}
	switch e.Kind {
	case BeginEntry, ReasonEntry, ArgumentEntry:
		e.Value = uint32(p.Uint())
	case EndEntry:
	case InterruptEntry:
		if head&setBit != 0 {
			e.Value = 1
		}
	case FrequencyEntry:
		if head&setBit == 0 {
			k.kHz = uint32(p.Uint())
		}
		e.Value = k.kHz
	default:
		e.Kind, e.State, e.doubtful = StateEntry, State(head&kindBits-anyState), head&doubtfulBit != 0
		switch e.State {
		case Running:
			e.CPU = p.Byte()
		case Preempted, Woken:
			e.CPU = p.Byte()
			k.wait += uint32(p.Uint())
			e.Value = k.wait
		case Blocked:
			k.wait += uint32(p.Uint())
			e.Value = k.wait
		}
		if head&unknownBit != 0 {
			e.State, e.Value = Unknown, 0
		}
	}
	return e
}
