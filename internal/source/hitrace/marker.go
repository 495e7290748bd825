package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
)

// Phase is the letter that a marker begins with.
type Phase byte

// The phases. Sync is not a letter of the format: it marks the lines with
// which hitrace records other clocks, see ParseClockSync.
const (
	NotAMarker   Phase = 0
	Begin        Phase = 'B'
	End          Phase = 'E'
	AsyncBegin   Phase = 'S'
	AsyncEnd     Phase = 'F'
	Counter      Phase = 'C'
	Instant      Phase = 'I'
	TrackInstant Phase = 'N'
	TrackBegin   Phase = 'G'
	TrackEnd     Phase = 'H'
	Sync         Phase = '#'
)

// Marker is the payload of a marker line. The slices are parts of the line.
type Marker struct {
	Phase Phase
	// label is the index of the label in Name if it is known and below 256; else 0.
	label uint8
	// PID is the process id that the writer believes to have. Inside a
	// container it is the container's own numbering: trust the line's columns
	// first. trace.UnknownPID for an End without one.
	PID trace.PID
	// Name is the name without suffix and trailing blank, but with the "H:" of OHOS
	// writers.
	Name []byte
	// Track is the track's name of a TrackInstant, TrackBegin or TrackEnd.
	Track []byte
	// Value is a counter's value or the cookie of an asynchronous slice.
	Value int64
}

// Label returns the name by which the system's documents know the marker: Name
// without "H:" and without the ids of a call chain, "[8b00e96b2,2,1]#". It is
// empty for names that no OHOS writer made.
func (m *Marker) Label() []byte {
	if m.label != 0 {
		return m.Name[m.label:]
	}
	return m.findLabel()
}

func (m *Marker) findLabel() []byte {
	name := m.Name
	if len(name) < 2 || name[0] != 'H' || name[1] != ':' {
		return nil
	}
	name = name[2:]
	if len(name) > 0 && name[0] == '[' {
		if end := bytes.Index(name, []byte("]#")); end > 0 && isChain(name[1:end]) {
			name = name[end+2:]
		}
	}
	return name
}

// isChain reports whether text is the hexadecimal ids of a call chain.
func isChain(text []byte) bool {
	for _, c := range text {
		if c != ',' && !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ParseMarker parses the args of a marker line into m. It returns NoProblem or the
// reason why they cannot be read. m is undefined unless the result is NoProblem.
func ParseMarker(args []byte, m *Marker) Problem {
	*m = Marker{PID: trace.UnknownPID}
	if len(args) > 0 && (args[0] == '0' || args[0] == 't') {
		args = skipWriter(args)
	}
	if len(args) == 0 {
		return NoPhase
	}
	phase := Phase(args[0])
	if len(args) > 1 && args[1] != '|' || len(args) == 1 && phase != End {
		if bytes.HasPrefix(args, clockSync) {
			m.Phase = Sync
			m.Name = args[len(clockSync):]
			return NoProblem
		}
		return NoPhase
	}
	switch phase {
	case Begin, End, AsyncBegin, AsyncEnd, Counter, Instant, TrackInstant, TrackBegin, TrackEnd:
	default:
		return NoPhase
	}
	m.Phase = phase
	pid, i, ok := digits(args, min(2, len(args)))
	if ok && (i == len(args) || args[i] == '|') {
		m.PID = trace.PID(pid)
	} else if phase != End { // slices end by thread: some writers leave the id out
		return BadMarkerPID
	}
	if phase == End {
		return NoProblem
	}
	if i >= len(args) {
		return NoMarkerName
	}
	body := args[i+1:]
	ohos := len(body) >= 2 && body[0] == 'H' && body[1] == ':'
	if ohos {
		body = cutSuffix(body)
	}
	return m.parseBody(body, ohos)
}

// parseBody parses the text after "PHASE|PID|", without the suffix.
func (m *Marker) parseBody(body []byte, ohos bool) Problem {
	switch m.Phase {
	case Begin, Instant:
		m.Name = bytes.TrimSuffix(body, []byte(" "))
		if m.Phase == Instant && len(m.Name) == 0 {
			return NoMarkerName
		}
		return NoProblem
	case TrackInstant:
		var ok bool
		m.Track, m.Name, ok = bytes.Cut(body, []byte("|"))
		if !ok || len(m.Track) == 0 || len(m.Name) == 0 {
			return NoMarkerName
		}
		return NoProblem
	case TrackBegin, TrackEnd:
		return m.parseTrackSlice(body)
	case Counter:
		return m.parseNumbered(body, ohos, BadValue)
	default:
		return m.parseNumbered(body, ohos, BadCookie)
	}
}

// parseTrackSlice parses "TRACK|NAME|COOKIE"; an end may leave the name out.
func (m *Marker) parseTrackSlice(body []byte) Problem {
	track, rest, ok := bytes.Cut(body, []byte("|"))
	if !ok || len(track) == 0 {
		return NoMarkerName
	}
	m.Track = track
	number := rest
	if bar := bytes.LastIndexByte(rest, '|'); bar >= 0 {
		m.Name, number = rest[:bar], rest[bar+1:]
	}
	if m.Phase == TrackBegin && len(m.Name) == 0 {
		return NoMarkerName
	}
	if m.Value, ok = parseInt(number); !ok {
		return BadCookie
	}
	return NoProblem
}

// parseNumbered parses "NAME|NUMBER", "NAME NUMBER" as systems before 5.1 write
// it, and "NAME|NUMBER|CATEGORY" as Android's browsers do.
func (m *Marker) parseNumbered(body []byte, ohos bool, missing Problem) Problem {
	end := len(body)
	if ohos {
		end = trimRight(body, end)
	}
	for range 2 {
		i := end
		for i > 0 && (isDigit(body[i-1]) || body[i-1] == '-') {
			i--
		}
		if i > 0 && i < end && (body[i-1] == '|' || ohos && body[i-1] == ' ') {
			value, ok := parseInt(body[i:end])
			if ok && i > 1 {
				m.Name, m.Value = body[:i-1], value
				return NoProblem
			}
		}
		// Not a number: perhaps a category after it.
		end = bytes.LastIndexByte(body[:end], '|')
		if end < 0 {
			break
		}
	}
	return missing
}

// cutSuffix returns name without "|LEVELTAGS" and any text after it. It searches from the
// right, because names may contain bars.
func cutSuffix(name []byte) []byte {
	end := len(name)
	for end > 0 {
		bar := bytes.LastIndexByte(name[:end], '|')
		if bar < 0 {
			break
		}
		if isSuffix(name[bar+1 : end]) {
			return name[:bar]
		}
		end = bar
	}
	return name
}

// isSuffix reports whether text is a level (debug, info, critical, commercial)
// and one to three two-digit tags.
func isSuffix(text []byte) bool {
	if len(text) != 3 && len(text) != 5 && len(text) != 7 {
		return false
	}
	switch text[0] {
	case 'D', 'I', 'C', 'M':
	default:
		return false
	}
	for _, c := range text[1:] {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// skipWriter skips the function that Linux's print event begins with: "0x…: ", or
// "tracing_mark_write: " in the text of trace-cmd.
func skipWriter(args []byte) []byte {
	colon := bytes.IndexByte(args, ':')
	if colon < 0 || !isWriter(args[:colon]) && (!isAddress(args[:colon]) || colon < 2) {
		return args
	}
	return args[skipBlanks(args, colon+1):]
}

// trimHex returns text without the hexadecimal digits at its beginning.
func trimHex(text []byte) []byte {
	for len(text) > 0 && (isDigit(text[0]) || text[0]|0x20 >= 'a' && text[0]|0x20 <= 'f') {
		text = text[1:]
	}
	return text
}

// parseInt parses a whole decimal number that fits in 64 bits, with or without
// a minus sign.
func parseInt(text []byte) (int64, bool) {
	i, negative := 0, false
	if len(text) > 0 && text[0] == '-' {
		i, negative = 1, true
	}
	if i == len(text) {
		return 0, false
	}
	var v uint64
	const limit = 1 << 63
	for ; i < len(text); i++ {
		d := uint64(text[i] - '0')
		if d > 9 || v > (limit-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	if negative {
		return -int64(v), true
	}
	return int64(v), v < limit
}
