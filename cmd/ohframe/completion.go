//go:build !js

package main

import (
	"embed"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/flags"
)

// completionScripts make a shell ask the program, with --generate-bash-completion
// as the last argument, what may follow. They follow the scripts of the library,
// but evaluate nothing of what is typed.
//
//go:embed completion
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a shell completion script",
		ArgsUsage: strings.Join(shells, "|"),
		Description: "To load it in every shell, add a line to the shell's startup file:\n" +
			"  ~/.bashrc                   source <(ohframe completion bash)\n" +
			"  ~/.zshrc, after compinit    source <(ohframe completion zsh)\n" +
			"  ~/.config/fish/config.fish  ohframe completion fish | source\n" +
			"  $PROFILE of PowerShell      ohframe completion powershell | Out-String | Invoke-Expression",
		BashComplete: func(c *cli.Context) { fmt.Fprintln(c.App.Writer, strings.Join(shells, "\n")) },
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			if c.NArg() != 1 || !slices.Contains(shells, shell) {
				return &failure{what: "one shell is needed: " + strings.Join(shells, ", "), hint: "ohframe completion bash"}
			}
			script, err := completionScripts.ReadFile(path.Join("completion", shell))
			if err != nil {
				return err
			}
			_, err = c.App.Writer.Write(script)
			return fileError(outputName(standard), err)
		},
	}
}

// complete prints the possible next words, one on a line: after a flag with named values
// those values, otherwise the suggestions of the library. If it prints nothing, shells
// complete file names.
func complete(c *cli.Context) {
	words := os.Args[:len(os.Args)-1] // as the library reads them
	if words[len(words)-1] == "=" {   // bash splits --format=csv into three words
		words = words[:len(words)-1]
	}
	last := words[len(words)-1]
	f := flags.Find(c.Command.Flags, last)
	if f == nil || !f.TakesValue() {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		return
	}
	for value := range strings.SplitSeq(flagValue(f), "|") {
		if value == strings.ToLower(value) {
			fmt.Fprintln(c.App.Writer, value)
		}
	}
}

// isCompletion reports whether a shell asks for completions.
func isCompletion(args []string) bool {
	return args[len(args)-1] == "--generate-bash-completion"
}
