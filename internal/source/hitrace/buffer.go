package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
)

// BufferCall has the fields of a marker about a buffer of a queue. Absent fields are zero.
type BufferCall struct {
	Name     []byte // of the queue; nil if the marker has none
	Queue    int64
	Sequence int64
}

// ParseBufferCall reads the label of a RequestBuffer, FlushBuffer, AcquireBuffer or DropBuffer
// marker. A name may contain anything, so the last "queueId:" counts.
func ParseBufferCall(text []byte) (c BufferCall) {
	at := bytes.LastIndex(text, []byte(" queueId: "))
	if at < 0 {
		return c
	}
	head, rest := text[:at], text[at+len(" queueId: "):]
	if _, name, ok := bytes.Cut(head, []byte(" name: ")); ok {
		c.Name = name
	} else if _, ok := bytes.CutSuffix(head, []byte(" name:")); ok {
		c.Name = []byte{}
	}
	if n, after := leadingInt(rest); n > 0 {
		c.Queue, rest = n, after
	}
	for _, key := range []string{"sequence: ", "seq: "} {
		if _, value, ok := bytes.Cut(rest, []byte(key)); ok {
			n, _ := leadingInt(value)
			c.Sequence = max(0, n)
			break
		}
	}
	return c
}

// ParseBufferID returns the sequence of the buffer that a BufferRequested or BufferAcquired
// marker names; zero if it names none.
func ParseBufferID(text []byte) int64 {
	at := bytes.LastIndex(text, []byte(" id: "))
	if at >= 0 {
		text = text[at+len(" id: "):]
	} else {
		_, value, ok := bytes.Cut(text, []byte("sequence: "))
		if !ok {
			return 0
		}
		text = value
	}
	n, _ := leadingInt(text)
	return max(0, n)
}

// ParseBufferName parses "NAME:SEQUENCE", the marker with which systems before 5.0 name a
// buffer within a call that names none.
func ParseBufferName(text []byte) (name []byte, sequence int64, ok bool) {
	colon := bytes.LastIndexByte(text, ':')
	if colon < 0 {
		return nil, 0, false
	}
	n, rest := leadingInt(text[colon+1:])
	return text[:colon], n, n >= 0 && len(rest) == 0
}

// ParseSurfaceNode returns the id of the node that a SurfaceNode marker names; zero if it names
// none. Its upper half is the process that made the node.
func ParseSurfaceNode(text []byte) int64 {
	_, rest, _ := bytes.Cut(text, []byte("id: "))
	n, _ := leadingInt(rest)
	return max(0, n)
}

// ParseResynced parses "… resynced to ID in 20.3ms": the vsync that a frame of Android's
// Choreographer is made for after all, and how long it is until the deadline; negative if that
// has passed, zero if the marker does not have it.
func ParseResynced(text []byte) (id int64, left trace.Duration) {
	_, rest, _ := bytes.Cut(text, []byte("resynced to "))
	id, rest = leadingInt(rest)
	value, ok := bytes.CutPrefix(rest, []byte(" in "))
	if !ok {
		return max(0, id), 0
	}
	value, negative := bytes.CutPrefix(value, []byte("-"))
	whole, rest := leadingInt(value)
	const most = int64(10 * trace.Second / trace.Millisecond)
	if whole < 0 || whole > most {
		return max(0, id), 0
	}
	left = trace.Duration(whole) * trace.Millisecond
	if fraction, ok := bytes.CutPrefix(rest, []byte(".")); ok {
		unit := trace.Millisecond / 10
		for len(fraction) > 0 && isDigit(fraction[0]) {
			left += trace.Duration(fraction[0]-'0') * unit
			unit /= 10
			fraction = fraction[1:]
		}
		rest = fraction
	}
	if !bytes.HasPrefix(rest, []byte("ms")) {
		return max(0, id), 0
	}
	if negative {
		left = -left
	}
	return max(0, id), left
}

// ParseSurfaceName returns the application in "DrawFrames setSurfaceName APPLICATION/ACTIVITY";
// nil if the marker has none.
func ParseSurfaceName(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("DrawFrames setSurfaceName "))
	name, _, ok := bytes.Cut(text, []byte("/"))
	if !ok || bytes.IndexByte(name, ' ') >= 0 {
		return nil
	}
	return name
}

// ParseFrameNumber returns the number at the end of a marker of Android's frames,
// "Choreographer#doFrame 641493" or "commit 641499"; zero if it has none.
func ParseFrameNumber(text []byte) int64 {
	_, number, _ := bytes.Cut(text, []byte(" "))
	n, _ := leadingInt(number)
	return max(0, n)
}
