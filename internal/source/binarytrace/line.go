package binarytrace

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Precision is the number of digits after the decimal point of a line's time.
type Precision uint8

const (
	// Nanoseconds writes times as they are, with nine digits.
	Nanoseconds Precision = iota
	// Microseconds rounds times half up to six digits, as hitrace's converter does.
	Microseconds
)

// Header is the header of a text trace, as hitrace's converter writes it, without its
// line of counts, which it does not fill in.
const Header = `# tracer: nop
#
#                                      _-----=> irqs-off
#                                     / _----=> need-resched
#                                    | / _---=> hardirq/softirq
#                                    || / _--=> preempt-depth
#                                    ||| /     delay
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
`

// Widths of the columns of a line, as hitrace's converter writes them.
const (
	commWidth = 16
	tidWidth  = 6
	tgidWidth = 5
	cpuWidth  = 3
	secsWidth = 5
)

// appendColumns appends "COMM-TID (TGID) [CPU] FLAGS SECONDS.FRACTION".
func (r *Reader) appendColumns(b []byte, h *head, cpu int, time trace.Time) []byte {
	comm := h.comm
	if h.tid == 0 {
		comm = idleComm
	} else if len(comm) == 0 {
		comm = lostComm
	}
	for n := utf8.RuneCount(comm); n < commWidth; n++ {
		b = append(b, ' ')
	}
	b = append(append(b, comm...), '-')
	from := len(b)
	b = strconv.AppendInt(b, int64(h.tid), 10)
	for len(b)-from < tidWidth {
		b = append(b, ' ')
	}
	if h.tgid < 0 { // unknown
		b = append(b, "(-----"...)
	} else {
		b = appendPadded(append(b, '('), uint64(h.tgid), tgidWidth, ' ')
	}
	b = appendPadded(append(b, ") ["...), uint64(cpu), cpuWidth, '0')
	b = append(appendFlags(append(b, "] "...), h.flags, h.preempt), ' ')
	ns, unit, digits := uint64(time), uint64(1), 9
	if r.options.Precision == Microseconds {
		ns, unit, digits = ns+500, 1000, 6
	}
	b = append(appendPadded(b, ns/1e9, secsWidth, ' '), '.')
	return appendPadded(b, ns%1e9/unit, digits, '0')
}

// The names of the idle thread and of a thread whose name is unknown.
var (
	idleComm = []byte("<idle>")
	lostComm = []byte("<...>")
)

// Flags of an event.
//
// Source: Linux, include/linux/trace_events.h, enum trace_flag_type.
const (
	irqsOff        = 0x01
	irqsNoSupport  = 0x02
	needResched    = 0x04
	hardIRQ        = 0x08
	softIRQ        = 0x10
	preemptResched = 0x20
	nmi            = 0x40

	flagsShown = irqsOff | irqsNoSupport | needResched | hardIRQ | softIRQ | preemptResched | nmi
)

// appendFlags appends the four characters of the column of flags.
//
// Source: Linux, trace_output.c, trace_print_lat_fmt.
func appendFlags(b []byte, flags, preempt uint8) []byte {
	irqs, resched, context, depth := byte('.'), byte('.'), byte('.'), byte('.')
	switch {
	case flags&irqsOff != 0:
		irqs = 'd'
	case flags&irqsNoSupport != 0:
		irqs = 'X'
	}
	switch flags & (needResched | preemptResched) {
	case needResched | preemptResched:
		resched = 'N'
	case needResched:
		resched = 'n'
	case preemptResched:
		resched = 'p'
	}
	switch {
	case flags&nmi != 0 && flags&hardIRQ != 0:
		context = 'Z'
	case flags&nmi != 0:
		context = 'z'
	case flags&hardIRQ != 0 && flags&softIRQ != 0:
		context = 'H'
	case flags&hardIRQ != 0:
		context = 'h'
	case flags&softIRQ != 0:
		context = 's'
	}
	if preempt != 0 {
		depth = "0123456789abcdef"[preempt&0xf]
	}
	return append(b, irqs, resched, context, depth)
}

// decoder has the texts of events as lines have them.
type decoder struct{ kernel.Decoder }

// Decode implements kernel.Decoder. The values of an event whose texts have line ends, or white space around
// them, are those of its line.
func (d decoder) Decode(data []byte, cpu int, v *kernel.Values) *kernel.Format {
	f := d.Decoder.Decode(data, cpu, v)
	if f == nil {
		return nil
	}
	for i := range f.Places {
		text := v.Texts[f.Places[i].Field]
		if n := len(text); n > 0 && (text[0] <= ' ' || text[n-1] <= ' ' || bytes.IndexByte(text, '\n') >= 0) {
			return f.Event.Parse(asLine(d.Decoder.AppendArgs(nil, data, cpu, v)), v)
		}
	}
	return f
}

// AppendArgs implements kernel.Decoder.
func (d decoder) AppendArgs(b, data []byte, cpu int, v *kernel.Values) []byte {
	from := len(b)
	b = d.Decoder.AppendArgs(b, data, cpu, v)
	return b[:from+len(joinLines(trimPayload(b[from:], false)))]
}

// joinLines makes blanks of the line ends in a payload, so that an event is a line.
func joinLines(payload []byte) []byte {
	for rest := payload; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return payload
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
}

// asLine returns args as they are read from a line.
func asLine(args []byte) []byte {
	for len(args) > 0 && args[len(args)-1] <= ' ' {
		args = args[:len(args)-1]
	}
	if bytes.IndexByte(args, '\n') >= 0 {
		args = joinLines(bytes.Clone(args))
	}
	return bytes.TrimLeft(args, " \t")
}

// isMarker reports whether an event of this name carries a marker.
func isMarker(name string) bool { return name == "print" || name == markerName }

// markerName is the name that Linux gives to events of print in text.
const markerName = "tracing_mark_write"

// trimPayload drops the line end of a payload, as the kernel does, and the last character of the payload "E|PID|" of
// a marker. That has no meaning, and hitrace's converter drops it.
func trimPayload(payload []byte, marker bool) []byte {
	if n := len(payload); marker && n > 2 && payload[0] == 'E' && payload[1] == '|' && payload[n-1] == '|' {
		return payload[:n-1]
	}
	return bytes.TrimSuffix(payload, []byte{'\n'})
}

// appendPadded appends n in decimal, padded on the left to width characters.
func appendPadded(b []byte, n uint64, width int, pad byte) []byte {
	var memory [20]byte
	digits := strconv.AppendUint(memory[:0], n, 10)
	for range width - len(digits) {
		b = append(b, pad)
	}
	return append(b, digits...)
}
