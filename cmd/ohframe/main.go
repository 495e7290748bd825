// Command ohframe converts OpenHarmony and HarmonyOS traces for Perfetto, and
// lists, measures and compares the frames in them.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/exit"
	"ohframe/internal/flags"
	"ohframe/internal/text"
)

func main() {
	collectLater()
	os.Exit(run(os.Args))
}

// run runs the command line, prints the error if there is one, and returns the
// exit code.
func run(args []string) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	reportWrites()
	limitMemory()
	stdout := &standardOutput{}
	app := newApp()
	app.Writer = stdout
	var err error
	switch {
	case !isCompletion(args):
		args, err = flags.Arrange(app, withCommand(app, args))
	case slices.Contains(args, "--"): // only files may follow; the library would run the command
		return 0
	}
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	signalled := interruption{}
	switch {
	case err != nil && errors.As(context.Cause(ctx), &signalled):
		err = signalled
	case isClosedPipe(stdout.err()):
		return exit.ClosedPipe // as after "| head", without a message
	case err == nil:
		err = fileError(outputName(standard), stdout.err())
	}
	if err != nil {
		printError(err)
	}
	return exit.Code(err)
}

// limitMemory makes the garbage collector run more often once the program has 2 GiB of
// memory, so that garbage does not double what a huge trace needs.
func limitMemory() {
	const soft = 2 << 30
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(soft)
	}
}

// collectLater makes the garbage collector begin at a heap of 16 MiB, where Go has 4 MiB: most traces
// need no more, and each collection costs as much as 2 MB of text. Larger heaps grow by a third before the
// next collection, where Go lets them double: peak memory is worth the few collections more.
func collectLater() {
	const first, room, most = 16 << 20, 10 << 20, 400
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(most) // of the 4 MiB
	type collection struct{ _ [16]byte }
	var after func(*collection)
	after = func(*collection) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		live := int64(max(sample[0].Value.Uint64(), 1))
		debug.SetGCPercent(int(min(max(first-live, room, live/3)*100/live, most)))
		runtime.SetFinalizer(new(collection), after)
	}
	runtime.SetFinalizer(new(collection), after)
}

func newApp() *cli.App {
	cli.FlagStringer, cli.HelpPrinter = flagHelp, printHelp
	cli.AppHelpTemplate, cli.CommandHelpTemplate, cli.SubcommandHelpTemplate = helpTemplate, helpTemplate, helpTemplate
	app := &cli.App{
		Name:  "ohframe",
		Usage: "show, measure and compare the frames of OpenHarmony and HarmonyOS traces",
		Description: "ohframe FILE is ohframe report FILE.\n\n" +
			"The exit code is 0, 1 after an error, 2 if a condition of --fail-on or --budgets\n" +
			"failed, 3 if one could not be checked or an input is not good enough for --strict.",
		Version:              longVersion(),
		Commands:             slices.Concat([]*cli.Command{convertCommand(), framesCommand(), reportCommand(), whyCommand(), diffCommand(), textCommand(), openCommand()}, hostCommands(), []*cli.Command{versionCommand(), helpCommand()}),
		EnableBashCompletion: true,
		HideHelpCommand:      true,
		Flags:                []cli.Flag{cli.HelpFlag}, // the library adds it only along with a help command
		// run prints errors, once and in one form.
		ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(c.App, "", c.App.VisibleCommands(), c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range withSubcommands(app.Commands) {
		c.HideHelpCommand = true // "help" may be a file
		if c.BashComplete == nil {
			c.BashComplete = complete
		}
	}
	addExamples(app)
	return app
}

// withSubcommands returns commands and those below them.
func withSubcommands(list []*cli.Command) []*cli.Command {
	all := slices.Clone(list)
	for _, c := range list {
		all = append(all, c.Subcommands...)
	}
	return all
}

// helpCommand is the same as --help. The library's own help command has other exit codes.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "show the commands, or the help of one of them",
		ArgsUsage: "[COMMAND]",
		Hidden:    true,
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case name == "":
				return cli.ShowAppHelp(c)
			case c.App.Command(name) == nil:
				return noCommand(c.App, "", c.App.VisibleCommands(), name)
			}
			return cli.ShowCommandHelp(c, name)
		},
	}
}

// withCommand inserts the command report if the first argument is a file or standard input.
func withCommand(app *cli.App, args []string) []string {
	if len(args) < 2 || args[1] != standard && strings.HasPrefix(args[1], "-") || app.Command(args[1]) != nil {
		return args
	}
	if _, err := os.Stat(args[1]); err != nil && args[1] != standard {
		return args
	}
	return slices.Concat(args[:1], []string{"report"}, args[1:])
}

// commandsElsewhere are commands that are meant by the names that they have in other programs.
var commandsElsewhere = map[string]string{"analyze": "report", "capture": "record", "compare": "diff", "explain": "why", "query": "sql", "show": "open", "view": "open"}

// noCommand returns the error of an unknown command of a group such as "fleet ".
func noCommand(app *cli.App, group string, list []*cli.Command, name string) error {
	hint := "ohframe " + group + "--help lists the commands"
	if other := cmp.Or(commandsElsewhere[name], name); app.Command(other) != nil {
		hint = "did you mean ohframe " + other + "? " + hint
	} else {
		hint = text.Suggest("ohframe "+group, name, commandNames(list), hint)
	}
	if group == "" && strings.ContainsAny(name, "./\\") {
		hint = fmt.Sprintf("there is no file %s either; ohframe --help lists the commands", name)
	}
	return &failure{what: fmt.Sprintf("unknown command %q", group+name), hint: hint}
}

func commandNames(list []*cli.Command) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// failure is an error that prints as "ohframe: file: what" and a hint.
type failure struct {
	file string // may be empty
	what string
	hint string // may be empty
}

func (f *failure) Error() string {
	if f.file == "" {
		return f.what
	}
	return f.file + ": " + f.what
}

// printError prints each line of an error, and its hint. Control characters in file
// names and file contents are escaped.
func printError(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(line))
	}
	printHint(hintOf(err))
}

// printHint prints a hint, which may be empty.
func printHint(hint string) {
	if hint != "" {
		fmt.Fprintf(os.Stderr, "hint: %s\n", text.Line(hint))
	}
}

// hintOf returns the hint of an error, or an empty string.
func hintOf(err error) string {
	if f := (*failure)(nil); errors.As(err, &f) {
		return f.hint
	}
	if e := (*exit.Result)(nil); errors.As(err, &e) {
		return e.Hint
	}
	if e := described(err); e != nil {
		return e.Hint
	}
	return ""
}
