package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const command = "./cmd/ohframe"

// profile says which functions conversions spend their time in, so that the compiler inlines calls there. "make
// profile" writes it. It is not in the folder of the command, so that all other builds are quick.
const profile = "internal/tools/release/cpu.pprof"

// program is a program that was built.
type program struct {
	system, arch string
	path         string
	version      string
	time         time.Time // of the commit
}

// build builds the program for a target such as linux/amd64 in the folder work.
func build(work, target string) (*program, error) {
	p := &program{}
	p.system, p.arch, _ = strings.Cut(target, "/")
	p.path = filepath.Join(work, p.system+"-"+p.arch)
	_, err := run(target, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-pgo="+profile, "-o", p.path, command)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	p.version = info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			p.time, err = time.Parse(time.RFC3339, s.Value)
		}
	}
	return p, errors.Join(err, p.check())
}

// check returns an error if the program is not built from a commit.
func (p *program) check() error {
	switch {
	case p.time.IsZero() || !strings.HasPrefix(p.version, "v"):
		return errors.New("no version: is this a clone of the repository, and git installed?")
	case strings.HasSuffix(p.version, "+dirty"):
		return fmt.Errorf("%s: there are uncommitted changes", p.version)
	}
	return nil
}

// run runs a command and returns its standard output. The environment has the
// target, if there is one, and no setting that changes what Go builds for it.
func run(target, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	if system, arch, ok := strings.Cut(target, "/"); ok {
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0",
			"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
