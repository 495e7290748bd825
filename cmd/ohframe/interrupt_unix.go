//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// endSignals ask the program to end.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// reportWrites makes a write to a closed pipe an error like others. It would kill
// the program, which could not remove its temporary files. The signal is caught,
// not ignored: that would be inherited by the browser.
func reportWrites() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
