// Package diag has what the program says about an input: errors with advice, lists of warnings,
// and counts with their nouns.
package diag

import "fmt"

// Error is why an input could not be used. Error strings are lower case and name
// neither the program nor the file.
type Error struct {
	What string
	// Hint is advice, or empty.
	Hint string
	// Line is the line of the input, counted from 1; zero if unknown.
	Line int
	// Err is the error for errors.Is and errors.As; may be nil.
	Err error
}

// New returns an *Error of a kind, which is for errors.Is.
func New(kind error, hint, format string, values ...any) error {
	return &Error{What: fmt.Sprintf(format, values...), Hint: hint, Err: kind}
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.What)
	}
	return e.What
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// SamplesOffset is the advice for samples that could not be related to a trace.
const SamplesOffset = "give the offset between the clocks"

// SamplesAlone is the advice for samples that were given in place of a trace.
const SamplesAlone = "samples are read together with the trace of the same time"

// StacksAlone is the advice for stacks without times that were given in place of a trace.
const StacksAlone = "stacks of a main thread are explained with a trace of the same process, or alone"

// OfSamples begins the warnings about what is wrong within the samples of a trace.
const OfSamples = "samples: "

// SamplesUnused begins the warning about samples that could not be related to a trace. The program
// knows the name of their file.
const SamplesUnused = "the samples are not used"

// RecordCommand records a trace on a device with all that frames, interactions and causes need,
// for hints. The README has it, too.
const RecordCommand = `hdc shell "hitrace -t 10 -b 32768 --trace_clock mono graphic ace app ability multimodalinput sched freq idle binder -o /data/local/tmp/trace.ftrace"`
