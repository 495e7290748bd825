package simulate

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// textWriter writes lines:
//
//	COMM-TID   (TGID) [CPU] FLAGS SECONDS.FRACTION: EVENT: ARGUMENTS
//
// Everything that is the same for all lines is prepared.
type textWriter struct {
	config Text

	markName    string // `print: `
	markFlags   string
	kernelFlags string
	newline     string
	unit        trace.Duration // unit of the last digit of times
	digits      int

	out    io.Writer
	buffer []byte
	lines  int64
	last   trace.Time // of the last line
	size   int64      // in bytes, including the buffer
	err    error

	// Lines outside [from, to) are not written. A zero to means no limit.
	from, to trace.Time
	// Lines of lostCPU in [lostFrom, lostTo) are lost: lost so far.
	lostCPU, lost    int
	lostFrom, lostTo trace.Time
	noted            bool
}

// lose loses the kernel events of a processor in a time to come; if noted, markers too,
// and its next line has a note before it.
func (w *textWriter) lose(cpu int, from, to trace.Time, noted bool) {
	w.lostCPU, w.lostFrom, w.lostTo, w.noted = cpu, from, to, noted
}

const bufferSize = 256 << 10

func newTextWriter(out io.Writer, config Text, markEvent string, linux bool) *textWriter {
	w := &textWriter{
		config: config, out: out, buffer: make([]byte, 0, bufferSize+4096),
		markName: markEvent + ": ", newline: "\n", unit: trace.Microsecond, digits: 6,
	}
	w.markFlags = strings.Repeat(".", max(4, config.Flags))
	w.kernelFlags = w.markFlags
	if linux {
		w.kernelFlags = "d" + w.markFlags[2:] + "2"
	}
	if config.CRLF {
		w.newline = "\r\n"
	}
	if config.Nanoseconds {
		w.unit, w.digits = trace.Nanosecond, 9
	}
	return w
}

// column is the start of a thread's lines.
func (w *textWriter) column(comm string, pid trace.PID, tid trace.TID) []byte {
	name := strconv.Itoa(int(pid))
	if pid == trace.UnknownPID {
		name = "-----"
	}
	switch w.config.TGID {
	case TGIDWide:
		if pid == trace.UnknownPID {
			name = "-------"
		}
		return fmt.Appendf(nil, "%16s-%-7d (%7s) [", comm, tid, name)
	case TGIDDashes:
		return fmt.Appendf(nil, "%16s-%-5d (-----) [", comm, tid)
	case TGIDAbsent:
		return fmt.Appendf(nil, "%16s-%-5d [", comm, tid)
	}
	return fmt.Appendf(nil, "%16s-%-5d (%5s) [", comm, tid, name)
}

// line writes one line. The event's name and arguments are separate, so that neither has
// to be copied.
func (w *textWriter) line(column []byte, cpu int, flags string, t trace.Time, name string, arguments []byte) {
	if t < w.from || w.to != 0 && t >= w.to {
		return
	}
	before, b := len(w.buffer), w.buffer
	if cpu == w.lostCPU {
		if w.lostFrom <= t && t < w.lostTo && (name == "" || w.noted) {
			w.lost++
			return
		}
		if w.lost > 0 && w.noted {
			b = fmt.Appendf(b, "CPU:%d [LOST %d EVENTS]%s", cpu, w.lost, w.newline)
			w.lines++
			w.lost = 0
		}
	}
	b = append(b, column...)
	b = appendPadded(b, int64(cpu), 3, '0')
	b = append(b, "] "...)
	b = append(b, flags...)
	b = append(b, ' ')
	ns := int64(t)
	b = appendPadded(b, ns/int64(trace.Second), 5, ' ')
	b = append(b, '.')
	b = appendPadded(b, ns%int64(trace.Second)/int64(w.unit), w.digits, '0')
	b = append(b, ": "...)
	b = append(b, name...)
	b = append(b, arguments...)
	b = append(b, w.newline...)
	w.buffer = b
	w.lines++
	w.last = t
	w.size += int64(len(b) - before)
	if len(b) >= bufferSize {
		w.flush()
	}
}

func (w *textWriter) flush() {
	if w.err == nil {
		_, w.err = w.out.Write(w.buffer)
	}
	w.buffer = w.buffer[:0]
}

// appendPadded appends n, which is not negative, filled up on the left.
func appendPadded(b []byte, n int64, width int, fill byte) []byte {
	var digits [20]byte
	i := len(digits)
	for n > 0 || i == len(digits) {
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	for len(digits)-i < width {
		i--
		digits[i] = fill
	}
	return append(b, digits[i:]...)
}
