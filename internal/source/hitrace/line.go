package hitrace

import (
	"bytes"
	"math"

	"ohframe/analyzer/trace"
	"ohframe/internal/pattern"
)

// Line is one line of a trace, split into its columns. The slices are parts of
// the text that was parsed.
type Line struct {
	Comm []byte // thread name; empty or "<...>" where the kernel had lost it
	Name []byte // event name: "sched_switch", "tracing_mark_write", "print"
	Args []byte // all that follows "NAME: "
	Time trace.Time
	CPU  trace.CPU
	TID  trace.TID
	PID  trace.PID // trace.UnknownPID where the column is dashes or absent
	// InInterrupt is whether the processor was handling an interrupt. HongMeng's flags
	// never say so.
	InInterrupt bool
	// NoFlags is whether the flags are four dots.
	NoFlags bool
}

// The flags column differs by kernel: four characters, five with
// migrate-disable, up to eight in vendor kernels. Three occur in converted traces.
const (
	minFlags = 3
	maxFlags = 8
	// minGluedFlags is the least number of flags with the time right behind them.
	// It decides whether a digit between the two is the preempt depth or part of
	// the time.
	minGluedFlags = 4
)

// maxComm is how many bytes of a thread's name the kernel keeps.
const maxComm = 15

// ParseLine splits text, one line without its line end, into l. It returns
// NoProblem, Ignorable for a line without an event (blank, header), or the reason
// why it cannot be read. l is undefined unless the result is NoProblem.
func ParseLine(text []byte, l *Line) Problem {
	// A comm may contain "[digits]" and a blank, like the CPU column. Then flags and a
	// time do not follow, and the next bracket is tried.
	first := NotALine
	if len(text) > 0 {
		switch text[0] {
		case '{':
			if isSystemEvent(text) { // its members may have any text
				return LogLine
			}
		case '"': // in quotes, as cells of a table are
			if n := len(text); n > 1 && text[n-1] == '"' {
				text = text[1 : n-1]
			}
		}
	}
	for from := 0; ; {
		open := bytes.IndexByte(text[from:], '[')
		if open < 0 {
			break
		}
		open += from
		problem := parseFrom(text, open, l)
		// A line that begins within the args of a broken one has that for a comm.
		if problem == NoProblem && (first == NotALine || len(l.Comm) <= maxComm) {
			return NoProblem
		}
		if first == NotALine {
			first = problem
		}
		from = open + 1
	}
	if isLogLine(text) {
		return LogLine
	}
	if first != NotALine {
		return first
	}
	return notALine(text)
}

// notALine returns Ignorable for a header and NotALine for other text.
func notALine(text []byte) Problem {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	if len(text) == 0 || text[0] == '#' || bytes.Equal(text, []byte("TRACE:")) {
		return Ignorable
	}
	if _, ok := lossOf(text); ok || reportLine().Match(text) {
		return Ignorable
	}
	return NotALine
}

// reportLine matches what trace-cmd prints before events.
var reportLine = pattern.New(`^(?:version = \d+|cpus=\d+|CPU \d+ is empty)$`)

// parseFrom parses a line whose CPU column begins at open.
func parseFrom(text []byte, open int, l *Line) Problem {
	i := open + 1
	cpu, i, ok := digits(text, i)
	if !ok || i+1 >= len(text) || text[i] != ']' || text[i+1] != ' ' {
		return NotALine
	}
	l.CPU = trace.CPU(cpu)

	i = skipBlanks(text, i+1)
	l.PID = trace.UnknownPID
	if i < len(text) && text[i] == '(' { // Linux 4.13 to 4.18
		if l.PID, i, ok = parseProcess(text, i); !ok {
			return NotALine
		}
		i = skipBlanks(text, i)
	}
	l.InInterrupt, l.NoFlags = false, false
	if i < len(text) && !isDigit(text[i]) { // kernels without irq-info print no flags
		end := i
		for end < len(text) && text[end] != ' ' {
			end++
		}
		if n := end - i; n < minFlags || n > maxFlags {
			if end = endOfFlags(text, i, end); end == i {
				return NotALine
			}
		}
		l.setFlags(text[i:end])
		i = skipBlanks(text, end)
	}
	time, i, ok := parseTime(text, i)
	if !ok {
		return BadTime
	}
	if time > trace.MaxTime {
		return TimeTooLarge
	}
	l.Time = time

	i = skipBlanks(text, i)
	colon := bytes.IndexByte(text[i:], ':')
	if colon <= 0 {
		return NoEvent
	}
	l.Name = text[i : i+colon]
	i += colon + 1
	if i < len(text) && text[i] == ' ' {
		i++
	}
	if hasAt(text, i, "  ") { // trace-cmd pads names to 20 characters
		i = skipBlanks(text, i)
	}
	l.Args = text[i:]
	return parseThread(text[:open], l)
}

// setFlags sets what the flags of a line say.
func (l *Line) setFlags(flags []byte) {
	l.InInterrupt, l.NoFlags = inInterrupt(flags), string(flags) == "...."
}

// inInterrupt reports whether the third of a line's flags is that of an interrupt:
// hard, soft, or not maskable.
func inInterrupt(flags []byte) bool {
	if len(flags) < minGluedFlags {
		return false
	}
	switch flags[2] {
	case 'h', 'H', 's', 'z', 'Z':
		return true
	}
	return false
}

// endOfFlags returns the end of the flags in text[i:end], such as "....316.196720:", in
// which no blank separates them from the time. It returns i if text has another form.
func endOfFlags(text []byte, i, end int) int {
	dot := bytes.LastIndexByte(text[i:end], '.') + i
	seconds := dot
	for seconds > i+minGluedFlags && isDigit(text[seconds-1]) {
		seconds--
	}
	if _, stop, ok := parseTime(text, seconds); !ok || stop != end || seconds-i > maxFlags {
		return i
	}
	return seconds
}

// parseProcess parses "(TGID)" at open and returns the index after it. The process is unknown
// if the parentheses are empty or have dashes.
func parseProcess(text []byte, open int) (pid trace.PID, end int, ok bool) {
	i := skipBlanks(text, open+1)
	n, end, ok := digits(text, i)
	if ok && end < len(text) && text[end] == ')' {
		return trace.PID(n), end + 1, true
	}
	closing := bytes.IndexByte(text[i:], ')')
	if closing < 0 || closing > 0 && text[i] != '-' {
		return trace.UnknownPID, i, false
	}
	return trace.UnknownPID, i + closing + 1, true
}

// parseThread parses "COMM-TID (TGID) ". The parentheses may be empty, and " (TGID)"
// may be missing.
func parseThread(text []byte, l *Line) Problem {
	end := trimRight(text, len(text))
	if end > 0 && text[end-1] == ')' {
		open := bytes.LastIndexByte(text[:end], '(')
		if open < 0 {
			return BadThread
		}
		if pid, stop, ok := digits(text, skipBlanks(text, open+1)); ok && stop == end-1 { // nearly always
			l.PID = trace.PID(pid)
		} else if _, stop, ok := parseProcess(text[:end], open); !ok || stop != end {
			return BadThread
		}
		end = trimRight(text, open)
	}
	// The comm may contain dashes: the thread id follows the last one.
	dash := end - 1
	for dash >= 0 && isDigit(text[dash]) {
		dash--
	}
	if dash < 0 || text[dash] != '-' {
		return BadThread
	}
	tid, stop, ok := digits(text, dash+1)
	if !ok || stop != end {
		return BadThread
	}
	l.TID = trace.TID(tid)
	l.Comm = text[skipBlanks(text[:dash], 0):dash]
	return NoProblem
}

// parseTime parses "SECONDS.FRACTION:" at i and returns the index after the colon. The
// number of digits of the fraction decides its unit. A time after trace.MaxTime is the
// time right after it.
func parseTime(text []byte, i int) (trace.Time, int, bool) {
	seconds, dot := decimal(text, i)
	if n := dot - i; n == 0 || n > 10 || dot == len(text) || text[dot] != '.' {
		return 0, i, false
	}
	fraction, end := decimal(text, dot+1)
	n := end - dot - 1
	if n == 0 || n > 9 || end == len(text) || text[end] != ':' {
		return 0, i, false
	}
	for ; n < 9; n++ {
		fraction *= 10
	}
	// Ten digits of seconds do not overflow the unsigned number.
	return trace.Time(min(seconds*uint64(trace.Second)+fraction, trace.MaxTime+1)), end + 1, true
}

// digits parses a run of digits at i that fits in 31 bits, as every id does.
func digits(text []byte, i int) (value int32, end int, ok bool) {
	v, end := decimal(text, i)
	if n := end - i; n == 0 || n > 10 || v > math.MaxInt32 {
		return 0, end, false
	}
	return int32(v), end, true
}

// decimal returns the value of the run of digits at i, which may be none, and
// the index after it. The value is right for up to 19 digits.
func decimal(text []byte, i int) (value uint64, end int) {
	for ; i < len(text); i++ {
		d := text[i] - '0'
		if d > 9 {
			break
		}
		value = value*10 + uint64(d)
	}
	return value, i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// skipBlanks returns the index of the first byte from i on that is neither a
// space nor a tab.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// trimRight returns end moved left over blanks.
func trimRight(text []byte, end int) int {
	for end > 0 && (text[end-1] == ' ' || text[end-1] == '\t') {
		end--
	}
	return end
}
