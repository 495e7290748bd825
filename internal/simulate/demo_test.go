package simulate

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
)

// TestDemoFiles fails when the committed demo is not what the generator gives;
// then run
//
//	go run ./internal/simulate/cmd/simulate -demo -out testdata/demo.ftrace -truth testdata/demo.frames.json
func TestDemoFiles(t *testing.T) {
	text, truth := simulateText(t, Demo())
	var facts bytes.Buffer
	if err := truth.WriteJSON(&facts); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{
		"../../testdata/demo.ftrace":      text,
		"../../testdata/demo.frames.json": facts.Bytes(),
	} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator gives: %d bytes, not %d", name, len(got), len(want))
		}
	}
}

// TestDemoHasEverything checks that the demo shows every kind of frame, on
// every thread that can have it, and stays small.
func TestDemoHasEverything(t *testing.T) {
	text, truth := simulateText(t, Demo())
	if len(text) > 400_000 {
		t.Errorf("%d bytes", len(text))
	}
	for _, row := range strings.Split(strings.TrimSpace(truth.Summary()), "\n") {
		if strings.HasPrefix(strings.TrimSpace(row), "0 ") {
			t.Errorf("the demo has %s", row)
		}
	}
	for _, part := range []string{
		" cache ", " skip to[", "UI skip", "DisplayNode skip", "has signaled", "UV_TRACE",
		"period:8333333", "period:16666666", "sched_blocked_reason", "prev_state=D", "cpu_frequency",
		"example.gallery-20170 (20170)", "m.example.notes-20480 (20480)",
	} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the demo has no %q", part)
		}
	}
	late, empty, workers := map[trace.PID]int{}, map[trace.PID]int{}, 0
	for _, f := range truth.Frames {
		if f.Kind == AppFrame && f.Late {
			late[f.PID]++
			if int(f.TID) != int(f.PID) {
				workers++
			}
		}
		if f.Empty {
			empty[f.PID]++
		}
	}
	for _, pid := range []trace.PID{20170, 20480, renderPID} {
		if empty[pid] == 0 || late[pid] == 0 && pid != renderPID {
			t.Errorf("process %d has %d late and %d empty frames", pid, late[pid], empty[pid])
		}
	}
	if workers == 0 {
		t.Error("no late frame of a worker thread")
	}
	checkSchedule(t, readLines(t, text), KernelHongMeng)
}
