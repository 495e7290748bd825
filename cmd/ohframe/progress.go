package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// withProgress shows on the terminal how much of the input has been read. It
// returns the reader to use, and what to call when all is read. Elsewhere than
// on a terminal it shows nothing.
func withProgress(in *os.File, quiet bool) (io.Reader, func()) {
	if quiet || !term.IsTerminal(int(os.Stderr.Fd())) {
		return in, func() {}
	}
	size := int64(-1) // a pipe: only how much so far
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	bar := progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	return io.TeeReader(in, bar), func() { bar.Clear() }
}
