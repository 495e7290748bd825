package main

import (
	"io"
	"os"
	"syscall/js"

	"github.com/urfave/cli/v2"
)

// In a browser a worker runs the command line: see web/worker.ts. There are no devices, servers and shells.

// init takes the arguments from the worker: wasm_exec.js has room for 8 KB of them.
func init() {
	given := js.Global().Get("ohframe")
	if given.IsUndefined() {
		return
	}
	list := given.Get("args")
	os.Args = make([]string, list.Length())
	for i := range os.Args {
		os.Args[i] = list.Index(i).String()
	}
}

func hostCommands() []*cli.Command { return nil }

func isCompletion([]string) bool { return false }

func complete(*cli.Context) {}

// endSignals are none; os/signal panics when it is asked about one.
var endSignals []os.Signal

func reportWrites() {}

func isClosedPipe(error) bool { return false }

// withProgress leaves progress to the worker, which sees what is read.
func withProgress(in *source, _ bool) (io.Reader, func()) { return in, func() {} }
