package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/quality"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// reader reads the inputs of a command, and collects what is wrong with them. If there are
// several, it skips those that cannot be read or have no complete frames.
type reader struct {
	c *cli.Context
	// several reports that the next inputs are skipped if they fail.
	several bool
	total   int
	skipped []view.Input
	// failure is the error of an input that is not skipped.
	failure    error
	unreliable []string // inputs whose measures cannot be trusted, with the reasons
	hint       string   // the last one that was printed
}

// newReader returns a reader of inputs. The error is that of a flag.
func newReader(c *cli.Context, names []string) (*reader, error) {
	_, err := traceOptions(c)
	return &reader{c: c, several: len(names) > 1}, err
}

// read returns an input and its quality, or nil if the input is skipped or failed. It prints
// a warning if the input is skipped or unreliable, unless --strict makes the latter an
// error. The error is that of an interruption.
func (r *reader) read(name string, options ...func(*ohframe.Options)) (*ohframe.Trace, *quality.Quality, error) {
	r.total++
	in, err := readInput(r.c, name, options...)
	if err != nil {
		if r.c.Context.Err() != nil {
			return nil, nil, err
		}
		r.fail(name, err)
		return nil, nil, nil
	}
	q := in.Quality
	switch {
	case q.Frames() == 0:
		f := noFrames(in.Timeline, q)
		f.file = inputName(name)
		if r.several {
			r.fail(name, f)
			return nil, nil, nil
		}
		r.failure = f // its output is written all the same
	case q.Verdict == stats.Unreliable:
		r.unreliable = append(r.unreliable, inputName(name)+": data quality: "+q.String())
		if !r.c.Bool(strictFlag.Name) {
			warnUnreliable(name, q)
		}
	}
	return in, q, nil
}

// warnUnreliable prints a warning if the measures of a trace are unreliable. That a trace
// has no frames is said elsewhere.
func warnUnreliable(name string, q *quality.Quality) {
	if q.Frames() > 0 && q.Verdict == stats.Unreliable {
		printWarnings(name, []string{"data quality: " + q.String()})
	}
}

// fail skips an input, or keeps its error.
func (r *reader) fail(name string, err error) {
	what, hint := strings.TrimPrefix(err.Error(), inputName(name)+": "), hintOf(err)
	r.skipped = append(r.skipped, view.Input{Name: text.Printable(inputName(name)), Skipped: what})
	if !r.several {
		r.failure = err
		return
	}
	printWarnings(name, []string{"skipped: " + what})
	if hint != r.hint {
		printHint(hint)
		r.hint = hint
	}
}

// none returns the error if no input is left of n. name is that of a side; it may be empty.
func (r *reader) none(name string, n int) error {
	if r.failure != nil {
		return r.failure
	}
	return &failure{file: name, what: fmt.Sprintf("no input is left, %d skipped", n)}
}

// finish returns the error of inputs without complete frames, and with --strict that of
// inputs that were skipped or are unreliable. It prints how many were skipped.
func (r *reader) finish() error {
	skipped := fmt.Sprintf("%d of %s skipped", len(r.skipped), text.Count(r.total, "input"))
	strict := r.c.Bool(strictFlag.Name)
	switch {
	case r.failure != nil:
		return r.failure
	case strict && len(r.skipped) > 0:
		return gateError(append(r.unreliable, skipped))
	case len(r.skipped) > 0:
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", skipped)
	case strict && len(r.unreliable) > 0:
		return gateError(r.unreliable)
	}
	return nil
}

// unchecked returns the inputs for which conditions could not be checked, as text.
func (r *reader) unchecked() (lines []string) {
	for _, in := range r.skipped {
		lines = append(lines, in.Name+": not checked: "+in.Skipped)
	}
	return lines
}

// noFrames returns why an input has no complete frames. That of a text trace says what to
// do about it.
func noFrames(t *analyzer.Timeline, q *quality.Quality) *failure {
	f := &failure{what: "no frames"}
	if q.Truncated > 0 {
		f.what = "no complete frames, " + text.Count(q.Truncated, "truncated frame")
	}
	if q.Lines == nil {
		return f
	}
	missing := t.Diagnostics.MissingMarkers
	if len(missing) > 0 && q.Truncated == 0 {
		f.what += ": no marker " + strings.Join(missing, ", ")
	}
	switch {
	case q.Cut:
		f.what += ": lines were cut or wrapped"
		f.hint = *q.Advice
	case q.Truncated > 0:
		f.hint = *q.Advice + ": record for longer, and do not sort the file"
	case t.Diagnostics.Recorded != analyzer.FromSystem:
		f.hint = *q.Advice
	default:
		f.hint = "frames need the tags graphic and ace: " + recordCommands
	}
	return f
}
