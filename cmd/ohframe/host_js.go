package main

import (
	"io"
	"os"
	"syscall/js"

	"github.com/urfave/cli/v2"
)

// In a browser a worker runs the command line: see web/worker.ts. There are no devices, servers and shells.

// worker has what the worker gives a command.
var worker = js.Global().Get("ohframe")

// init takes the arguments from the worker: wasm_exec.js has room for 8 KB of them.
func init() {
	if worker.IsUndefined() {
		return
	}
	list := worker.Get("args")
	os.Args = make([]string, list.Length())
	for i := range os.Args {
		os.Args[i] = list.Index(i).String()
	}
}

// readFile copies the next bytes from the worker at once. A read of os.File makes an array, fills it and copies it, and
// waits for another goroutine: that takes a tenth of the time of a report.
func (s *source) readFile(b []byte) (int, error) {
	at := s.size - s.left
	if !worker.IsUndefined() {
		if found := worker.Call("read", int(s.file.Fd()), at, len(b)); !found.IsNull() {
			return js.CopyBytesToGo(b, found), nil
		}
	}
	return s.file.ReadAt(b, at) // with its error
}

func hostCommands() []*cli.Command { return nil }

func isCompletion([]string) bool { return false }

func complete(*cli.Context) {}

// endSignals is empty: a browser sends no signals, and os/signal panics when asked about one.
var endSignals []os.Signal

func reportWrites() {}

func isClosedPipe(error) bool { return false }

// withProgress leaves progress to the worker, which sees what is read.
func withProgress(in *source, _ bool) (io.Reader, func()) { return in, func() {} }
