package main

import (
	"embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/urfave/cli/v2"
)

// completionScripts are the templates of the scripts, one a shell. A script knows
// all by itself: it does not run the program, which may not be the one that
// the script was made by, and nothing of what is typed is evaluated.
//
//go:embed completion/*.tmpl
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that makes a shell complete commands, flags and their values",
		ArgsUsage: strings.Join(shells, "|"),
		Description: "To have it in every shell, add a line to the file that the shell reads when it starts:\n" +
			"  ~/.bashrc                   source <(ohframe completion bash)\n" +
			"  ~/.zshrc, after compinit    source <(ohframe completion zsh)\n" +
			"  ~/.config/fish/config.fish  ohframe completion fish | source\n" +
			"  $PROFILE of PowerShell      ohframe completion powershell | Out-String | Invoke-Expression",
		HideHelpCommand: true,
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			if c.NArg() != 1 || !slices.Contains(shells, shell) {
				return &failure{what: "one shell is needed: " + strings.Join(shells, ", "), hint: "ohframe completion bash"}
			}
			return fileError(outputName(standard), writeCompletion(c.App.Writer, shell, c.App))
		},
	}
}

func writeCompletion(w io.Writer, shell string, app *cli.App) error {
	name := shell + ".tmpl"
	t, err := template.New(name).Funcs(template.FuncMap{
		"join":         strings.Join,
		"flagNames":    flagNames,
		"quote":        func(s string) string { return quoteWord(s, `'\''`) },
		"quoteFish":    func(s string) string { return quoteWord(strings.ReplaceAll(s, `\`, `\\`), `\'`) },
		"quoteWindows": func(s string) string { return quoteWord(s, `''`) },
		"zshFlag":      zshFlag,
		"zshText":      zshText,
		"trimDashes":   func(s string) string { return strings.TrimLeft(s, "-") },
		"isLong":       func(s string) bool { return strings.HasPrefix(s, "--") },
	}).ParseFS(completionScripts, path.Join("completion", name))
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Commands []commandText
		Global   []flagText
	}{
		describeCommands(app.Commands),
		[]flagText{describeFlag(cli.HelpFlag), describeFlag(cli.VersionFlag)},
	})
}

// flagNames returns all names of the flags.
func flagNames(flags []flagText) []string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names...)
	}
	return names
}

// quoteWord puts a text between single quotes. Those within it are written as
// each shell wants them.
func quoteWord(s, quote string) string { return "'" + strings.ReplaceAll(s, "'", quote) + "'" }

// zshText is a text within a specification of _arguments or _describe.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `[`, `\[`, `]`, `\]`).Replace(s)
}

// zshFlag returns the specifications of a flag for _arguments, one a name:
//
//	(-o --output)--output=[write to FILE]:FILE:_files
func zshFlag(f flagText) []string {
	var specs []string
	for _, name := range f.Names {
		var b strings.Builder
		if f.Repeated {
			b.WriteString("*")
		} else {
			fmt.Fprintf(&b, "(%s)", strings.Join(f.Names, " "))
		}
		b.WriteString(name)
		if f.Kind != noValue {
			b.WriteString("=")
		}
		fmt.Fprintf(&b, "[%s]", zshText(f.Usage))
		if f.Kind != noValue {
			fmt.Fprintf(&b, ":%s:%s", zshText(f.Value), zshValues(f))
		}
		specs = append(specs, b.String())
	}
	return specs
}

func zshValues(f flagText) string {
	switch {
	case f.Choices != nil:
		return "(" + strings.Join(f.Choices, " ") + ")"
	case f.Kind == fileValue:
		return "_files"
	case f.Kind == folderValue:
		return "_files -/"
	}
	return " "
}
