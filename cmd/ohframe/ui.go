//go:build !js

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/flags"
	"ohframe/internal/sql"
	"ohframe/internal/ui"
)

type uiFlags struct {
	Export string `flag:"export" usage:"write the extension to folder {DIR}"`
	Base   string `flag:"base" usage:"print the link for a folder at https {URL}"`
	GitHub string `flag:"github" usage:"print the link for a folder on GitHub: {OWNER/REPO/REF}"`
}

func uiCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:  "ui",
		Usage: "write an extension for the Perfetto UI, and print the link that adds it",
		Description: "The extension is a folder for a web server. It brings the SQL modules and macros about\n" +
			"frames into every copy of the UI, v54 or later.",
	}, &uiFlags{}, runUI, flags.Rule{Flags: []string{"base", "github"}})
}

func runUI(c *call, f *uiFlags) error {
	const usage = "ohframe ui --export DIR --base URL"
	if err := noArguments(c, usage); err != nil {
		return err
	}
	if !c.IsSet("export") && !c.IsSet("base") && !c.IsSet("github") {
		return &failure{what: "nothing to do", hint: usage}
	}
	var server ui.Server
	var err error
	switch {
	case c.IsSet("base"):
		if server, err = ui.ParseBase(f.Base); err != nil {
			return &failure{what: "--base " + err.Error(), hint: "the UI adds only servers with https; ohframe open --ui serves the extension along with a copy of the UI"}
		}
	case c.IsSet("github"):
		if server, err = ui.ParseGitHub(f.GitHub); err != nil {
			return &failure{what: "--github " + err.Error()}
		}
	}
	if c.IsSet("export") {
		files, err := ui.Files()
		if err != nil {
			return err
		}
		if err := exportFiles(c, f.Export, files); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%d macros and %d modules in %s\n", len(ui.Macros()), len(sql.Modules()), f.Export)
	}
	if server.Type == "" {
		fmt.Fprintln(c.App.Writer, "Publish this folder. --base URL or --github OWNER/REPO/REF prints the link that adds it to the UI.")
		return nil
	}
	_, err = fmt.Fprintln(c.App.Writer, server.AddLink())
	return err
}
