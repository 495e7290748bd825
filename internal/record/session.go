package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"ohframe/internal/atomicfile"
	"ohframe/internal/device"
	"ohframe/internal/failure"
	"ohframe/internal/hdc"
)

// Session is a recording that has begun. Close must be called.
type Session struct {
	r *Recorder
	t *device.Tracing
	// Clock is what the kernel uses; empty if that is unknown.
	Clock string
	// Begun is when the recording began, by this computer's clock; Ended when it ended.
	Begun, Ended time.Time

	mayRun bool // the recording may be under way on the device
	kept   bool
}

// Begin begins a recording. A recording that nobody owns is ended first; with Force
// that of anybody. The session is not nil if the recording may have begun.
func (r *Recorder) Begin(ctx context.Context) (*Session, error) {
	alive, err := r.CleanLeft(ctx)
	if err != nil {
		return nil, err
	}
	if r.Facts.Legacy() && r.Facts.TracingOn {
		// This hitrace would discard the other recording without an error.
		if err := r.makeFree(ctx, alive); err != nil {
			return nil, err
		}
	}
	s, err := r.begin(ctx)
	if errors.Is(err, device.ErrBusy) {
		s.Close(ctx)
		if err := r.makeFree(ctx, alive); err != nil {
			return nil, err
		}
		s, err = r.begin(ctx)
	}
	return s, err
}

// makeFree ends the recording that is under way, if nobody owns it.
func (r *Recorder) makeFree(ctx context.Context, alive []string) error {
	if owners := r.owners(alive); owners != "" && !r.Force {
		return &failure.Error{
			What: "another recording is under way on the device: " + owners,
			Hint: "wait for its end, or end it with --force: its trace is lost then", Err: device.ErrBusy,
		}
	}
	return r.closeOther(ctx, "Note    ended another recording, which was under way on the device")
}

func (r *Recorder) begin(ctx context.Context) (*Session, error) {
	s := &Session{r: r, t: r.Tracing(newNonce()), mayRun: true}
	result, err := r.Client.Shell(ctx, 0, s.t.BeginScript())
	if err != nil {
		return s, err
	}
	s.Begun = time.Now()
	if s.Clock, err = device.CheckBegin(result); err != nil {
		return s, err
	}
	switch s.Clock {
	case r.Clock:
	case "":
		r.say(Event{"note", "Note    the device does not say which clock it uses: the offset will be estimated", map[string]any{"clock": nil}})
	default:
		r.say(Event{"note", fmt.Sprintf("Note    the device has no clock %s, it uses %s", r.Clock, s.Clock), map[string]any{"clock": s.Clock}})
	}
	return s, nil
}

// StartApp ends the application and starts it again.
func (s *Session) StartApp(ctx context.Context) error {
	if _, err := s.r.Client.Shell(ctx, 0, device.StopScript(s.r.App)); err != nil {
		return err
	}
	result, err := s.r.Client.Shell(ctx, 0, device.StartScript(s.r.App, s.r.Ability))
	if err != nil {
		return err
	}
	return device.CheckStart(result)
}

// readLimit is the time limit of reading the buffer: the kernel writes text at 10 MB/s
// and more.
func (s *Session) readLimit() time.Duration {
	return 30*time.Second + time.Duration(s.r.spaceNeeded()/10_000)*time.Second
}

// Finish ends the recording and writes the trace on the device. It returns its size in
// bytes. If the device was lost, it waits for it: the buffer still has the data.
func (s *Session) Finish(ctx context.Context) (size int64, err error) {
	s.Ended = time.Now()
	err = s.again(ctx, func() error {
		result, err := s.r.Client.Shell(ctx, s.readLimit(), s.t.FinishScript())
		if err == nil {
			s.mayRun = false
			size, err = device.ParseEnd(result)
		}
		return err
	})
	return size, err
}

// Dump writes what is in the buffer to a file on the device, and returns its size. The
// recording goes on.
func (s *Session) Dump(ctx context.Context, n int) (remote string, size int64, err error) {
	result, err := s.r.Client.Shell(ctx, s.readLimit(), s.t.DumpScript(n))
	if err == nil {
		size, err = device.ParseEnd(result)
	}
	return s.t.DumpFile(n), size, err
}

// again calls f, and once more after the device was lost and is back.
func (s *Session) again(ctx context.Context, f func() error) error {
	err := f()
	if !errors.Is(err, hdc.ErrLost) {
		return err
	}
	s.r.say(Event{"waiting", fmt.Sprintf("Device lost. The trace is still there; waiting %s for the device", s.r.Wait), map[string]any{"reason": "lost"}})
	if _, waitErr := s.r.Client.Choose(ctx, s.r.Key, s.r.Wait, nil); waitErr != nil {
		if ctx.Err() != nil {
			return waitErr
		}
		return err
	}
	return f()
}

// Receive copies a file of the given size from the device to a local one, with the
// name FILE.part until it is complete, and checks it.
func (s *Session) Receive(ctx context.Context, remote string, size int64, local string, progress func(bytes int64)) (*Content, error) {
	part := local + ".part"
	limit := 30*time.Second + time.Duration(size/1_000_000)*time.Second
	err := s.again(ctx, func() error { return s.r.Client.Receive(ctx, limit, remote, part, size, progress) })
	if err != nil {
		return nil, err
	}
	content, err := Inspect(part)
	if err == nil {
		err = atomicfile.Rename(part, local)
	}
	if err != nil {
		os.Remove(part)
		return nil, err
	}
	return content, nil
}

// Remove removes a file that Dump has written.
func (s *Session) Remove(ctx context.Context, remote string) error {
	_, err := s.r.Client.Shell(ctx, 0, "rm -f "+hdc.Quote(remote))
	return err
}

// Run runs a command of the user on the device and returns what it printed. The error
// of a command that failed is a *CommandError.
func (r *Recorder) Run(ctx context.Context, limit time.Duration, command string) (output string, err error) {
	result, err := r.Client.Shell(ctx, limit, command)
	if err != nil {
		return "", err
	}
	if err := device.CheckDrive(result); err != nil {
		return result.Output, &CommandError{err}
	}
	return result.Output, nil
}

// CommandError is why a command of the user failed.
type CommandError struct{ Err error }

func (c *CommandError) Error() string { return c.Err.Error() }

// TraceFile is the trace on the device.
func (s *Session) TraceFile() string { return s.t.TraceFile() }

// KeepFiles makes Close leave the trace on the device.
func (s *Session) KeepFiles() { s.kept = true }

// undoLimit is the time limit of the steps of Close.
const undoLimit = 3 * time.Second

// Close ends the recording if it may be under way and removes its files. It does so
// even if ctx has ended.
func (s *Session) Close(ctx context.Context) {
	script := device.RemoveScript(s.t.Dir, s.kept)
	if s.mayRun {
		script = s.t.DiscardScript() + "\n" + script
	}
	_, err := s.r.Client.Shell(context.WithoutCancel(ctx), undoLimit, script)
	switch {
	case err == nil:
		s.r.say(Event{"cleaned", "Cleaned up the device.", map[string]any{"kept": s.kept}})
	case s.mayRun:
		s.r.say(Event{"not cleaned", fmt.Sprintf("Note    the device cannot be reached; it ends the recording itself, %s after its begin at the latest", s.t.Max), map[string]any{"watchdog_seconds": s.t.Max.Seconds()}})
	default:
		s.r.say(Event{"not cleaned", "Note    the device cannot be reached; it keeps " + s.t.Dir + " for " + s.t.Max.String() + " at most", map[string]any{"left": s.t.Dir}})
	}
}

// Watchdog is the time after the begin at which the device ends the recording itself.
func (s *Session) Watchdog() time.Duration { return s.t.Max }

// Content is what a trace says of itself.
type Content struct {
	// Entries are the events in the trace, Written those recorded; both are 0 if the
	// trace does not say.
	Entries, Written int64
}

var entries = regexp.MustCompile(`# entries-in-buffer/entries-written: *(\d+)/(\d+)`)

// Inspect reads the header of a received trace and checks that its last line is
// complete.
func Inspect(file string) (*Content, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &Content{}
	head, err := bufio.NewReaderSize(f, 4096).Peek(4096)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if m := entries.FindSubmatch(head); m != nil {
		c.Entries, _ = strconv.ParseInt(string(m[1]), 10, 64)
		c.Written, _ = strconv.ParseInt(string(m[2]), 10, 64)
		if c.Entries == 0 {
			return nil, &failure.Error{What: "the trace has no events", Hint: "another tool may have ended the recording: close it and record again", Err: hdc.ErrTransfer}
		}
	}
	end := make([]byte, 1)
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.ReadAt(end, size-1)
	}
	if err != nil {
		return nil, err
	}
	if end[0] != '\n' {
		return nil, &failure.Error{What: "the trace ends in the middle of a line", Hint: "the device did not write all of it: record again, with less data (-b, -t, --tags)", Err: hdc.ErrTransfer}
	}
	return c, nil
}
