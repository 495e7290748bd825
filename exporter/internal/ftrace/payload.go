package ftrace

import (
	"bytes"
	"strconv"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// appendPayload appends the marker in Android's grammar.
func appendPayload(buf []byte, m *hitrace.Marker, pid trace.PID) []byte {
	if m.Phase == hitrace.Sync {
		buf = append(buf, "trace_event_clock_sync:"...)
		return append(buf, m.Name...)
	}
	buf = append(buf, byte(m.Phase))
	if m.Phase == hitrace.End { // of the thread's slice: Perfetto does not need the process
		return buf
	}
	buf = append(buf, '|')
	if pid != trace.UnknownPID {
		buf = strconv.AppendInt(buf, int64(pid), 10)
	}
	switch m.Phase {
	case hitrace.Begin: // the rest of the line is the name, bars and all
		buf = append(buf, '|')
		return append(buf, m.Name...)
	case hitrace.Instant:
		return appendField(buf, m.Name)
	case hitrace.TrackInstant:
		return appendField(appendField(buf, m.Track), m.Name)
	case hitrace.TrackBegin:
		buf = appendField(appendField(buf, m.Track), m.Name)
	case hitrace.TrackEnd:
		buf = appendField(buf, m.Track)
	default:
		buf = appendField(buf, m.Name)
	}
	buf = append(buf, '|')
	return strconv.AppendInt(buf, m.Value, 10)
}

// barSubstitute replaces a bar, or the NUL of a damaged line, in a name that is not the
// line's last field. Perfetto would end the name there.
const barSubstitute = "¦"

func appendField(buf, field []byte) []byte {
	buf = append(buf, '|')
	for {
		bar := bytes.IndexAny(field, "|\x00")
		if bar < 0 {
			return append(buf, field...)
		}
		buf = append(buf, field[:bar]...)
		buf = append(buf, barSubstitute...)
		field = field[bar+1:]
	}
}
