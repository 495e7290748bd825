package hitrace

// Event is a line that was understood. Its slices are valid until the next
// event is read.
type Event struct {
	Line
	// Number is the line's number in the input, counted from 1.
	Number int
	// Marker is the payload; its Phase is NotAMarker for kernel events.
	Marker Marker
	// Word is what the marker's label spells, Other for all else.
	Word Word
}

// parse fills e, all but its number, from a line without its line end.
func (e *Event) parse(text []byte) Problem {
	if problem := ParseLine(text, &e.Line); problem != NoProblem {
		return problem
	}
	e.Marker.Phase, e.Word = NotAMarker, Other
	if !IsMarker(e.Name) {
		return NoProblem
	}
	if problem := ParseMarker(e.Args, &e.Marker); problem != NoProblem {
		return problem
	}
	e.Word = Recognize(e.Marker.Label())
	return NoProblem
}
