package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ohframe/internal/exit"
	"ohframe/internal/inputs"
)

// interruption is the error of a program that a signal ended.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string {
	switch i.signal {
	case syscall.SIGINT:
		return "interrupted"
	case 1: // SIGHUP, which GOOS=js lacks
		return "hung up"
	}
	return "terminated"
}

// ExitCode returns the exit code that shells give a program that a signal killed.
func (i interruption) ExitCode() int { return exit.Signal + int(i.signal) }

// untilSignal returns a context that the first of endSignals cancels, with an
// interruption as its cause, and a function that stops listening. A second signal
// kills the program at once.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	caught := make(chan os.Signal, 3)
	taken := make(chan struct{})
	ctx = context.WithValue(ctx, signalsKey{}, func() <-chan os.Signal {
		close(taken)
		return caught
	})
	for _, s := range endSignals {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(caught, s)
		}
	}
	go func() {
		select {
		case s := <-caught:
			signal.Reset(endSignals...)
			cancel(interruption{s.(syscall.Signal)})
		case <-taken:
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

type signalsKey struct{}

// takeSignals returns the signals that the context of untilSignal would end with. From
// then on they are the caller's business. It may be called once.
func takeSignals(ctx context.Context) <-chan os.Signal {
	return ctx.Value(signalsKey{}).(func() <-chan os.Signal)()
}

// await returns the result of work, or the cause of the context's end if that is earlier: then the caller can clean up
// and exit.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	return inputs.Within(ctx, 0, work)
}

// awaitError is await for work that returns only an error.
func awaitError(ctx context.Context, work func() error) error {
	_, err := await(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
