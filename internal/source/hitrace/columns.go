package hitrace

import (
	"bytes"
	"encoding/binary"
	"math"
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
// another thread, second or event than others shortly before them. Text is compared in words of eight bytes.
// The first byte is the lowest.
type columns struct {
	threads [1 << 10]threadColumn
	names   [1 << 6]nameColumn
	open    int  // where the column of the processor begins, mostly
	unseen  bool // parse has not seen the thread of the line before, or the event
	// seconds are those of the last line. secondsText is their text with the dot: secondsSize bytes in a
	// word. secondsMask has a one in each of their bits.
	seconds                  trace.Time
	secondsText, secondsMask uint64
	secondsSize              int
}

func newColumns() *columns {
	return &columns{secondsText: '0' | '.'<<8, secondsMask: 0xffff, secondsSize: len("0.")}
}

// threadColumn is the text of a line up to the bracket of its processor, and what parseThread reads there. It
// has a line of a processor's cache.
type threadColumn struct {
	text     [threadFirst + threadLast]byte // the first and the last bytes
	_        [9]byte
	size     uint8
	from, to uint8 // of the thread's name
	tid      trace.TID
	pid      trace.PID
}

// Of the text of a thread, its first and its last bytes are compared: all, if it has no more than
// threadFirst+threadLast, and not less than threadLast.
const (
	threadFirst = 24
	threadLast  = 16
)

// nameColumn is the name of an event.
type nameColumn struct {
	text [48]byte
	_    [14]byte // to a line of the cache
	size uint8
	kind Kind
}

// The columns up to the name of an event begin in the first columnsWindow bytes of a line, and those behind
// the thread in eventWindow bytes. From the fraction of the time on, it is restWindow bytes.
const (
	eventWindow   = 96
	restWindow    = 64
	columnsWindow = threadFirst + threadLast + eventWindow
)

// parse reads the columns of text into the event's Line and Kind. It reports whether it could.
func (c *columns) parse(text []byte, e *Event) bool {
	c.unseen = false
	open := c.open
	if open < threadLast || open >= len(text) || text[open] != '[' {
		if open = bytes.IndexByte(text, '['); open < threadLast || open > threadFirst+threadLast {
			return false
		}
		c.open = open
	}
	// The window may reach beyond the line. What follows accepts no end of a line, and in the end all
	// that was accepted must be in the line.
	if cap(text) < columnsWindow {
		return false
	}
	first, window := (*[threadFirst]byte)(text[:threadFirst]), (*[threadLast + eventWindow]byte)(text[open-threadLast:columnsWindow])
	last, w := (*[threadLast]byte)(window[:]), (*[eventWindow]byte)(window[threadLast:])
	thread := c.thread(last)
	if int(thread.size) != open || !thread.is(first, last) {
		c.unseen = true
		return false
	}

	cpu := binary.LittleEndian.Uint64(w[:]) ^ ('[' | '0'<<8 | '0'<<16 | '0'<<24 | ']'<<32 | ' '<<40)
	if (cpu+0x76760000|cpu)&0xffff8080feff != 0 { // one of 200 processors
		return false
	}
	e.CPU = trace.CPU(cpu * (1 + 10<<8 + 100<<16) >> 24 & 0xff)
	const flags = len("[002] ")
	i := flags + len(".... ")
	e.InInterrupt, e.NoFlags = false, true
	if binary.LittleEndian.Uint64(w[flags:])<<24 != (fourDots|' '<<32)<<24 {
		for i = flags; i <= flags+maxFlags && w[i] > ' '; i++ {
		}
		if n := i - flags; n < minFlags || n > maxFlags || w[i] != ' ' || w[flags] == '(' || isDigit(w[flags]) {
			return false
		}
		e.setFlags(w[flags:i])
		i++
	}

	seconds := binary.LittleEndian.Uint64(w[i:])
	if seconds&c.secondsMask != c.secondsText && !c.setSeconds(seconds) {
		return false
	}
	i += c.secondsSize
	rest := (*[restWindow]byte)(w[i:])
	fraction := binary.LittleEndian.Uint64(rest[:]) ^ ('0'*(ones>>16) | ':'<<48 | ' '<<56)
	if (fraction+0x76*(ones>>16)|fraction)&(0x80*(ones>>16)|0xffff<<48) != 0 {
		return false
	}
	pairs := fraction*10 + fraction>>8 // in every other byte
	micros := pairs&0xff*10000 + pairs>>16&0xff*100 + pairs>>32&0xff
	e.Time = c.seconds + trace.Time(micros)*trace.Time(trace.Microsecond)

	// What follows the name is mostly a blank and the args. More blanks are for ParseLine.
	const name = len("791721: ")
	size := len("print")
	e.Kind = MarkerEvent
	if binary.LittleEndian.Uint64(rest[name:])<<8 != printText<<8 {
		if size = bytes.IndexByte(rest[name:name+len(nameColumn{}.text)], ':'); size <= 0 {
			return false
		}
		n := c.name(rest[name:], size)
		if int(n.size) != size || rest[name+size+1] != ' ' || string(n.text[:size]) != string(rest[name:name+size]) {
			c.unseen = true
			return false
		}
		e.Kind = n.kind
	}
	args := open + i + name + size + len(": ")
	if args > len(text) || args < len(text) && text[args] == ' ' {
		return false
	}
	e.Comm = first[thread.from:thread.to:thread.to]
	e.TID, e.PID = thread.tid, thread.pid
	e.Name = rest[name : name+size : name+size]
	e.Args = text[args:]
	return true
}

// setSeconds remembers the seconds that a text begins with, after blanks. It reports whether it could.
func (c *columns) setSeconds(text uint64) bool {
	dot := firstByte(text, '.')
	if dot == 8 {
		return false
	}
	word := binary.LittleEndian.AppendUint64(nil, text)
	from := skipBlanks(word, 0)
	seconds, end := decimal(word, from)
	if end != dot || dot == from {
		return false
	}
	c.seconds, c.secondsSize = trace.Time(seconds)*trace.Time(trace.Second), dot+1
	c.secondsMask = math.MaxUint64 >> (8 * (7 - dot))
	c.secondsText = text & c.secondsMask
	return true
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

// thread returns where the thread of a line is looked up: by the last bytes of its text, which have its id.
func (c *columns) thread(last *[threadLast]byte) *threadColumn {
	low, high := binary.LittleEndian.Uint64(last[:]), binary.LittleEndian.Uint64(last[8:])
	return &c.threads[(low*0x9e3779b97f4a7c15^high)*0xc2b2ae3d27d4eb4f>>(64-10)]
}

// is reports whether the text of the thread has these bytes.
func (t *threadColumn) is(first *[threadFirst]byte, last *[threadLast]byte) bool {
	different := binary.LittleEndian.Uint64(t.text[:]) ^ binary.LittleEndian.Uint64(first[:])
	different |= binary.LittleEndian.Uint64(t.text[8:]) ^ binary.LittleEndian.Uint64(first[8:])
	different |= binary.LittleEndian.Uint64(t.text[16:]) ^ binary.LittleEndian.Uint64(first[16:])
	different |= binary.LittleEndian.Uint64(t.text[24:]) ^ binary.LittleEndian.Uint64(last[:])
	different |= binary.LittleEndian.Uint64(t.text[32:]) ^ binary.LittleEndian.Uint64(last[8:])
	return different == 0
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

// learn reads the columns of a line that parse could not read. It remembers the thread and the event if parse has
// not seen them.
func (c *columns) learn(text []byte, e *Event) Problem {
	if problem := ParseLine(text, &e.Line); problem != NoProblem {
		return problem
	}
	e.Kind = KindOf(e.Name)
	open, l := c.open, Line{PID: trace.UnknownPID}
	if !c.unseen || bytes.IndexByte(text, '[') != open || text[0] == '{' || text[0] == '"' || parseThread(text[:open], &l) != NoProblem {
		return NoProblem
	}
	from := skipBlanks(text, 0)
	to := from + len(l.Comm)
	if to > threadFirst {
		return NoProblem
	}
	t := threadColumn{size: uint8(open), from: uint8(from), to: uint8(to), tid: l.TID, pid: l.PID}
	copy(t.text[:], text[:threadFirst])
	last := (*[threadLast]byte)(text[open-threadLast:])
	copy(t.text[threadFirst:], last[:])
	*c.thread(last) = t
	if n := len(e.Name); n <= len(nameColumn{}.text) && cap(e.Name) >= 8 {
		name := c.name(e.Name[:max(n, 8)], n)
		name.size, name.kind = uint8(n), e.Kind
		copy(name.text[:], e.Name)
	}
	return NoProblem
}
