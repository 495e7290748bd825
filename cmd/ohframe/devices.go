package main

import (
	"encoding/json"
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
		return record.WithCode(record.CodeUsage, err)
	}
	list, err := record.List(c.Context, o)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetEscapeHTML(false)
		for _, d := range list {
			if err := e.Encode(d); err != nil {
				return fileError(outputName(standard), err)
			}
		}
		return nil
	}
	t := text.NewTable(false, "Key", "State", "Link", "Model", "System", "API →", "Hz →")
	for _, d := range list {
		row := text.Row{text.Printable(d.Key), d.State, d.Link, text.Printable(d.Model), text.Printable(d.System), "", ""}
		if d.API != 0 {
			row[5] = d.API
		}
		if d.RefreshHz != 0 {
			row[6] = d.RefreshHz
		}
		t.AppendRow(row)
	}
	_, err = fmt.Fprintln(c.App.Writer, t.Render())
	return fileError(outputName(standard), err)
}
