package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"ohframe/internal/atomicfile"
	"ohframe/internal/failure"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
)

// Session is a recording that has begun. Close must be called.
type Session struct {
	r *Recorder
	t *device.Tracing
	// Clock is what the kernel uses; empty if that is unknown.
	Clock string
	// Begun is when the recording began, by this computer's clock; Ended when it ended.
	Begun, Ended time.Time

	// kept: Close leaves traces on the device; received: they are here, too.
	kept, received bool
}

// Begin begins a recording. A recording that nobody owns is ended first; with Force
// that of anybody. The session is not nil if the recording may have begun.
func (r *Recorder) Begin(ctx context.Context) (*Session, error) {
	alive, err := r.cleanLeft(ctx)
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
		if _, _, err := s.end(ctx); err != nil {
			return s, err
		}
		if err := r.makeFree(ctx, alive); err != nil {
			return nil, err
		}
		s, err = r.begin(ctx)
	}
	return s, err
}

// makeFree ends the recording that is under way, if nobody owns it.
func (r *Recorder) makeFree(ctx context.Context, alive []device.Left) error {
	if owners := r.owners(alive); owners != "" && !r.Force {
		hint := "wait for its end, or end it with --force: its trace is lost then"
		if slices.ContainsFunc(alive, func(l device.Left) bool { return hasEnded(l.Owner) }) {
			hint = "ohframe record --clean ends it"
		}
		return &failure.Error{What: "another recording is under way on the device: " + owners, Hint: hint, Err: device.ErrBusy}
	}
	for _, l := range alive { // its watchdog would end our recording
		if err := r.remove(ctx, l, false); err != nil {
			return err
		}
	}
	return r.dropOther(ctx, "Note    ended another recording, which was under way on the device")
}

func (r *Recorder) begin(ctx context.Context) (*Session, error) {
	s := &Session{r: r, t: r.Tracing(newNonce())}
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
// bytes. If the device was lost, it waits for it: the buffer still has the data. From
// then on Close leaves the trace on the device unless Receive has copied it.
func (s *Session) Finish(ctx context.Context) (size int64, err error) {
	s.Ended, s.kept = time.Now(), true
	err = s.again(ctx, func() error {
		result, err := s.r.Client.Shell(ctx, s.readLimit(), s.t.FinishScript())
		if err == nil {
			size, err = device.ParseEnd(result)
		}
		return err
	})
	return size, err
}

// Dump writes what is in the buffer to a file on the device, and returns its size. The
// recording goes on.
func (s *Session) Dump(ctx context.Context, n int) (remote string, size int64, err error) {
	s.kept, s.received = true, false
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
	if free := freeSpace(filepath.Dir(local)); free >= 0 && free < size {
		// hdc may hang without a message if a file does not fit.
		return nil, failure.New(hdc.ErrSpace, "free some space, or choose another folder with -o",
			"no space left on this computer: the trace has %.1f MB, %.1f MB are free", float64(size)/1e6, float64(free)/1e6)
	}
	limit := 30*time.Second + time.Duration(size/1_000_000)*time.Second
	err := s.again(ctx, func() error { return s.r.Client.Receive(ctx, limit, remote, part, size, progress) })
	if err != nil {
		return nil, err
	}
	content, err := Inspect(part)
	if err == nil {
		err = atomicfile.Rename(part, local)
	}
	if err == nil || errors.Is(err, errEmpty) {
		s.kept, s.received = s.r.Keep, true
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

// Discard makes Close remove traces that were not received.
func (s *Session) Discard() { s.kept = false }

// Close ends the recording if it may be under way and removes its files, except a trace
// that was not received or is to be kept. It does so even if ctx has ended.
func (s *Session) Close(ctx context.Context) {
	traces, closed, err := s.end(ctx)
	for _, path := range traces {
		facts := map[string]any{"path": path}
		if s.received {
			s.r.say(Event{"kept", "Kept    " + path + " on the device", facts})
		} else {
			s.r.say(Event{"note", "Note    the trace is on the device: " + fetch(s.r.Key, path), facts})
		}
	}
	watchdog := fmt.Sprintf("its watchdog ends the recording, %s after its begin at the latest", s.t.Max)
	if s.kept {
		watchdog += "; a trace that is written stays in " + s.t.Dir
	}
	facts := map[string]any{"watchdog_seconds": s.t.Max.Seconds(), "left": s.t.Dir}
	switch {
	case err == nil && closed:
		s.r.say(Event{"cleaned", "Cleaned up the device.", map[string]any{"kept": len(traces) > 0}})
	case err == nil:
		s.r.say(Event{"not cleaned", "Note    hitrace on the device has not ended; " + watchdog, facts})
	case s.received:
		s.r.say(Event{"not cleaned", fmt.Sprintf("Note    %v; the device keeps %s, ohframe record --clean removes it", err, s.t.Dir), facts})
	default:
		s.r.say(Event{"not cleaned", fmt.Sprintf("Note    %v; %s", err, watchdog), facts})
	}
}

// end ends the recording on the device.
func (s *Session) end(ctx context.Context) (traces []string, closed bool, err error) {
	result, err := s.r.Client.Shell(context.WithoutCancel(ctx), 0, device.CloseScript(s.t.Dir, s.kept))
	if err == nil {
		traces, closed = device.ParseClose(result)
	}
	return traces, closed, err
}

// fetch says how to fetch a trace that is on the device.
func fetch(key, path string) string {
	return fmt.Sprintf("%s; \"hdc -t %s file recv %s FILE\" fetches it, ohframe record --clean removes it", path, key, path)
}

// Content is what a trace says of itself.
type Content struct {
	// Entries are the events in the trace, Written those recorded; both are 0 if the
	// trace does not say.
	Entries, Written int64
	// Cut: the trace ends in the middle of a line.
	Cut bool
}

// errEmpty: a trace has no events, so nothing is lost without it.
var errEmpty = errors.New("no events")

var entries = regexp.MustCompile(`# entries-in-buffer/entries-written: *(\d+)/(\d+)`)

// Inspect reads the header and the end of a received trace.
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
			return nil, &failure.Error{What: "the trace has no events", Hint: "another tool may have ended the recording: close it and record again", Err: errEmpty}
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
	c.Cut = end[0] != '\n'
	return c, nil
}
