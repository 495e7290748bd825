// Command ohframe shows the frames of OpenHarmony and HarmonyOS text traces: in
// Perfetto, and in numbers.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/text"
)

func main() { os.Exit(run(os.Args)) }

// closedPipe is the exit code of a program that ends because nobody reads its
// standard output any more, as a shell has it: that of SIGPIPE.
const closedPipe = 141

// run runs the command line and returns the exit code: 0, 1 after an error, which
// it prints, or the code that the error carries.
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
		return closedPipe // "| head" wants no words
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
		Usage: "frame timelines of OpenHarmony and HarmonyOS traces, in Perfetto and in numbers",
		Description: "The exit code is 0, 1 after an error, or 2 if a condition of diff --fail-on holds; 129, 130\n" +
			"or 143 after SIGHUP, SIGINT or SIGTERM, and 141 if nobody reads standard output any more.",
		Version:              longVersion(),
		Commands:             []*cli.Command{convertCommand(), framesCommand(), reportCommand(), diffCommand(), openCommand(), sqlCommand(), completionCommand(), manualCommand(), helpCommand()},
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
	for _, c := range app.Commands {
		c.HideHelpCommand = true // "help" may be a file
		c.OnUsageError = usageError
		if c.BashComplete == nil {
			c.BashComplete = complete
		}
	}
	return app
}

// helpCommand is for those who do not try --help.
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
	return &failure{what: fmt.Sprintf("no command %q", name), hint: "ohframe --help lists the commands"}
}

// failure is an error as it is shown: "ohframe: file: what", and a hint.
type failure struct {
	file string // empty if it has to do with no file
	what string
	hint string // empty if there is nothing to suggest
}

func (f *failure) Error() string {
	if f.file == "" {
		return f.what
	}
	return f.file + ": " + f.what
}

// usageError reports a flag that is wrong.
func usageError(c *cli.Context, err error, _ bool) error {
	name := c.App.Name
	if c.Command != nil && c.Command.Name != name {
		name += " " + c.Command.Name
	}
	return &failure{what: err.Error(), hint: name + " --help lists the flags"}
}

// printError prints an error, of which each line stands for itself, and its hint.
// Names of files and what is in them do a terminal no harm.
func printError(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", text.Line(line))
	}
	if f := (*failure)(nil); errors.As(err, &f) && f.hint != "" {
		fmt.Fprintf(os.Stderr, "hint: %s\n", text.Line(f.hint))
	}
}
