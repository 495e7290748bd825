package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
	"ohframe/internal/warn"
)

// standard is the name of standard input and output.
const standard = inputs.Standard

// severalInputs returns the names of the traces that the arguments stand for, at least one.
func severalInputs(c *cli.Context) ([]string, error) {
	args := c.Args().Slice()
	if len(args) == 0 || slices.Contains(args, "") {
		return nil, &failure{what: "no trace given", hint: fmt.Sprintf("ohframe %s %s", c.Command.Name, c.Command.ArgsUsage)}
	}
	return expandInputs(c, args)
}

// noArguments refuses arguments.
func noArguments(c *cli.Context, hint string) error {
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

// commonCategory is the heading of traceFlags in the help of a command.
const commonCategory = "Common flags"

// strictFlag is the flag of commands that measure traces.
var strictFlag = &cli.BoolFlag{Name: "strict", Category: commonCategory, Usage: "exit with 2 if an input is skipped or unreliable"}

// damageFlag is the flag of commands that write what is in a trace.
var damageFlag = &cli.BoolFlag{Name: "fail-on-damage", Category: commonCategory, Usage: "stop at the first line that cannot be read"}

// traceFlags returns the flags of every command that reads a trace.
func traceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "clock-offset", Category: commonCategory, Value: "auto", Usage: "trace time minus CLOCK_MONOTONIC: `auto|none|DURATION`"},
		&cli.StringFlag{Name: "phase-rule", Category: commonCategory, Value: "expected", Usage: "vsync times of misaligned frames: `expected|actual`"},
		&cli.StringFlag{Name: "from", Category: commonCategory, Usage: "begin at `TIME`: 13762.791708, or +1.5s"},
		&cli.StringFlag{Name: "to", Category: commonCategory, Usage: "end before `TIME`"},
		&cli.IntFlag{Name: "workers", Category: commonCategory, Usage: "process `N` blocks at once", DefaultText: "one per processor"},
		&cli.StringFlag{Name: "entry", Category: commonCategory, Usage: "read file `NAME`, or a pattern, of an archive"},
		&cli.GenericFlag{Name: "limit", Category: commonCategory, Value: &limitsFlag{}, Usage: "set a limit: `NAME=NUMBER`; docs/limits.md"},
	}
}

// traceOptions returns the options that traceFlags set.
func traceOptions(c *cli.Context) (o ohframe.Options, err error) {
	if findFlag(c.Command, "--limit") == nil {
		return o, nil // record has no such flags
	}
	o.Workers, o.Entry, o.EntryIfArchive = c.Int("workers"), c.String("entry"), usedFiles(c).inputs > 1
	o.Limits = c.Generic("limit").(*limitsFlag).Limits
	if o.Workers < 0 {
		return o, &failure{what: fmt.Sprintf("--workers %d: must not be negative", o.Workers)}
	}
	if o.Window.From, err = trace.ParseEdge(c.String("from")); err != nil {
		return o, &failure{what: "--from: " + err.Error()}
	}
	if o.Window.To, err = trace.ParseEdge(c.String("to")); err != nil {
		return o, &failure{what: "--to: " + err.Error()}
	}
	if o.Window.IsEmpty() {
		return o, &failure{what: "--from is not before --to"}
	}
	if o.ClockOffset, err = parseClockOffset(c.String("clock-offset")); err != nil {
		return o, &failure{what: "--clock-offset: " + err.Error()}
	}
	rule, err := choice(c, "phase-rule")
	if rule == "actual" {
		o.PhaseRule = analyzer.PhaseActual
	}
	return o, err
}

// limitsFlag are the values of --limit.
type limitsFlag struct{ trace.Limits }

// String returns "", so that the help prints no default.
func (*limitsFlag) String() string { return "" }

// parseClockOffset parses "auto", "none" (zero) or a duration such as "4756.467s".
func parseClockOffset(s string) (*trace.Duration, error) {
	switch s {
	case "auto":
		return nil, nil
	case "none":
		return new(trace.Duration), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, fmt.Errorf("%q is not auto, none or a duration such as 4756.467s", s)
	}
	offset := trace.Duration(d)
	return &offset, nil
}

// readInput reads the named input, of any kind, with the causes of late frames if they are
// wanted, and prints its warnings.
func readInput(c *cli.Context, name string, causes bool) (*ohframe.Trace, error) {
	options, err := traceOptions(c)
	if err != nil {
		return nil, err
	}
	m, warning := recorded(name)
	inputs.UseRecorded(m, &options, c.IsSet("clock-offset"))
	options.Causes = causes
	f, err := openInput(c.Context, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var samples perf
	if causes { // only these need samples
		if samples, err = openPerf(c, name, &options); err != nil {
			return nil, err
		}
		defer samples.Close()
	}
	source, done := withProgress(f, false)
	t, err := await(c.Context, func() (*ohframe.Trace, error) { return ohframe.Read(c.Context, source, options) })
	done()
	if err != nil {
		return nil, samples.errorOf(c, name, nil, err)
	}
	if err := samples.errorOf(c, name, t.Samples, nil); err != nil {
		return nil, err
	}
	samples.nameFile(t.Warnings)
	if !causes {
		t.Causes = nil // those that a converted trace has
	}
	if warning != "" {
		t.Warnings = append(t.Warnings, trace.Warning{Code: trace.WarnSkipped, Text: warning})
	}
	printWarnings(name, append(warn.Texts(t.Warnings), f.warnings()...))
	return t, nil
}

// noCausesFlag is the flag of commands that find causes, but have other results too.
var noCausesFlag = &cli.BoolFlag{Name: "no-causes", Usage: "do not look for causes, which is faster"}

// printWarnings prints the warnings about an input.
func printWarnings(name string, warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(inputName(name)+": warning: "+withFlags(warning)))
	}
}
