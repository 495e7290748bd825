package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
)

// A trace that does not fit is not fetched: hdc is not even started. It stays on the device.
func TestReceiveNoSpace(t *testing.T) {
	dir := t.TempDir()
	if freeSpace(dir) <= 0 {
		t.Skip("the free space is unknown")
	}
	s := &session{r: &recorder{client: &hdc.Client{Path: filepath.Join(dir, "none")}}, t: &device.Tracing{}, kept: true}
	_, err := s.receive(t.Context(), 1<<62, filepath.Join(dir, "x.ftrace"))
	if err == nil || !strings.Contains(err.Error(), "no space left on this computer") || !s.kept {
		t.Errorf("got %v, kept %t", err, s.kept)
	}
}

// A signal that comes twice within milliseconds is one: programs such as timeout send it
// to the process and to its group.
func TestSignalOnce(t *testing.T) {
	discarded, exited := errors.New("discarded"), false
	h := &Host{Interrupted: func(os.Signal) error { return discarded }, Exit: func(os.Signal) { exited = true }}
	err := watched(t.Context(), h, func(ctx context.Context, s *stopper) error {
		s.set(true, "")
		start := time.Now()
		s.on(syscall.SIGINT, start, false)
		s.on(syscall.SIGINT, start.Add(5*time.Millisecond), false)
		if s.stopped.Err() == nil || ctx.Err() != nil {
			t.Errorf("two signals at once: stopped %v, discarded %v", s.stopped.Err(), ctx.Err())
		}
		s.on(syscall.SIGINT, start.Add(200*time.Millisecond), false)
		s.on(syscall.SIGINT, start.Add(201*time.Millisecond), true) // does not exit
		return ctx.Err()
	})
	if err != discarded || exited {
		t.Errorf("after a second Ctrl-C: %v, exited %t", err, exited)
	}
}
