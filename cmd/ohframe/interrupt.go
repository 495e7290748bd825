package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruption is the signal that ended the program early.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string {
	switch i.signal {
	case syscall.SIGINT:
		return "interrupted"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "terminated"
}

// ExitCode is what shells make of a program that a signal ends.
func (i interruption) ExitCode() int { return 128 + int(i.signal) }

// untilSignal returns a context that ends with the first signal to end, whose
// cause is then an interruption, and what to call when nothing is left to end. A
// second signal kills the program at once.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	caught := make(chan os.Signal, 1)
	for _, s := range endSignals {
		if !signal.Ignored(s) { // as nohup has it
			signal.Notify(caught, s)
		}
	}
	go func() {
		select {
		case s := <-caught:
			signal.Reset(endSignals...)
			cancel(interruption{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

// await returns what work does, or why the context ended if that comes first.
// Then the work is left where it is: waiting for a pipe that may stay silent for
// ever, or computing what nobody wants any more. Whoever calls can clean up and go.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// awaitError is await for work that has nothing to return but an error.
func awaitError(ctx context.Context, work func() error) error {
	_, err := await(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
