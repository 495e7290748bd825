package main

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// A signal that comes twice within milliseconds is one: programs such as timeout send it
// to the process and to its group.
func TestStoppingOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &stopping{stop: make(chan struct{}), cancel: cancel}
	s.begin()
	start := time.Now()
	s.on(syscall.SIGINT, start, false)
	s.on(syscall.SIGINT, start.Add(5*time.Millisecond), false)
	if !s.isStopped() || ctx.Err() != nil {
		t.Errorf("two signals at once: stopped %t, discarded %t", s.isStopped(), ctx.Err() != nil)
	}
	s.on(syscall.SIGINT, start.Add(200*time.Millisecond), false)
	if ctx.Err() == nil {
		t.Error("a second Ctrl-C does not discard")
	}
	s.on(syscall.SIGINT, start.Add(201*time.Millisecond), true) // does not exit
}
