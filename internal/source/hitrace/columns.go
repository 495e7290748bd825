package hitrace

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"ohframe/analyzer/trace"
)

// columns reads the columns of a line in the form that kernels print, if it has seen the same
// thread and the same name of an event in lines before:
//
//	       app-9511  ( 9432) [002] .... 13762.791721: print: B|227|renderRate 60.00 Hz
//	‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾         ‾‾‾‾‾‾        ‾‾‾‾‾‾‾
//	looked up                               seconds       looked up
//
// ParseLine says the same of such a line, and has the last word about all others. Few lines have
// another thread, second or event than others shortly before them.
type columns struct {
	threads [1 << 10]threadColumn
	names   [1 << 6]nameColumn
	open    int  // where the column of the processor begins, mostly
	unseen  bool // parse has not seen the thread of the line before, or the event
	// seconds are those of the last line, and secondsText is their text up to the dot, in
	// secondsSize bytes.
	seconds     trace.Time
	secondsText uint64
	secondsSize int
}

// threadColumn is the text of a line up to the bracket of its processor, and what parseThread reads there. It
// has a line of a processor's cache.
type threadColumn struct {
	text     [52]byte
	size     uint8
	from, to uint8 // of the thread's name
	tid      trace.TID
	pid      trace.PID
}

// nameColumn is the name of an event.
type nameColumn struct {
	text [48]byte
	_    [14]byte // to a line of the cache
	size uint8
	kind Kind
}

// columnsWindow is the number of bytes from the bracket on in which the columns up to the name of an event
// begin.
const columnsWindow = 96

// parse reads the columns of text into the event's Line and Kind. It reports whether it could.
func (c *columns) parse(text []byte, e *Event) bool {
	c.unseen = false
	open := c.open
	if open == 0 || open >= len(text) || text[open] != '[' {
		if open = bytes.IndexByte(text, '['); open < 16 {
			return false
		}
		c.open = open
	}
	// The window may reach beyond the line. What follows accepts no end of a line, and in the end all
	// that was accepted must be in the line.
	if cap(text)-open < columnsWindow {
		return false
	}
	w := (*[columnsWindow]byte)(text[open : open+columnsWindow])
	thread := c.thread(text, open)
	if int(thread.size) != open+1 || string(thread.text[:thread.size]) != string(text[:open+1]) {
		c.unseen = true
		return false
	}

	cpu0, cpu1, cpu2 := w[1]-'0', w[2]-'0', w[3]-'0'
	if cpu0 > 9 || cpu1 > 9 || cpu2 > 9 || w[4] != ']' || w[5] != ' ' {
		return false
	}
	flags := 6
	i := flags + 4
	e.InInterrupt, e.NoFlags = false, true
	if binary.LittleEndian.Uint32(w[flags:]) != fourDots || w[i] != ' ' {
		for i = flags; i <= flags+maxFlags && w[i] > ' '; i++ {
		}
		if n := i - flags; n < minFlags || n > maxFlags || w[i] != ' ' || w[flags] == '(' || isDigit(w[flags]) {
			return false
		}
		e.SetFlags(w[flags:i])
	}

	i++
	t, i, ok := c.time(w, i)
	if !ok || w[i] != ' ' {
		return false
	}
	i++

	// What follows the name is mostly a blank and the args. More blanks are for ParseLine.
	size := len("print")
	e.Kind = MarkerEvent
	if binary.LittleEndian.Uint64(w[i:])<<8 != printText<<8 {
		if size = bytes.IndexByte(w[i:i+len(nameColumn{}.text)], ':'); size <= 0 {
			return false
		}
		n := c.name(w[i:], size)
		if int(n.size) != size || w[i+size+1] != ' ' || string(n.text[:size]) != string(w[i:i+size]) {
			c.unseen = true
			return false
		}
		e.Kind = n.kind
	}
	i += open
	args := i + size + len(": ")
	if args > len(text) || args < len(text) && text[args] == ' ' {
		return false
	}
	e.Comm = text[thread.from:thread.to]
	e.TID, e.PID = thread.tid, thread.pid
	e.CPU = trace.CPU(cpu0)*100 + trace.CPU(cpu1)*10 + trace.CPU(cpu2)
	e.Time = t
	e.Name = text[i : i+size]
	e.Args = text[args:]
	return true
}

// time reads the time at i in the window and returns the index after its colon. It has six digits
// behind the dot.
func (c *columns) time(w *[columnsWindow]byte, i int) (trace.Time, int, bool) {
	text := binary.LittleEndian.Uint64(w[i:])
	size := firstByte(text, '.')
	if size == 0 || size == 8 {
		return 0, i, false
	}
	if text &= 1<<(8*size) - 1; text != c.secondsText || size != c.secondsSize {
		from := skipBlanks(w[:], i)
		seconds, dot := decimal(w[:], from)
		if dot != i+size || dot == from {
			return 0, i, false
		}
		c.seconds, c.secondsText, c.secondsSize = trace.Time(seconds)*trace.Time(trace.Second), text, size
	}
	i += size
	fraction := binary.LittleEndian.Uint64(w[i:])
	digits := fraction>>8&(1<<48-1) ^ '0'*(ones>>16)
	if fraction>>56 != ':' || (digits+0x76*(ones>>16)|digits)&(0x80*(ones>>16)) != 0 {
		return 0, i, false
	}
	pairs := digits*10 + digits>>8 // in every other byte
	micros := pairs&0xff*10000 + pairs>>16&0xff*100 + pairs>>32&0xff
	return c.seconds + trace.Time(micros)*trace.Time(trace.Microsecond), i + 8, true
}

const (
	ones      = 0x0101010101010101 // in each byte
	fourDots  = '.' * (ones >> 32)
	printText = 'p' | 'r'<<8 | 'i'<<16 | 'n'<<24 | 't'<<32 | ':'<<40 | ' '<<48
)

// firstByte returns the index of the first byte of a word, from the lowest on, that is c; 8 without one.
func firstByte(word uint64, c byte) int {
	x := word ^ uint64(c)*ones
	return bits.TrailingZeros64((x-ones)&^x&(0x80*ones)) / 8
}

// thread returns where the thread of a line is looked up: by the last 16 bytes before the bracket, which have its id.
func (c *columns) thread(text []byte, open int) *threadColumn {
	low, high := binary.LittleEndian.Uint64(text[open-16:]), binary.LittleEndian.Uint64(text[open-8:])
	return &c.threads[(low*0x9e3779b97f4a7c15^high)*0xc2b2ae3d27d4eb4f>>(64-10)]
}

// name returns where the name of an event is looked up: by its first and last bytes.
func (c *columns) name(text []byte, size int) *nameColumn {
	first, last := binary.LittleEndian.Uint64(text), uint64(0)
	if size >= 8 {
		last = binary.LittleEndian.Uint64(text[size-8:])
	} else {
		first &= 1<<(8*size) - 1
	}
	return &c.names[(first*0x9e3779b97f4a7c15^last)*0xc2b2ae3d27d4eb4f>>(64-6)]
}

// learn remembers the columns of a line that ParseLine has read.
func (c *columns) learn(text []byte, e *Event) {
	open := bytes.IndexByte(text, '[')
	l := Line{PID: trace.UnknownPID}
	thread := threadColumn{size: uint8(open + 1)}
	if open < 16 || open+1 > len(thread.text) || text[0] == '{' || text[0] == '"' || parseThread(text[:open], &l) != NoProblem {
		return
	}
	if t := c.thread(text, open); t.size != thread.size || string(t.text[:t.size]) != string(text[:open+1]) {
		copy(thread.text[:], text[:open+1])
		thread.from = uint8(skipBlanks(text, 0))
		thread.to = thread.from + uint8(len(l.Comm))
		thread.tid, thread.pid = l.TID, l.PID
		*t = thread
	}
	if n := len(e.Name); n <= len(nameColumn{}.text) && cap(e.Name) >= 8 {
		name := c.name(e.Name[:max(n, 8)], n)
		name.size, name.kind = uint8(n), e.Kind
		copy(name.text[:], e.Name)
	}
}
