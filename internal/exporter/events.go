package exporter

import (
	"fmt"
	"slices"
	"strings"
)

// Events selects the events that are exported.
type Events int

const (
	// ShownEvents are the events that Perfetto shows on tracks: markers, scheduling,
	// frequencies, binder calls, interrupts and a few others of the kernel. It is the
	// default.
	ShownEvents Events = iota
	// AllEvents are also the events of the kernel that are only rows of Perfetto's table
	// ftrace_event.
	AllEvents
	// NoEvents leaves the trace with frames and names.
	NoEvents
)

// EventsNames are the texts of Events.
var EventsNames = []string{ShownEvents: "shown", AllEvents: "all", NoEvents: "none"}

func (e Events) String() string { return EventsNames[e] }

// ParseEvents parses one of EventsNames.
func ParseEvents(text string) (Events, error) {
	i := slices.Index(EventsNames, text)
	if i < 0 {
		return 0, fmt.Errorf("%q is not one of %s", text, strings.Join(EventsNames, ", "))
	}
	return Events(i), nil
}
