package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags of a command before its arguments, so that
// "convert TRACE -o OUT" works: the library stops at the first argument.
func flagsFirst(app *cli.App, args []string) []string {
	command, first := commandOf(app, args)
	if command == nil {
		return args
	}
	flags, rest := args[:first:first], []string{"--"}
	for i := first; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--" && command.Name == "diff" && len(rest) > 1:
			// It separates the sides, and flags may follow.
			rest = append(rest, arg)
		case arg == "--":
			return slices.Concat(flags, rest, args[i+1:])
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		case slices.Contains(cli.HelpFlag.Names(), strings.TrimLeft(arg, "-")):
			return append(args[:first:first], arg) // with an argument it would be help on that
		case takesValue(command, arg) && i+1 == len(args):
			return append(flags, arg) // the library reports that the value is missing
		case takesValue(command, arg):
			i++
			flags = append(flags, arg, args[i])
		default:
			flags = append(flags, arg)
		}
	}
	return slices.Concat(flags, rest)
}

// commandOf returns the command of the arguments and the index of its first argument; nil
// without a command.
func commandOf(app *cli.App, args []string) (command *cli.Command, first int) {
	if len(args) < 3 || app.Command(args[1]) == nil {
		return nil, 0
	}
	command, first = app.Command(args[1]), 2
	if len(command.Subcommands) > 0 {
		i := slices.IndexFunc(command.Subcommands, func(s *cli.Command) bool { return s.HasName(args[2]) })
		if i < 0 {
			return nil, 0
		}
		command, first = command.Subcommands[i], 3
	}
	return command, first
}

// checkOnce returns an error if a flag with one value is given twice: the library would use
// the last one, and a condition of a gate would be lost. Flags are first.
func checkOnce(app *cli.App, args []string) error {
	command, first := commandOf(app, args)
	if command == nil {
		return nil
	}
	given := map[cli.Flag]bool{}
	for i := first; i < len(args) && args[i] != "--"; i++ {
		name, _, joined := strings.Cut(args[i], "=")
		f := findFlag(command, name)
		if f == nil || !f.TakesValue() {
			continue
		}
		if _, repeatable := f.(*cli.GenericFlag); given[f] && !repeatable {
			return &failure{what: "--" + f.Names()[0] + " is given twice", hint: "it has one value; separate conditions by commas: --fail-on 'A,B'"}
		}
		given[f] = true
		if !joined {
			i++
		}
	}
	return nil
}

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

// choice returns the value of a flag that has one of the values in its usage. It is empty if
// the command does not have the flag.
func choice(c *cli.Context, flag string) (string, error) {
	f := findFlag(c.Command, "--"+flag)
	if f == nil {
		return "", nil
	}
	value, values := c.String(flag), strings.Split(flagValue(f), "|")
	if slices.Contains(values, value) {
		return value, nil
	}
	hint := c.Command.HelpName + " --help lists the flags"
	return "", &failure{what: fmt.Sprintf("--%s: %q is not one of %s", flag, value, strings.Join(values, ", ")), hint: suggest("", value, values, hint)}
}

// takesValue reports whether the argument after arg is the value of a flag.
func takesValue(command *cli.Command, arg string) bool {
	f := findFlag(command, arg)
	return f != nil && f.TakesValue()
}

// findFlag returns the flag of the command that arg names, as in "-o" or "--output", or nil.
func findFlag(command *cli.Command, arg string) cli.DocGenerationFlag {
	name := strings.TrimLeft(arg, "-")
	for _, f := range command.Flags {
		if name != arg && slices.Contains(f.Names(), name) {
			return f.(cli.DocGenerationFlag) // all flags of the library are
		}
	}
	return nil
}
