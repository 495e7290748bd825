package pftrace

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/binarytrace"
)

// perLogPacket is the number of messages of a packet.
const perLogPacket = 64

var logPriorities = map[byte]perfettopb.AndroidLogPriority{
	'D': perfettopb.AndroidLogPriority_PRIO_DEBUG,
	'I': perfettopb.AndroidLogPriority_PRIO_INFO,
	'W': perfettopb.AndroidLogPriority_PRIO_WARN,
	'E': perfettopb.AndroidLogPriority_PRIO_ERROR,
	'F': perfettopb.AndroidLogPriority_PRIO_FATAL,
}

// timeOfDay returns the trace time of a time of day, in nanoseconds since 1970. known reports whether
// the trace states the time of day, inside whether the time is within the trace.
func timeOfDay(t *analyzer.Timeline, unix int64) (at trace.Time, known, inside bool) {
	if !t.Wall.At.Known() {
		return 0, false, false
	}
	at = t.Wall.TraceTime(unix)
	return at, true, at >= t.Span.Start && at <= t.Span.End
}

// writeLog writes the messages of the log that are within the trace, and warns about the others.
// Their time is that of day, which Perfetto converts by the snapshots of clocks: they must have
// been written. hilog keeps messages of hours, which would stretch the trace.
func writeLog(w *packet.Writer, s *Summary, o *Options) error {
	if o.Log == nil || o.NoEvents {
		return nil
	}
	var events []*perfettopb.AndroidLogPacket_LogEvent
	var first trace.Time
	flush := func() {
		if len(events) > 0 {
			w.Write(&perfettopb.TracePacket{Timestamp: proto.Uint64(uint64(first)), Data: &perfettopb.TracePacket_AndroidLog{AndroidLog: &perfettopb.AndroidLogPacket{Events: events}}})
		}
		events = nil
	}
	unknown, outside := 0, 0
	err := o.Log(func(m *binarytrace.LogMessage) {
		at, known, inside := timeOfDay(s.Timeline, m.Unix)
		switch {
		case !known:
			unknown++
			return
		case !inside:
			outside++
			return
		}
		if len(events) == 0 {
			first = at
		}
		events = append(events, &perfettopb.AndroidLogPacket_LogEvent{
			Pid: proto.Int32(m.PID), Tid: proto.Int32(m.TID), Timestamp: proto.Uint64(uint64(m.Unix)), Prio: logPriorities[m.Level].Enum(),
			Tag: proto.String(strings.ToValidUTF8(string(m.Tag), "\uFFFD")), Message: proto.String(strings.ToValidUTF8(string(m.Text), "\uFFFD")),
		})
		if s.Logged++; len(events) == perLogPacket {
			flush()
		}
	})
	flush()
	s.LogWarnings.Count(trace.WarnMissing, unknown, "message", "of hilog not exported: the trace does not state the time of day")
	s.LogWarnings.Count(trace.WarnSkipped, outside, "message", "of hilog before or after the trace, not exported")
	return err
}
