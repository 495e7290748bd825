// Package flags declares the flags of reading traces and of measuring fleets once, for the
// commands of ohframe and for fleet/beam, and says what they set.
package flags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/fleet"
	"ohframe/internal/source/inputs"
	"ohframe/internal/version"
)

// Category is the heading of Trace in the help of a command.
const Category = "Common flags"

// Strict is the flag of commands that measure traces.
var Strict = &cli.BoolFlag{Name: "strict", Category: Category, Usage: "exit with 2 if an input is skipped or unreliable"}

// NoCauses is the flag of commands that find causes, but have other results too.
var NoCauses = &cli.BoolFlag{Name: "no-causes", Usage: "do not look for causes, which is faster"}

// Trace returns the flags of every command that reads a trace.
func Trace() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "clock-offset", Category: Category, Value: "auto", Usage: "trace time minus CLOCK_MONOTONIC: `auto|none|DURATION`"},
		&cli.StringFlag{Name: "phase-rule", Category: Category, Value: "expected", Usage: "vsync times of misaligned frames: `expected|actual`"},
		&cli.StringFlag{Name: "from", Category: Category, Usage: "begin at `TIME`: 13762.791708, or +1.5s"},
		&cli.StringFlag{Name: "to", Category: Category, Usage: "end before `TIME`"},
		NewNumber(cli.Int64Flag{Name: "workers", Category: Category, Usage: "process `N` blocks at once", DefaultText: "one per processor"}),
		&cli.StringFlag{Name: "entry", Category: Category, Usage: "read file `NAME`, or a pattern, of an archive"},
		&cli.GenericFlag{Name: "limit", Category: Category, Value: &limits{}, Usage: "set a limit: `NAME=NUMBER`; docs/limits.md"},
	}
}

// TraceOptions returns the options that the flags of Trace set.
func TraceOptions(c *cli.Context) (o ohframe.Options, err error) {
	o.Workers, o.Entry = c.Int("workers"), c.String("entry")
	o.Limits = c.Generic("limit").(*limits).Limits
	if o.Workers < 0 {
		return o, diag.New(nil, "", "--workers %d: must not be negative", o.Workers)
	}
	if o.Window.From, err = trace.ParseEdge(c.String("from")); err != nil {
		return o, diag.New(nil, "", "--from: %v", err)
	}
	if o.Window.To, err = trace.ParseEdge(c.String("to")); err != nil {
		return o, diag.New(nil, "", "--to: %v", err)
	}
	if o.Window.IsEmpty() {
		return o, diag.New(nil, "", "--from is not before --to")
	}
	if o.ClockOffset, err = parseClockOffset(c.String("clock-offset")); err != nil {
		return o, diag.New(nil, "", "--clock-offset: %v", err)
	}
	switch rule := c.String("phase-rule"); rule {
	case "expected":
	case "actual":
		o.PhaseRule = analyzer.PhaseActual
	default:
		return o, diag.New(nil, "", "--phase-rule: %q is not one of expected, actual", rule)
	}
	return o, nil
}

// limits are the values of --limit.
type limits struct{ trace.Limits }

// String returns "", so that the help prints no default.
func (*limits) String() string { return "" }

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

// Fleet returns the flags of a run over a fleet, on one machine and on many.
func Fleet() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the dataset to folder `DIR`"},
		NewNumber(cli.Int64Flag{Name: "shards", Usage: "distribute the traces over `N` shards", DefaultText: "by size"}),
		&cli.BoolFlag{Name: "resume", Usage: "skip shards that are complete"},
		&cli.GenericFlag{Name: "dim", Value: &Repeated[fleet.Rule]{Parse: fleet.ParseRule}, Usage: "add a dimension from names: `NAME=REGEXP`, repeatable"},
		&cli.StringFlag{Name: "metadata", Usage: "add dimensions from `CSV` with a column trace"},
		&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "give up a trace after `DURATION`; 0 never does"},
		&cli.BoolFlag{Name: "frames", Usage: "also write all frames, to DIR/frames"},
		NoCauses,
		NewNumber(cli.Int64Flag{Name: "max-failures", Value: -1, Usage: "exit with 1 if more than `N` traces fail", DefaultText: "any"}),
		Strict,
	}, Trace())
}

// FleetOptions returns the options that the flags of Fleet set. open opens the table of
// --metadata.
func FleetOptions(c *cli.Context, open func(name string) (io.ReadCloser, error)) (fleet.Options, error) {
	read, err := TraceOptions(c)
	read.Causes, read.EntryIfArchive = !c.Bool(NoCauses.Name), true
	o := fleet.Options{
		Read: read, Version: version.Exact(), ClockChosen: c.IsSet("clock-offset"), Rules: c.Generic("dim").(*Repeated[fleet.Rule]).List,
		Timeout: c.Duration("timeout"), Frames: c.Bool("frames"), Shards: c.Int("shards"),
	}
	switch {
	case err != nil:
		return o, err
	case c.IsSet("shards") && o.Shards < 1:
		return o, diag.New(nil, "", "--shards %d: must be at least 1", o.Shards)
	case o.Timeout < 0:
		return o, diag.New(nil, "0 never gives up", "--timeout %s: must not be negative", o.Timeout)
	}
	if name := c.String("metadata"); name != "" {
		o.Metadata, err = inputs.Within(c.Context, o.Timeout, func() (*fleet.Metadata, error) {
			f, err := open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			table, err := fleet.ReadMetadata(f)
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

// CheckFleet returns an error if no input was measured, for which nothing is the reason, or if more
// traces failed than --max-failures allows. strict is a text if --strict is set and a trace failed or
// is unreliable.
func CheckFleet(c *cli.Context, nothing string, failed, unreliable int) (strict string, err error) {
	if nothing != "" {
		return "", diag.New(nil, "", "no input was measured: %s", nothing)
	}
	if most := c.Int("max-failures"); c.IsSet("max-failures") && failed > most {
		return "", diag.New(nil, "", "%s failed, more than --max-failures %d", diag.Count(failed, "trace"), most)
	}
	if c.Bool(Strict.Name) && failed+unreliable > 0 {
		strict = fmt.Sprintf("%s failed, the data of %d is unreliable", diag.Count(failed, "trace"), unreliable)
	}
	return strict, nil
}

// Repeated are the values of a flag that may be given several times. The library splits
// lists of strings at commas, which values may contain.
type Repeated[T any] struct {
	Parse func(string) (T, error)
	List  []T
}

// Set parses a value and appends it.
func (r *Repeated[T]) Set(s string) error {
	value, err := r.Parse(s)
	r.List = append(r.List, value)
	return err
}

// String returns "", so that the help prints no default.
func (r *Repeated[T]) String() string { return "" }
