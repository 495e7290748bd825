package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/sql"
	"ohframe/internal/ui"
)

func uiCommand() *cli.Command {
	return &cli.Command{
		Name:  "ui",
		Usage: "write an extension for the Perfetto UI, and print the link that adds it",
		Description: "The extension is a folder for a web server. It brings the SQL modules and macros about\n" +
			"frames into every copy of the UI, v54 or later.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "export", Usage: "write the extension to folder `DIR`"},
			&cli.StringFlag{Name: "base", Usage: "print the link for a folder at https `URL`"},
			&cli.StringFlag{Name: "github", Usage: "print the link for a folder on GitHub: `OWNER/REPO/REF`"},
		},
		Action: runUI,
	}
}

func runUI(c *cli.Context) error {
	const usage = "ohframe ui --export DIR --base URL"
	if err := noArguments(c, usage); err != nil {
		return err
	}
	if !c.IsSet("export") && !c.IsSet("base") && !c.IsSet("github") {
		return &failure{what: "nothing to do", hint: usage}
	}
	if c.IsSet("base") && c.IsSet("github") {
		return &failure{what: "--base and --github cannot be combined"}
	}
	var server ui.Server
	var err error
	switch {
	case c.IsSet("base"):
		if server, err = ui.ParseBase(c.String("base")); err != nil {
			return &failure{what: "--base " + err.Error(), hint: "the UI adds only servers with https; ohframe open --ui serves the extension along with a copy of the UI"}
		}
	case c.IsSet("github"):
		if server, err = ui.ParseGitHub(c.String("github")); err != nil {
			return &failure{what: "--github " + err.Error()}
		}
	}
	if c.IsSet("export") {
		files, err := ui.Files()
		if err != nil {
			return err
		}
		if err := exportFiles(c, c.String("export"), files); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%d macros and %d modules in %s\n", len(ui.Macros()), len(sql.Modules()), c.String("export"))
	}
	if server.Type == "" {
		fmt.Fprintln(c.App.Writer, "Publish this folder. --base URL or --github OWNER/REPO/REF prints the link that adds it to the UI.")
		return nil
	}
	_, err = fmt.Fprintln(c.App.Writer, server.AddLink())
	return err
}
