package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/record/meta"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
)

// standard is the name of standard input and output.
const standard = inputs.Standard

// severalInputs returns the names of the traces that the arguments stand for, at least one.
func severalInputs(c *call) ([]string, error) {
	args := c.Args().Slice()
	if len(args) == 0 || slices.Contains(args, "") {
		return nil, &failure{what: "no trace given", hint: fmt.Sprintf("ohframe %s %s", c.Command.Name, c.Command.ArgsUsage)}
	}
	return expandInputs(c, args)
}

// noArguments refuses arguments.
func noArguments(c *call, hint string) error {
	if c.NArg() == 0 {
		return nil
	}
	return &failure{what: fmt.Sprintf("unexpected argument %q", c.Args().First()), hint: hint}
}

// inputName returns the name of an input in messages.
func inputName(name string) string {
	if name == standard {
		return "standard input"
	}
	return name
}

// inputFile returns the name of an input's file; empty for standard input.
func inputFile(name string) string {
	if name == standard {
		return ""
	}
	return name
}

// fileError turns err into a failure that names the file once. Errors of the system
// name it in different ways.
func fileError(name string, err error) error {
	if err == nil {
		return nil
	}
	if f := (*failure)(nil); errors.As(err, &f) {
		return err
	}
	if e := described(err); e != nil {
		file := inputName(name)
		if e.Line > 0 {
			file = fmt.Sprintf("%s:%d", file, e.Line)
		}
		return &failure{file: file, what: e.What, hint: e.Hint}
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	} else if link := (*os.LinkError)(nil); errors.As(err, &link) {
		err = link.Err
	}
	return &failure{file: inputName(name), what: withFlags(err.Error())}
}

// traceOptions returns the options that flags.Trace set.
func traceOptions(c *call) (o ohframe.Options, err error) {
	o, err = c.Trace.Options()
	if e := described(err); e != nil {
		return o, &failure{what: e.What, hint: e.Hint} // it is not about an input
	}
	o.EntryIfArchive = c.used.inputs > 1
	return o, err
}

// openBeside opens a file beside a trace. One that cannot be used is a warning.
func openBeside(c *call, path string) (s *source, warning string) {
	f, err := meta.Open(path)
	if err != nil {
		return nil, ignored(path, err)
	}
	c.used.add(f)
	return newSource(f), ""
}

// ignored returns the warning of a file beside a trace that cannot be used.
func ignored(path string, err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("%s ignored: %v", path, err)
}

// openEvents opens the output of hisysevent beside the named trace, and sets the option for it. The file is
// nil if there is none.
func openEvents(c *call, name string, o *ohframe.Options) (events *source, warning string) {
	path := inputs.EventsOf(name)
	if path == "" {
		return nil, ""
	}
	if events, warning = openBeside(c, path); events != nil {
		o.SystemEvents = events
	}
	return events, warning
}

// readInput reads the named input, of any kind, with the causes of late frames if they are
// wanted, and prints its warnings.
func readInput(c *call, name string, causes bool) (*ohframe.Trace, error) {
	options, err := traceOptions(c)
	if err != nil {
		return nil, err
	}
	var warnings []string // of files beside the trace
	m, warning := recorded(name)
	warnings = append(warnings, warning)
	inputs.UseRecorded(name, m, &options, c.IsSet("clock-offset"))
	options.Causes = causes
	f, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var samples perf
	if causes { // only these need samples
		if samples, err = openPerf(c, name, &options); err != nil {
			return nil, err
		}
		defer samples.file.Close()
		events, warning := openEvents(c, name, &options)
		defer events.Close()
		warnings = append(warnings, samples.warning, warning)
	}
	source, done := withProgress(f, false)
	t, err := await(c.Context, func() (*ohframe.Trace, error) { return ohframe.Read(c.Context, source, options) })
	done()
	if err != nil {
		return nil, samples.errorOf(c, name, nil, err)
	}
	if t.Stacks == nil {
		if err := samples.errorOf(c, name, t.Samples, nil); err != nil {
			return nil, err
		}
	}
	samples.nameFile(t.Warnings)
	if !causes {
		t.Causes = nil // those that a converted trace has
	}
	t.Warnings = append(t.Warnings, besideWarnings(warnings)...)
	printWarnings(name, append(diag.Texts(t.Warnings), f.warnings()...))
	return t, nil
}

// besideWarnings returns the warnings about files beside a trace, without those that are empty.
func besideWarnings(texts []string) (list []trace.Warning) {
	for _, text := range texts {
		if text != "" {
			list = append(list, trace.Warning{Code: trace.WarnSkipped, Text: text})
		}
	}
	return list
}

// printWarnings prints the warnings about an input.
func printWarnings(name string, warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(inputName(name)+": warning: "+withFlags(warning)))
	}
}
