//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// endSignals are the signals that ask the program to end.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// reportWrites makes a write to a closed pipe fail instead of killing the program,
// which could not remove its temporary files. SIGPIPE is caught and not ignored
// because the browser would inherit that.
func reportWrites() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// isClosedPipe reports whether a write failed because the reader closed the pipe.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
