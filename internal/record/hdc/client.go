// Package hdc runs hdc, the device connector of OpenHarmony and HarmonyOS.
//
//	Find ──▶ Client ──▶ Devices, Choose      hdc list targets
//	                ──▶ Shell                hdc shell: text in, output and status out
//	                ──▶ Receive              hdc file recv
//
// The exit status of hdc is always 0, errors are on standard output, and a lost
// device looks like a command without output. Therefore a Shell call ends with a line
// of its own, which must come back, and a received file must have its remote size.
// Every call has a time limit and runs in its own process group, so that Ctrl-C on
// the terminal does not reach it.
//
// Errors are *diag.Error with a hint. Those after which a caller may go on wrap one
// of the Err values.
//
// Source of the outputs: the OpenHarmony repository developtools_hdc, branches 3.2 to
// 6.0, and runs of hdc 3.1.0b against its own daemon.
package hdc

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
)

// Client runs hdc. Its methods may be called concurrently.
type Client struct {
	// Path is the program.
	Path string
	// Version is what it prints, such as "3.1.0e".
	Version string
	// Device is the key of the device that calls are for; empty until one is chosen.
	Device string
	// Limit is the time limit of a call that does not have its own.
	Limit time.Duration
}

// defaultLimit is longer than hdc's own attempts to reach its server, which end after
// 12 s.
const defaultLimit = 15 * time.Second

// maxAnswer is the number of bytes at which hdc is stopped. The longest answer that is
// expected, a list of processes, has less than 100 kB.
const maxAnswer = 4 << 20

// afterExit is how long to wait for the output of an hdc that has exited: the first
// call starts hdc's server, which may inherit the pipe and never close it.
const afterExit = time.Second

// run runs hdc, for the chosen device if there is one, and returns its standard output
// without log lines and carriage returns. limit zero means c.Limit. The error says that
// hdc could not be run, that the limit passed, that the answer is too long, or why ctx
// ended; an answer on standard output that means an error is not one here.
func (c *Client) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	if limit == 0 {
		limit = c.Limit
	}
	verb, hint := args[0], hintServer
	if verb == "shell" || verb == "file" || verb == "install" { // others only ask hdc's server
		hint = "is the device awake?"
		if c.Device != "" {
			args = append([]string{"-t", c.Device}, args...)
		}
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stopped, stop := context.WithCancel(limited)
	defer stop()
	cmd := exec.CommandContext(stopped, c.Path, args...)
	cmd.WaitDelay = afterExit
	stdout, stderr := bounded{full: stop}, bounded{full: stop}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := RunAlone(cmd)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return clean(string(stdout.text)), diag.New(errTimeout, hint, "hdc %s did not end within %s", verb, trace.Duration(limit))
	case stopped.Err() != nil:
		return "", diag.New(nil, "", "hdc %s printed more than %d MB", verb, maxAnswer>>20)
	case cmd.ProcessState == nil:
		return "", diag.New(err, "the variable HDC names another hdc", "%s: %v", c.Path, err)
	}
	return clean(string(stdout.text)), classify(string(stderr.text))
}

// bounded collects at most maxAnswer bytes. It has no method but Write: io.Copy prefers a
// ReadFrom, as of bytes.Buffer, which has no bound.
type bounded struct {
	text []byte
	full func() // called when more is written
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > maxAnswer-len(b.text) {
		b.full()
		return 0, io.ErrShortWrite
	}
	b.text = append(b.text, p...)
	return len(p), nil
}

// logLine is a line of hdc's log, which it mixes into the output.
var logLine = pattern.New(`(?m)^\[[DIWEF]\]\[\d{4}-[^\n]*(\n|$)`)

func clean(output string) string {
	return logLine().ReplaceAllString(strings.ReplaceAll(output, "\r", ""), "")
}
