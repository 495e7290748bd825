package ftrace

import (
	"bytes"
	"cmp"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
)

// Slices and instants of threads are track events: they take fewer bytes than text that threads print,
// and Perfetto reads them faster. Each thread has a sequence of packets. The first packet names the thread. A
// slice that ends in the batch in which it begins is one packet.

const (
	packetThread  = 44 // TracePacket.thread_descriptor
	defaultsClock = 58 // TracePacketDefaults.timestamp_clock_id
	threadPID     = 1  // ThreadDescriptor.pid
	threadTID     = 2

	trackEventLegacy = 6 // TrackEvent.legacy_event

	legacyPhase    = 2 // TrackEvent.LegacyEvent.phase
	legacyDuration = 3 // in microseconds
	phaseComplete  = 'X'
)

// maxSequences is how many threads have a sequence: Perfetto keeps a state for each. Others print.
const maxSequences = 1 << 14

// track is how a slice or an instant of a thread is exported as a track event.
type track struct {
	sequence uint32 // of its packet; 0 if it is no track event
	around   int32  // index of the begin around a begin, or of the whole slice that ends; -1 without one in the batch
	whole    uint32 // the duration of a slice that ends in the batch, in microseconds; 0 for others
	before   int32  // index of the thread's track event before, -1 without one in the batch
	first    bool   // the packet is the first one of its sequence
	ended    bool   // the end of a whole slice, which is no packet
}

// trackOf is what is known of a thread for its track events.
type trackOf struct {
	pid        trace.PID  // of the thread
	sequence   uint32     // of its packets while it has that pid; 0 for none
	kernel     trace.Time // of its last event for which kernelSlice is true, -1 for none
	batch      int        // the number of the batch that the following is about
	begin      int32      // index of the innermost begin without an end, -1 for none
	before     int32      // index of the last track event, -1 for none
	last       int32      // index of the last begin or instant, -1 for none
	now        trace.Time // the latest one of an event
	wholes     []whole    // the last ones that are in no other, in order
	known      int        // how many of them are of batches before
	disordered bool       // an event of the batch is earlier than one before
}

// whole is the time of a whole slice.
type whole struct{ from, to trace.Time }

// batch is the one that is being planned.
type batch struct {
	number     int
	events     []hitrace.Event
	placements []placement
	copied     bool          // events are not the reader's
	edges      [2]trace.Time // of the last events of the batch before and of this one
}

func (b *batch) begin(events []hitrace.Event, placements []placement) {
	*b = batch{number: b.number + 1, events: events, placements: placements, edges: [2]trace.Time{b.edges[1], b.edges[1]}}
	if len(events) > 0 {
		b.edges[1] = events[len(events)-1].Time
	}
}

// enter takes account of the next event on the track of a thread, and returns it with the time at which it is exported. Where
// lines of a damaged trace go back in time, Perfetto would find a slice that does not end within a whole one, and cut it off. So
// none of the thread in such a batch is whole, and what would be within a whole slice of a batch before comes when that ends.
func (t *Planner) enter(s *trackOf, e *hitrace.Event, i int) *hitrace.Event {
	b := &t.batch
	if s.batch != b.number {
		s.batch, s.begin, s.before, s.last, s.disordered = b.number, -1, -1, -1, false
		if extra := min(len(s.wholes)-maxWholes, s.known); extra > 0 { // the last batch keeps its own
			s.wholes = append(s.wholes[:0], s.wholes[extra:]...)
		}
		s.known = len(s.wholes)
	}
	if e.Time < s.now && !s.disordered {
		for k := s.before; k >= 0; k = b.placements[k].before {
			p := &b.placements[k]
			p.whole, p.ended = 0, false
		}
		s.wholes, s.disordered = s.wholes[:s.known], true
	}
	s.now = max(s.now, e.Time)
	if s.known == 0 || e.Time >= s.wholes[s.known-1].to {
		return e
	}
	k, _ := slices.BinarySearchFunc(s.wholes[:s.known], e.Time, func(w whole, at trace.Time) int { return cmp.Compare(w.to, at+1) })
	if w := s.wholes[k]; w.from <= e.Time {
		if !b.copied {
			b.events, b.copied = slices.Clone(b.events), true
		}
		e = &b.events[i]
		e.Time = w.to
	}
	return e
}

// place decides how the next begin, end or instant of a thread is exported.
func (t *Planner) place(s *trackOf, e *hitrace.Event, p *placement, i int) {
	b := &t.batch
	e = t.enter(s, e, i)
	if e.Time == s.kernel || e.Time == b.edges[0] || e.Time == b.edges[1] {
		s.begin = -1
		return
	}
	if p.pid > 0 && p.pid != s.pid && e.Marker.Phase != hitrace.End {
		s.pid, s.sequence, s.begin = p.pid, 0, -1
		if e.TID > 0 && t.sequences < maxSequences {
			s.sequence = packet.ThreadSequenceID + t.sequences
			t.sequences++
			p.first = true
		}
	}
	p.sequence, p.before = s.sequence, s.before
	s.before = int32(i)
	switch e.Marker.Phase {
	case hitrace.Begin:
		p.around = s.begin
		s.begin, s.last = int32(i), int32(i)
	case hitrace.Instant:
		s.last = int32(i)
	case hitrace.End:
		if s.begin < 0 {
			return
		}
		begin := s.begin
		from := &b.placements[begin]
		s.begin = from.around
		dur := e.Time.Sub(b.events[begin].Time)
		// Perfetto closes a whole slice before what begins when it ends, and would nest instants in one without
		// a duration.
		nests := dur > 0 && (s.last == begin || b.events[s.last].Time < e.Time)
		if s.sequence != 0 && nests && !s.disordered && dur%trace.Microsecond == 0 && dur < maxWhole {
			from.whole, p.ended, p.around = uint32(dur/trace.Microsecond), true, begin
			at, n := b.events[begin].Time, len(s.wholes)
			for n > s.known && s.wholes[n-1].from >= at {
				n--
			}
			s.wholes = append(s.wholes[:n], whole{at, e.Time})
		}
	}
}

// nest takes account of an event for which kernelSlice is true. Slices that it is in are not whole, as it may begin
// one that is longer. Markers of its time are printed: Perfetto reads track events of that time before or
// after it. So are those of the time at which a batch ends, because the next one may begin with such an event.
func (t *Planner) nest(s *trackOf, e *hitrace.Event, i int) {
	b := &t.batch
	e = t.enter(s, e, i)
	s.kernel, s.begin = e.Time, -1
	for s.before >= 0 && b.events[s.before].Time == e.Time {
		p := &b.placements[s.before]
		s.before = p.before
		if p.ended {
			b.placements[p.around].whole = 0
		}
		if p.first {
			s.pid, s.sequence = trace.UnknownPID, 0
		}
		p.track = track{}
	}
}

// kernelSlice reports whether Perfetto may begin or end a slice of the event's thread with an event of the kernel.
func kernelSlice(e *hitrace.Event) bool {
	switch e.Kind {
	case hitrace.TransactionEvent, hitrace.ReceivedEvent:
		return true
	case hitrace.KernelEvent:
		for _, prefix := range [...]string{"binder_", "workqueue_execute_", "dma_fence_wait_", "mm_shrink_slab_", "mm_vmscan_direct_"} {
			if len(e.Name) > len(prefix) && string(e.Name[:len(prefix)]) == prefix {
				return true
			}
		}
	}
	return false
}

// maxWhole bounds the duration of a slice that is one packet.
const maxWhole = 60 * trace.Second

// maxWholes bounds how many whole slices of earlier batches are known of a thread, besides those of the last one.
const maxWholes = 1024

// emptyName is the name that Perfetto gives a slice of text without one. Names are those of printed slices.
var emptyName = []byte("[empty slice name]")

// trackEvent appends the packet of a slice's begin or end, of a whole slice, or of an instant.
func (e *Encoder) trackEvent(event *hitrace.Event, p *placement) {
	if p.ended {
		return
	}
	if p.first {
		e.nameThread(event, p)
	}
	m := &event.Marker
	kind, name := perfettopb.TrackEvent_TYPE_SLICE_BEGIN, m.Name
	switch m.Phase {
	case hitrace.End:
		kind = perfettopb.TrackEvent_TYPE_SLICE_END
	case hitrace.Instant:
		kind = perfettopb.TrackEvent_TYPE_INSTANT
		if bytes.ContainsAny(name, "|\x00") {
			name = appendField(nil, name)[1:]
		}
	}
	if len(name) == 0 {
		name = emptyName
	}
	name = validText(name)
	legacy, size := 0, 2
	if p.whole > 0 {
		legacy = 3 + protowire.SizeVarint(uint64(p.whole))
		size = 2 + legacy
	}
	if m.Phase != hitrace.End {
		size += 2 + protowire.SizeBytes(len(name))
	}
	time, sequence := uint64(event.Time), uint64(p.sequence)
	all := 1 + protowire.SizeVarint(time) + 1 + protowire.SizeVarint(sequence) + 1 + protowire.SizeBytes(size)
	buf := packet.AppendLength(e.packets, packet.TraceField, all)
	buf = packet.Append(append(buf, packet.FieldTimestamp<<3), time)
	buf = packet.Append(append(buf, packet.FieldSequenceID<<3), sequence)
	buf = packet.AppendLength(buf, packet.FieldTrackEvent, size)
	if p.whole > 0 {
		buf = append(buf, trackEventLegacy<<3|byte(protowire.BytesType), byte(legacy), legacyPhase<<3, phaseComplete, legacyDuration<<3)
		buf = packet.Append(buf, uint64(p.whole))
	} else {
		buf = append(buf, packet.TrackEventType<<3, byte(kind))
	}
	if m.Phase != hitrace.End {
		buf = packet.AppendBytes(buf, packet.TrackEventName, name)
	}
	e.packets = buf
}

// nameThread appends the packet that says which thread the sequence of an event is of, from then on. It names the clock,
// as events of the kernel have one: without it, Perfetto would not move the slices of a trace that it merges with another.
func (e *Encoder) nameThread(event *hitrace.Event, p *placement) {
	buf, start := packet.Begin(e.packets, packet.TraceField)
	buf = packet.AppendVarint(buf, packet.FieldTimestamp, uint64(event.Time))
	buf = packet.AppendVarint(buf, packet.FieldSequenceID, uint64(p.sequence))
	buf = packet.AppendVarint(buf, packet.FieldSequenceFlags, packet.StateCleared)
	buf, defaults := packet.Begin(buf, packet.FieldDefaults)
	buf = packet.AppendVarint(buf, defaultsClock, uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME))
	buf = packet.End(buf, defaults)
	buf, thread := packet.Begin(buf, packetThread)
	buf = packet.AppendVarint(buf, threadPID, uint64(p.pid))
	buf = packet.AppendVarint(buf, threadTID, uint64(event.TID))
	e.packets = packet.End(packet.End(buf, thread), start)
}
