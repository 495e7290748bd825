//go:build !unix && !js

package main

import (
	"errors"
	"os"
	"syscall"
)

// endSignals are the signals that ask the program to end.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM}

// reportWrites does nothing: writes send no signals on this system.
func reportWrites() {}

// isClosedPipe reports whether a write failed because the reader closed the pipe.
func isClosedPipe(err error) bool {
	const noData = syscall.Errno(232) // Windows: "the pipe is being closed"
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, noData)
}
