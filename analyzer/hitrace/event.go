package hitrace

// Kind is the kind of an event whose name alone does not identify it.
type Kind uint8

// The kinds of events.
const (
	KernelEvent Kind = iota // any other event
	MarkerEvent             // tracing_mark_write, print, 0
	SwitchEvent             // sched_switch
	WakingEvent             // sched_waking
	WakeupEvent             // sched_wakeup
)

// kindOf returns the kind of the events with this name. Linux prints markers as
// "tracing_mark_write", old kernels as "0", other writers as "print".
func kindOf(name []byte) Kind {
	switch string(name) {
	case "print", "tracing_mark_write", "0":
		return MarkerEvent
	case "sched_switch":
		return SwitchEvent
	case "sched_waking":
		return WakingEvent
	case "sched_wakeup":
		return WakeupEvent
	}
	return KernelEvent
}

// Event is a parsed line. Only the reader changes it. Its slices are valid until the
// stages of a Run have seen its block.
type Event struct {
	Line
	// Number is the line's number in the input, counted from 1.
	Number int
	Kind   Kind
	// Word is the word that a marker's label spells, Other if none.
	Word Word
	// Outside is set on events outside the window. They are not part of any output
	// but still carry clocks, names and the beginnings and ends of frames.
	Outside bool
	// Lost: events of its processor are missing right before this one.
	Lost bool
	// Note is what Stages.Prepare derived from the event; 0 if nothing.
	Note uint64
	// Marker is the payload of a marker; its Phase is NotAMarker for others.
	Marker Marker
}

// trimSpace returns text without the white space and control characters that it ends
// with: editors and converters add some to lines, and systems before 5.1 write a
// blank after names.
func trimSpace(text []byte) []byte {
	n := len(text)
	for n > 0 && text[n-1] <= ' ' {
		n--
	}
	return text[:n]
}

// parse fills e, all but its number, from a line without its line end.
func (e *Event) parse(text []byte) Problem {
	if problem := ParseLine(text, &e.Line); problem != NoProblem {
		return problem
	}
	e.Lost = false
	e.Word, e.Outside, e.Note, e.Marker.Phase = Other, false, 0, NotAMarker
	if e.Kind = kindOf(e.Name); e.Kind != MarkerEvent {
		return NoProblem
	}
	if n := len(e.Args); n > 0 && e.Args[n-1] <= ' ' {
		e.Args = trimSpace(e.Args)
	}
	if problem := ParseMarker(e.Args, &e.Marker); problem != NoProblem {
		return problem
	}
	if e.Marker.Phase != End { // which has no name
		e.Word = e.Marker.word()
	}
	return NoProblem
}
