// Package hisysevent reads events of HiSysEvent, the log of what the system did and decided: lines
// of `hisysevent -r`, `hisysevent -l` and hisysevent-plugin in, events out.
package hisysevent

import (
	"encoding/json"
	"maps"
	"slices"
)

// Event is an event of HiSysEvent.
type Event struct {
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

// Parse reads a line, which is valid only if it has a name and a time:
//
//	{"domain_":"ACE","name_":"INTERACTION_APP_JANK","type_":4,"time_":1700000000123,"pid_":1234,…,"SCENE_ID":"APP_LIST_FLING"}
func Parse(line []byte) (e Event, ok bool) {
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
