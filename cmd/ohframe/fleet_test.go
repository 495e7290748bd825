//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// A run that is killed at any moment and resumed gives the same dataset as one that is
// not, and leaves no other files.
func TestKilledFleet(t *testing.T) {
	slow.SkipRace(t)
	trace := must.Get(os.ReadFile("testdata/frames.ftrace"))(t)
	in := t.TempDir()
	for i := range slow.Of(50, 200) {
		must.Do(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.ftrace", i)), fmt.Appendf(nil, "%s# %d\n", trace, i), 0o666))
	}
	fleet := func(dir string) *exec.Cmd {
		return exec.Command("ohframe", "fleet", "run", in, "-o", dir, "--shards", "20", "--frames", "--resume")
	}
	reference := filepath.Join(t.TempDir(), "reference")
	start := time.Now()
	if out, err := fleet(reference).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	took := time.Since(start)
	want := readFolder(t, reference)
	if len(want) != 140 {
		t.Fatalf("%d files, want 7 for each of 20 shards", len(want))
	}
	dir := filepath.Join(t.TempDir(), "killed")
	r := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for range slow.Of(15, 200) {
		cmd := fleet(dir)
		must.Do(t, cmd.Start())
		time.Sleep(time.Duration(r.Int64N(int64(took))))
		cmd.Process.Kill()
		if exit := (*exec.ExitError)(nil); errors.As(cmd.Wait(), &exit) {
			killed++
		}
		for name, content := range readFolder(t, dir) {
			if filepath.Base(name)[0] != '.' && want[name] != content {
				t.Fatalf("after being killed: %s is not what it should be", name)
			}
		}
	}
	if out, err := fleet(dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := readFolder(t, dir); !maps.Equal(got, want) {
		t.Errorf("after %d kills: %d files, want the %d of a run without", killed, len(got), len(want))
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
}

// readFolder returns the contents of the files below a folder.
func readFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(content)
		return err
	}))
	return files
}
