//go:build !js

package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"ohframe/internal/serve"
)

type webFlags struct {
	PrintURL bool  `flag:"print-url" usage:"print the address, open no browser"`
	Port     int64 `flag:"port" usage:"local {PORT}"`
}

func webCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "web",
		Usage:     "serve the page that reads traces in the browser",
		ArgsUsage: "[DIR]",
		Description: "DIR has the page: by default web beside the program, or build/web.\n" +
			"The page needs no program: any web server can serve its folder (docs/web.md).\n" +
			"Traces stay in the browser. Ctrl-C ends.",
	}, &webFlags{Port: serve.WebPort}, runWeb)
}

func runWeb(c *call, f *webFlags) error {
	if c.NArg() > 1 {
		return &failure{what: fmt.Sprintf("unexpected argument %q", c.Args().Get(1)), hint: "ohframe web DIR"}
	}
	site, err := openSite(c.Args().First())
	if err != nil {
		return err
	}
	defer site.Close()
	listener, err := serve.Listen(int(f.Port), true)
	if err != nil {
		return err
	}
	address := serve.Own(listener.Addr().(*net.TCPAddr).Port).String()
	if _, err := fmt.Fprintln(c.App.Writer, address); err != nil {
		return fileError(outputName(standard), err)
	}
	if !f.PrintURL {
		go func() {
			browser.Stdout, browser.Stderr = nil, nil
			if err := browser.OpenURL(address); err != nil {
				fmt.Fprintf(os.Stderr, "ohframe: cannot open the browser: %v\n", err)
			}
		}()
	}
	err = site.Serve(c.Context, listener)
	if signalled := (interruption{}); errors.As(err, &signalled) {
		return nil
	}
	return err
}

// openSite opens the named folder, or else that of a release, which is beside the program, or that of a checkout.
func openSite(name string) (*serve.Web, error) {
	folders := []string{filepath.Join("build", "web")}
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		folders = append([]string{filepath.Join(filepath.Dir(program), "web")}, folders...)
	}
	if name != "" {
		folders = []string{name}
	}
	for _, folder := range folders {
		if site, err := serve.OpenWeb(folder); err == nil {
			return site, nil
		}
	}
	return nil, &failure{
		file: cmp.Or(name, "web"), what: "no folder with the page",
		hint: "releases have it beside the program; in a checkout, make web writes build/web, and ohframe web serves it there; ohframe web DIR serves another folder",
	}
}
