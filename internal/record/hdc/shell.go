package hdc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"ohframe/internal/failure"
	"strconv"
	"strings"
	"time"
)

// maxScript is the number of bytes of a script. hdc passes 60,000 bytes, and answers
// to 120,000 with nothing.
const maxScript = 16 << 10

// Result is what a script on the device printed and its exit status.
type Result struct {
	// Output is standard output and standard error in one, without carriage returns.
	Output string
	Status int
}

// Quote quotes a word for the device's shell.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Shell runs a script in the device's POSIX shell, with an empty standard input. The
// script must not start processes in the background that keep its output open. limit
// zero means c.Limit. An exit status other than 0 is not an error.
//
// The script is one argument of hdc and contains blanks: then it reaches the shell
// byte for byte. hdc joins several arguments and quotes them wrongly. The last line
// proves that the script ended: if the device is lost, hdc's output just ends.
func (c *Client) Shell(ctx context.Context, limit time.Duration, script string) (Result, error) {
	if len(script) > maxScript {
		return Result{}, fmt.Errorf("a script of %d bytes is too long for hdc", len(script))
	}
	last := "ohframe-" + rand.Text() + ":"
	output, err := c.onDevice(ctx, limit, "shell", "( "+script+"\n) </dev/null; echo \""+last+"$?\"")
	if err != nil && !errors.Is(err, ErrTimeout) {
		return Result{}, err
	}
	if r, ok := parseResult(output, last); ok {
		return r, nil
	}
	if err != nil {
		return Result{}, err
	}
	if err := classify(output); err != nil {
		return Result{}, err
	}
	return Result{}, failure.New(ErrLost, hintLink, "the device was lost")
}

// parseResult splits what a script printed from the line that last begins, which has
// the status. It is not ok if the line is missing or cut.
func parseResult(output, last string) (r Result, ok bool) {
	at := strings.LastIndex(output, last)
	if at < 0 {
		return r, false
	}
	digits, _, complete := strings.Cut(output[at+len(last):], "\n")
	status, err := strconv.Atoi(digits)
	return Result{output[:at], status}, err == nil && complete
}
