package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ohframe"
	"ohframe/internal/text"
)

// Failure is a trace that gave no rows.
type Failure struct {
	Trace   string
	Dims    []*string
	Size    int64
	Reason  Reason
	Message string
}

// Reason is the kind of a failure.
type Reason string

// The reasons.
const (
	unreadable Reason = "unreadable"        // the file or folder cannot be read
	empty      Reason = "empty"             // the file has no bytes
	notATrace  Reason = "not_a_trace"       // the content has no format that is read
	duplicate  Reason = "duplicate"         // the content is that of another trace
	noFrames   Reason = "no_frames"         // a trace without frames and hangs
	notAnEvent Reason = "not_an_event"      // the file of an event has another content
	noFile     Reason = "no_file"           // an event without a trace beside it
	otherApp   Reason = "other_application" // the trace is not one of the event's application
	overLimit  Reason = "limit"             // a limit ended reading
	timeout    Reason = "timeout"           // reading took longer than allowed
	crashed    Reason = "panic"             // a defect of this program
)

// reasons are all reasons.
var reasons = []Reason{unreadable, empty, notATrace, duplicate, noFrames, notAnEvent, noFile, otherApp, overLimit, timeout, crashed}

// Failed returns the sum of numbers of failures.
func Failed(counts map[Reason]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// ReasonsText lists numbers of failures: "not_a_trace 1, timeout 2".
func ReasonsText(counts map[Reason]int) string {
	var list []string
	for _, reason := range reasons {
		if n := counts[reason]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", reason, n))
		}
	}
	return strings.Join(list, ", ")
}

// FailuresText is the number of failures with their reasons: "3 failures (not_a_trace 1, timeout 2)". Those of
// events are of no trace.
func FailuresText(counts map[Reason]int) string {
	line := text.Count(Failed(counts), "failure")
	if reasons := ReasonsText(counts); reasons != "" {
		line += " (" + reasons + ")"
	}
	return line
}

// maxMessage is the length of a message in bytes. It may quote the input.
const maxMessage = 500

// reasonOf returns the kind of an error of reading.
func reasonOf(err error) Reason {
	panicked := (*panicError)(nil)
	switch {
	case errors.As(err, &panicked):
		return crashed
	case errors.Is(err, context.DeadlineExceeded):
		return timeout
	case errors.Is(err, errDuplicate):
		return duplicate
	case errors.Is(err, errNoFile):
		return noFile
	case errors.Is(err, errNotAnEvent):
		return notAnEvent
	case errors.Is(err, errOtherApp):
		return otherApp
	case errors.Is(err, ohframe.ErrEmpty):
		return empty
	case errors.Is(err, ohframe.ErrNoEvents), errors.Is(err, ohframe.ErrNoFrames), errors.Is(err, ohframe.ErrOutsideWindow):
		return noFrames
	case errors.Is(err, ohframe.ErrLimit):
		return overLimit
	case errors.Is(err, ohframe.ErrNotATrace):
		return notATrace
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return unreadable
	}
	return notATrace // damaged containers
}

// messageOf describes an error without the name of the file, which is in another column.
func messageOf(err error) string {
	message := err.Error()
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		message = path.Err.Error()
	}
	return strings.ToValidUTF8(message[:min(len(message), maxMessage)], "\uFFFD")
}

// panicError is the error of a panic.
type panicError struct{ value any }

// Error has no stack: addresses in it differ from run to run.
func (p *panicError) Error() string {
	line, _, _ := strings.Cut(fmt.Sprint(p.value), "\n")
	return "panic: " + line
}
