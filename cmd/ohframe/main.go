// Command ohframe converts OpenHarmony and HarmonyOS traces for Perfetto, and
// lists, measures and compares the frames in them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/internal/text"
)

func main() { os.Exit(run(os.Args)) }

// closedPipe is the exit code that a shell gives a program that SIGPIPE killed.
const closedPipe = 141

// run runs the command line, prints the error if there is one, and returns the
// exit code: 0, 1 after an error, or the code that the error has.
func run(args []string) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	reportWrites()
	stdout := &standardOutput{}
	app := newApp()
	app.Writer = stdout
	switch {
	case !isCompletion(args):
		args = flagsFirst(app, args)
	case slices.Contains(args, "--"): // only files may follow; the library would run the command
		return 0
	}

	err := app.RunContext(ctx, args)
	signalled := interruption{}
	switch {
	case err != nil && errors.As(context.Cause(ctx), &signalled):
		err = signalled
	case isClosedPipe(stdout.err()):
		return closedPipe // as after "| head", without a message
	case err == nil:
		err = fileError(outputName(standard), stdout.err())
	}
	if err == nil {
		return 0
	}
	printError(err)
	if exit := cli.ExitCoder(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 1
}

func newApp() *cli.App {
	app := &cli.App{
		Name:  "ohframe",
		Usage: "show, measure and compare the frames of OpenHarmony and HarmonyOS traces",
		Description: "The exit code is 0, 1 after an error, or 2 if --fail-on fails; 129, 130\n" +
			"or 143 after SIGHUP, SIGINT or SIGTERM; 141 if standard output was closed by its reader.",
		Version:              longVersion(),
		Commands:             []*cli.Command{convertCommand(), framesCommand(), reportCommand(), whyCommand(), diffCommand(), textCommand(), openCommand(), recordCommand(), devicesCommand(), uiCommand(), sqlCommand(), fleetCommand(), completionCommand(), manualCommand(), helpCommand()},
		EnableBashCompletion: true,
		HideHelpCommand:      true,
		Flags:                []cli.Flag{cli.HelpFlag}, // the library adds it only along with a help command
		// run prints errors, once and in one form.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range slices.Concat(app.Commands, app.Command("fleet").Subcommands) {
		c.HideHelpCommand = true // "help" may be a file
		c.OnUsageError = usageError
		if c.BashComplete == nil {
			c.BashComplete = complete
		}
	}
	return app
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
				return noCommand(name)
			}
			return cli.ShowCommandHelp(c, name)
		},
	}
}

func noCommand(name string) error {
	return &failure{what: fmt.Sprintf("unknown command %q", name), hint: "ohframe --help lists the commands"}
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

// usageError adds a hint to an error of the flag parser.
func usageError(c *cli.Context, err error, _ bool) error {
	name := c.App.Name
	if c.Command != nil && c.Command.Name != name {
		name += " " + c.Command.Name
	}
	return &failure{what: err.Error(), hint: name + " --help lists the flags"}
}

// printError prints each line of an error, and its hint. Control characters in file
// names and file contents are escaped.
func printError(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(line))
	}
	hint := ""
	if f := (*failure)(nil); errors.As(err, &f) {
		hint = f.hint
	} else if e := (*ohframe.Error)(nil); errors.As(err, &e) {
		hint = e.Hint
	}
	if hint != "" {
		fmt.Fprintf(os.Stderr, "hint: %s\n", text.Line(hint))
	}
}
