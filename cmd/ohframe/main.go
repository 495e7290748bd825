// Command ohframe shows the frames of OpenHarmony and HarmonyOS text traces: in
// Perfetto, and in numbers.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func main() { os.Exit(run(os.Args)) }

// run runs the command line and returns the exit code: 0, 1 after an error, which
// it prints, or the code that the error carries.
func run(args []string) int {
	app := newApp()
	if err := app.Run(flagsFirst(app, args)); err != nil {
		printError(err)
		if exit := cli.ExitCoder(nil); errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 1
	}
	return 0
}

func newApp() *cli.App {
	return &cli.App{
		Name:            "ohframe",
		Usage:           "frame timelines of OpenHarmony and HarmonyOS traces, in Perfetto and in numbers",
		Version:         version(),
		Commands:        []*cli.Command{convertCommand(), framesCommand(), reportCommand(), diffCommand(), openCommand(), sqlCommand()},
		HideHelpCommand: true,
		// Errors are printed once, by run, in one form.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return &failure{what: fmt.Sprintf("no command %q", c.Args().First()), hint: "ohframe --help lists the commands"}
			}
			return cli.ShowAppHelp(c)
		},
	}
}

// version returns the version that the binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
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

func printError(err error) {
	fmt.Fprintf(os.Stderr, "ohframe: %v\n", err)
	if f := (*failure)(nil); errors.As(err, &f) && f.hint != "" {
		fmt.Fprintf(os.Stderr, "hint: %s\n", f.hint)
	}
}
