package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer/limits"
)

//go:embed manual.tmpl
var manualTemplate string

func manualCommand() *cli.Command {
	return &cli.Command{
		Name:            "man",
		Usage:           "print the manual page",
		Hidden:          true, // for those who package the program
		HideHelpCommand: true,
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			return fileError(outputName(standard), writeManual(c.App.Writer, c.App))
		},
	}
}

// writeManual writes the manual page, in the macros of man(7).
func writeManual(w io.Writer, app *cli.App) error {
	t, err := template.New("manual").Funcs(template.FuncMap{
		"roff": roff, "sentence": sentence, "names": roffNames, "usage": roffUsage, "description": roffDescription, "example": example,
	}).Parse(manualTemplate)
	if err != nil {
		return err
	}
	commands := describeCommands(app.Commands)
	var shared []flagText
	for _, f := range traceFlags() {
		shared = append(shared, describeFlag(f))
	}
	return t.Execute(w, struct {
		Version  string
		Usage    string
		Commands []manualCommandText
		Shared   []flagText
		Limits   []limitText
	}{version(), app.Usage, ownFlags(commands, shared), shared, limitTexts()})
}

// limitText is a bound as the page tells it.
type limitText struct{ Name, Default, Unit, Over string }

func limitTexts() (list []limitText) {
	for _, l := range limits.All {
		list = append(list, limitText{l.Name, limits.Number(l.Default), roff(l.Unit), roff(l.Over)})
	}
	return list
}

// manualCommandText is a command with the flags that the page tells with it:
// those that commands share are told once.
type manualCommandText struct {
	commandText
	ReadsTraces bool
}

func ownFlags(commands []commandText, shared []flagText) []manualCommandText {
	isShared := func(f flagText) bool {
		return slices.ContainsFunc(shared, func(s flagText) bool { return s.Names[0] == f.Names[0] })
	}
	var own []manualCommandText
	for _, c := range commands {
		m := manualCommandText{c, slices.ContainsFunc(c.Flags, isShared)}
		m.Flags = slices.DeleteFunc(slices.Clone(c.Flags), func(f flagText) bool { return isShared(f) || f.Names[0] == "--help" })
		own = append(own, m)
	}
	return own
}

// roff returns a text that means itself: a line that begins with a dot would be a
// request, a dash that is not escaped is no minus, and the input is ASCII.
func roff(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '.' && (i == 0 || s[i-1] == '\n'):
			b.WriteString(`\&.`)
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case strings.ContainsRune("'^~`", r) || r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sentence makes one of what a command or a flag does.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// roffNames returns a flag as it is typed: names bold, the value in italics.
func roffNames(f flagText) string {
	var names []string
	for _, n := range f.Names {
		names = append(names, `\fB`+roff(n)+`\fR`)
	}
	text := strings.Join(names, ", ")
	if f.Value != "" {
		text += ` \fI` + roff(f.Value) + `\fR`
	}
	return text
}

// roffUsage returns what a flag does.
func roffUsage(f flagText) string {
	usage := strings.TrimSuffix(f.Usage, ": "+f.Value) // the name of the flag tells it
	if usage == f.Value {
		usage = "one of these formats"
	}
	if f.Default != "" {
		usage += " (default: " + f.Default + ")"
	}
	return roff(sentence(usage))
}

// roffDescription returns a description. Its lines that are indented stay as they are.
func roffDescription(s string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.Lines(s) {
		if indented := strings.HasPrefix(line, " "); indented != verbatim {
			b.WriteString(map[bool]string{true: ".PP\n.EX\n", false: ".EE\n"}[indented])
			verbatim = indented
		}
		b.WriteString(roff(line))
	}
	if verbatim {
		b.WriteString("\n.EE")
	}
	return b.String()
}

// example returns a command line and what it is for.
func example(what, command string) string {
	return roff(what) + "\n.PP\n.RS 4\n.EX\n" + roff(command) + "\n.EE\n.RE"
}
