//go:build !js

package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/sql"
	"ohframe/internal/ui"
)

type uiFlags struct {
	Output string `flag:"output,o" usage:"write the extension to folder {DIR}"`
}

func uiCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "ui",
		Usage:     "write an extension for the Perfetto UI, or print the link to it",
		ArgsUsage: "[-o DIR] [ADDRESS]",
		Description: "ADDRESS is where the folder is published: https://HOST/PATH, or OWNER/REPO/REF on GitHub.\n" +
			"The extension is a folder for a web server. It brings the SQL modules and macros about\n" +
			"frames into every copy of the UI, v54 or later.",
	}, &uiFlags{}, runUI)
}

func runUI(c *call, f *uiFlags) error {
	const usage = "ohframe ui -o DIR ADDRESS"
	address := c.Args().First()
	switch {
	case c.NArg() > 1:
		return &failure{what: fmt.Sprintf("unexpected argument %q", c.Args().Get(1)), hint: usage}
	case c.NArg() == 0 && !c.IsSet("output"):
		return &failure{what: "nothing to do", hint: usage}
	}
	var server ui.Server
	var err error
	switch {
	case strings.Contains(address, "://"):
		if server, err = ui.ParseBase(address); err != nil {
			return &failure{what: err.Error(), hint: "the UI adds only servers with https; ohframe open --ui serves the extension along with a copy of the UI"}
		}
	case c.NArg() > 0:
		if server, err = ui.ParseGitHub(address); err != nil {
			return &failure{what: err.Error(), hint: "or an address such as https://example.com/ui"}
		}
	}
	if c.IsSet("output") {
		files, err := ui.Files()
		if err != nil {
			return err
		}
		if err := exportFiles(c, f.Output, files); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%d macros and %d modules in %s\n", len(ui.Macros()), len(sql.Modules()), f.Output)
	}
	if server.Type == "" {
		fmt.Fprintln(c.App.Writer, "Publish this folder. ohframe ui ADDRESS prints the link that adds it to the UI.")
		return nil
	}
	_, err = fmt.Fprintln(c.App.Writer, server.AddLink())
	return err
}
