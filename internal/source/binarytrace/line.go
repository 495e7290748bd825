package binarytrace

import (
	"bytes"
	"slices"
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

// appendTask appends "COMM-TID (TGID) [". A negative tgid is unknown.
func appendTask(b []byte, comm []byte, tid int32, tgid int32) []byte {
	if tid == 0 {
		comm = idleComm
	} else if len(comm) == 0 {
		comm = lostComm
	}
	for n := utf8.RuneCount(comm); n < commWidth; n++ {
		b = append(b, ' ')
	}
	b = append(b, comm...)
	b = append(b, '-')
	from := len(b)
	b = appendInt(b, int64(tid))
	for len(b)-from < tidWidth {
		b = append(b, ' ')
	}
	if tgid < 0 {
		return append(b, "(-----) ["...)
	}
	b = append(b, '(')
	b = appendPadded(b, uint64(tgid), tgidWidth, ' ')
	return append(b, ") ["...)
}

// The names of the idle thread and of a thread whose name is unknown.
var (
	idleComm = []byte("<idle>")
	lostComm = []byte("<...>")
)

// columns appends the columns of lines. It remembers what rarely changes.
type columns struct {
	precision Precision
	tasks     [taskCacheSize]task
}

// taskCacheSize is the number of pairs of a thread and a processor whose columns are
// remembered. More are rarely active at the same time.
const taskCacheSize = 1 << 11

// task is the columns "COMM-TID (TGID) [CPU] .... SECONDS." of a thread on a processor.
type task struct {
	tid, tgid int32
	cpu       int
	seconds   uint64
	comm      []byte
	flags     int    // where the flags are in text
	text      []byte // nil if the entry is not used
}

// task returns the entry of a thread on a processor, which may be that of another pair.
func (c *columns) task(tid int32, cpu int) *task {
	return &c.tasks[(uint(tid)+uint(cpu)*97)%taskCacheSize]
}

// is reports whether the entry is that of a thread on a processor.
func (t *task) is(tid int32, cpu int) bool { return t.tid == tid && t.cpu == cpu && t.text != nil }

// set makes the entry that of a thread with this name and process on a processor.
func (t *task) set(comm []byte, tid, tgid int32, cpu int) {
	t.tid, t.tgid, t.cpu, t.comm = tid, tgid, cpu, append(t.comm[:0], comm...)
	t.text = appendTask(t.text[:0], comm, tid, tgid)
	t.text = appendPadded(t.text, uint64(cpu), cpuWidth, '0')
	t.text = append(t.text, "] .... "...)
	t.flags = len(t.text) - len(".... ")
	t.setSeconds(0)
}

func (t *task) setSeconds(seconds uint64) {
	t.seconds = seconds
	t.text = append(appendPadded(t.text[:t.flags+len(".... ")], seconds, secsWidth, ' '), '.')
}

// append appends the columns of a task, with the flags and the time of an event.
func (c *columns) append(b []byte, t *task, flags, preempt uint8, time trace.Time) []byte {
	ns := uint64(time)
	if c.precision == Microseconds {
		ns = (ns + 500) / 1000 * 1000
	}
	seconds := ns / 1e9
	ns -= seconds * 1e9
	if t.seconds != seconds {
		t.setSeconds(seconds)
	}
	from := len(b)
	b = appendRoomy(b, t.text)
	if flags|preempt != 0 {
		appendFlags(b[:from+t.flags], flags, preempt)
	}
	at := len(b)
	b = append(b, "000000000"...)
	digits, high, low := (*[9]byte)(b[at:]), uint32(ns)/10000, uint32(ns)%10000
	digits[0] = byte('0' + high/10000)
	high %= 10000
	*(*[2]byte)(digits[1:]) = decimalPairs[high/100]
	*(*[2]byte)(digits[3:]) = decimalPairs[high%100]
	*(*[2]byte)(digits[5:]) = decimalPairs[low/100]
	*(*[2]byte)(digits[7:]) = decimalPairs[low%100]
	if c.precision == Microseconds {
		return b[:at+6]
	}
	return b
}

// roomSize is the number of bytes that are copied for text of up to that size. It is
// the size of the columns of a line.
const roomSize = 48

// roomy returns text with a capacity for appendRoomy.
func roomy(text string) []byte { return append(make([]byte, 0, max(len(text), roomSize)), text...) }

// appendRoomy appends text. It is fast if text is short and has the capacity.
func appendRoomy(b, text []byte) []byte {
	if n := len(b); len(text) <= roomSize && cap(text) >= roomSize && cap(b)-n >= roomSize {
		to, from := b[n:n+roomSize], text[:roomSize]
		*(*[16]byte)(to) = *(*[16]byte)(from) // which takes two instructions
		*(*[16]byte)(to[16:]) = *(*[16]byte)(from[16:])
		*(*[16]byte)(to[32:]) = *(*[16]byte)(from[32:])
		return b[:n+len(text)]
	}
	return append(b, text...)
}

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
		depth = hexDigits[preempt&0xf]
	}
	return append(b, irqs, resched, context, depth)
}

const hexDigits = "0123456789abcdef"

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
	return args[skipBlanks(args):]
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

// appendInt appends n in decimal.
func appendInt(b []byte, n int64) []byte {
	if n < 0 {
		return appendPadded(append(b, '-'), uint64(-n), 0, ' ')
	}
	return appendPadded(b, uint64(n), 0, ' ')
}

// appendPadded appends n in decimal, padded on the left to width characters.
func appendPadded(b []byte, n uint64, width int, pad byte) []byte {
	size := 1
	for limit := uint64(10); n >= limit && size < 20; limit *= 10 {
		size++
	}
	for ; width > size; width-- {
		b = append(b, pad)
	}
	at := len(b) + size
	b = slices.Grow(b, size)[:at]
	for ; n >= 100; n /= 100 {
		at -= 2
		*(*[2]byte)(b[at:]) = decimalPairs[n%100]
	}
	if n >= 10 {
		*(*[2]byte)(b[at-2:]) = decimalPairs[n]
	} else {
		b[at-1] = byte('0' + n)
	}
	return b
}

// decimalPairs are the numbers of two digits.
var decimalPairs = func() (pairs [100][2]byte) {
	for i := range pairs {
		pairs[i] = [2]byte{byte('0' + i/10), byte('0' + i%10)}
	}
	return pairs
}()

// appendHex appends n in hexadecimal.
func appendHex(b []byte, n uint64) []byte {
	var digits [16]byte
	i := len(digits)
	for {
		i--
		digits[i] = hexDigits[n&0xf]
		n >>= 4
		if n == 0 {
			return append(b, digits[i:]...)
		}
	}
}

// skipBlanks returns the number of blanks that text begins with.
func skipBlanks(text []byte) (n int) {
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}
