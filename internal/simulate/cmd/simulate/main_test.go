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

	"ohframe/internal/simulate"
)

func TestDemo(t *testing.T) {
	var want bytes.Buffer
	if _, err := simulate.Write(&want, simulate.Demo()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, truth := filepath.Join(dir, "demo.ftrace"), filepath.Join(dir, "demo.frames.json")
	var messages bytes.Buffer
	if err := run([]string{"-demo", "-out", out, "-truth", truth}, io.Discard, &messages); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("-demo gave another trace than Demo: %v", err)
	}
	facts, err := os.ReadFile(truth)
	if err != nil || !bytes.HasPrefix(facts, []byte(`{"era":"6.0"`)) {
		t.Errorf("the truth: %.40s, %v", facts, err)
	}
	if !strings.Contains(messages.String(), "application frames\n") {
		t.Errorf("the summary: %s", messages.String())
	}
}

// Flags after a preset change it.
func TestFlags(t *testing.T) {
	var text bytes.Buffer
	err := run([]string{
		"-capture", "-size", "100KB", "-rates", "120,60@100ms", "-clock-offset", "1h", "-apps", "2", "-workers", "1",
		"-chance", "app-late=0.5", "-seed", "9", "-era", "6.0", "-crlf=false", "-ns", "-tgid", "wide", "-flags", "5",
	}, &text, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{" om.example.app1-20100   (  20100) [", " .....  3700.", "period:8333333"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q", part)
		}
	}
	if strings.Contains(text.String(), "\r") {
		t.Error("lines end in CR")
	}
}

func TestFlagErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-size", "x"}, {"-rates", "60@x"}, {"-rates", "x"}, {"-chance", "app-late"}, {"-chance", "x=1"},
		{"-era", "x"}, {"-header", "x"}, {"trace"},
	} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v is not an error", args)
		}
	}
}

func TestScene(t *testing.T) {
	dir := t.TempDir()
	out, truth := filepath.Join(dir, "scene.ftrace"), filepath.Join(dir, "scene.json")
	var messages bytes.Buffer
	args := []string{"-hz", "90", "-kernel", "linux", "-cause", "storage_d", "-seed", "3", "-out", out, "-truth", truth}
	if err := run(args, io.Discard, &messages); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	scene := simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 90, Cause: simulate.CauseStorageD, Seed: 3}
	facts, err := scene.Generate(&want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("another trace than Generate: %v", err)
	}
	text, err := os.ReadFile(truth)
	if err != nil {
		t.Fatal(err)
	}
	var read simulate.SceneTruth
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Causes) != 1 || !reflect.DeepEqual(read.Causes, facts.Causes) || !reflect.DeepEqual(read.Waits, facts.Waits) ||
		len(read.Frames) != len(facts.Frames) {
		t.Errorf("the file says %+v, want %+v", read.Causes, facts.Causes)
	}
	if !strings.Contains(messages.String(), "app frame 10015: storage_d") {
		t.Errorf("the summary: %s", messages.String())
	}
	for _, args := range [][]string{{"-cause", "x"}, {"-cause", "lock", "-kernel", "x"}, {"-cause", "lock", "trace"}, {"-cause", "lock", "-apps", "2"}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v is not an error", args)
		}
	}
}
