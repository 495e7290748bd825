package record

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ohframe/internal/record/hdc"
)

// stopper decides what signals do to a recording. While it is under way, the first
// Ctrl-C ends it and keeps the trace, the second discards it. At other times, and for
// other signals, the first ends the program. After that, another one exits at once.
type stopper struct {
	host *Host
	// stopped ends when the recording is to be ended and kept.
	stopped context.Context
	stop    func()
	cancel  context.CancelCauseFunc

	mutex     sync.Mutex
	recording bool
	// leave is printed before an immediate exit.
	leave string
	// last is the signal before, and when it came.
	last   os.Signal
	lastAt time.Time
}

// watched calls f with a context that signals end. The error after a signal is that of
// Host.Interrupted.
func watched(ctx context.Context, h *Host, f func(context.Context, *stopper) error) error {
	s := &stopper{host: h}
	ctx, s.cancel = context.WithCancelCause(ctx)
	defer s.cancel(nil)
	s.stopped, s.stop = context.WithCancel(ctx)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case signal := <-h.Signals:
				s.on(signal, time.Now(), ctx.Err() != nil)
			case <-ended:
				return
			}
		}
	}()
	err := f(ctx, s)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// once is the time in which two equal signals are one. A wrapper such as timeout passes on
// a signal that the terminal or it has also sent to the process group; nobody types as fast.
const once = 100 * time.Millisecond

func (s *stopper) on(signal os.Signal, at time.Time, ended bool) {
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
		s.host.Exit(signal)
	case signal == syscall.SIGINT && s.recording && s.stopped.Err() == nil:
		s.stop()
	default:
		s.cancel(s.host.Interrupted(signal))
	}
}

// set says whether a recording is under way, and what to print if the program exits before
// it has cleaned up.
func (s *stopper) set(recording bool, leave string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.recording, s.leave = recording, leave
}
