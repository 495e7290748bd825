//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// An interrupted conversion leaves no temporary file, and no output.
func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			dir := t.TempDir()
			cmd := exec.Command("ohframe", "convert", "-", "-o", "out.pftrace")
			cmd.Dir, cmd.Stderr, cmd.Env = dir, &stderr, append(os.Environ(), noExitSleep)
			stdin, err := cmd.StdinPipe() // never closed: the conversion waits for its input
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(10 * time.Second); len(entries(t, dir)) == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					cmd.Process.Kill()
					t.Fatal("no temporary file appears")
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			exit := (*exec.ExitError)(nil)
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("exit code: got %v, want 1", err)
			}
			if got, want := stderr.String(), "ohframe: "+signal.String()+"\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if left := entries(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
