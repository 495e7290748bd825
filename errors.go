package ohframe

import (
	"errors"

	"ohframe/internal/diag"
	"ohframe/internal/result"
	"ohframe/internal/source/unpack"
)

// Error is the error of an input that cannot be read or converted. Its texts are lower
// case, and name neither the program nor the file.
type Error struct {
	// What describes what is wrong with the input.
	What string
	// Hint is advice for the one who has the input, or empty.
	Hint string
	// Limit is the name of the limit that the input exceeds, one of trace.AllLimits; empty
	// unless the error is ErrLimit.
	Limit string
	// Err is one of the errors below, or nil.
	Err error
}

func (e *Error) Error() string { return e.What }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errors for errors.Is.
var (
	// ErrNotATrace: the input has none of the formats that are read.
	ErrNotATrace = unpack.ErrNotATrace
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
	// ErrSamples: Options.Samples cannot be read, or does not fit the trace. Its text is about
	// that file.
	ErrSamples = errors.New("samples not usable")
	// ErrStoredVersion: another version of ohframe has stored the trace.
	ErrStoredVersion = result.ErrVersion
	// ErrEntry: an archive has several files, or Options.Entry does not select one.
	ErrEntry = unpack.ErrEntry
)

// asError returns the errors of the packages behind this one as an *Error. Others,
// of the reader or the context, are returned as they are.
func asError(err error) error {
	var limit *unpack.LimitError
	var failed *diag.Error
	switch {
	case errors.As(err, &limit):
		return &Error{What: limit.What, Limit: limit.Limit, Err: ErrLimit}
	case errors.As(err, &failed):
		return &Error{What: failed.What, Hint: failed.Hint, Err: failed.Err}
	}
	return err
}

// explain adds the names of the containers to the error of a reader.
func (in *input) explain(err error) error { return asError(in.content.Explain(err)) }
