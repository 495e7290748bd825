package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	userfailure "ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
)

// perfFlag chooses the samples of a trace.
func perfFlag(values string) *cli.StringFlag {
	return &cli.StringFlag{Name: "perf", Category: flags.Category, Value: "auto", Usage: "samples of hiperf: `" + values + "`"}
}

// perfFlags are the flags of commands that use the samples of one trace.
func perfFlags() []cli.Flag {
	return []cli.Flag{
		perfFlag("auto|none|FILE"),
		&cli.StringFlag{Name: "perf-offset", Category: flags.Category, Usage: "trace time minus that of samples: `DURATION`", DefaultText: "found"},
	}
}

// samplesOf returns the name of the file with the samples of the named trace; empty if there is
// none, or if the command does not use it.
func samplesOf(c *cli.Context, name string) string {
	switch chosen := choiceOfSamples(c); chosen {
	case "", "none": // "" is that of commands without the flag
		return ""
	case "auto":
		return inputs.SamplesOf(name)
	default:
		return chosen
	}
}

// namesSamples reports whether the user has named a file with samples.
func namesSamples(c *cli.Context) bool {
	return !slices.Contains([]string{"", "auto", "none"}, choiceOfSamples(c))
}

// choiceOfSamples returns the value of --perf. With the switch of record, it is auto.
func choiceOfSamples(c *cli.Context) string {
	if c.Command.Name != "record" {
		return c.String("perf")
	}
	if c.Bool("perf") {
		return "auto"
	}
	return ""
}

// perf is the samples of a trace.
type perf struct {
	name    string  // of the file; empty for no file
	file    *source // may be nil
	warning string  // about a file beside the trace that cannot be used; empty without one
}

// openPerf opens the samples of the named trace, and sets the options for them.
func openPerf(c *cli.Context, name string, o *ohframe.Options) (p perf, err error) {
	o.NoSamples = choiceOfSamples(c) == "none"
	if c.IsSet("perf-offset") {
		offset, err := time.ParseDuration(c.String("perf-offset"))
		if err != nil {
			return p, &failure{what: fmt.Sprintf("--perf-offset: %q is not a duration such as -4756.467s", c.String("perf-offset"))}
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
func (p *perf) errorOf(c *cli.Context, name string, samples *sample.Recording, err error) error {
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
func checkChoice(c *cli.Context) error {
	switch {
	case c.Command.Name == "record":
	case c.IsSet("perf") && c.String("perf") == "":
		return &failure{what: "--perf: empty", hint: "auto uses the samples beside a trace, none ignores them"}
	case namesSamples(c) && findFlag(c.Command, "--perf-offset") == nil:
		return &failure{
			what: fmt.Sprintf("--perf %s: %s has only auto and none", text.Printable(c.String("perf")), c.Command.Name),
			hint: "samples in TRACE.perf.data beside TRACE.ftrace are used without a flag",
		}
	}
	return nil
}

// checkPerf returns an error if the user has named the samples of one trace for several.
func checkPerf(c *cli.Context, names []string) error {
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
