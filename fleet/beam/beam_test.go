package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"ohframe/internal/exit"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
)

var programs string // a folder for programs that several tests run

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ohframe-beam-test-")
	if err != nil {
		panic(err)
	}
	programs = dir
	code := ptest.MainRet(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

var traces = []string{"../../testdata/frames", "../../testdata/demo.ftrace", "../../README.md"}

// reference runs the shards without Beam, as ohframe fleet run does.
func reference(t *testing.T, args []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	job, count, err := NewJob(t.Context(), slices.Concat([]string{"-o", dir}, args))
	if err != nil {
		t.Fatal(err)
	}
	_, plan, err := job.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var shards []int
	for k := range count {
		shards = append(shards, k)
	}
	runner := &fleet.Runner{Plan: plan, Store: fleet.Files{}, Dir: dir}
	if _, err := runner.Run(t.Context(), shards); err != nil {
		t.Fatal(err)
	}
	return files(t, dir)
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Beam's dataset has the bytes of the one without Beam. One trace is given twice.
func TestPrism(t *testing.T) {
	again := filepath.Join(t.TempDir(), "again.ftrace")
	demo, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil || os.WriteFile(again, demo, 0o666) != nil {
		t.Fatal(err)
	}
	args := append([]string{"--shards", "7", "--frames", "--dim", "name=([^/]*)$", "--", again}, traces...)
	want := reference(t, args)
	if len(want) != 7*len(fleet.Folders) {
		t.Fatalf("%d files, want one in each folder for each of 7 shards", len(want))
	}
	dir := t.TempDir()
	job, shards, err := NewJob(t.Context(), slices.Concat([]string{"-o", dir}, args))
	if err != nil {
		t.Fatal(err)
	}
	if len(job.SameAs) != 1 {
		t.Errorf("duplicates: %v", job.SameAs)
	}
	p := beam.NewPipeline()
	Pipeline(p.Root(), job, shards)
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !maps.Equal(got, want) {
		t.Errorf("%d files of other bytes than the %d without Beam", len(got), len(want))
	}
}

// All flags of fleet run are ours, wherever they are, and the others Beam's. None has two
// meanings.
func TestSplit(t *testing.T) {
	own, beams, err := split([]string{"a", "--runner", "prism", "-o", "out", "--frames", "b", "--limit=frames=7", "--dim", "-x=y", "--endpoint=h:1", "--unknown", "--", "-c"}, flag.CommandLine)
	if err != nil || !slices.Equal(own, []string{"-o", "out", "--frames", "--limit=frames=7", "--dim", "-x=y", "--", "a", "b", "-c"}) ||
		!slices.Equal(beams, []string{"--runner", "prism", "--endpoint=h:1", "--unknown"}) {
		t.Errorf("%q, %q, %v", own, beams, err)
	}
	for _, f := range newLine().list {
		for _, name := range f.Names() {
			if flag.Lookup(name) != nil {
				t.Errorf("--%s is a flag of Beam, too", name)
			}
		}
	}
	if _, _, err := split([]string{"a", "-o"}, flag.CommandLine); err == nil {
		t.Error("a flag without its value is no error")
	}
	if _, err := parse([]string{"--limit", "colour=3", "--", "a"}); err == nil {
		t.Error("an unknown limit is no error")
	}
}

// Numbers are decimal, as of fleet run.
func TestNumbers(t *testing.T) {
	c, err := parse([]string{"--shards", "020", "--", "a"})
	if err != nil || c.Shards != (flags.Shards{Count: 20}) {
		t.Errorf("%v, %v", c.Shards, err)
	}
}

// --strict means what it does in fleet run: README.md is no trace.
func TestStrict(t *testing.T) {
	for flag, want := range map[string]int{"--strict=false": 0, "--strict": exit.CannotTell} {
		cmd := exec.Command(program(t), "-o", t.TempDir(), flag, "../../README.md", "../../testdata/demo.ftrace")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want {
			t.Errorf("%s: exit code %d, want %d: %s", flag, cmd.ProcessState.ExitCode(), want, out)
		}
	}
}

var built string

// program returns the path of ohframe-beam, which is built once.
func program(t *testing.T) string {
	if built == "" {
		built = build(t, ".", ".")
	}
	return built
}

// build builds a program and returns its path.
func build(t *testing.T, dir, program string) string {
	t.Helper()
	folder, err := os.MkdirTemp(programs, "")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "program")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-X ohframe/internal/version.built=test", "-o", out, program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// dataset runs a program on the traces and returns the files that it has written.
func dataset(t *testing.T, args ...string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a job server may wait forever
	defer cancel()
	dir := t.TempDir()
	args = append(args, "-o", dir, "--shards", "3", "--dim", "name=([^/]*)$")
	for _, in := range traces {
		path, err := filepath.Abs(in) // workers have another working directory
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", args[0], err, text)
	}
	return files(t, dir)
}

// So has the dataset of the programs: ohframe, ohframe-beam in one process, and
// ohframe-beam with a job server that starts workers.
func TestPrograms(t *testing.T) {
	ours := program(t)
	want := dataset(t, build(t, "../../cmd/ohframe", "."), "fleet", "run")
	if len(want) != 3*(len(fleet.Folders)-1) { // without frames
		t.Fatalf("%d files, want one in each folder for each of 3 shards", len(want))
	}
	if got := dataset(t, ours); !maps.Equal(got, want) {
		t.Errorf("in one process: %d files, or other bytes", len(got))
	}

	const sdk = "github.com/apache/beam/sdks/v2/go/"
	server, boot := build(t, ".", sdk+"cmd/prism"), build(t, ".", sdk+"container")
	// Prism 2.77.0 starts workers with quotes around the values of flags, which are for a
	// shell, without a shell.
	wrapper := filepath.Join(t.TempDir(), "boot")
	script := "#!/bin/bash\nexec '" + boot + "' \"${@//\\'/}\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	prism := exec.Command(server, "--job_port", port, "--serve_http=false")
	prism.Dir = t.TempDir() // workers write a file to their folder
	if err := prism.Start(); err != nil {
		t.Fatal(err)
	}
	defer prism.Wait()
	defer prism.Process.Kill()
	for range 100 {
		c, err := net.Dial("tcp", "localhost:"+port)
		if err == nil {
			c.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	got := dataset(t, ours, "--runner", "universal", "--endpoint", "localhost:"+port,
		"--environment_type", "PROCESS", "--environment_config", fmt.Sprintf(`{"command":%q}`, wrapper))
	if !maps.Equal(got, want) {
		t.Errorf("with a job server: %d files, or other bytes", len(got))
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
