package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer/limits"
)

// manualSections follow what the library writes about commands and flags.
//
//go:embed manual.md
var manualSections string

func manualCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Action: func(c *cli.Context) error {
			cli.MarkdownDocTemplate += manualSections + limitsSection()
			page, err := c.App.ToManWithSection(1)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.App.Writer, page)
			return fileError(outputName(standard), err)
		},
	}
}

func limitsSection() string {
	var b strings.Builder
	b.WriteString("\n# LIMITS\n\n" +
		"**--limit NAME=NUMBER** sets a resource limit. k, M and G are thousands, Ki, Mi and Gi powers of 1024.\n")
	for _, l := range limits.All {
		fmt.Fprintf(&b, "\n**%s** (default %s)\n: %s; over it: %s\n", l.Name, limits.Number(l.Default), l.Unit, l.Over)
	}
	return b.String()
}
