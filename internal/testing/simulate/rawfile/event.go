package rawfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Event is a line of a text trace.
type Event struct {
	Comm    string
	TID     int32
	PID     int32 // -1 if unknown
	CPU     int
	Flags   uint8 // as the kernel stores them; only those of simulated traces
	Preempt uint8
	Time    int64 // ns
	Name    string
	Args    string
	Lost    int // events of its processor right before it
}

// Parse returns the events of a simulated trace.
func Parse(text []byte) ([]Event, error) {
	var events []Event
	lost := map[int]int{}
	for line := range bytes.Lines(text) {
		s := strings.TrimRight(string(line), "\r\n")
		if s == "" || s[0] == '#' || s == "TRACE:" {
			continue
		}
		var cpu, n int
		if _, err := fmt.Sscanf(s, "CPU:%d [LOST %d EVENTS]", &cpu, &n); err == nil {
			lost[cpu] += n
			continue
		}
		e, err := parseLine(s)
		if err != nil {
			return nil, err
		}
		e.Lost, lost[e.CPU] = lost[e.CPU], 0
		events = append(events, e)
	}
	return events, nil
}

// parseLine parses "COMM-TID (TGID) [CPU] FLAGS SECONDS.FRACTION: NAME: ARGS".
func parseLine(s string) (e Event, err error) {
	bad := func() (Event, error) { return e, fmt.Errorf("not a line: %q", s) }
	end := strings.Index(s, "] ")
	open := strings.LastIndexByte(s[:max(end, 0)], '[')
	if open < 0 {
		return bad()
	}
	if e.CPU, err = strconv.Atoi(s[open+1 : end]); err != nil {
		return bad()
	}
	task := strings.TrimSpace(s[:open])
	e.PID = -1
	if i := strings.LastIndexByte(task, '('); strings.HasSuffix(task, ")") && i >= 0 {
		if pid, err := strconv.Atoi(strings.TrimSpace(task[i+1 : len(task)-1])); err == nil {
			e.PID = int32(pid)
		}
		task = strings.TrimSpace(task[:i])
	}
	dash := strings.LastIndexByte(task, '-')
	if dash < 0 {
		return bad()
	}
	tid, err := strconv.Atoi(task[dash+1:])
	if err != nil {
		return bad()
	}
	e.TID, e.Comm = int32(tid), task[:dash]
	flags, rest, ok := strings.Cut(s[end+2:], " ")
	if !ok {
		return bad()
	}
	if flags[0] == 'd' {
		e.Flags = 1
	}
	if c := flags[3]; c >= '1' && c <= '9' {
		e.Preempt = c - '0'
	}
	time, rest, ok := strings.Cut(strings.TrimLeft(rest, " "), ": ")
	seconds, fraction, ok2 := strings.Cut(time, ".")
	if !ok || !ok2 {
		return bad()
	}
	sec, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return bad()
	}
	ns, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if err != nil {
		return bad()
	}
	e.Time = sec*1e9 + ns
	e.Name, e.Args, ok = strings.Cut(rest, ": ")
	if !ok {
		return bad()
	}
	if e.Name == "print" { // with the address of the function that writes markers
		if address, args, ok := strings.Cut(e.Args, ": "); ok && strings.HasPrefix(address, "0x") {
			e.Args = args
		}
	}
	return e, nil
}

// isMarker reports whether the event carries a marker.
func (e *Event) isMarker() bool { return e.Name == "print" || e.Name == "tracing_mark_write" }

// kind is an event with fields.
type kind struct {
	name string
	// pattern is the text: %s is text, %d a number, %x a hexadecimal one, %S a state.
	pattern string
	literal []string
	verbs   []byte
}

func newKind(name, pattern string) kind {
	k := kind{name: name, pattern: pattern}
	from := 0
	for i := 0; i+1 < len(pattern); i++ {
		if pattern[i] == '%' {
			k.literal = append(k.literal, pattern[from:i])
			k.verbs = append(k.verbs, pattern[i+1])
			from = i + 2
		}
	}
	k.literal = append(k.literal, pattern[from:])
	return k
}

// value is the value of a field.
type value struct {
	text   string
	number int64
}

// states are the letters of threads' states with the bits that both kernels share.
var states = map[string]int64{"R": 0, "S": 1, "D": 2, "X": 0x10, "R+": 0x100}

// match returns the values in args.
func (k *kind) match(args string) ([]value, bool) {
	values := make([]value, len(k.verbs))
	rest, ok := strings.CutPrefix(args, k.literal[0])
	if !ok {
		return nil, false
	}
	for i, verb := range k.verbs {
		end := len(rest)
		if next := k.literal[i+1]; next != "" {
			if end = strings.Index(rest, next); end < 0 {
				return nil, false
			}
		}
		text := rest[:end]
		var err error
		known := true
		switch verb {
		case 's':
			values[i].text = text
		case 'd':
			values[i].number, err = strconv.ParseInt(text, 10, 64)
		case 'x':
			var n uint64
			n, err = strconv.ParseUint(text, 16, 64)
			values[i].number = int64(n)
		case 'S':
			values[i].number, known = states[text]
		}
		if err != nil || !known {
			return nil, false
		}
		rest = rest[end+len(k.literal[i+1]):]
	}
	return values, rest == ""
}
