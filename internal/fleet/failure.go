package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ohframe"
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
	Unreadable Reason = "unreadable"        // the file or folder cannot be read
	Empty      Reason = "empty"             // the file has no bytes
	NotATrace  Reason = "not_a_trace"       // the content has no format that is read
	Duplicate  Reason = "duplicate"         // the content is that of another trace
	NoFrames   Reason = "no_frames"         // a trace without frames and hangs
	NotAnEvent Reason = "not_an_event"      // the file of an event has another content
	NoFile     Reason = "no_file"           // an event without a trace beside it
	OtherApp   Reason = "other_application" // the trace is not one of the event's application
	OverLimit  Reason = "limit"             // a limit ended reading
	Malformed  Reason = "malformed"         // a line was not understood, in strict mode
	Timeout    Reason = "timeout"           // reading took longer than allowed
	Panicked   Reason = "panic"             // a defect of this program
)

// Reasons are all reasons.
var Reasons = []Reason{Unreadable, Empty, NotATrace, Duplicate, NoFrames, NotAnEvent, NoFile, OtherApp, OverLimit, Malformed, Timeout, Panicked}

// failed returns the sum of numbers of failures.
func failed(counts map[Reason]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// ReasonsText lists numbers of failures: "not_a_trace 1, timeout 2".
func ReasonsText(counts map[Reason]int) string {
	var list []string
	for _, reason := range Reasons {
		if n := counts[reason]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", reason, n))
		}
	}
	return strings.Join(list, ", ")
}

// maxMessage is the length of a message in bytes. It may quote the input.
const maxMessage = 500

// reasonOf returns the kind of an error of reading.
func reasonOf(err error) Reason {
	panicked := (*panicError)(nil)
	switch {
	case errors.As(err, &panicked):
		return Panicked
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, errDuplicate):
		return Duplicate
	case errors.Is(err, errNoFile):
		return NoFile
	case errors.Is(err, errNotAnEvent):
		return NotAnEvent
	case errors.Is(err, errOtherApp):
		return OtherApp
	case errors.Is(err, ohframe.ErrEmpty):
		return Empty
	case errors.Is(err, ohframe.ErrNoEvents), errors.Is(err, ohframe.ErrNoFrames), errors.Is(err, ohframe.ErrOutsideWindow):
		return NoFrames
	case errors.Is(err, ohframe.ErrLimit):
		return OverLimit
	case errors.Is(err, ohframe.ErrLine):
		return Malformed
	case errors.Is(err, ohframe.ErrNotATrace):
		return NotATrace
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return Unreadable
	}
	return NotATrace // damaged containers
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
	text, _, _ := strings.Cut(fmt.Sprint(p.value), "\n")
	return "panic: " + text
}
