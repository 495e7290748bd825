package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves a command's flags before its other arguments, where the
// flag parser needs them, so that "convert TRACE -o OUT" works as written.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	command := app.Command(args[1])
	if command == nil {
		return args
	}
	head, flags, rest := args[:2:2], []string{}, []string{}
	for i := 2; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if name := strings.TrimLeft(arg, "-"); len(name) < len(arg) && slices.Contains(cli.HelpFlag.Names(), name) {
			return append(head, arg) // with a name it would be help on that
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		if !takesValue(command, arg) {
			continue
		}
		if i++; i == len(args) { // last, where the parser misses the value
			return slices.Concat(head, flags)
		}
		flags = append(flags, args[i])
	}
	return slices.Concat(head, flags, []string{"--"}, rest)
}

// takesValue reports whether the argument after this flag is its value.
func takesValue(command *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			v, ok := f.(cli.DocGenerationFlag)
			return ok && v.TakesValue()
		}
	}
	return false
}
