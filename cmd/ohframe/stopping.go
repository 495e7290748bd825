package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ohframe/internal/record/hdc"
)

// stopping decides what signals do to a recording. While it is under way, the first
// Ctrl-C ends it and keeps the trace, the second discards it. At other times, and for
// other signals, the first ends the program. After that, another one exits at once.
type stopping struct {
	// stop is closed when the recording is to be ended and kept.
	stop   chan struct{}
	cancel context.CancelCauseFunc

	mutex     sync.Mutex
	recording bool
	stopped   bool
	// last is the signal before, and when it came.
	last   syscall.Signal
	lastAt time.Time
	// leave is printed before an immediate exit.
	leave string
}

// watchSignals returns a context that ends with the program's work, and what decides.
func watchSignals(ctx context.Context) (context.Context, *stopping) {
	signals := takeSignals(ctx)
	s := &stopping{stop: make(chan struct{})}
	ctx, s.cancel = context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case signal := <-signals:
				s.on(signal.(syscall.Signal), time.Now(), ctx.Err() != nil)
			case <-ctx.Done():
				// After the first signal, wait for the one that exits at once.
				if _, ok := context.Cause(ctx).(interruption); !ok {
					return
				}
				s.on((<-signals).(syscall.Signal), time.Now(), true)
			}
		}
	}()
	return ctx, s
}

// once is the time in which two equal signals are one. A wrapper such as timeout passes on
// a signal that the terminal or it has also sent to the process group; nobody types as fast.
const once = 100 * time.Millisecond

func (s *stopping) on(signal syscall.Signal, at time.Time, ended bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if signal == s.last && at.Sub(s.lastAt) < once {
		return
	}
	s.last, s.lastAt = signal, at
	switch {
	case ended:
		if s.leave != "" {
			fmt.Fprintln(os.Stderr, s.leave)
		}
		hdc.KillAll()
		os.Exit(interruption{signal}.ExitCode())
	case signal == syscall.SIGINT && s.recording && !s.stopped:
		s.stopped = true
		close(s.stop)
	default:
		s.cancel(interruption{signal})
	}
}

// prepare, begin and end bracket a recording; leave is what to print if the program
// exits before it has cleaned up.
func (s *stopping) prepare(leave string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.leave = leave
}

func (s *stopping) begin() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.recording = true
}

func (s *stopping) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.recording, s.leave = false, ""
}

// isStopped reports whether the user has ended the recording.
func (s *stopping) isStopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}
