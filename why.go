package ohframe

import (
	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
)

// Answer is what is known of why a frame was late. As a text it is one line: "waited 38.6 ms for
// storage (io_schedule) in FlushLayoutTask; usual 0.0".
type Answer struct {
	Kind AnswerKind
	// Explanation has the times, the threads and the functions; nil unless the frame was late and causes were found.
	Explanation *why.Explanation

	text string
}

// AnswerKind is the kind of an answer.
type AnswerKind uint8

// The kinds of answers.
const (
	// Unjudged: it is unknown whether the frame was late. The trace may be cut, or has no deadline of it.
	Unjudged AnswerKind = iota
	// OnTime: the frame was not late.
	OnTime
	// Explained: the frame was late, and the answer says why.
	Explained
	// Unexplained: the frame was late, and the answer says what the trace lacks to know why.
	Unexplained
	// NotAsked: the frame was late, and Options.Causes was not set.
	NotAsked
)

var answerKinds = [...]string{"unjudged", "on time", "explained", "unexplained", "not asked"}

// String returns "unjudged", "on time", "explained", "unexplained" or "not asked".
func (k AnswerKind) String() string { return answerKinds[k] }

// String returns the answer in one line, without the name of the frame.
func (a Answer) String() string { return a.text }

const notAsked = "cause unknown: Options.Causes was not set"

// Why returns why a frame of the trace was late.
func (t *Trace) Why(f *analyzer.Frame) Answer {
	e := t.Causes.Of(f)
	switch {
	case !f.Judged():
		return Answer{Unjudged, nil, "unknown whether the frame was late"}
	case !f.Late():
		return Answer{OnTime, nil, "on time"}
	case !t.asked:
		return Answer{NotAsked, nil, notAsked}
	case e == nil:
		return Answer{Unexplained, nil, "cause unknown: the input has no causes (" + t.Format + ")"}
	}
	kind := Explained
	if e.Outcome == why.NotKnown {
		kind = Unexplained
	}
	return Answer{kind, e, causetext.Sentence(t.Causes, e)}
}

// WhyBuffer returns why a buffer of a layer was shown late: by its frame if that was late, too.
func (t *Trace) WhyBuffer(b *analyzer.Buffer) Answer {
	e := t.Causes.LateBuffer(b)
	switch {
	case b.Pace == analyzer.Unpaced:
		return Answer{Unjudged, nil, "unknown whether the buffer was late"}
	case b.Pace != analyzer.Late:
		return Answer{OnTime, nil, "on time"}
	case !t.asked:
		return Answer{NotAsked, nil, notAsked}
	case e == nil && b.Frame != nil && b.Frame.Late():
		return t.Why(b.Frame)
	case e == nil || e.Outcome == why.NotKnown:
		return Answer{Unexplained, e, "cause unknown"}
	}
	return Answer{Explained, e, causetext.Buffer(t.Causes, e)}
}

// Title names a cause of several late frames or buffers in a few words: "waiting for storage in
// FlushLayoutTask (io_schedule)".
func Title(c *why.Cost) string { return causetext.CostTitle(c) }
