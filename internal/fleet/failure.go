package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ohframe"
	"ohframe/internal/text"
)

// Failure is a trace that gave no rows.
type Failure struct {
	Trace   string
	Dims    []*string
	Size    int64
	Reason  string
	Message string
}

// The reasons.
const (
	unreadable = "unreadable"        // the file or folder cannot be read
	empty      = "empty"             // the file has no bytes
	notATrace  = "not_a_trace"       // the content has no format that is read
	duplicate  = "duplicate"         // the content is that of another trace
	noFrames   = "no_frames"         // a trace without frames and hangs
	notAnEvent = "not_an_event"      // the file of an event has another content
	noFile     = "no_file"           // an event without a trace beside it
	otherApp   = "other_application" // the trace is not one of the event's application
	overLimit  = "limit"             // a limit ended reading
	timeout    = "timeout"           // reading took longer than allowed
	crashed    = "panic"             // a defect of this program
)

// reasons are all reasons, with the errors that have them.
var reasons = []struct {
	name   string
	errors []error
}{
	{unreadable, nil},
	{empty, []error{ohframe.ErrEmpty}},
	{notATrace, nil},
	{duplicate, []error{errDuplicate}},
	{noFrames, []error{ohframe.ErrNoEvents, ohframe.ErrNoFrames, ohframe.ErrOutsideWindow}},
	{notAnEvent, []error{errNotAnEvent}},
	{noFile, []error{errNoFile}},
	{otherApp, []error{errOtherApp}},
	{overLimit, []error{ohframe.ErrLimit}},
	{timeout, []error{context.DeadlineExceeded}},
	{crashed, []error{errPanic}},
}

// Failed returns the sum of numbers of failures.
func Failed(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// ReasonsText lists numbers of failures: "not_a_trace 1, timeout 2".
func ReasonsText(counts map[string]int) string {
	var list []string
	for _, reason := range reasons {
		if n := counts[reason.name]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", reason.name, n))
		}
	}
	return strings.Join(list, ", ")
}

// FailuresText is the number of failures with their reasons: "3 failures (not_a_trace 1, timeout 2)". Those of
// events are of no trace.
func FailuresText(counts map[string]int) string {
	line := text.Count(Failed(counts), "failure")
	if reasons := ReasonsText(counts); reasons != "" {
		line += " (" + reasons + ")"
	}
	return line
}

// maxMessage is the length of a message in bytes. It may quote the input.
const maxMessage = 500

// reasonOf returns the reason of an error of reading.
func reasonOf(err error) string {
	for _, reason := range reasons {
		if slices.ContainsFunc(reason.errors, func(of error) bool { return errors.Is(err, of) }) {
			return reason.name
		}
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && !errors.Is(err, ohframe.ErrNotATrace) {
		return unreadable
	}
	return notATrace // also damaged containers
}

// messageOf describes an error without the name of the file, which is in another column.
func messageOf(err error) string {
	message := err.Error()
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		message = path.Err.Error()
	}
	return strings.ToValidUTF8(message[:min(len(message), maxMessage)], "\uFFFD")
}

var errPanic = errors.New("panic")

// panicOf returns the error of a panic. It has no stack: addresses in it differ from run to run.
func panicOf(value any) error {
	line, _, _ := strings.Cut(fmt.Sprint(value), "\n")
	return fmt.Errorf("%w: %s", errPanic, line)
}
