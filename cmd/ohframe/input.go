package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
	"ohframe/internal/tune"
)

// standard is the name of standard input and output.
const standard = inputs.Standard

// What an INPUT is, in the help of commands: of those that read datasets, and of the others.
const (
	inputLine  = "INPUT is a trace of any kind, a folder, a list @FILE, or a dataset."
	tracesLine = "INPUT is a trace of any kind, a folder, or a list @FILE."
)

// input is a trace that a command reads.
type input struct {
	name   string       // of its file, as it was given, or standard
	values fleet.Values // of its dimensions
	meta   *meta.Meta   // how it was recorded; nil if that is unknown
	event  *fleet.Event // that it was uploaded with; nil without one
	// stored is what a dataset has of it; nil if its file is read.
	stored *fleet.Stored
	// warnings are about files beside it that cannot be used.
	warnings []string
}

// inputOf returns the named trace, without its event.
func inputOf(name string) input {
	in := input{name: name}
	var err error
	if in.meta, err = inputs.Recorded(name); err != nil {
		in.warnings = append(in.warnings, inputs.Ignored(inputs.DescriptionOf(name), err))
	}
	return in
}

// severalInputs returns the traces that the arguments stand for, at least one.
func severalInputs(c *call) ([]input, error) {
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
	o.Entry.Optional, o.Measures = c.used.inputs > 1, c.Measure.List
	if _, _, err := analyzer.ParseOwnMeasures(o.Measures); err != nil {
		e := described(err)
		return o, &failure{what: "--measure: " + e.What, hint: e.Hint}
	}
	return o, err
}

// readInput reads an input of any kind, with the causes of late frames and their pieces if they are
// wanted, and prints its warnings.
func readInput(c *call, in input, causes, pieces bool) (*ohframe.Trace, error) {
	name := in.name
	options, err := traceOptions(c)
	if err != nil {
		return nil, err
	}
	options.Causes = causes
	f, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := openBeside(c, in, &options, causes) // only causes need samples
	if err != nil {
		return nil, err
	}
	defer b.Close()
	source, done := withProgress(f, false)
	ctx := tune.Tuning{NoPieces: !pieces}.In(c.Context)
	t, err := await(ctx, func() (*ohframe.Trace, error) { return ohframe.Read(ctx, source, options) })
	done()
	switch {
	case err != nil:
		err = b.errorOf(c, name, nil, err)
	case t.Stacks == nil:
		err = b.errorOf(c, name, t.Samples, nil)
	}
	if err != nil {
		return nil, err
	}
	t.Warnings = b.AddTo(t.Warnings)
	printWarnings(name, append(diag.Texts(t.Warnings), f.warnings()...))
	return t, nil
}

// printWarnings prints the warnings about an input.
func printWarnings(name string, warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(inputName(name)+": warning: "+withFlags(warning)))
	}
}
