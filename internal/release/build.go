package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is what a program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// extension is what the name of a program ends in.
func (t target) extension() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

func host() target { return target{runtime.GOOS, runtime.GOARCH} }

// parseTargets reads targets such as linux/amd64.
func parseTargets(list []string) ([]target, error) {
	var targets []target
	for _, text := range list {
		system, arch, ok := strings.Cut(text, "/")
		if !ok || system == "" || arch == "" {
			return nil, fmt.Errorf("%q is no target such as linux/amd64", text)
		}
		if t := (target{system, arch}); !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("no target given, such as linux/amd64")
	}
	return targets, nil
}

// environment is what Go needs to build for the target, and nothing of what
// could make one machine's program differ from another's.
func (t target) environment() []string {
	return append(os.Environ(),
		"GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
}

// build builds the program for the target at the path.
func build(t target, path string) (*built, error) {
	_, err := output(t.environment(), "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, command)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &built{target: t, path: path, version: info.Main.Version}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			b.time, err = time.Parse(time.RFC3339, s.Value)
		}
	}
	return b, err
}

// check refuses to release what no commit holds, or another version than the
// one expected, if that is not empty.
func (b *built) check(expected string) error {
	switch {
	case b.time.IsZero() || !strings.HasPrefix(b.version, "v"):
		return fmt.Errorf("no version is found: is this a clone of the repository, and git installed?")
	case strings.HasSuffix(b.version, "+dirty"):
		return fmt.Errorf("%s: there are changes that are not committed", b.version)
	case expected != "" && b.version != expected:
		return fmt.Errorf("the commit is %s, not %s: git tag %s makes it so", b.version, expected, expected)
	}
	return nil
}

// output runs a command and returns its standard output; the error holds what it
// has to say.
func output(environment []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	var complaints bytes.Buffer
	cmd.Env, cmd.Stderr = environment, &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaints.Bytes())
	}
	return out, nil
}
