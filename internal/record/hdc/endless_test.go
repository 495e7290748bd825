//go:build unix

package hdc_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ohframe/internal/record/hdc"
)

// endless is the environment variable that makes the test binary an hdc whose answers
// do not end: "fast", or "slow" for a line each millisecond.
const endless = "OHFRAME_TEST_ENDLESS"

// mainEndless prints without end, on both streams.
func mainEndless(speed string) {
	if len(os.Args) == 2 && os.Args[1] == "-v" {
		os.Stdout.WriteString("Ver: 3.1.0e\n")
		return
	}
	line := []byte(strings.Repeat("[W][2026-", 20) + "\n")
	for {
		os.Stdout.Write(line)
		os.Stderr.Write(line)
		if speed == "slow" {
			time.Sleep(time.Millisecond)
		}
	}
}

// An answer without end takes bounded memory, and hdc is stopped at the bound, or at the
// time limit if that comes first.
func TestEndless(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		speed string
		limit time.Duration
		want  error
	}{
		{"fast", time.Minute, hdc.ErrTooLong},
		{"slow", 100 * time.Millisecond, hdc.ErrTimeout},
	} {
		t.Run(e.speed, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hdc")
			if err := os.Symlink(program, path); err != nil {
				t.Fatal(err)
			}
			t.Setenv(endless, e.speed)
			c, err := hdc.Find(t.Context(), path, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err = c.Shell(t.Context(), e.limit, "aa dump"); !errors.Is(err, e.want) {
				t.Errorf("got %v, want %v", err, e.want)
			}
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("%d MB allocated", allocated>>20)
			}
		})
	}
}
