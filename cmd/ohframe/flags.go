package main

import (
	"context"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/flags"
	"ohframe/internal/fleet"
)

// call is one run of a command.
type call struct {
	*parsed
	shared
	used *openedFiles
}

// parsed is embedded by this name, as cli.Context embeds a Context that is wanted more often.
type parsed = cli.Context

// within returns the call with another context.
func (c *call) within(ctx context.Context) *call {
	inner, p := *c, *c.parsed
	p.Context, inner.parsed = ctx, &p
	return &inner
}

// shared are the values of flags that several commands have. Those that a command does not have
// keep their defaults.
type shared struct {
	flags.Trace
	Output, Process, FailOn, Budgets string
	Format, Events                   flags.Choice
	Perf                             string
	Strict, NoCauses, Quiet          bool
	Attribute                        flags.Repeated[attribute]
	Where                            fleet.Where
	Measure                          flags.Repeated[string]
}

// newCommand returns a command with the flags that the fields of values are for. run is called
// with what is given.
func newCommand[F any](c cli.Command, values *F, run func(*call, *F) error, rules ...flags.Rule) *cli.Command {
	c.Flags = flags.Bind(values)
	c.Action = func(p *cli.Context) error {
		k := &call{parsed: p, used: &openedFiles{mode: newFile}}
		to, from := reflect.ValueOf(&k.shared).Elem(), reflect.ValueOf(values).Elem()
		for i := range to.NumField() {
			if value := from.FieldByName(to.Type().Field(i).Name); value.IsValid() {
				to.Field(i).Set(value)
			}
		}
		if err := flags.Check(p, values, rules...); err != nil {
			return err
		}
		return run(k, values)
	}
	return &c
}

// Flags of several commands.
type (
	outputFlag struct {
		Output string `flag:"output,o" usage:"write to {FILE} instead of standard output"`
	}
	formatFlag struct {
		Format flags.Choice `flag:"format" usage:"output format: {}"`
	}
	processFlag struct {
		Process string `flag:"process" usage:"only processes {NAME}: a part, a pattern, or a pid"`
	}
	allFlag struct {
		All bool `flag:"all" usage:"show everything, not the worst"`
	}
	quietFlag struct {
		Quiet bool `flag:"quiet,q" usage:"print no progress and no summary"`
	}
	whereFlag struct {
		Where fleet.Where `flag:"where" category:"Common flags" usage:"only inputs with {DIM=VALUE,…}; repeatable"`
	}
	samplesFlag struct {
		Perf string `flag:"perf" category:"Common flags" usage:"samples of hiperf: {none|FILE[@OFFSET]}" default:"beside the trace"`
	}
	failOnFlag struct {
		FailOn string `flag:"fail-on" usage:"exit with 2 if a change is significant and beyond: {MEASURE>+2%,…}"`
	}
	budgetsFlag struct {
		Budgets string `flag:"budgets" usage:"also check the conditions in {FILE}; docs/ci.md"`
	}
)

// flagHelp returns what help prints of a flag: the library's text without a value that only
// repeats the one after the flag's name.
func flagHelp(f cli.Flag) string {
	help := libraryFlagHelp(f)
	value := flagValue(f.(cli.DocGenerationFlag)) // all flags of the library are
	before, after, repeated := strings.Cut(help, ": "+value)
	if value != "" && repeated && (after == "" || after[0] == ';' || strings.HasPrefix(after, " (") || strings.HasPrefix(after, " [")) {
		return before + after
	}
	return help
}

var libraryFlagHelp = cli.FlagStringer

// flagValue returns the name of a flag's value, which its usage has in backquotes, such as
// FILE, or the possible values, such as auto|none|DURATION.
func flagValue(f cli.DocGenerationFlag) string {
	_, value, _ := strings.Cut(f.GetUsage(), "`")
	value, _, _ = strings.Cut(value, "`")
	return value
}
