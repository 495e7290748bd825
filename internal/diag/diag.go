// Package diag has what the program says about an input: errors with advice, lists of warnings,
// and counts with their nouns.
package diag

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// Warnings is a list of warnings.
type Warnings []trace.Warning

// Add adds a warning that is not counted.
func (l *Warnings) Add(code trace.WarningCode, format string, values ...any) {
	*l = append(*l, trace.Warning{Code: code, Text: fmt.Sprintf(format, values...)})
}

// Count adds a warning such as "3 malformed rows skipped", unless n is 0.
func (l *Warnings) Count(code trace.WarningCode, n int, noun, what string) {
	if n > 0 {
		*l = append(*l, trace.Warning{Code: code, Count: n, Text: Count(n, noun) + " " + what})
	}
}

// Times adds a warning such as "3 × time not understood (line 4, 7, …)", unless n is 0.
func (l *Warnings) Times(code trace.WarningCode, n int, what string, lines []int) {
	if n == 0 {
		return
	}
	text := fmt.Sprintf("%d × %s", n, what)
	if len(lines) > 0 {
		more := ""
		if n > len(lines) {
			more = ", …"
		}
		text += " (line " + strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]") + more + ")"
	}
	*l = append(*l, trace.Warning{Code: code, Count: n, Lines: lines, Text: text})
}

// Texts returns the texts of warnings.
func Texts(list []trace.Warning) []string {
	var texts []string
	for _, w := range list {
		texts = append(texts, w.Text)
	}
	return texts
}

// Count formats n and the noun, in the plural unless n is 1: "2 frames",
// "1 process", "3 hitches".
func Count(n int, noun string) string {
	many := noun + "s"
	if strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "h") {
		many = noun + "es"
	}
	return Choose(n, noun, many)
}

// Choose formats n and one of two texts: one if n is 1, else many.
func Choose(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

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
