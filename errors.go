package ohframe

import (
	"errors"
	"fmt"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/internal/failure"
)

// Error is the error of an input that cannot be read or converted: what is wrong, what to
// do about it, and in strict mode the line. It may wrap one of the errors below.
type Error = failure.Error

// Errors for errors.Is.
var (
	// ErrNotATrace: the input has none of the formats that are read.
	ErrNotATrace = errors.New("not a trace")
	// ErrEmpty: the input has no bytes.
	ErrEmpty = errors.New("empty")
	// ErrNoEvents: the input is a text trace without a single event.
	ErrNoEvents = errors.New("a trace without events")
	// ErrNoFrames: the input has another format and no frames, such as a Perfetto
	// trace without a frame timeline. A text trace without frames is no error.
	ErrNoFrames = errors.New("no frames")
	// ErrOutsideWindow: Options.Window selects no event of the trace.
	ErrOutsideWindow = errors.New("nothing in the window")
	// ErrIsPerfetto: the input of Convert is already a Perfetto trace.
	ErrIsPerfetto = errors.New("a Perfetto trace already")
	// ErrLimit: the input exceeds a limit that ends reading, such as that of inflated
	// bytes.
	ErrLimit = errors.New("limit exceeded")
	// ErrLine: in strict mode, a line was not understood. Error.Line is its number.
	ErrLine = errors.New("line not understood")
)

// asError returns the errors of the packages behind this one as an *Error. Others,
// of the reader or the context, are returned as they are.
func asError(err error) error {
	var line *hitrace.LineError
	var limit *limits.Error
	switch {
	case errors.As(err, &line):
		return &Error{
			What: line.Problem.String(), Line: line.Line, Err: ErrLine,
			Hint: "without --strict such lines are counted and skipped",
		}
	case errors.As(err, &limit):
		return &Error{
			What: limit.What, Err: ErrLimit,
			Hint: fmt.Sprintf("if you trust the input: --limit %s=NUMBER", limit.Limit),
		}
	}
	return err
}

// explain adds the names of the containers to the error of a reader. If a container is
// truncated, so is the last line: then the truncation is the error.
func (in *input) explain(err error) error {
	if line := (*hitrace.LineError)(nil); errors.As(err, &line) && in.content.Err() != nil {
		return asError(in.content.Err())
	}
	return asError(in.content.Explain(err))
}
