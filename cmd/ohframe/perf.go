package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ohframe"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
)

// samplesOf returns the name of the file with the samples of the named trace, empty if there is none, and
// the offset that --perf gives, trace time minus time of the samples.
func samplesOf(c *call, name string) (file string, offset *time.Duration) {
	switch c.Perf {
	case "":
		return inputs.SamplesOf(name), nil
	case "none":
		return "", nil
	}
	if i := strings.LastIndexByte(c.Perf, '@'); i > 0 {
		if d, err := time.ParseDuration(c.Perf[i+1:]); err == nil {
			return c.Perf[:i], &d
		}
	}
	return c.Perf, nil
}

// namesSamples reports whether the user has named a file with samples.
func namesSamples(c *call) bool { return c.Perf != "" && c.Perf != "none" }

// beside are the files beside a trace, which may be nil.
type beside struct{ *inputs.Files }

// openBeside opens the files beside a trace, and sets the options for them: how it was
// recorded, its event and, if all are wanted, its samples and the output of hisysevent. After an error none is open.
func openBeside(c *call, in input, o *ohframe.Options, all bool) (b beside, err error) {
	b = beside{&inputs.Files{}}
	for _, warning := range in.warnings {
		b.Warn(warning)
	}
	inputs.UseRecorded(in.name, in.meta, o, c.IsSet("clock-offset"))
	if in.event != nil {
		in.event.Use(o)
	}
	if all {
		err = b.openSamples(c, in.name, o)
	}
	if err != nil {
		b.Close()
	}
	return b, err
}

// openSamples opens the samples of the named trace and what else is beside it, and sets the options for them.
func (b beside) openSamples(c *call, name string, o *ohframe.Options) error {
	o.Samples.None = c.Perf == "none"
	var named error // of a file that the user has named
	samples, offset := samplesOf(c, name)
	o.Samples.Offset = (*trace.Duration)(offset)
	b.Open(name, samples, o, func(path string) (io.ReadCloser, error) {
		if path == samples && namesSamples(c) {
			f, err := openInput(c, path)
			named = err
			return f, err
		}
		f, err := meta.Open(path)
		if err != nil {
			return nil, err
		}
		c.used.add(f)
		return newSource(f), nil
	})
	o.Samples.Optional = o.Samples.Optional && !namesSamples(c)
	return named
}

// errorOf returns the error of reading the named trace with the samples, which are those that
// were read.
func (b beside) errorOf(c *call, name string, samples *sample.Recording, err error) error {
	switch {
	case errors.Is(err, ohframe.ErrSamples):
		return fileError(b.Samples, err)
	case err == nil && samples == nil && namesSamples(c):
		return &failure{file: inputName(name), what: "not a text trace: samples cannot be related to it", hint: "give --perf with the trace that was recorded"}
	}
	return fileError(name, err)
}

// checkPerf returns an error if the user has named the samples of one trace for several.
func checkPerf(c *call, list []input) error {
	if !namesSamples(c) || len(list) == 1 {
		return nil
	}
	return &failure{
		what: fmt.Sprintf("--perf names the samples of one trace, and %d are given", len(list)),
		hint: "samples in TRACE.perf.data beside TRACE.ftrace are used without a flag",
	}
}
