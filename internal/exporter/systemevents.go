package exporter

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/internal/exporter/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/plural"
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
	if o.SystemEvents == nil || o.NoEvents {
		return nil
	}
	described := false
	damaged, unknown, outside := 0, 0, 0
	err := o.SystemEvents(func(line []byte) {
		e, ok := parseSystemEvent(line)
		if !ok {
			damaged++
			return
		}
		at, known, inside := timeOfDay(s.Timeline, e.unix)
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
			NameField: &perfettopb.TrackEvent_Name{Name: e.name}, DebugAnnotations: e.arguments,
		}}})
	})
	for _, x := range []struct {
		count int
		code  trace.WarningCode
		text  string
	}{
		{damaged, trace.WarnNotUnderstood, " of the system not understood, skipped"},
		{unknown, trace.WarnMissing, " of the system not exported: the trace does not state the time of day"},
		{outside, trace.WarnSkipped, " of the system before or after the trace, not exported"},
	} {
		if x.count > 0 {
			s.LogWarnings = append(s.LogWarnings, trace.Warning{Code: x.code, Count: x.count, Text: plural.Count(x.count, "event") + x.text})
		}
	}
	return err
}

// systemEvent is an event of HiSysEvent.
type systemEvent struct {
	unix      int64 // nanoseconds since 1970
	name      string
	arguments []*perfettopb.DebugAnnotation
}

// parseSystemEvent reads a line of `hisysevent -r`. Names that end in an underscore are the system's
// own:
//
//	{"domain_":"ACE","name_":"INTERACTION_APP_JANK","type_":4,"time_":1700000000123,"pid_":1234,…,"SCENE_ID":"APP_LIST_FLING"}
func parseSystemEvent(line []byte) (e systemEvent, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return e, false
	}
	var milliseconds int64
	if json.Unmarshal(members["name_"], &e.name) != nil || json.Unmarshal(members["time_"], &milliseconds) != nil {
		return e, false
	}
	const maxMilliseconds = 1 << 43 // some 270 years
	if e.name == "" || milliseconds <= 0 || milliseconds >= maxMilliseconds {
		return e, false
	}
	e.unix, e.name = milliseconds*1e6, bounded(e.name)
	delete(members, "name_")
	delete(members, "time_")
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i == maxMembers {
			break
		}
		e.arguments = append(e.arguments, argument(name, members[name]))
	}
	return e, true
}

// argument returns a member of an event. Lists and objects are texts.
func argument(name string, value json.RawMessage) *perfettopb.DebugAnnotation {
	a := &perfettopb.DebugAnnotation{NameField: &perfettopb.DebugAnnotation_Name{Name: bounded(name)}}
	var text string
	if json.Unmarshal(value, &text) == nil {
		a.Value = &perfettopb.DebugAnnotation_StringValue{StringValue: bounded(text)}
	} else if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		a.Value = &perfettopb.DebugAnnotation_IntValue{IntValue: n}
	} else if x, err := strconv.ParseFloat(string(value), 64); err == nil {
		a.Value = &perfettopb.DebugAnnotation_DoubleValue{DoubleValue: x}
	} else {
		a.Value = &perfettopb.DebugAnnotation_StringValue{StringValue: bounded(string(value))}
	}
	return a
}

// bounded returns a text in at most maxMember bytes.
func bounded(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxMember)], "\uFFFD") }
