//go:build unix

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// A run that is killed at any moment and resumed an hour later gives the same dataset as
// one that is not, and leaves no other files.
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
	if out, err := fleet(reference).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := must.Files(t, reference)
	if len(want) != 140 {
		t.Fatalf("%d files, want 7 for each of 20 shards", len(want))
	}
	dir := filepath.Join(t.TempDir(), "killed")
	r := rand.New(rand.NewPCG(1, 1))
	for killed := 0; killed < slow.Of(10, 100); {
		aim := len(must.Files(t, dir)) + r.IntN(60)
		cmd := fleet(dir)
		must.Do(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for len(ended) == 0 && len(must.Files(t, dir)) < aim {
			time.Sleep(time.Duration(r.Int64N(int64(time.Millisecond))))
		}
		cmd.Process.Kill()
		err := <-ended
		if err != nil && !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			t.Fatal(err)
		}
		for name, content := range must.Files(t, dir) {
			if filepath.Base(name)[0] != '.' && want[name] != content {
				t.Fatalf("after being killed: %s is not what it should be", name)
			}
		}
		if err != nil {
			killed++
		} else { // it was done before
			must.Do(t, os.RemoveAll(dir))
		}
	}
	// Killed between giving a file a temporary name and its own, a run leaves the former.
	left := ".ohframe." + strings.Repeat("A", 26)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "traces"), 0o777))
	must.Do(t, os.WriteFile(filepath.Join(dir, "traces", left), nil, 0o666))
	for name := range must.Files(t, dir) {
		if filepath.Base(name)[0] == '.' {
			hourAgo := time.Now().Add(-time.Hour - time.Minute)
			must.Do(t, os.Chtimes(filepath.Join(dir, name), hourAgo, hourAgo))
		}
	}
	if out, err := fleet(dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := must.Files(t, dir); !maps.Equal(got, want) {
		t.Errorf("%d files, want the %d of a run that was not killed", len(got), len(want))
	}
}
