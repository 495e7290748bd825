package record

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/atomicfile"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
)

// session is a recording that may have begun. close must be called.
type session struct {
	r *recorder
	t *device.Tracing
	// clock is what the kernel uses; empty if that is unknown.
	clock string
	// begun is when the recording began, by this computer's clock; ended when it ended.
	begun, ended time.Time
	// counted is when the length of the recording began to count.
	counted time.Time
	// kept: close leaves a trace on the device.
	kept bool
	// parameters are those that were set for the recording.
	parameters []device.Parameter
	// samples are those of hiperf; nil if it has not started.
	samples *samples
	// driveError is why the program that runs during the recording failed.
	driveError error
}

// begin begins a recording. A recording that nobody owns is ended first; with Force
// that of anybody. The session is not nil if the recording may have begun.
func (r *recorder) begin(ctx context.Context) (*session, error) {
	alive, err := r.cleanLeft(ctx)
	if err != nil {
		return nil, err
	}
	if r.facts.Legacy() && r.facts.TracingOn {
		// This hitrace would discard the other recording without an error.
		if err := r.makeFree(ctx, alive); err != nil {
			return nil, err
		}
	}
	s, err := r.beginOnce(ctx)
	if errors.Is(err, device.ErrBusy) {
		if _, err := s.end(ctx); err != nil {
			return s, err
		}
		if err := r.makeFree(ctx, alive); err != nil {
			return nil, err
		}
		s, err = r.beginOnce(ctx)
	}
	return s, err
}

func (r *recorder) beginOnce(ctx context.Context) (*session, error) {
	var nonce [4]byte
	rand.Read(nonce[:])
	s := &session{r: r, t: &device.Tracing{
		Dir: device.NewDir(hex.EncodeToString(nonce[:])), Tags: r.tags, BufferKB: r.BufferKB, Max: r.watchdog(), Owner: owner(os.Getpid()),
	}}
	result, err := r.client.Shell(ctx, 0, s.t.BeginScript())
	if err != nil {
		return s, err
	}
	s.begun = time.Now()
	s.counted = s.begun
	s.clock, err = device.CheckBegin(result)
	switch {
	case err != nil || s.clock == device.Clock:
	case s.clock == "":
		r.note(map[string]any{"clock": nil}, "the device does not say which clock it uses: the offset will be estimated")
	default:
		r.note(map[string]any{"clock": s.clock}, "the device has no clock %s, it uses %s", device.Clock, s.clock)
	}
	return s, err
}

// setDebugUI turns on ArkUI's debug parameters. close sets them back.
func (s *session) setDebugUI(ctx context.Context) error {
	r := s.r
	result, err := r.client.Shell(ctx, 0, device.DebugUIScript())
	if err != nil {
		return err
	}
	s.parameters = r.facts.ParseDebugUI(result)
	result, err = r.client.Shell(ctx, 0, s.t.SetScript(s.parameters))
	if err == nil {
		err = device.CheckSet(result, s.parameters)
	}
	if err == nil {
		r.note(map[string]any{"debug_ui": s.parameterTexts()},
			"ArkUI's debug parameters are on: they slow %s down until it is started again, and times of this recording are not comparable", r.App)
	}
	return err
}

// parameterTexts returns the parameters in the form NAME=VALUE.
func (s *session) parameterTexts() (list []string) {
	for _, p := range s.parameters {
		list = append(list, p.String())
	}
	return list
}

// launch ends the application and starts it again. The length of the recording counts from
// the start.
func (s *session) launch(ctx context.Context) error {
	return s.r.restart(ctx, func() (err error) {
		if s.r.Perf {
			err = s.sample(ctx) // it waits for the start
		}
		s.counted = time.Now()
		return err
	})
}

// restart ends the application and starts it again. It calls starts between the two.
func (r *recorder) restart(ctx context.Context, starts func() error) error {
	if _, err := r.client.Shell(ctx, 0, device.StopScript(r.App)); err != nil {
		return err
	}
	if err := starts(); err != nil {
		return err
	}
	result, err := r.client.Shell(ctx, 0, device.StartScript(r.App, r.Ability))
	if err == nil {
		err = device.CheckStart(result)
	}
	if err == nil {
		r.Say(Event{"launched", "Started " + r.App, map[string]any{"bundle": r.App}})
	}
	return err
}

// finish ends the recording and writes the trace on the device. It returns its size in
// bytes. If the device was lost, it waits for it: the buffer still has the data. From
// then on close leaves the trace on the device unless receive has copied it.
func (s *session) finish(ctx context.Context) (size int64, err error) {
	s.ended, s.kept = time.Now(), true
	s.r.Progress("reading the buffer on the device")
	// The kernel writes text at 10 MB/s and more.
	limit := 30*time.Second + time.Duration(s.r.spaceNeeded()/10_000)*time.Second
	err = s.again(ctx, func() error {
		result, err := s.r.client.Shell(ctx, limit, s.t.FinishScript())
		if err == nil {
			size, err = device.ParseEnd(result)
		}
		return err
	})
	if err == nil {
		s.r.Say(Event{
			"finished", fmt.Sprintf("Stopped after %s. The device read the buffer in %s.", seconds(s.ended.Sub(s.begun)), seconds(time.Since(s.ended))),
			map[string]any{"bytes": size},
		})
	}
	return size, err
}

// again repeats f while the device is lost.
func (s *session) again(ctx context.Context, f func() error) error {
	return hdc.Retry(ctx, s.r.Wait, func(error) {
		s.r.Say(Event{"waiting", fmt.Sprintf("Device lost. The trace is still there; waiting %s for the device", s.r.Wait), map[string]any{"reason": "lost"}})
	}, f)
}

// receive copies the trace of the given size to a local file, with the name FILE.part
// until it is complete, and checks it.
func (s *session) receive(ctx context.Context, size int64, file string) (*content, error) {
	part, start := file+".part", time.Now()
	if err := s.transfer(ctx, s.t.TraceFile(), size, part, "the trace has"); err != nil {
		return nil, fileError(file, err)
	}
	defer os.Remove(part)
	content, err := inspect(part, size)
	if err == nil {
		err = atomicfile.Rename(part, file)
	}
	if err == nil || errors.Is(err, errEmpty) { // nothing is lost without an empty one
		s.kept = false
	}
	if err != nil {
		return nil, fileError(file, err)
	}
	if content.cut {
		s.r.note(map[string]any{"cut": true}, "the trace ends in the middle of a line: the device did not write all of it")
	}
	s.r.Say(Event{
		"received", fmt.Sprintf("Received %.1f MB in %s.", float64(size)/1e6, seconds(time.Since(start))),
		map[string]any{"bytes": size, "file": file},
	})
	return content, nil
}

// transfer copies a file of the given size from the device. has begins what is said of its size.
func (s *session) transfer(ctx context.Context, remote string, size int64, local, has string) error {
	megabytes := float64(size) / 1e6
	if free := freeSpace(filepath.Dir(local)); free >= 0 && free < size {
		// hdc may hang without a message if a file does not fit.
		return diag.New(nil, "free some space, or choose another folder with -o",
			"no space left on this computer: %s %.1f MB, %.1f MB are free", has, megabytes, float64(free)/1e6)
	}
	limit := 30*time.Second + time.Duration(size/1_000_000)*time.Second
	s.r.Progress(fmt.Sprintf("receiving %.1f MB", megabytes))
	return s.again(ctx, func() error { return s.r.client.Receive(ctx, limit, remote, local, size) })
}

// close ends the recording if it may be under way and removes its files, except a trace
// that was not received; Ctrl-C discards that, too. It does so even if ctx has ended. For a
// nil session it does nothing.
func (s *session) close(ctx context.Context) {
	if s == nil {
		return
	}
	if context.Cause(ctx) == s.r.Interrupted(syscall.SIGINT) {
		s.kept = false
		s.dropSamples()
	}
	result, err := s.end(ctx)
	traces, closed := device.ParseClose(result)
	for _, path := range traces {
		s.r.note(map[string]any{"path": path}, "%s on the device: %s", device.Kind(path, "the trace is", "the samples are"), s.r.fetch(path))
	}
	if err == nil && closed {
		s.r.Say(Event{"cleaned", "Cleaned up the device.", map[string]any{"kept": len(traces) > 0}})
		return
	}
	what, does := "hitrace on the device has not ended", "ends the recording"
	if err != nil {
		what = err.Error()
	} else if answer := device.NotSetBack(result); answer != "" {
		what, does = "the device does not set back what was set: "+answer, "tries again"
	}
	text := fmt.Sprintf("Note    %s; its watchdog %s, %s after its begin at the latest; a trace that is written stays in %s, ohframe record --clean removes it",
		what, does, trace.Duration(s.t.Max), s.t.Dir)
	s.r.Say(Event{"not cleaned", text, map[string]any{"watchdog_seconds": s.t.Max.Seconds(), "left": s.t.Dir}})
}

// end ends the recording on the device.
func (s *session) end(ctx context.Context) (hdc.Result, error) {
	samples := s.samples != nil && s.samples.kept
	script := device.CloseScript(s.t.Dir, s.kept || samples)
	if samples && !s.kept {
		script = device.KeepSamplesScript(s.t.Dir) + script
	}
	return s.r.client.Shell(context.WithoutCancel(ctx), 0, script)
}

// fetch says how to fetch a trace that is on the device.
func (r *recorder) fetch(path string) string {
	return fmt.Sprintf("%s; \"hdc -t %s file recv %s FILE\" fetches it, ohframe record --clean removes it", path, r.client.Device, path)
}

// owner returns a word for a process of this computer. Processes in another namespace of
// process ids are those of another computer.
func owner(pid int) string {
	host, _ := os.Hostname() // empty is as good
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + " " + space))
	return fmt.Sprintf("%x_%d", sum[:6], pid)
}

// content is what a trace says of itself.
type content struct {
	// entries are the events in the trace, written those recorded; both are 0 if the
	// trace does not say.
	entries, written int64
	// cut: the trace ends in the middle of a line.
	cut bool
}

// errEmpty: a trace has no events.
var errEmpty = errors.New("no events")

var entries = pattern.New(`# entries-in-buffer/entries-written:[ \t]*(\d+)/[ \t]*(\d+)`)

// inspect reads the header and the end of a received trace of the given size.
func inspect(file string, size int64) (*content, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, end := make([]byte, 4096), make([]byte, 1)
	n, err := f.ReadAt(head, 0)
	if err == nil || err == io.EOF {
		_, err = f.ReadAt(end, size-1)
	}
	if err != nil {
		return nil, err
	}
	c := &content{cut: end[0] != '\n'}
	if m := entries().FindSubmatch(head[:n]); m != nil {
		c.entries, _ = strconv.ParseInt(string(m[1]), 10, 64)
		c.written, _ = strconv.ParseInt(string(m[2]), 10, 64)
		switch {
		case c.entries > 0:
		case c.written > 0: // the events were read before the header was written
			c.written = 0
		default:
			return nil, diag.New(errEmpty, "another tool may have ended the recording: close it and record again", "the trace has no events")
		}
	}
	return c, nil
}
