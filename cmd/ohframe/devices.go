package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/record"
	"ohframe/internal/text"
)

func devicesCommand() *cli.Command {
	return &cli.Command{Name: "devices", Usage: "list the devices that hdc knows", Flags: deviceFlags(), Action: listDevices}
}

func listDevices(c *cli.Context) error {
	o, err := deviceOptions(c)
	if err != nil {
		return err
	}
	list, err := record.List(c.Context, o)
	if err != nil {
		return err
	}
	t := text.NewTable(false, "Key", "State", "Link", "Model", "System", "API →", "Hz →")
	for _, d := range list {
		f := d.Facts
		if c.Bool("json") {
			printJSON(c.App.Writer, map[string]any{
				"key": d.Key, "state": d.State, "link": d.Link, "model": f.Model, "system": f.System, "api": f.API, "refresh_hz": f.RefreshHz,
			})
			continue
		}
		row := text.Row{text.Printable(d.Key), d.State, d.Link, text.Printable(f.Model), text.Printable(f.System), "", ""}
		if f.API != 0 {
			row[5] = f.API
		}
		if f.RefreshHz != 0 {
			row[6] = f.RefreshHz
		}
		t.AppendRow(row)
	}
	if !c.Bool("json") {
		fmt.Fprintln(c.App.Writer, t.Render()) // run reports errors of standard output
	}
	return nil
}
