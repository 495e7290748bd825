package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// version returns the version that the binary was built from: of the module, or
// of the tag or commit that was checked out. It is "devel" where Go was not told.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// longVersion returns the version with all that tells one binary from another:
// the commit and its day, where known, and what it was built with and for.
func longVersion() string {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return describeVersion(version(), settings)
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
