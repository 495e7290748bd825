package timeline

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/annotation"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
)

// Field numbers of the messages of TrackEvents. Every frame has some of them.
const (
	trackEventCategory     = 3 // TrackEvent.category_iids
	trackEventAnnotation   = 4 // TrackEvent.debug_annotations
	trackEventTrack        = 11
	trackEventNameID       = 10 // TrackEvent.name_iid
	trackEventDouble       = 44 // TrackEvent.double_counter_value
	trackEventFlow         = 47 // TrackEvent.flow_ids
	trackEventTerminates   = 48 // TrackEvent.terminating_flow_ids
	trackEventCorrelation  = 54 // TrackEvent.correlation_id_str_iid
	annotationName         = 1  // DebugAnnotation.name_iid
	annotationBool         = 2
	annotationInt          = 4
	annotationDouble       = 5
	annotationString       = 6
	annotationStringID     = 17 // DebugAnnotation.string_value_iid
	annotationDictEntry    = 11 // DebugAnnotation.dict_entries
	annotationArrayElement = 12 // DebugAnnotation.array_values

	internedSliceName      = 2  // InternedData.event_names
	internedAnnotationName = 3  // InternedData.debug_annotation_names
	internedText           = 29 // InternedData.debug_annotation_string_values
	internedCorrelation    = 43 // InternedData.correlation_id_str
	internedID             = 1  // of EventName, DebugAnnotationName and InternedString
	internedValue          = 2
)

// lateCategory is the category of late slices. Others have none.
const (
	lateCategory       = "late"
	lateCategoryNumber = 1
)

// trackWriter writes tracks and the slices on them.
type trackWriter struct {
	packets *packet.Writer
	uuid    uint64 // the last track's
	flow    uint64 // the last arrow's
	threads map[processThread]uint64
	start   trace.Time // of the trace
	begun   bool
	event   []byte
	packet  []byte

	sliceNames, annotationNames, texts, colours interned
	// pending is interned data that the next packet brings.
	pending []byte
}

// interned numbers texts that packets refer to.
type interned map[string]uint64

// intern returns the number of a text in a list of InternedData, which is a field.
func (w *trackWriter) intern(list *interned, field protowire.Number, text string) uint64 {
	id, known := (*list)[text]
	if known {
		return id
	}
	if *list == nil {
		*list = interned{}
	}
	id = uint64(len(*list) + 1)
	if field == internedAnnotationName {
		id += uint64(len(annotation.All())) // whose names the first packet brings
	}
	(*list)[text] = id
	pending, start := packet.Begin(w.pending, field)
	pending = protowire.AppendTag(packet.AppendVarint(pending, internedID, id), internedValue, protowire.BytesType)
	w.pending = packet.End(protowire.AppendString(pending, text), start)
	return id
}

func (w *trackWriter) sliceName(name string) uint64 {
	return w.intern(&w.sliceNames, internedSliceName, name)
}

func (w *trackWriter) annotationName(name string) uint64 {
	return w.intern(&w.annotationNames, internedAnnotationName, name)
}

func (w *trackWriter) text(text string) uint64 { return w.intern(&w.texts, internedText, text) }

// describe describes a new track and returns its id.
func (w *trackWriter) describe(d *perfettopb.TrackDescriptor) uint64 { return w.describeAt(0, d) }

// describeAt describes a new track of what has an id at the given time: without a time, Perfetto
// takes what has the id when the first event of the track, or the trace, ends.
func (w *trackWriter) describeAt(at trace.Time, d *perfettopb.TrackDescriptor) uint64 {
	w.uuid++
	d.Uuid = proto.Uint64(w.uuid)
	w.writeDescriptor(at, d)
	return w.uuid
}

// since returns from when a process, and a thread of it unless tid is zero, has its id.
func (w *trackWriter) since(p *analyzer.Process, tid trace.TID) trace.Time {
	since := max(w.start, p.Alive.Start)
	if t := p.Thread(tid); t != nil {
		since = max(since, t.Since)
	}
	return since
}

// processThread is a thread of a process.
type processThread struct {
	process *analyzer.Process
	tid     trace.TID
}

// thread returns the id of the track of a thread. It describes the track, with the given
// rank, on the first call: of a thread with two tracks Perfetto makes two threads.
func (w *trackWriter) thread(process *analyzer.Process, tid trace.TID, rank *int32) uint64 {
	key := processThread{process, tid}
	uuid, known := w.threads[key]
	if !known {
		uuid = w.describeAt(w.since(process, tid), &perfettopb.TrackDescriptor{
			Thread:           &perfettopb.ThreadDescriptor{Pid: proto.Int32(int32(process.PID)), Tid: proto.Int64(int64(tid))},
			SiblingOrderRank: rank,
		})
		if w.threads == nil {
			w.threads = map[processThread]uint64{}
		}
		w.threads[key] = uuid
	}
	return uuid
}

// orderByRank makes Perfetto order processes, and the threads of each, by the ranks of
// their tracks. The track without an id represents the trace.
func (w *trackWriter) orderByRank() {
	w.writeDescriptor(0, &perfettopb.TrackDescriptor{
		Uuid:            proto.Uint64(0),
		ProcessOrdering: perfettopb.TrackDescriptor_PROCESS_ORDERING_EXPLICIT.Enum(),
		ThreadOrdering:  perfettopb.TrackDescriptor_THREAD_ORDERING_EXPLICIT.Enum(),
	})
}

func (w *trackWriter) writeDescriptor(at trace.Time, d *perfettopb.TrackDescriptor) {
	p := &perfettopb.TracePacket{Data: &perfettopb.TracePacket_TrackDescriptor{TrackDescriptor: d}}
	if at > 0 {
		p.Timestamp = proto.Uint64(uint64(at))
	}
	w.packets.Write(p)
}

// newFlow returns the id of a new arrow.
func (w *trackWriter) newFlow() uint64 {
	w.flow++
	return w.flow
}

// slice has the fields of a slice.
type slice struct {
	analyzer.Interval
	name        []byte
	nameID      uint64 // of an interned name, which name is not used with; 0 for none
	late        bool
	colour      colour   // "" for that of the name
	flow        uint64   // id of the arrow through the slice; 0 for none
	further     []uint64 // those of further arrows from it
	terminates  []uint64 // flows that end here
	annotations annotations
}

// slice writes a slice. Those of a track must not overlap.
func (w *trackWriter) slice(track uint64, s *slice) {
	w.begin(track, s)
	w.end(track, s.End)
}

// begin writes the begin of a slice. Slices that begin and end before its end are nested in
// it.
func (w *trackWriter) begin(track uint64, s *slice) {
	e := packet.AppendVarint(w.event[:0], packet.TrackEventType, uint64(perfettopb.TrackEvent_TYPE_SLICE_BEGIN))
	e = packet.AppendVarint(e, trackEventTrack, track)
	if s.late {
		e = packet.AppendVarint(e, trackEventCategory, lateCategoryNumber)
	}
	if s.colour != "" {
		e = packet.AppendVarint(e, trackEventCorrelation, w.intern(&w.colours, internedCorrelation, string(s.colour)))
	}
	if s.nameID != 0 {
		e = packet.AppendVarint(e, trackEventNameID, s.nameID)
	} else {
		e = packet.AppendBytes(e, packet.TrackEventName, s.name)
	}
	if s.flow != 0 {
		e = packet.AppendFixed64(e, trackEventFlow, s.flow)
	}
	for _, flow := range s.further {
		e = packet.AppendFixed64(e, trackEventFlow, flow)
	}
	for _, flow := range s.terminates {
		e = packet.AppendFixed64(e, trackEventTerminates, flow)
	}
	if len(s.annotations) > 0 {
		s.annotations.at(annotation.Start, s.Start)
		e = append(e, s.annotations...)
	}
	w.append(s.Start, packet.StateNeeded, e)
	w.event = e
}

// end writes the end of the slice that began last.
func (w *trackWriter) end(track uint64, at trace.Time) {
	e := packet.AppendVarint(w.event[:0], packet.TrackEventType, uint64(perfettopb.TrackEvent_TYPE_SLICE_END))
	e = packet.AppendVarint(e, trackEventTrack, track)
	w.append(at, 0, e)
	w.event = e
}

// count writes a counter's value.
func (w *trackWriter) count(track uint64, at trace.Time, value float64) {
	e := packet.AppendVarint(w.event[:0], packet.TrackEventType, uint64(perfettopb.TrackEvent_TYPE_COUNTER))
	e = packet.AppendVarint(e, trackEventTrack, track)
	e = packet.AppendFixed64(e, trackEventDouble, math.Float64bits(value))
	w.append(at, 0, e)
	w.event = e
}

// append appends a packet with an event. The first one, which begins a slice, contains
// the names that all refer to.
func (w *trackWriter) append(at trace.Time, flags uint64, event []byte) {
	p := packet.AppendVarint(w.packet[:0], packet.FieldTimestamp, uint64(at))
	p = packet.AppendVarint(p, packet.FieldSequenceID, packet.TrackSequenceID)
	if !w.begun {
		w.begun = true
		flags |= packet.StateCleared
		w.pending = append(internedTrackNames(), w.pending...)
	}
	if len(w.pending) > 0 {
		p = packet.AppendBytes(p, packet.FieldInternedData, w.pending)
		w.pending = w.pending[:0]
	}
	if flags != 0 {
		p = packet.AppendVarint(p, packet.FieldSequenceFlags, flags)
	}
	w.packet = packet.AppendBytes(p, packet.FieldTrackEvent, event)
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

// annotations are encoded debug annotations: of a TrackEvent or, in entries, of a dictionary.
// Unknown values have none.
type annotations []byte

// add adds an annotation with an encoded value.
func (a *annotations) add(name annotation.Key, value []byte) {
	*a = appendAnnotation(*a, trackEventAnnotation, uint64(name), value)
}

// appendAnnotation appends an annotation in a field, with an encoded value. One with the
// name 0 is an element of a list.
func appendAnnotation(to []byte, field protowire.Number, name uint64, value []byte) []byte {
	to, start := packet.Begin(to, field)
	if name != 0 {
		to = packet.AppendVarint(to, annotationName, name)
	}
	return packet.End(append(to, value...), start)
}

// room is that for the value of an annotation: a tag and a number.
type room [2 + 10]byte

func (a *annotations) number(name annotation.Key, value int64) {
	a.add(name, packet.AppendVarint(new(room)[:0], annotationInt, uint64(value)))
}

// numbers notes a list, if there is anything in it.
func (a *annotations) numbers(name annotation.Key, values []int64) {
	var list []byte
	for _, v := range values {
		list = appendAnnotation(list, annotationArrayElement, 0, packet.AppendVarint(new(room)[:0], annotationInt, uint64(v)))
	}
	if len(list) > 0 {
		a.add(name, list)
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
	a.add(name, packet.AppendFixed64(new(room)[:0], annotationDouble, math.Float64bits(d.Milliseconds())))
}

// interval adds the start and the length of an interval, if known.
func (a *annotations) interval(start, length annotation.Key, i analyzer.Interval) {
	a.at(start, i.Start)
	if i.Known() {
		a.milliseconds(length, i.Duration())
	}
}

// mark adds a property that applies. One that does not apply is left out.
func (a *annotations) mark(name annotation.Key, yes bool) {
	if yes {
		a.add(name, packet.AppendVarint(new(room)[:0], annotationBool, 1))
	}
}

func (a *annotations) text(name annotation.Key, text string) {
	a.add(name, protowire.AppendString(protowire.AppendTag(nil, annotationString, protowire.BytesType), text))
}

// interned notes a text by its number.
func (a *annotations) interned(name annotation.Key, id uint64) {
	a.add(name, packet.AppendVarint(new(room)[:0], annotationStringID, id))
}

// entries are encoded entries of a dictionary.
type entries []byte

func (e *entries) number(name uint64, value int64) {
	*e = appendAnnotation(*e, annotationDictEntry, name, packet.AppendVarint(new(room)[:0], annotationInt, uint64(value)))
}

func (e *entries) interned(name annotation.Key, id uint64) {
	*e = appendAnnotation(*e, annotationDictEntry, uint64(name), packet.AppendVarint(new(room)[:0], annotationStringID, id))
}

func (e *entries) mark(name annotation.Key, yes bool) {
	if yes {
		*e = appendAnnotation(*e, annotationDictEntry, uint64(name), packet.AppendVarint(new(room)[:0], annotationBool, 1))
	}
}
