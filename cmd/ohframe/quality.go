package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/quality"
)

// qualityProblems are the inputs of a command whose measures cannot be trusted.
type qualityProblems struct {
	noFrames   []error  // of the inputs without frames
	unreliable []string // the others, with the reasons
}

// check returns the quality of an input. It prints a warning if it is unreliable, unless
// --strict makes that an error.
func (p *qualityProblems) check(c *cli.Context, name string, in *ohframe.Trace) *quality.Quality {
	q := quality.Of(in)
	switch {
	case len(in.Timeline.Frames) == 0:
		f := noFrames(in.Timeline, in.Lines != nil)
		f.file = inputName(name)
		p.noFrames = append(p.noFrames, f)
	case q.Verdict == quality.Unreliable:
		p.unreliable = append(p.unreliable, inputName(name)+": data quality: "+q.String())
		if !c.Bool("strict") {
			printWarnings(name, []string{"data quality: " + q.String()})
		}
	}
	return q
}

// err returns the error of inputs without frames, or with --strict a gateError if an
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

// noFrames returns why an input has no frames. That of a trace with markers says
// which are missing and how to record them.
func noFrames(t *analyzer.Timeline, hasMarkers bool) *failure {
	f := &failure{what: "no frames"}
	if !hasMarkers {
		return f
	}
	if missing := t.Diagnostics.MissingMarkers(); len(missing) > 0 {
		f.what += ": no marker " + strings.Join(missing, ", ")
	}
	f.hint = "frames need the tags graphic and ace: ohframe record -t 5, or hdc shell \"hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace\""
	return f
}
