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
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

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

// beside are the files beside a trace.
type beside struct {
	name            string  // of the file with samples; empty for none
	samples, events *source // may be nil
	warnings        []trace.Warning
}

// openBeside opens the files beside a trace, and sets the options for them: how it was
// recorded, its event and, if all are wanted, its samples and the output of hisysevent.
func openBeside(c *call, in input, o *ohframe.Options, all bool) (b *beside, err error) {
	b = &beside{}
	for _, warning := range in.warnings {
		b.warn(warning)
	}
	inputs.UseRecorded(in.name, in.meta, o, c.IsSet("clock-offset"))
	if in.event != nil {
		in.event.Use(o)
	}
	if !all {
		return b, nil
	}
	if err := b.openSamples(c, in.name, o); err != nil {
		return b, err
	}
	if path := inputs.EventsOf(in.name); path != "" {
		if b.events = b.open(c, path); b.events != nil {
			o.SystemEvents = b.events
		}
	}
	return b, nil
}

// openSamples opens the samples of the named trace, and sets the options for them.
func (b *beside) openSamples(c *call, name string, o *ohframe.Options) (err error) {
	o.NoSamples = c.Perf == "none"
	if c.IsSet("perf-offset") {
		offset, err := time.ParseDuration(c.PerfOffset)
		if err != nil {
			return &failure{what: fmt.Sprintf("--perf-offset: %q is not a duration such as -4756.467s", c.PerfOffset)}
		}
		o.SamplesOffset = (*trace.Duration)(&offset)
	}
	file := samplesOf(c, name)
	switch {
	case file == "":
		return nil
	case namesSamples(c):
		b.samples, err = openInput(c, file)
	default:
		b.samples = b.open(c, file)
	}
	if b.samples != nil {
		b.name, o.Samples, o.SamplesOptional = file, b.samples, !namesSamples(c) && o.SamplesOffset == nil
	}
	return err
}

// open opens a file beside a trace. One that cannot be used is a warning.
func (b *beside) open(c *call, path string) *source {
	f, err := meta.Open(path)
	if err != nil {
		b.warn(ignored(path, err))
		return nil
	}
	c.used.add(f)
	return newSource(f)
}

func (b *beside) warn(text string) {
	b.warnings = append(b.warnings, trace.Warning{Code: trace.WarnSkipped, Text: text})
}

func (b *beside) close() {
	b.samples.Close()
	b.events.Close()
}

// addTo adds the warnings about the files to those about the trace, and puts the name of the file into
// those about its samples, which otherwise say that they are about the samples in the trace.
func (b *beside) addTo(warnings []trace.Warning) []trace.Warning {
	for i := range warnings {
		if w := &warnings[i]; b.name != "" {
			w.Text = strings.Replace(w.Text, userfailure.SamplesUnused, inputName(b.name)+" is not used", 1)
			if rest, ok := strings.CutPrefix(w.Text, userfailure.OfSamples); ok {
				w.Text = inputName(b.name) + ": " + rest
			}
		}
	}
	return append(warnings, b.warnings...)
}

// errorOf returns the error of reading the named trace with the samples, which are those that
// were read.
func (b *beside) errorOf(c *call, name string, samples *sample.Recording, err error) error {
	switch {
	case errors.Is(err, ohframe.ErrSamples):
		return fileError(b.name, err)
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
func checkPerf(c *call, list []input) error {
	if err := checkChoice(c); err != nil {
		return err
	}
	if !namesSamples(c) || len(list) == 1 {
		return nil
	}
	return &failure{
		what: fmt.Sprintf("--perf names the samples of one trace, and %d are given", len(list)),
		hint: "samples in TRACE.perf.data beside TRACE.ftrace are used without a flag",
	}
}
