//go:build !js

package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer/trace"
)

// manualSections follow what the library writes about commands and flags.
//
//go:embed manual.md
var manualSections string

func manualCommand() *cli.Command {
	return newCommand(cli.Command{Name: "man", Usage: "print the manual page"}, &struct{}{}, func(c *call, _ *struct{}) error {
		if err := noArguments(c, c.Command.HelpName); err != nil {
			return err
		}
		cli.MarkdownDocTemplate = manualHead + synopsis(c.App) + manualCommands + manualSections + limitsSection()
		page, err := c.App.ToManWithSection(1)
		if err != nil {
			return err
		}
		_, err = io.WriteString(c.App.Writer, roff(page))
		return fileError(outputName(standard), err)
	})
}

// roff writes characters beyond ASCII as escapes: groff reads its input as Latin-1 unless it
// has other instructions.
func roff(page string) string {
	var b strings.Builder
	for _, r := range page {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

// The library's template, with the commands in the synopsis.
const (
	manualHead     = "% {{.App.Name}} {{.SectionNum}}\n\n# NAME\n\n{{.App.Name}} - {{.App.Usage}}\n"
	manualCommands = "\n# DESCRIPTION\n\n{{.App.Description}}\n" +
		"\n# GLOBAL OPTIONS\n{{range .GlobalArgs}}\n{{.}}{{end}}\n\n# COMMANDS\n{{range .Commands}}\n{{.}}{{end}}"
)

// synopsis is the section with the usage of each command.
func synopsis(app *cli.App) string {
	var b strings.Builder
	b.WriteString("\n# SYNOPSIS\n\n```\nohframe FILE…\n")
	write := func(c *cli.Command, parent string) {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("ohframe %s%s [FLAGS] %s", parent, c.Name, c.ArgsUsage)))
	}
	for _, c := range app.VisibleCommands() {
		for _, sub := range c.VisibleCommands() {
			write(sub, c.Name+" ")
		}
		if len(c.Subcommands) == 0 {
			write(c, "")
		}
	}
	return b.String() + "```\n"
}

func limitsSection() string {
	var b strings.Builder
	b.WriteString("\n# LIMITS\n\n" +
		"**--limit NAME=NUMBER** sets a resource limit. k, M and G are thousands, Ki, Mi and Gi powers of 1024.\n")
	for _, l := range trace.AllLimits {
		fmt.Fprintf(&b, "\n**%s** (default %s)\n: %s; over it: %s\n", l.Name, trace.FormatLimit(l.Default), l.Unit, l.Over)
	}
	return b.String()
}
