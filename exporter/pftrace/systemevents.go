package pftrace

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
)

const (
	// systemEvents is the id of the track, which no other track has: those of frames are counted
	// from 1.
	systemEvents = 1 << 62
	// maxMembers and maxMember bound the arguments of an event, and the bytes of one.
	maxMembers = 64
	maxMember  = 4 << 10
)

// writeSystemEvents writes the events of the system that are within the trace as instants on a track
// of their own, with their members as arguments, and warns about the others. Their time is that of
// day, as of writeLog.
func writeSystemEvents(w *packet.Writer, s *Summary, o *Options) error {
	if s.SystemEvents == nil || o.NoEvents {
		return nil
	}
	described := false
	damaged, unknown, outside := 0, 0, 0
	err := s.SystemEvents(func(line []byte) {
		e, ok := hitrace.ParseSystemEvent(line)
		if !ok {
			damaged++
			return
		}
		at, known, inside := timeOfDay(s.Timeline, e.Unix)
		switch {
		case !known:
			unknown++
			return
		case !inside:
			outside++
			return
		}
		if !described {
			described = true
			w.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_TrackDescriptor{TrackDescriptor: &perfettopb.TrackDescriptor{
				Uuid: proto.Uint64(systemEvents), StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: "System events"},
			}}})
		}
		w.Write(&perfettopb.TracePacket{Timestamp: proto.Uint64(uint64(at)), Data: &perfettopb.TracePacket_TrackEvent{TrackEvent: &perfettopb.TrackEvent{
			Type: perfettopb.TrackEvent_TYPE_INSTANT.Enum(), TrackUuid: proto.Uint64(systemEvents),
			NameField: &perfettopb.TrackEvent_Name{Name: bounded(e.Name)}, DebugAnnotations: membersOf(&e),
		}}})
	})
	s.LogWarnings.Count(trace.WarnNotUnderstood, damaged, "event", "of the system not understood, skipped")
	s.LogWarnings.Count(trace.WarnMissing, unknown, "event", "of the system not exported: the trace does not state the time of day")
	s.LogWarnings.Count(trace.WarnSkipped, outside, "event", "of the system before or after the trace, not exported")
	return err
}

// membersOf returns the members of an event, domain_ among them.
func membersOf(e *hitrace.SystemEvent) []*perfettopb.DebugAnnotation {
	var list []*perfettopb.DebugAnnotation
	for i := range e.Members[:min(len(e.Members), maxMembers)] {
		list = append(list, annotate(&e.Members[i]))
	}
	return list
}

// annotate returns a member of an event. Lists and objects are texts.
func annotate(m *hitrace.Member) *perfettopb.DebugAnnotation {
	a := &perfettopb.DebugAnnotation{NameField: &perfettopb.DebugAnnotation_Name{Name: bounded(m.Name)}}
	if n, err := strconv.ParseInt(string(m.Value), 10, 64); err == nil {
		a.Value = &perfettopb.DebugAnnotation_IntValue{IntValue: n}
	} else if x, err := strconv.ParseFloat(string(m.Value), 64); err == nil {
		a.Value = &perfettopb.DebugAnnotation_DoubleValue{DoubleValue: x}
	} else {
		a.Value = &perfettopb.DebugAnnotation_StringValue{StringValue: bounded(m.Text())}
	}
	return a
}

// bounded returns a text in at most maxMember bytes.
func bounded(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxMember)], "\uFFFD") }
