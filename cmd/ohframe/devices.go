//go:build !js

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/record"
	"ohframe/internal/text"
)

func devicesCommand() *cli.Command {
	f := newDeviceFlags("table")
	return newCommand(cli.Command{Name: "devices", Usage: "list the devices that hdc knows"}, &f, listDevices)
}

func listDevices(c *call, f *deviceFlags) error {
	if err := noArguments(c, "ohframe devices --help lists the flags"); err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	list, err := record.List(c.Context, o)
	if err != nil {
		return err
	}
	t := text.NewTable(false, "Key", "State", "Link", "Model", "System", "API →", "Hz →")
	for _, d := range list {
		facts := d.Facts
		if f.Format.Value == "json" {
			printJSON(c.App.Writer, map[string]any{
				"key": d.Key, "state": d.State, "link": d.Link, "model": facts.Model, "system": facts.System, "api": facts.API, "refresh_hz": facts.RefreshHz,
			})
			continue
		}
		row := text.Row{text.Printable(d.Key), d.State, d.Link, text.Printable(facts.Model), text.Printable(facts.System), "", ""}
		if facts.API != 0 {
			row[5] = facts.API
		}
		if facts.RefreshHz != 0 {
			row[6] = facts.RefreshHz
		}
		t.AppendRow(row)
	}
	if f.Format.Value != "json" {
		fmt.Fprintln(c.App.Writer, t.Render()) // run reports errors of standard output
	}
	return nil
}
