package hitrace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// The limits of SystemEvents, in bytes.
const (
	maxSystemEvent  = 256 << 10 // hisysevent-plugin cuts lines at that
	maxSystemEvents = 64 << 20
)

// isSystemEvent reports whether a line of another text, without white space around it, is an event.
func isSystemEvent(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"domain_"`)) }

// SystemEvents is lines of HiSysEvent in memory, as far as the limits allow.
type SystemEvents struct {
	Lines [][]byte
	Over  int // lines beyond the limits
	bytes int
}

// Add adds a line. The list refers to it.
func (l *SystemEvents) Add(line []byte) {
	if len(line) > maxSystemEvent || l.bytes+len(line) > maxSystemEvents {
		l.Over++
		return
	}
	l.bytes += len(line)
	l.Lines = append(l.Lines, line)
}

// Warnings says how many lines were skipped.
func (l *SystemEvents) Warnings() []trace.Warning {
	if l.Over == 0 {
		return nil
	}
	return []trace.Warning{{Code: trace.WarnOverLimit, Count: l.Over, Text: diag.Count(l.Over, "event") + " of the system beyond 256 KiB, or 64 MiB for all, skipped"}}
}

// Read adds the lines of a text that are not blank. The error is that of r.
func (l *SystemEvents) Read(r io.Reader) error {
	text := bufio.NewReaderSize(r, maxSystemEvent+2) // with the end of the line
	for {
		line, err := text.ReadSlice('\n')
		over := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = text.ReadSlice('\n')
		}
		if line = bytes.TrimSpace(line); over {
			l.Over++
		} else if len(line) > 0 {
			l.Add(bytes.Clone(line))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// SystemEvent is an event of HiSysEvent.
type SystemEvent struct {
	Unix         int64 // nanoseconds since 1970, in whole milliseconds
	Domain, Name string
	// Members are all others, in the order of their names. Those of the system end in an underscore.
	Members []Member
}

// Member is a member of an event.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Text returns the value as text: a string without its quotes, other values as they are spelled.
func (m *Member) Text() string {
	var text string
	if json.Unmarshal(m.Value, &text) == nil {
		return text
	}
	return string(m.Value)
}

// ParseSystemEvent reads a line, which is valid only if it has a name and a time:
//
//	{"domain_":"ACE","name_":"INTERACTION_APP_JANK","type_":4,"time_":1700000000123,"pid_":1234,…,"SCENE_ID":"APP_LIST_FLING"}
func ParseSystemEvent(line []byte) (e SystemEvent, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return e, false
	}
	var milliseconds int64
	if json.Unmarshal(members["name_"], &e.Name) != nil || json.Unmarshal(members["time_"], &milliseconds) != nil {
		return e, false
	}
	const maxMilliseconds = 1 << 43 // some 270 years
	if e.Name == "" || milliseconds <= 0 || milliseconds >= maxMilliseconds {
		return e, false
	}
	e.Unix = milliseconds * 1e6
	_ = json.Unmarshal(members["domain_"], &e.Domain) // empty if it is not text
	delete(members, "name_")
	delete(members, "time_")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		e.Members = append(e.Members, Member{name, members[name]})
	}
	return e, true
}
