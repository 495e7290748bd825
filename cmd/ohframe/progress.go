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
	p := &progress{bar: progressbar.NewOptions64(in.size,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		// They also clear the "^C" that a terminal prints behind the bar.
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows"),
	)}
	return &watched{in, p}, p.end
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
