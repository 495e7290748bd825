// Package record records traces on a device:
//
//	Run ── connect ── begin ── wait ── finish ── receive ── close ──▶ NAME.ftrace, NAME.meta.json, NAME.perf.data
//	          │         │                                    │
//	        checks   a folder with a watchdog on the      the device
//	                 device, which ends a recording       is as before
//	                 that this program cannot end
//
// Several runs repeat this, in the order that a plan decides. The package hdc calls the device,
// device has the commands and what they print, meta the file that describes a recording.
package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/atomicfile"
	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/record/meta"
)

// Options say what to record and how.
type Options struct {
	// Device is the key of a device; empty for the only one.
	Device string
	// Limit is the time limit of a call of hdc; zero is hdc's default. Wait is how long
	// to wait for a device that is not ready or was lost.
	Limit, Wait time.Duration
	// App is the name of an application, or empty.
	App string
	// Launch ends the application, and starts it after the recording has begun; Ability
	// is the ability to start, empty for the main one.
	Launch  bool
	Ability string
	// DebugUI turns on ArkUI's debug parameters before the start of Launch.
	DebugUI bool
	// Perf makes hiperf sample beside the recording. PerfStack is how it unwinds: fp or dwarf.
	Perf      bool
	PerfStack string
	// Tags are a list "a,b" or changes of the default "+a,-b".
	Tags string
	// BufferKB is the size of the buffer of each CPU; zero for the default.
	BufferKB int
	// Time is the length of a recording; zero is until the user ends it, at most longest.
	Time time.Duration
	// Drive is a program of this computer that runs during each recording; empty for none.
	Drive string
	// Name is that of the files, without extension, or of the folder of Runs recordings.
	Name string
	Runs int
	// Compare are two sides to record alternately, Runs times each; empty without.
	Compare []Side
	// Cold: the first of several runs counts, too.
	Cold bool
	// Force ends a recording of another tool, ignores missing space, and adds to a folder.
	Force bool
}

// longest is the time after which a recording ends that the user does not end.
const longest = 5 * time.Minute

// max returns the time after which a recording ends at the latest.
func (o *Options) max() time.Duration {
	if o.Time > 0 {
		return o.Time
	}
	return longest
}

// Host is the program that records.
type Host struct {
	// Say reports an event, Progress what is going on until the next.
	Say      func(Event)
	Progress func(text string)
	// Enter has a value when the user ends a recording, Signals those of the system.
	Enter   <-chan struct{}
	Signals <-chan os.Signal
	// Interrupted returns the error after a signal. Exit ends the program at once.
	Interrupted func(os.Signal) error
	Exit        func(os.Signal)
	// Received uses a trace that is on this computer. It may say in Meta.Run that a run is
	// invalid.
	Received func(context.Context, *Trace) error
	// Compared compares the sides of Options.Compare after their runs.
	Compared func(context.Context) error
	// After is time.After, of the time of a recording, and DriveEnd the constant of that name. Tests,
	// which may be slow, wait for events as well.
	After    func(time.Duration) <-chan time.Time
	DriveEnd time.Duration
}

// Event is something that has happened. Facts are for programs, Text is for people and
// may be empty.
type Event struct {
	Step  string
	Text  string
	Facts map[string]any
}

// note reports a fact that a user should know.
func (h *Host) note(facts map[string]any, format string, values ...any) {
	h.Say(Event{"note", "Note    " + fmt.Sprintf(format, values...), facts})
}

// Trace is a received trace.
type Trace struct {
	// Name is the name of its files without extension.
	Name string
	Meta *meta.Meta
}

// Run records. An error after a signal is that of Host.Interrupted.
func Run(ctx context.Context, o Options, h *Host) error {
	return watched(ctx, h, func(ctx context.Context, stop *stopper) error {
		r, err := connect(ctx, o, h)
		if err == nil {
			err = r.check()
		}
		switch {
		case err != nil:
			return exit.With(exit.Device, err)
		case o.Runs > 0:
			return r.recordRuns(ctx, stop)
		}
		return r.record(ctx, stop, o.Name, nil)
	})
}

// record makes one recording. run is nil if it is the only one.
func (r *recorder) record(ctx context.Context, stop *stopper, name string, run *meta.Run) error {
	leave := fmt.Sprintf("The device ends the recording itself, %s after its begin at the latest.", trace.Duration(r.watchdog()))
	stop.set(false, leave)
	defer stop.set(false, "")
	s, err := r.begin(ctx)
	if err != nil {
		s.close(ctx)
		return exit.With(exit.Recording, err)
	}
	stop.set(true, leave)
	m := r.describe()
	m.Trace, m.Clock, m.Begun, m.Run = filepath.Base(name)+".ftrace", s.clock, s.begun, run
	size, err := s.recordUntilEnd(ctx, stop)
	if err != nil {
		s.close(ctx)
		return exit.With(exit.Recording, err)
	}
	s.receiveSamples(ctx, name)
	content, err := s.receive(ctx, size, name+".ftrace")
	if err == nil {
		err = s.keepSamples(name)
	} else {
		s.dropSamples()
	}
	s.close(ctx)
	stop.set(false, "")
	if err != nil {
		return exit.With(exit.Receiving, err)
	}
	m.Ended, m.Entries, m.Written, m.DebugUI = s.ended, content.entries, content.written, s.parameterTexts()
	m.Perf = s.describeSamples()
	switch {
	case run == nil && s.driveError != nil:
		r.note(map[string]any{"drive": s.driveError.Error()}, "the program of --drive failed: %v", s.driveError)
	case run == nil || run.Problem != "":
	case m.Perf != nil && m.Perf.Problem != "":
		run.Problem = m.Perf.Problem
	case s.driveError != nil:
		run.Problem = fmt.Sprintf("the program of --drive failed: %v", s.driveError)
	case m.Ended.Sub(m.Begun) < r.Time:
		run.Problem = "ended early"
	}
	if err := writeMeta(name, m); err != nil {
		return exit.With(exit.Receiving, err)
	}
	if err := r.Received(ctx, &Trace{name, m}); err != nil {
		r.note(map[string]any{"file": name + ".ftrace"}, "%s.ftrace was received completely", name)
		return exit.With(exit.Receiving, err)
	}
	if run != nil && run.Problem != "" {
		return exit.With(exit.Receiving, writeMeta(name, m))
	}
	return nil
}

// recordUntilEnd does what happens during a recording, ends it, and returns the size of
// the trace on the device. What it changes on the device, close undoes: that runs in all
// cases.
func (s *session) recordUntilEnd(ctx context.Context, stop *stopper) (int64, error) {
	r := s.r
	if r.Perf && !r.Launch {
		if err := s.sample(ctx); err != nil {
			return 0, err
		}
		s.counted = time.Now()
	}
	length, end := "up to "+longest.String(), "Enter or Ctrl-C ends it"
	if r.Time > 0 {
		length, end = r.Time.String(), "Enter or Ctrl-C ends it early"
	}
	r.Say(Event{
		"recording", fmt.Sprintf("Recording %s, buffer %d MB per CPU; %s", length, r.BufferKB/1024, end),
		map[string]any{"clock": s.clock, "buffer_kb": r.BufferKB},
	})
	if r.DebugUI {
		if err := s.setDebugUI(ctx); err != nil {
			return 0, err
		}
	}
	if r.Launch {
		if err := s.launch(ctx); err != nil {
			return 0, err
		}
	}
	drive := r.startDrive(ctx)
	size, err := int64(0), s.wait(ctx, stop, drive)
	drive.stop()
	if err == nil {
		size, err = s.finish(ctx)
	}
	if err == nil {
		err = s.endSamples(ctx)
	}
	s.driveError = r.awaitDrive(drive)
	return size, err
}

// wait waits until the time is over, the user ends the recording, or, in one of several runs, its
// program fails: the run is invalid then, and the rest of it would be of no use.
func (s *session) wait(ctx context.Context, stop *stopper, drive drive) error {
	end := s.r.After(s.r.max() - time.Since(s.counted))
	if s.r.Runs == 0 {
		drive.failed = nil
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.r.Progress(seconds(time.Since(s.begun)))
			continue
		case <-end:
		case <-s.r.Enter:
		case <-drive.failed:
		case <-stop.stopped.Done(): // also if ctx has ended
		}
		return context.Cause(ctx)
	}
}

// seconds formats a duration in seconds.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// writeMeta writes the description of a recording.
func writeMeta(name string, m *meta.Meta) error {
	name += meta.Extension
	f, err := atomicfile.Create(name, 0o666)
	if err != nil {
		return fileError(name, err)
	}
	defer f.Discard()
	if err = m.Write(f); err == nil {
		err = f.Commit()
	}
	return fileError(name, err)
}

// fileError names the file in errors of this computer.
func fileError(name string, err error) error {
	path := (*fs.PathError)(nil)
	if errors.As(err, &path) {
		return diag.New(err, "", "%s: %v", name, path.Err)
	}
	return err
}
