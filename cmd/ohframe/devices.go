package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/text"
)

func devicesCommand() *cli.Command {
	return &cli.Command{
		Name:   "devices",
		Usage:  "list the devices that hdc knows",
		Flags:  deviceFlags(),
		Action: listDevices,
	}
}

// listedDevice is a row of the list. Facts are known of connected devices only.
type listedDevice struct {
	Key       string  `json:"key"`
	State     string  `json:"state"`
	Link      string  `json:"link"`
	Model     string  `json:"model"`
	System    string  `json:"system"`
	API       int     `json:"api"`
	RefreshHz float64 `json:"refresh_hz"`
}

func listDevices(c *cli.Context) error {
	p, err := deviceOptions(c)
	if err != nil {
		return withCode(exitUsage, err)
	}
	list, err := askDevices(c.Context, p)
	if err != nil {
		return withCode(exitDevice, err)
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

// askDevices lists the devices and asks the connected ones for their facts.
func askDevices(ctx context.Context, p record.Options) ([]listedDevice, error) {
	client, err := hdc.Find(ctx, p.HDC, p.Limit)
	if err != nil {
		return nil, err
	}
	devices, err := client.WaitForDevices(ctx, p.Wait)
	if err != nil {
		return nil, err
	}
	var list []listedDevice
	for _, d := range devices {
		row := listedDevice{Key: d.Key, State: d.State, Link: d.Link}
		if d.State == hdc.Connected {
			one := *client
			one.Device = d.Key
			result, err := one.Shell(ctx, 0, device.ProbeScript(""))
			if err != nil {
				return nil, err
			}
			f := device.ParseProbe(result.Output)
			row.Model, row.System, row.API, row.RefreshHz = f.Model, f.System, f.API, f.RefreshHz
		}
		list = append(list, row)
	}
	return list, nil
}
