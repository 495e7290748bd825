//go:build !unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// endSignals ask the program to end.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM}

// reportWrites does nothing: no write sends a signal here.
func reportWrites() {}

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool {
	const noData = syscall.Errno(232) // Windows: "the pipe is being closed"
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, noData)
}
