package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ohframe"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	userfailure "ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
)

// samples are the flags of commands that use the samples of one trace.
var samples = samplesFlags{Perf: "auto"}

// samplesOf returns the name of the file with the samples of the named trace; empty if there is
// none, or if the command does not use it.
func samplesOf(c *call, name string) string {
	switch chosen := c.Perf; chosen {
	case "", "none": // "" is that of commands without the flag
		return ""
	case "auto":
		return inputs.SamplesOf(name)
	default:
		return chosen
	}
}

// namesSamples reports whether the user has named a file with samples.
func namesSamples(c *call) bool {
	return !slices.Contains([]string{"", "auto", "none"}, c.Perf)
}

// perf is the samples of a trace.
type perf struct {
	name    string  // of the file; empty for no file
	file    *source // may be nil
	warning string  // about a file beside the trace that cannot be used; empty without one
}

// openPerf opens the samples of the named trace, and sets the options for them.
func openPerf(c *call, name string, o *ohframe.Options) (p perf, err error) {
	o.NoSamples = c.Perf == "none"
	if c.IsSet("perf-offset") {
		offset, err := time.ParseDuration(c.PerfOffset)
		if err != nil {
			return p, &failure{what: fmt.Sprintf("--perf-offset: %q is not a duration such as -4756.467s", c.PerfOffset)}
		}
		o.SamplesOffset = (*trace.Duration)(&offset)
	}
	p.name = samplesOf(c, name)
	if p.name == "" {
		return p, nil
	}
	if namesSamples(c) {
		p.file, err = openInput(c, p.name)
	} else {
		p.file, p.warning = openBeside(c, p.name)
	}
	if p.file == nil {
		p.name = ""
		return p, err
	}
	o.Samples, o.SamplesOptional = p.file, !namesSamples(c) && o.SamplesOffset == nil
	return p, nil
}

// nameFile puts the name of the file into the warnings about its samples, which otherwise say that they are
// about the samples in the trace.
func (p *perf) nameFile(warnings []trace.Warning) {
	for i := range warnings {
		if w := &warnings[i]; p.name != "" {
			w.Text = strings.Replace(w.Text, userfailure.SamplesUnused, inputName(p.name)+" is not used", 1)
			if rest, ok := strings.CutPrefix(w.Text, userfailure.OfSamples); ok {
				w.Text = inputName(p.name) + ": " + rest
			}
		}
	}
}

// errorOf returns the error of reading the named trace with the samples, which are those that
// were read.
func (p *perf) errorOf(c *call, name string, samples *sample.Recording, err error) error {
	switch {
	case errors.Is(err, ohframe.ErrSamples):
		return fileError(p.name, err)
	case err == nil && samples == nil && namesSamples(c):
		return &failure{file: inputName(name), what: "not a text trace: samples cannot be related to it", hint: "give --perf with the trace that was recorded"}
	case err == nil && samples == nil && c.IsSet("perf-offset"):
		return &failure{file: inputName(name), what: "no samples that --perf-offset could be of", hint: "--perf FILE names them"}
	}
	return fileError(name, err)
}

// checkChoice returns an error if the command does not have the value of --perf.
func checkChoice(c *call) error {
	switch {
	case c.IsSet("perf") && c.Perf == "":
		return &failure{what: "--perf: empty", hint: "auto uses the samples beside a trace, none ignores them"}
	case namesSamples(c) && flags.Find(c.Command.Flags, "--perf-offset") == nil:
		return &failure{
			what: fmt.Sprintf("--perf %s: %s has only auto and none", text.Printable(c.Perf), c.Command.Name),
			hint: "samples in TRACE.perf.data beside TRACE.ftrace are used without a flag",
		}
	}
	return nil
}

// checkPerf returns an error if the user has named the samples of one trace for several.
func checkPerf(c *call, names []string) error {
	if err := checkChoice(c); err != nil {
		return err
	}
	if !namesSamples(c) || len(names) == 1 {
		return nil
	}
	return &failure{
		what: fmt.Sprintf("--perf names the samples of one trace, and %d are given", len(names)),
		hint: "samples in TRACE.perf.data beside TRACE.ftrace are used without a flag",
	}
}
