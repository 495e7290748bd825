package exporter

import (
	"bytes"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// markers writes markers as the kernel's print events, in Android's grammar,
// which Perfetto makes thread slices, asynchronous slices and counters of.
type markers struct {
	bundles *bundles
	threads map[trace.TID]*markerThread
	async   map[string]int // open asynchronous slices, by all but their phase
	text    []byte
	body    []byte
	// dropped counts the ends without a begin, which Perfetto takes for errors.
	dropped int
}

// markerThread is what must be known of a thread to keep its slices in order.
type markerThread struct {
	pid   trace.PID
	depth int
	// Lines of equal time on different processors would lose their order, as
	// Perfetto sorts each processor's events for itself: such a line follows
	// the one before it to its processor.
	last trace.Time
	cpu  trace.CPU
}

func newMarkers(b *bundles) *markers {
	return &markers{bundles: b, threads: map[trace.TID]*markerThread{}, async: map[string]int{}}
}

// add writes a marker.
func (m *markers) add(e *hitrace.Event) {
	t := m.thread(e)
	switch e.Marker.Phase {
	case hitrace.Begin:
		t.depth++
	case hitrace.End:
		if t.depth == 0 {
			m.dropped++
			return
		}
		t.depth--
	}
	m.text = appendPayload(m.text[:0], &e.Marker, t.pid)
	if !m.balanced(e.Marker.Phase) {
		m.dropped++
		return
	}
	size := protowire.SizeTag(printBuf) + protowire.SizeBytes(len(m.text))
	m.body = protowire.AppendTag(m.body[:0], eventPrint, protowire.BytesType)
	m.body = protowire.AppendVarint(m.body, uint64(size))
	m.body = protowire.AppendTag(m.body, printBuf, protowire.BytesType)
	m.body = protowire.AppendVarint(m.body, uint64(len(m.text)))
	m.body = append(m.body, m.text...)
	m.bundles.add(t.cpu, e.Time, e.TID, m.body)
}

// thread returns the event's thread. Its process is that of the line's column;
// the payload's id, which may be a container's own, only where there is none.
func (m *markers) thread(e *hitrace.Event) *markerThread {
	t := m.threads[e.TID]
	if t == nil {
		t = &markerThread{pid: trace.UnknownPID}
		m.threads[e.TID] = t
	}
	if e.PID != trace.UnknownPID {
		t.pid = e.PID
	} else if t.pid == trace.UnknownPID {
		t.pid = e.Marker.PID
	}
	if e.Time != t.last {
		t.last, t.cpu = e.Time, e.CPU
	}
	return t
}

// balanced keeps account of asynchronous slices and reports whether the one in
// m.text, if it is an end, has a begin.
func (m *markers) balanced(p hitrace.Phase) bool {
	switch p {
	case hitrace.AsyncBegin, hitrace.TrackBegin:
		m.async[string(m.text[1:])]++
	case hitrace.AsyncEnd, hitrace.TrackEnd:
		key := m.text[1:]
		switch m.async[string(key)] {
		case 0:
			return false
		case 1:
			delete(m.async, string(key))
		default:
			m.async[string(key)]--
		}
	}
	return true
}

// appendPayload appends the marker in Android's grammar.
func appendPayload(buf []byte, m *hitrace.Marker, pid trace.PID) []byte {
	if m.Phase == hitrace.Sync {
		buf = append(buf, "trace_event_clock_sync:"...)
		return append(buf, m.Name...)
	}
	buf = append(buf, byte(m.Phase), '|')
	if pid != trace.UnknownPID {
		buf = strconv.AppendInt(buf, int64(pid), 10)
	}
	switch m.Phase {
	case hitrace.End:
		return buf
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

// barSubstitute stands for a bar in a name that is not the line's last field:
// Perfetto would end the name there.
const barSubstitute = "¦"

func appendField(buf, field []byte) []byte {
	buf = append(buf, '|')
	for {
		bar := bytes.IndexByte(field, '|')
		if bar < 0 {
			return append(buf, field...)
		}
		buf = append(buf, field[:bar]...)
		buf = append(buf, barSubstitute...)
		field = field[bar+1:]
	}
}
