package rawfile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Event is a line of a text trace.
type Event struct {
	Comm    string
	TID     int32
	PID     int32 // -1 if unknown
	CPU     int
	Flags   uint8 // as the kernel stores them; simulated traces have none
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

// parseLine parses an event.
func parseLine(s string) (Event, error) {
	var l hitrace.Line
	if p := hitrace.ParseLine([]byte(s), &l); p != hitrace.NoProblem {
		return Event{}, fmt.Errorf("%q: %s", s, p)
	}
	e := Event{Comm: string(l.Comm), TID: int32(l.TID), PID: -1, CPU: int(l.CPU), Time: int64(l.Time), Name: string(l.Name), Args: string(l.Args)}
	if l.PID != trace.UnknownPID {
		e.PID = int32(l.PID)
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
	name  string
	verbs string // of the values: see patterns
	text  *regexp.Regexp
}

// patterns are what the verbs of a kind stand for: text, a number, a hexadecimal one, a state.
var patterns = map[string]string{"%s": "(.*?)", "%d": "(-?[0-9]+)", "%x": "([0-9a-f]+)", "%S": `(R\+|[RSDX])`}

var verb = regexp.MustCompile("%.")

// newKind returns the kind of an event with the text of a pattern.
func newKind(name, pattern string) kind {
	verbs := strings.Join(verb.FindAllString(pattern, -1), "")
	text := verb.ReplaceAllStringFunc(regexp.QuoteMeta(pattern), func(s string) string { return patterns[s] })
	return kind{name, strings.ReplaceAll(verbs, "%", ""), regexp.MustCompile("^(?s:" + text + ")$")}
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
	found := k.text.FindStringSubmatch(args)
	if found == nil {
		return nil, false
	}
	values := make([]value, len(k.verbs))
	for i, text := range found[1:] {
		var err error
		switch k.verbs[i] {
		case 's':
			values[i].text = text
		case 'd':
			values[i].number, err = strconv.ParseInt(text, 10, 64)
		case 'x':
			values[i].number, err = strconv.ParseInt(text, 16, 64)
		case 'S':
			values[i].number = states[text]
		}
		if err != nil {
			return nil, false
		}
	}
	return values, true
}
