package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"ohframe/analyzer/stats"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/record"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// recordRing records until the user ends it. Each Enter saves what is in the buffer.
func (r *recording) recordRing(ctx context.Context) error {
	s, err := r.begin(ctx, fmt.Sprintf("Recording for at most %s, buffer %d MB per CPU; Enter saves the last seconds, q and Enter ends", shortTime(r.Max), r.recorder.BufferKB/1024))
	if err != nil {
		return err
	}
	defer r.end(ctx, s)
	end := time.After(r.Max - time.Since(s.Begun))
	for n := 1; ; {
		select {
		case line := <-r.input:
			if strings.TrimSpace(line) == "q" {
				return nil
			}
			if err := r.save(ctx, s, n); err != nil {
				return err
			}
			n++
		case <-end:
			return nil
		case <-r.stopping.stop:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// save writes what is in the buffer to NAME-n.ftrace and the files beside it.
func (r *recording) save(ctx context.Context, s *record.Session, n int) error {
	name := ringName(r.name, n)
	if err := r.checkOutputs(name); err != nil {
		return withCode(exitReceive, err)
	}
	remote, size, err := s.Dump(ctx, n)
	if err != nil {
		return withCode(exitRecord, err)
	}
	content, err := r.receiveFile(ctx, s, remote, size, name+".ftrace")
	if err == nil {
		err = s.Remove(ctx, remote)
	}
	if err != nil {
		return withCode(exitReceive, err)
	}
	m := r.describe(s, content, name)
	m.Ended = time.Now()
	if err := r.writeMeta(ctx, name, m); err != nil {
		return withCode(exitReceive, err)
	}
	return withCode(exitReceive, r.convertAndReport(ctx, name, m))
}

func ringName(name string, n int) string { return name + "-" + strconv.Itoa(n) }

// hot is the temperature in °C from which on phones slow down. A run that begins
// above it is invalid. Unverified.
const hot = 42

// attempts is how often a run whose command fails is tried.
const attempts = 3

// recordRuns makes the runs, one folder with a trace and its description for each,
// and reports what they have in common.
func (r *recording) recordRuns(ctx context.Context) error {
	if err := os.Mkdir(r.name, 0o777); err != nil && !(r.Force && errors.Is(err, os.ErrExist)) {
		return withCode(exitUsage, fileError(r.name, err))
	}
	defer os.Remove(r.name) // fails unless it is empty
	spreads := newSpreads()
	left := []leftOut{}
	for n := 1; n <= r.runs && !r.stopping.isStopped(); n++ {
		if n > 1 {
			if err := r.recorder.Probe(ctx); err != nil {
				return withCode(exitDevice, err)
			}
		}
		r.event(record.Event{Step: "run", Text: fmt.Sprintf("Run %d of %d", n, r.runs), Facts: map[string]any{"run": n}})
		run := &meta.Run{Number: n, Cold: n == 1 && r.runs > 1 && !r.cold}
		p, err := r.run(ctx, run)
		if err != nil {
			return err
		}
		switch {
		case run.Problem != "":
			left = append(left, leftOut{n, "invalid"})
			r.event(record.Event{Step: "note", Text: fmt.Sprintf("Note    run %d is invalid: %s", n, run.Problem), Facts: map[string]any{"run": n, "problem": run.Problem}})
		case run.Cold:
			left = append(left, leftOut{n, "cold"})
		default:
			spreads.add(p)
		}
	}
	return r.sayRuns(spreads, left)
}

// leftOut is a run that is not in the summary.
type leftOut struct {
	Run    int    `json:"run"`
	Reason string `json:"reason"` // "cold" or "invalid"
}

// run makes one run and returns the measures of its application.
func (r *recording) run(ctx context.Context, run *meta.Run) (*stats.Process, error) {
	name := filepath.Join(r.name, fmt.Sprintf("%0*d", len(strconv.Itoa(r.runs)), run.Number))
	for try := 1; ; try++ {
		run.Commands, run.Problem = nil, ""
		s, size, err := r.attempt(ctx, run)
		failed := (*record.CommandError)(nil)
		if errors.As(err, &failed) && try < attempts && !r.stopping.isStopped() {
			r.event(record.Event{Step: "note", Text: fmt.Sprintf("Note    run %d is repeated: %v", run.Number, err), Facts: map[string]any{"run": run.Number, "problem": err.Error()}})
			continue
		}
		if err != nil {
			return nil, withCode(exitRecord, err)
		}
		return r.keepRun(ctx, s, size, name, run)
	}
}

// attempt makes one recording, during which the user's command runs. If it fails, the
// device is cleaned.
func (r *recording) attempt(ctx context.Context, run *meta.Run) (*record.Session, int64, error) {
	s, err := r.begin(ctx, r.describeLength())
	if err != nil {
		return nil, 0, err
	}
	size, err := func() (int64, error) {
		if r.Launch {
			if err := r.launch(ctx, s); err != nil {
				return 0, err
			}
		}
		if err := r.runDrive(ctx, run); err != nil {
			return 0, err
		}
		if r.time > 0 {
			if err := r.waitForEnd(ctx, s); err != nil {
				return 0, err
			}
			if time.Since(s.Begun) < r.time {
				run.Problem = "ended early"
			}
		} else if err := pause(ctx, afterDrive); err != nil {
			return 0, err
		}
		return r.finish(ctx, s)
	}()
	if err != nil {
		r.end(ctx, s)
		return nil, 0, err
	}
	return s, size, nil
}

// afterDrive is the time between the end of --drive and that of the recording, so that
// its last frames are complete.
const afterDrive = 300 * time.Millisecond

// maxOutput is the number of bytes that are kept of what a command printed.
const maxOutput = 4 << 10

// runDrive runs the command of --drive, if it is given.
func (r *recording) runDrive(ctx context.Context, run *meta.Run) error {
	if r.drive == "" {
		return nil
	}
	start := time.Now()
	output, err := "", error(nil)
	if local, ok := strings.CutPrefix(r.drive, "host:"); ok {
		output, err = runLocally(ctx, local)
	} else {
		output, err = r.recorder.Run(ctx, r.Max, r.drive)
	}
	output = strings.ToValidUTF8(output[:min(len(output), maxOutput)], "")
	run.Commands = append(run.Commands, meta.Command{Step: "drive", Command: r.drive, Output: output, Seconds: time.Since(start).Seconds()})
	if failed := (*record.CommandError)(nil); errors.As(err, &failed) {
		return &record.CommandError{Err: fmt.Errorf("--drive failed: %w", err)}
	}
	return err
}

func runLocally(ctx context.Context, command string) (string, error) {
	shell := []string{"sh", "-c", command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c", command}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	cmd.Cancel = func() error { return hdc.Kill(cmd.Process) }
	err := hdc.RunAlone(cmd)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return out.String(), &record.CommandError{Err: err}
	}
	return out.String(), nil
}

// keepRun receives the trace of a run, writes its description, and measures it.
func (r *recording) keepRun(ctx context.Context, s *record.Session, size int64, name string, run *meta.Run) (*stats.Process, error) {
	m, err := r.receive(ctx, s, s.TraceFile(), size, name)
	if err != nil {
		return nil, withCode(exitReceive, err)
	}
	m.Run = run
	if m.Device.Temperature > hot {
		run.Problem = fmt.Sprintf("the device was hot: %.0f °C", m.Device.Temperature)
	}
	read, err := r.readBack(ctx, name, m)
	if err != nil {
		return nil, withCode(exitReceive, err)
	}
	t := read.Timeline
	r.sayLength(t, m)
	computed, err := await(ctx, func() (*stats.Report, error) {
		return stats.Compute(t, stats.Options{Process: r.isReported}), nil
	})
	if err != nil {
		return nil, err
	}
	r.sayFrames(t, computed, quality.Of(read.Timeline, read.Lines, causetext.Warnings(read.Causes)), "")
	p := r.mainApplication(computed)
	if p == nil {
		run.Problem = "no frames of " + cmp.Or(r.main, r.recorder.App, "an application")
	}
	return p, withCode(exitReceive, r.writeMeta(ctx, name, m))
}

// mainApplication returns the application with the most frames in the first run, and
// the same application in later ones; nil if it has no frames.
func (r *recording) mainApplication(computed *stats.Report) (main *stats.Process) {
	for _, p := range computed.Processes {
		if p.Kind != stats.Application || p.Frames.Complete == 0 || r.main != "" && p.Name != r.main {
			continue
		}
		if main == nil || p.Frames.Complete > main.Frames.Complete {
			main = p
		}
	}
	if main != nil {
		r.main = main.Name
	}
	return main
}

// spreads are the values of the main measures in all runs.
type spreads struct {
	measures []stats.Measure
	values   [][]float64
	name     string
	runs     int
}

func newSpreads() *spreads {
	s := &spreads{}
	for _, m := range stats.Measures {
		if m.Main {
			s.measures = append(s.measures, m)
		}
	}
	s.values = make([][]float64, len(s.measures))
	return s
}

func (s *spreads) add(p *stats.Process) {
	s.name = p.Name
	s.runs++
	for i, m := range s.measures {
		if v := m.Value(p); v != nil {
			s.values[i] = append(s.values[i], *v)
		}
	}
}

// sayRuns prints the summary of all runs but those that are left out.
func (r *recording) sayRuns(s *spreads, left []leftOut) error {
	if s.name == "" {
		return withCode(exitRecord, &failure{what: "no run is valid", hint: "the notes above say why"})
	}
	t := text.NewTable(text.Ink(term.IsTerminal(int(os.Stdout.Fd()))), "Measure", "Median →", "Min →", "Max →", "95 % interval →", "Runs →")
	summary := map[string]record.Spread{}
	for i, m := range s.measures {
		if len(s.values[i]) == 0 {
			continue
		}
		spread := record.NewSpread(s.values[i])
		summary[m.Name] = spread
		interval := text.Unknown
		if spread.Interval != nil {
			interval = formatMeasure(m, spread.Interval[0]) + " – " + formatMeasure(m, spread.Interval[1])
		}
		t.AppendRow(text.Row{m.Label, formatMeasure(m, spread.Median), formatMeasure(m, spread.Min), formatMeasure(m, spread.Max), interval, spread.Runs})
	}
	r.event(record.Event{Step: "summary", Facts: map[string]any{"process": s.name, "folder": r.name, "measures": summary, "left_out": left}})
	if r.json {
		return nil
	}
	head := fmt.Sprintf("%s, %s in %s", text.Printable(s.name), text.Count(s.runs, "run"), text.Printable(r.name))
	for i, l := range left {
		head += []string{"; left out: ", ", "}[min(i, 1)] + fmt.Sprintf("run %d (%s)", l.Run, l.Reason)
	}
	_, err := fmt.Fprintf(r.stdout, "%s\n%s\n", head, t.Render())
	return fileError(outputName(standard), err)
}

// formatMeasure formats a value of a measure; shares are in percent.
func formatMeasure(m stats.Measure, v float64) string {
	if m.Unit == stats.Share {
		return text.Share(&v)
	}
	return text.Number(v, 2)
}
