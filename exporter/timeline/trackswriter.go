package timeline

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/packet"
	"ohframe/internal/annotation"
	"ohframe/internal/perfettopb"
)

// trackSequenceID names the sequence of TrackEvents: what a packet refers to by
// number is numbered for each sequence.
const trackSequenceID = 2

// Field numbers of the messages of TrackEvents, of which there are some for each
// frame. A test holds them against the schema.
const (
	packetTimestamp  = 8  // TracePacket.timestamp
	packetTrackEvent = 11 // TracePacket.track_event

	trackEventCategory     = 3 // TrackEvent.category_iids
	trackEventAnnotation   = 4 // TrackEvent.debug_annotations
	trackEventType         = 9 // TrackEvent.type
	trackEventTrack        = 11
	trackEventName         = 23
	trackEventDouble       = 44 // TrackEvent.double_counter_value
	trackEventFlow         = 47 // TrackEvent.flow_ids
	trackEventTerminates   = 48 // TrackEvent.terminating_flow_ids
	annotationName         = 1  // DebugAnnotation.name_iid
	annotationBool         = 2
	annotationInt          = 4
	annotationDouble       = 5
	annotationString       = 6
	annotationArrayElement = 12 // DebugAnnotation.array_values
)

// lateCategory is what late slices are filed under; others are under none.
const (
	lateCategory       = "late"
	lateCategoryNumber = 1
)

// trackWriter writes tracks and the slices on them.
type trackWriter struct {
	packets *packet.Writer
	uuid    uint64 // the last track's
	flow    uint64 // the last arrow's
	begun   bool
	event   []byte
	packet  []byte
}

// describe describes a new track and returns its id.
func (w *trackWriter) describe(d *perfettopb.TrackDescriptor) uint64 {
	w.uuid++
	d.Uuid = proto.Uint64(w.uuid)
	w.writeDescriptor(d)
	return w.uuid
}

// orderProcesses has processes ordered by the ranks of their tracks. The track
// with no id stands for the trace.
func (w *trackWriter) orderProcesses() {
	w.writeDescriptor(&perfettopb.TrackDescriptor{
		Uuid:            proto.Uint64(0),
		ProcessOrdering: perfettopb.TrackDescriptor_PROCESS_ORDERING_EXPLICIT.Enum(),
	})
}

func (w *trackWriter) writeDescriptor(d *perfettopb.TrackDescriptor) {
	w.packets.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_TrackDescriptor{TrackDescriptor: d}})
}

// newFlow returns the id of a new arrow.
func (w *trackWriter) newFlow() uint64 {
	w.flow++
	return w.flow
}

// slice is what is written of a slice.
type slice struct {
	analyzer.Interval
	name        []byte
	late        bool
	flow        uint64   // which goes on from slice to slice; 0 for none
	terminates  []uint64 // flows that end here
	annotations annotations
}

// slice writes a slice. Those of a track must not overlap.
func (w *trackWriter) slice(track uint64, s *slice) {
	e := packet.AppendVarint(w.event[:0], trackEventType, uint64(perfettopb.TrackEvent_TYPE_SLICE_BEGIN))
	e = packet.AppendVarint(e, trackEventTrack, track)
	if s.late {
		e = packet.AppendVarint(e, trackEventCategory, lateCategoryNumber)
	}
	e = packet.AppendBytes(e, trackEventName, s.name)
	if s.flow != 0 {
		e = packet.AppendFixed64(e, trackEventFlow, s.flow)
	}
	for _, flow := range s.terminates {
		e = packet.AppendFixed64(e, trackEventTerminates, flow)
	}
	e = append(e, s.annotations...)
	w.append(s.Start, packet.StateNeeded, e)

	e = packet.AppendVarint(e[:0], trackEventType, uint64(perfettopb.TrackEvent_TYPE_SLICE_END))
	e = packet.AppendVarint(e, trackEventTrack, track)
	w.append(s.End, 0, e)
	w.event = e
}

// count writes a counter's value.
func (w *trackWriter) count(track uint64, at trace.Time, value float64) {
	e := packet.AppendVarint(w.event[:0], trackEventType, uint64(perfettopb.TrackEvent_TYPE_COUNTER))
	e = packet.AppendVarint(e, trackEventTrack, track)
	e = packet.AppendFixed64(e, trackEventDouble, math.Float64bits(value))
	w.append(at, 0, e)
	w.event = e
}

// append appends a packet with an event. The first, which is a slice's begin,
// brings the names that all of them refer to.
func (w *trackWriter) append(at trace.Time, flags uint64, event []byte) {
	p := packet.AppendVarint(w.packet[:0], packetTimestamp, uint64(at))
	p = packet.AppendVarint(p, packet.FieldSequenceID, trackSequenceID)
	if !w.begun {
		w.begun = true
		flags |= packet.StateCleared
		p = packet.AppendBytes(p, packet.FieldInternedData, internedTrackNames())
	}
	if flags != 0 {
		p = packet.AppendVarint(p, packet.FieldSequenceFlags, flags)
	}
	w.packet = packet.AppendBytes(p, packetTrackEvent, event)
	w.packets.WriteEncoded(w.packet)
}

// internedTrackNames returns the names of the category and of annotations.
func internedTrackNames() []byte {
	names := &perfettopb.InternedData{EventCategories: []*perfettopb.EventCategory{
		{Iid: proto.Uint64(lateCategoryNumber), Name: proto.String(lateCategory)},
	}}
	for _, key := range annotation.All() {
		names.DebugAnnotationNames = append(names.DebugAnnotationNames, &perfettopb.DebugAnnotationName{Iid: proto.Uint64(uint64(key)), Name: proto.String(key.String())})
	}
	encoded, _ := proto.MarshalOptions{Deterministic: true}.Marshal(names) // nothing is required
	return encoded
}

// annotations are encoded debug annotations. What is not known has none.
type annotations []byte

// begin appends the start of an annotation whose value takes size bytes.
func (a *annotations) begin(name annotation.Key, size int) {
	*a = packet.AppendLength(*a, trackEventAnnotation, 1+protowire.SizeVarint(uint64(name))+size)
	*a = packet.AppendVarint(*a, annotationName, uint64(name))
}

func (a *annotations) number(name annotation.Key, value int64) {
	a.begin(name, 1+protowire.SizeVarint(uint64(value)))
	*a = packet.AppendVarint(*a, annotationInt, uint64(value))
}

// numbers notes a list, if there is anything in it.
func (a *annotations) numbers(name annotation.Key, values []int64) {
	if len(values) == 0 {
		return
	}
	size := 0
	for _, v := range values {
		size += 2 + 1 + protowire.SizeVarint(uint64(v))
	}
	a.begin(name, size)
	for _, v := range values {
		*a = packet.AppendLength(*a, annotationArrayElement, 1+protowire.SizeVarint(uint64(v)))
		*a = packet.AppendVarint(*a, annotationInt, uint64(v))
	}
}

// at notes a time, if it is known.
func (a *annotations) at(name annotation.Key, t trace.Time) {
	if t.Known() {
		a.number(name, int64(t))
	}
}

// milliseconds notes a length of time.
func (a *annotations) milliseconds(name annotation.Key, d trace.Duration) {
	a.begin(name, 1+8)
	*a = packet.AppendFixed64(*a, annotationDouble, math.Float64bits(d.Milliseconds()))
}

// interval notes a start and a length, as far as they are known.
func (a *annotations) interval(start, length annotation.Key, i analyzer.Interval) {
	a.at(start, i.Start)
	if i.Known() {
		a.milliseconds(length, i.Duration())
	}
}

// mark notes that something is so; what is not so is not noted.
func (a *annotations) mark(name annotation.Key, yes bool) {
	if yes {
		a.begin(name, 2)
		*a = packet.AppendVarint(*a, annotationBool, 1)
	}
}

func (a *annotations) text(name annotation.Key, text string) {
	a.begin(name, 1+protowire.SizeBytes(len(text)))
	*a = protowire.AppendString(protowire.AppendTag(*a, annotationString, protowire.BytesType), text)
}
