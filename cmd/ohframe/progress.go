//go:build !js

package main

import (
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// withProgress shows a progress bar if standard error is a terminal. It returns the
// reader to use, and a function that removes the bar, to be called before anything
// else is printed.
func withProgress(in *source, quiet bool) (io.Reader, func()) {
	if quiet || !term.IsTerminal(int(os.Stderr.Fd())) {
		return in, func() {}
	}
	p := &progress{bar: newBar(in.size)}
	return &watched{in, p}, p.end
}

// newBar returns a progress bar of bytes on standard error. size may be unknown.
func newBar(size int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(&delayed{os.Stderr, time.Now().Add(barDelay)}),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		// Otherwise a goroutine of the library draws a bar without a size, also after its end.
		progressbar.OptionSetSpinnerChangeInterval(0),
		// They also clear the "^C" that a terminal prints behind the bar.
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows"),
	)
}

// barDelay is how long a bar is hidden. The library measures the rate every half a second;
// before, it divides what was read by the time since the first read.
const barDelay = 600 * time.Millisecond

// delayed drops what is written before a time.
type delayed struct {
	w     io.Writer
	until time.Time
}

func (d *delayed) Write(b []byte) (int, error) {
	if time.Now().Before(d.until) {
		return len(b), nil
	}
	return d.w.Write(b)
}

// watched is a source whose reads advance a progress bar.
type watched struct {
	*source
	progress *progress
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.source.Read(b)
	w.progress.Write(b[:n])
	return n, err
}

func (w *watched) ReadAt(b []byte, at int64) (int, error) {
	n, err := w.source.ReadAt(b, at)
	w.progress.Write(b[:n])
	return n, err
}

// progress is a progress bar that is not drawn after its end. Reading may go on then.
type progress struct {
	mutex sync.Mutex
	bar   *progressbar.ProgressBar // nil after the end
}

func (p *progress) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.bar == nil {
		return len(b), nil
	}
	return p.bar.Write(b)
}

func (p *progress) end() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
}
