package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ohframe/internal/testing/simulate"
)

func TestRun(t *testing.T) {
	everything, capture := simulate.Everything(), simulate.Capture(100<<10)
	everything.Era, capture.Seed = "5.1.0", 9
	for args, write := range map[string]func(w io.Writer) (*simulate.Truth, error){
		"-era 5.1.0":                   func(w io.Writer) (*simulate.Truth, error) { return simulate.Write(w, everything) },
		"-capture -size 100KB -seed 9": func(w io.Writer) (*simulate.Truth, error) { return simulate.Write(w, capture) },
		"-hz 90 -kernel linux -cause storage_d -seed 3": simulate.Scene{
			Kernel: simulate.KernelLinux, RefreshHz: 90, Cause: simulate.CauseStorageD, Seed: 3,
		}.Generate,
	} {
		var want bytes.Buffer
		facts, err := write(&want)
		if err != nil {
			t.Fatal(err)
		}
		out, truth := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "truth")
		if err := run(append(strings.Fields(args), "-out", out, "-truth", truth), io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: another trace than the package writes: %v", args, err)
		}
		text, err := os.ReadFile(truth)
		if err != nil {
			t.Fatal(err)
		}
		var read simulate.Truth
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read.Causes, facts.Causes) || !reflect.DeepEqual(read.Waits, facts.Waits) || len(read.Frames) != len(facts.Frames) {
			t.Errorf("%s: another truth than the package returns", args)
		}
	}
	for _, args := range []string{"-size x", "-era x", "-cause x", "-cause lock -kernel x", "trace"} {
		if err := run(strings.Fields(args), io.Discard, io.Discard); err == nil {
			t.Errorf("%s is not an error", args)
		}
	}
}
