package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"ohframe/internal/record/hdc"
)

// drive is a program of this computer that runs during a recording, for example to swipe.
type drive struct {
	// stop ends the program; done has why it failed before, or nil, once it has ended.
	stop func()
	done chan error
	// failed is closed if the program fails before it is ended.
	failed chan struct{}
}

// DriveEnd is how long what the program of --drive has started, such as a swipe, may go on after
// its end. A swipe that is cut may leave a finger on the screen.
const DriveEnd = 5 * time.Second

// maxDriveOutput is the number of bytes of a program's output that are kept for a message.
const maxDriveOutput = 4 << 10

// startDrive starts the program of --drive. Without one it returns a drive that does nothing.
func (r *recorder) startDrive(ctx context.Context) drive {
	d := drive{stop: func() {}, done: make(chan error, 1), failed: make(chan struct{})}
	if r.Drive == "" {
		d.done <- nil
		return d
	}
	ctx, d.stop = context.WithCancel(ctx)
	output := &lastBytes{}
	cmd := exec.CommandContext(ctx, r.Drive)
	cmd.Env = append(os.Environ(), "HDC="+r.client.Path, "OHFRAME_DEVICE="+r.client.Device, "OHFRAME_APP="+r.App)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = output, output, r.DriveEnd
	cmd.Cancel = func() error { return hdc.Terminate(cmd.Process) }
	go func() {
		err := hdc.RunAlone(cmd)
		if cmd.Process != nil {
			hdc.Kill(cmd.Process) // what it has left
		}
		if ctx.Err() != nil {
			err = nil // it was ended
		}
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		if line := output.line(); err != nil && line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
		d.done <- err
		if err != nil {
			close(d.failed)
		}
	}()
	return d
}

// awaitDrive waits for the end of a program that was stopped. It returns why the program failed
// before.
func (r *recorder) awaitDrive(d drive) error {
	if r.Drive != "" {
		r.Progress("waiting for the end of the program of --drive")
	}
	return <-d.done
}

// lastBytes keeps the end of what is written.
type lastBytes struct{ bytes.Buffer }

func (l *lastBytes) Write(b []byte) (int, error) {
	l.Buffer.Write(b)
	l.Next(max(0, l.Len()-maxDriveOutput))
	return len(b), nil
}

// line returns the last line.
func (l *lastBytes) line() string {
	text := strings.TrimSpace(l.String())
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
