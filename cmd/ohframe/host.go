//go:build !js

package main

import "github.com/urfave/cli/v2"

// hostCommands are those that need devices, shells or many files, which a browser does not have.
func hostCommands() []*cli.Command {
	return []*cli.Command{recordCommand(), devicesCommand(), uiCommand(), webCommand(), sqlCommand(), fleetCommand(), completionCommand(), manualCommand()}
}

// readFile reads on in a file of known size.
func (s *source) readFile(b []byte) (int, error) { return s.file.Read(b) }
