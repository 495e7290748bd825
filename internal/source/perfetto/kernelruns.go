package perfetto

import (
	"cmp"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// kernelRun is events of a processor in order:
//
//	size, and whether the segment is another │ segments since │ time since │ kind │ payload
//
// kernelEvent is the event that was written last or, after rewind, the one that is read next.
type kernelRun struct {
	kernelEvent
	cpu, clock uint8
	count      int
	bytes      int
	chunks     [][]byte
	rest       []byte // of the chunk that is read
}

// kernelEvent is an event of the kernel. Those of one time are in the order of their ranks, and then of
// the trace: the segment is how often another run followed before.
type kernelEvent struct {
	at      int64 // in the clock of the run
	segment uint32
	kind    protowire.Number
	payload []byte
}

// The classes of events that a bundle has one after another, each in order of time.
const (
	singleEvents = iota
	compactSwitches
	compactWakings
	classes
)

func (e *kernelEvent) class() int {
	switch e.kind {
	case compactSwitchRecord:
		return compactSwitches
	case compactWakingRecord:
		return compactWakings
	}
	return singleEvents
}

// rank orders events of one time. A sched_wakeup follows its sched_waking, which has the waker and
// may be on another processor.
func (e *kernelEvent) rank() int {
	if e.kind > 0 && kept()[e.kind].Name == "sched_wakeup" {
		return 1
	}
	return 0
}

// compare orders events.
func (e *kernelEvent) compare(other *kernelEvent) int {
	if e.at != other.at {
		return cmp.Compare(e.at, other.at)
	}
	return cmp.Or(cmp.Compare(e.rank(), other.rank()), cmp.Compare(e.segment, other.segment))
}

const (
	leastChunk     = 1 << 6
	kernelChunk    = 1 << 16
	maxKernelBytes = 1 << 31                     // of all payloads
	maxKernelRuns  = 1 << 16                     // each takes 250 bytes; a processor has one for each clock and time that goes back
	eventHead      = 3*binary.MaxVarintLen64 + 1 // the most bytes before a payload
)

// add keeps an event of a processor, in a clock.
func (k *kernelLog) add(e kernelEvent, clock, cpu uint64) {
	if k.count >= k.limit || k.bytes+int64(len(e.payload)) > maxKernelBytes || len(e.payload) >= maxKernelEvent {
		k.over++
		return
	}
	e.segment = k.segment
	r := k.runOf(&e, uint8(clock), uint8(min(cpu, maxKernelCPU)))
	if r == nil {
		k.over++
		return
	}
	k.count++
	k.bytes += int64(len(e.payload))
	if k.last != r {
		k.last = r
		k.segment++
	}
	e.segment = k.segment
	r.append(&e)
}

// runOf returns the run that an event continues, which may be a new one; nil if there are too many.
func (k *kernelLog) runOf(e *kernelEvent, clock, cpu uint8) *kernelRun {
	open := &k.open[e.class()][cpu]
	if r := *open; r == nil || r.clock != clock || r.compare(e) > 0 {
		if len(k.runs) >= maxKernelRuns {
			return nil
		}
		*open = &kernelRun{cpu: cpu, clock: clock}
		k.runs = append(k.runs, *open)
	}
	return *open
}

// append appends an event.
func (r *kernelRun) append(e *kernelEvent) {
	n := len(r.chunks) - 1
	if size := eventHead + len(e.payload); n < 0 || cap(r.chunks[n])-len(r.chunks[n]) < size {
		n++
		r.chunks = append(r.chunks, make([]byte, 0, max(leastChunk, size, min(r.bytes, kernelChunk))))
	}
	b := r.chunks[n]
	from := len(b)
	if e.segment == r.segment {
		b = protowire.AppendVarint(b, uint64(len(e.payload))<<1)
	} else {
		b = protowire.AppendVarint(b, uint64(len(e.payload))<<1|1)
		b = protowire.AppendVarint(b, uint64(e.segment-r.segment))
	}
	b = protowire.AppendVarint(b, uint64(e.at-r.at))
	r.chunks[n] = append(append(b, byte(int8(e.kind))), e.payload...)
	r.at, r.segment, r.kind = e.at, e.segment, e.kind
	r.bytes += len(r.chunks[n]) - from
	r.count++
}

// rewind makes the first event the next one.
func (r *kernelRun) rewind() {
	r.kernelEvent = kernelEvent{}
	r.next()
}

// next reads the next event, and reports whether there is one. It lets go of the memory of those before.
func (r *kernelRun) next() bool {
	if len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return false
		}
		r.rest, r.chunks[0] = r.chunks[0], nil
		r.chunks = r.chunks[1:]
	}
	size := take(&r.rest)
	if size&1 != 0 {
		r.segment += uint32(take(&r.rest))
	}
	r.at += int64(take(&r.rest))
	r.kind, r.payload = protowire.Number(int8(r.rest[0])), r.rest[1:1+size>>1]
	r.rest = r.rest[1+size>>1:]
	return true
}
