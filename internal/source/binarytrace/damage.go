package binarytrace

import (
	"errors"
	"fmt"

	"ohframe/analyzer/trace"
	"ohframe/internal/failure"
	"ohframe/internal/plural"
)

// Error is why a trace cannot be read.
type Error = failure.Error

// ErrNoEvents: the file has no events, or not what is needed to read them.
var ErrNoEvents = errors.New("no events")

// ErrDamaged: in strict mode, the file is damaged.
var ErrDamaged = errors.New("damaged")

func noEvents(what, hint string) error { return &Error{What: what, Hint: hint, Err: ErrNoEvents} }

// problem is a kind of damage.
type problem uint8

const (
	truncated      problem = iota // the file ends within a section, a segment or a message
	recovered                     // the length of the last section or part was never written
	trailing                      // bytes after the last section
	unknownSection                // a section of an unknown type
	textTooLong                   // a section of text beyond maxText
	badFormat                     // an event's format that is not understood
	badPage                       // a page whose length or records run over its end
	badTime                       // a page or event with an impossible time
	badThread                     // an event with an impossible thread id
	badSegment                    // a segment whose message is not understood
	badMessage                    // a message within a segment that is not understood
	shortRecord                   // an event that is shorter than its fields
	unknownID                     // an event of an unknown id
	lostEvents                    // events that the kernel dropped
	emptyMarkers                  // markers without text
	twoClocks                     // clocks that differ within the trace
	namesOver                     // names beyond the limit
	scriptsOver                   // data of the arkts-plugin beyond the limit
	problems                      // how many there are
)

// problemTexts has one %d each for the number, or a noun to count. Where it is not damage, or lies outside
// what can be avoided, strict mode accepts it.
var problemTexts = [problems]struct {
	noun, text string
	normal     bool
}{
	truncated:      {text: "the file is truncated; the part before is used"},
	recovered:      {text: "the recording was not finished: a length is missing; the rest of the file is used"},
	trailing:       {noun: "byte", text: "after the last section; skipped"},
	unknownSection: {text: "%d × section of an unknown type; skipped"},
	textTooLong:    {text: "%d × section of names or formats larger than 16 MB; its beginning is used"},
	badFormat:      {text: "%d × format of an event not understood; its events are skipped"},
	badPage:        {text: "%d × damaged page; its events before the damage are used"},
	badTime:        {text: "%d × page or event with an impossible time; skipped"},
	badThread:      {text: "%d × event with an impossible thread id; skipped"},
	badSegment:     {text: "%d × segment that is no message; skipped"},
	badMessage:     {text: "%d × message that is not understood; skipped"},
	shortRecord:    {text: "%d × event shorter than its fields; skipped"},
	unknownID:      {text: "%d × event of an unknown id; skipped", normal: true},
	lostEvents:     {noun: "event", text: "lost while recording: the kernel's buffer was full", normal: true},
	emptyMarkers:   {text: "%d × marker without text", normal: true},
	twoClocks:      {text: "%d × clocks that differ by more than 1 ms: the device slept while recording; the first are used", normal: true},
	namesOver:      {text: "%d × name of a thread beyond the limit (limit: threads), skipped", normal: true},
	scriptsOver:    {text: "%d × message of the arkts-plugin beyond 1 Mi; skipped", normal: true},
}

// log counts problems.
type log struct {
	strict bool
	counts [problems]int
	err    error // the first damage, in strict mode
}

func (l *log) add(p problem) { l.addMany(p, 1) }

func (l *log) addMany(p problem, n int) {
	l.counts[p] += n
	if l.strict && l.err == nil && n > 0 && !problemTexts[p].normal {
		l.err = &Error{What: p.text(n), Err: ErrDamaged}
	}
}

func (p problem) text(n int) string {
	switch t := problemTexts[p]; {
	case t.noun != "":
		return plural.Count(n, t.noun) + " " + t.text
	case p != truncated && p != recovered:
		return fmt.Sprintf(t.text, n)
	default:
		return t.text
	}
}

func (l *log) warnings() []trace.Warning {
	var list []trace.Warning
	for p, n := range l.counts {
		if n > 0 {
			list = append(list, trace.Warning{Code: problem(p).code(), Count: n, Text: problem(p).text(n)})
		}
	}
	return list
}

// code returns the kind of the warning about the problem.
func (p problem) code() trace.WarningCode {
	switch p {
	case lostEvents:
		return trace.WarnLost
	case twoClocks:
		return trace.WarnClock
	case namesOver, scriptsOver:
		return trace.WarnOverLimit
	case unknownID, emptyMarkers, unknownSection:
		return trace.WarnNotUnderstood
	}
	return trace.WarnDamaged
}
