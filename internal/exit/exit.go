// Package exit has the exit codes of all commands, and the error of a command that has an answer
// and does not end with 0.
package exit

import (
	"errors"
	"strings"
)

// The exit codes. After a signal the code is that of a shell, Signal and the signal's number.
const (
	Error      = 1 // the command could not do its work, or found nothing
	Failed     = 2 // a condition failed: a value or a change is beyond its limit
	CannotTell = 3 // a condition could not be checked, or the inputs are not good enough for --strict
	Device     = 4 // no hdc, no device, or it cannot record
	Recording  = 5 // the recording failed
	Receiving  = 6 // the trace was not received or not used
	Signal     = 128
	ClosedPipe = 141 // as of a program that SIGPIPE killed
)

// Result is the error of a command whose output is complete, one line for each reason. Its code is
// Failed or CannotTell.
type Result struct {
	Code  int
	Lines []string
	Hint  string // may be empty
}

// Error returns the lines.
func (r *Result) Error() string { return strings.Join(r.Lines, "\n") }

// ExitCode returns Code.
func (r *Result) ExitCode() int { return r.Code }

// codedError is an error with a code.
type codedError struct {
	error
	code int
}

func (c codedError) Unwrap() error { return c.error }
func (c codedError) ExitCode() int { return c.code }

// With gives an error a code, unless it is nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return codedError{err, code}
}

// Code returns the code of an error: 0 of nil, and Error if it has none.
func Code(err error) int {
	coded := interface{ ExitCode() int }(nil)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &coded):
		return coded.ExitCode()
	}
	return Error
}
