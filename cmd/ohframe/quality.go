package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/exporter"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// qualityProblems are the inputs of a command whose measures cannot be trusted.
type qualityProblems struct {
	noFrames   []error  // of the inputs without complete frames
	unreliable []string // the others, with the reasons
}

// check returns the quality of an input. It prints a warning if it is unreliable, unless
// --strict makes that an error.
func (p *qualityProblems) check(c *cli.Context, name string, in *ohframe.Trace) *quality.Quality {
	q := quality.Of(in)
	switch {
	case q.Frames() == 0:
		f := noFrames(in.Timeline, q)
		f.file = inputName(name)
		p.noFrames = append(p.noFrames, f)
	case q.Verdict == quality.Unreliable:
		p.unreliable = append(p.unreliable, inputName(name)+": data quality: "+q.String())
		if !c.Bool("strict") {
			warnUnreliable(name, q)
		}
	}
	return q
}

// warnUnreliable prints a warning if the measures of a trace are unreliable. That a trace
// has no frames is said elsewhere.
func warnUnreliable(name string, q *quality.Quality) {
	if q.Frames() > 0 && q.Verdict == quality.Unreliable {
		printWarnings(name, []string{"data quality: " + q.String()})
	}
}

// qualityOf returns the quality of a converted trace.
func qualityOf(s *exporter.Summary) *quality.Quality {
	return quality.Of(&ohframe.Trace{Timeline: s.Timeline, Lines: s.Totals})
}

// err returns the error of inputs without complete frames, or with --strict a gateError if an
// input is unreliable.
func (p *qualityProblems) err(c *cli.Context) error {
	switch {
	case len(p.noFrames) > 0:
		return errors.Join(p.noFrames...)
	case c.Bool("strict") && len(p.unreliable) > 0:
		return gateError(p.unreliable)
	}
	return nil
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
	missing := t.Diagnostics.MissingMarkers()
	if len(missing) > 0 && q.Truncated == 0 {
		f.what += ": no marker " + strings.Join(missing, ", ")
	}
	switch {
	case q.Cut():
		f.what += ": lines were cut or wrapped"
		f.hint = *q.Advice
	case q.Truncated > 0:
		f.hint = *q.Advice + ": record for longer, and do not sort the file"
	default:
		f.hint = "frames need the tags graphic and ace: ohframe record -t 5, or hdc shell \"hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace\""
	}
	return f
}
