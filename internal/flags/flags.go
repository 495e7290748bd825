// Package flags binds the flags of commands to structs and checks what is given. It declares those
// of reading traces and of measuring fleets, for the commands of ohframe and for fleet/beam.
package flags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
	"ohframe/internal/version"
)

// Trace are the flags of every command that reads a trace.
type Trace struct {
	ClockOffset *time.Duration `flag:"clock-offset" category:"Common flags" usage:"trace time minus CLOCK_MONOTONIC: {DURATION}" default:"found"`
	From        string         `flag:"from" category:"Common flags" usage:"begin at {TIME}: 13762.791708, or +1.5s"`
	To          string         `flag:"to" category:"Common flags" usage:"end before {TIME}"`
	Entry       string         `flag:"entry" category:"Common flags" usage:"read file {NAME}, or a pattern, of an archive"`
	Limit       limits         `flag:"limit" category:"Common flags" usage:"set a limit: {NAME=NUMBER}; docs/trouble.md"`
}

// Options returns the options that the flags set.
func (t *Trace) Options() (o ohframe.Options, err error) {
	o.Entry.Name, o.Limits = t.Entry, t.Limit.Limits
	for _, edge := range []struct {
		to          *trace.Edge
		flag, value string
	}{{&o.Window.From, "--from", t.From}, {&o.Window.To, "--to", t.To}} {
		if *edge.to, err = trace.ParseEdge(edge.value); err != nil {
			hint := ""
			if _, fault := trace.ParseEdge("+" + edge.value); fault == nil {
				hint = "did you mean " + edge.flag + " +" + edge.value + "?"
			}
			return o, diag.New(nil, hint, "%s: %v", edge.flag, err)
		}
	}
	if o.Window.IsEmpty() {
		return o, diag.New(nil, "", "--from is not before --to")
	}
	o.Recording.ClockOffset = (*trace.Duration)(t.ClockOffset)
	return o, nil
}

// limits are the values of --limit.
type limits struct{ trace.Limits }

// Check returns the error of a value.
func (*limits) Check(s string) error { return new(trace.Limits).Set(s) }

// String returns "", so that the help prints no default.
func (*limits) String() string { return "" }

// MeasureFlag is the flag of commands that find measures of the user, or store them.
type MeasureFlag struct {
	Measure Repeated[string] `flag:"measure" usage:"measure between markers, repeatable: {NAME=FROM..TO}"`
}

// NewMeasureFlag returns the default.
func NewMeasureFlag() MeasureFlag {
	return MeasureFlag{Repeated[string]{Parse: func(s string) (string, error) {
		_, _, err := analyzer.ParseOwnMeasure(s)
		return s, err
	}}}
}

// StrictFlag is the flag of commands that read traces.
type StrictFlag struct {
	Strict bool `flag:"strict" category:"Common flags" usage:"exit with 3 if an input is skipped, damaged or unreliable"`
}

// NoCausesFlag is the flag of commands that find causes, but have other results too.
type NoCausesFlag struct {
	NoCauses bool `flag:"no-causes" usage:"do not look for causes, which is faster"`
}

// Fleet are the flags of a run over a fleet, on one machine and on many.
type Fleet struct {
	Output   string               `flag:"output,o" usage:"write the dataset to folder {DIR}"`
	Shards   Shards               `flag:"shards" usage:"distribute over N shards, or run only shard K of them, from 0: {[K/]N}" default:"by size"`
	Resume   bool                 `flag:"resume" usage:"skip shards that are complete"`
	Dim      Repeated[fleet.Rule] `flag:"dim" usage:"add a dimension from names: {NAME=REGEXP}, repeatable"`
	Metadata string               `flag:"metadata" usage:"add dimensions from {CSV} with a column trace"`
	Timeout  time.Duration        `flag:"timeout" usage:"give up a trace after {DURATION}; 0 never does"`
	Frames   bool                 `flag:"frames" usage:"also write all frames, to DIR/frames"`
	MeasureFlag
	NoCausesFlag
	StrictFlag
	Trace
}

// NewFleet returns the defaults.
func NewFleet() Fleet {
	return Fleet{MeasureFlag: NewMeasureFlag(), Dim: Repeated[fleet.Rule]{Parse: fleet.ParseRule}, Timeout: time.Minute}
}

// Shards is a number of shards, and if One is set the only one to run.
type Shards struct {
	Count, Index int
	One          bool
}

// Set parses N or K/N.
func (s *Shards) Set(text string) (err error) {
	index, count, one := strings.Cut(text, "/")
	if !one {
		index, count = "0", text
	}
	n, err := strconv.ParseUint(count, 10, 31)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a number of shards N, nor one of them, K/N", text)
	}
	k, err := strconv.ParseUint(index, 10, 31)
	if err != nil || k >= n {
		return fmt.Errorf("%q: the shards are 0/%d to %d/%d", text, n, n-1, n)
	}
	*s = Shards{int(n), int(k), one}
	return nil
}

// Check returns the error of a value.
func (*Shards) Check(text string) error { return new(Shards).Set(text) }

// String returns "", so that the help prints no default.
func (*Shards) String() string { return "" }

// Options returns the options that the flags set. c says which are set, open opens the table of
// --metadata.
func (f *Fleet) Options(c *cli.Context, open func(name string) (io.ReadCloser, error)) (fleet.Options, error) {
	read, err := f.Trace.Options()
	read.Causes, read.Entry.Optional, read.Measures = !f.NoCauses, true, f.Measure.List
	o := fleet.Options{
		Read: read, Version: version.Exact(), ClockChosen: c.IsSet("clock-offset"), Rules: f.Dim.List,
		Timeout: f.Timeout, Frames: f.Frames, Shards: f.Shards.Count, Partial: f.Shards.One,
	}
	switch {
	case err != nil:
		return o, err
	case o.Timeout < 0:
		return o, diag.New(nil, "0 never gives up", "--timeout %s: must not be negative", o.Timeout)
	}
	if name := f.Metadata; name != "" {
		o.Metadata, err = inputs.Within(c.Context, o.Timeout, func() (*fleet.Metadata, error) {
			file, err := open(name)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			table, err := fleet.ReadMetadata(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return table, nil
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return o, diag.New(err, "", "--metadata %s: %v", name, err)
		}
	}
	return o, err
}

// Check returns an error if no input was measured, for which nothing is the reason, or with --strict if traces of the
// dataset dir failed, are damaged or are unreliable.
func (f *Fleet) Check(dir, nothing string, failures map[string]int, damaged, unreliable int) error {
	failed := fleet.Failed(failures)
	switch {
	case nothing != "":
		return diag.New(nil, "", "no input was measured: %s", nothing)
	case f.Strict && failed+damaged+unreliable > 0:
		return &exit.Result{Code: exit.CannotTell, Lines: []string{fmt.Sprintf("%s: cannot tell: %s, %s damaged, %s with unreliable data",
			dir, fleet.FailuresText(failures), diag.Count(damaged, "trace"), diag.Count(unreliable, "trace"))}}
	}
	return nil
}
