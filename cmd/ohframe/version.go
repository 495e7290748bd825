package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe/internal/version"
)

// longVersion returns the version with the commit and its date, if known, the
// version of Go and the system.
func longVersion() string {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return describeVersion(version.String(), settings)
}

func describeVersion(version string, settings map[string]string) string {
	const shortRevision = 12 // as in pseudo-versions
	var details []string
	if revision := settings["vcs.revision"]; revision != "" {
		details = append(details, "commit "+revision[:min(shortRevision, len(revision))])
	}
	if at, err := time.Parse(time.RFC3339, settings["vcs.time"]); err == nil {
		details = append(details, at.UTC().Format(time.DateOnly))
	}
	details = append(details, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
	return version + " (" + strings.Join(details, ", ") + ")"
}

func versionCommand() *cli.Command {
	return newCommand(cli.Command{Name: "version", Usage: "print the version"}, &struct{}{}, func(c *call, _ *struct{}) error {
		if err := noArguments(c, c.Command.HelpName); err != nil {
			return err
		}
		_, err := fmt.Fprintln(c.App.Writer, c.App.Name, "version", c.App.Version)
		return fileError(outputName(standard), err)
	})
}
