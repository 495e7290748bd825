package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
	"ohframe/internal/report"
	"ohframe/internal/serve"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
	"ohframe/internal/ui"
	"ohframe/internal/version"
)

// recording runs a plan.
type recording struct {
	*plan
	*steps
	command  *cli.Context
	stopping *stopping
	recorder *record.Recorder
	input    <-chan string // lines of standard input
	timeline *analyzer.Timeline
	causes   *why.Causes
	main     string // the application of several runs; empty before the first
}

// readLines returns the lines of a reader.
func readLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
		// At the end of the input the recording goes on: it may be /dev/null.
	}()
	return lines
}

// recordOnce makes one recording.
func (r *recording) recordOnce(ctx context.Context) error {
	s, err := r.begin(ctx, r.describeLength())
	if err != nil {
		return err
	}
	var size int64
	err = func() error {
		if r.Launch {
			if err := r.launch(ctx, s); err != nil {
				return err
			}
		}
		if err := r.waitForEnd(ctx, s); err != nil {
			return err
		}
		size, err = r.finish(ctx, s)
		return err
	}()
	if err != nil {
		r.end(ctx, s)
		return withCode(exitRecord, err)
	}
	m, err := r.receive(ctx, s, s.TraceFile(), size, r.name)
	if err != nil {
		return withCode(exitReceive, err)
	}
	return withCode(exitReceive, r.convertAndReport(ctx, r.name, m))
}

func (r *recording) describeLength() string {
	length, end := "up to "+shortTime(r.Max), "Enter or Ctrl-C ends it"
	switch {
	case r.time > 0:
		length, end = shortTime(r.time), "Enter or Ctrl-C ends it early"
	case r.drive != "":
		length, end = "until --drive ends", "Ctrl-C makes this run the last"
	}
	return fmt.Sprintf("Recording %s, buffer %d MB per CPU; %s", length, r.recorder.BufferKB/1024, end)
}

// shortTime formats a duration: 2.5 s, and without zero minutes and seconds, 5m, not 5m0s.
func shortTime(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%g s", d.Seconds())
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// begin begins a recording.
func (r *recording) begin(ctx context.Context, what string) (*record.Session, error) {
	r.stopping.prepare(fmt.Sprintf("The device ends the recording itself, %s after its begin at the latest.", shortTime(r.recorder.Watchdog())))
	s, err := r.recorder.Begin(ctx)
	if err != nil {
		if s != nil {
			s.Close(ctx)
		}
		r.stopping.end()
		return nil, withCode(exitRecord, err)
	}
	r.stopping.begin()
	r.event(record.Event{Step: "recording", Text: what, Facts: map[string]any{"clock": s.Clock, "buffer_kb": r.recorder.BufferKB}})
	return s, nil
}

// end cleans the device. Only a second Ctrl-C discards a trace that the device has written.
func (r *recording) end(ctx context.Context, s *record.Session) {
	if signalled := (interruption{}); errors.As(context.Cause(ctx), &signalled) && signalled.signal == syscall.SIGINT {
		s.Discard()
	}
	s.Close(ctx)
	r.stopping.end()
}

func (r *recording) launch(ctx context.Context, s *record.Session) error {
	if err := s.StartApp(ctx); err != nil {
		return err
	}
	r.event(record.Event{Step: "launched", Text: "Started " + r.recorder.App, Facts: map[string]any{"bundle": r.recorder.App}})
	return nil
}

// pause waits. The error is the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waitForEnd waits until the time is over or the user ends the recording.
func (r *recording) waitForEnd(ctx context.Context, s *record.Session) error {
	defer r.endLine()
	end := time.After(r.Max - time.Since(s.Begun))
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.live("%.1f s", time.Since(s.Begun).Seconds())
		case <-end:
			return nil
		case <-r.input:
			return nil
		case <-r.stopping.stop:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// finish ends a recording.
func (r *recording) finish(ctx context.Context, s *record.Session) (int64, error) {
	start := time.Now()
	r.live("reading the buffer on the device")
	size, err := s.Finish(ctx)
	if err == nil {
		r.event(record.Event{
			Step: "finished", Text: fmt.Sprintf("Stopped after %s. The device read the buffer in %s.", tenths(s.Ended.Sub(s.Begun)), tenths(time.Since(start))),
			Facts: map[string]any{"bytes": size},
		})
	}
	return size, err
}

// tenths formats a duration in seconds.
func tenths(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// receive copies the trace of a finished recording, cleans the device, and writes the
// description of the recording.
func (r *recording) receive(ctx context.Context, s *record.Session, remote string, size int64, name string) (*meta.Meta, error) {
	content, err := r.receiveFile(ctx, s, remote, size, name+".ftrace")
	r.end(ctx, s)
	if err != nil {
		return nil, err
	}
	m := r.describe(s, content, name)
	return m, r.writeMeta(ctx, name, m)
}

// writeMeta writes the description of a received trace, even if ctx has ended.
func (r *recording) writeMeta(ctx context.Context, name string, m *meta.Meta) error {
	return r.write(context.WithoutCancel(ctx), name+meta.Extension, m.Write)
}

func (r *recording) receiveFile(ctx context.Context, s *record.Session, remote string, size int64, file string) (*record.Content, error) {
	start := time.Now()
	content, err := s.Receive(ctx, remote, size, file, func(bytes int64) {
		r.live("%.1f of %.1f MB", float64(bytes)/1e6, float64(size)/1e6)
	})
	if err != nil {
		return nil, fileErrorUnlessDevice(file, err)
	}
	uses(r.command, file)
	if content.Cut {
		r.event(record.Event{Step: "note", Text: "Note    the trace ends in the middle of a line: the device did not write all of it", Facts: map[string]any{"cut": true}})
	}
	r.event(record.Event{
		Step: "received", Text: fmt.Sprintf("Received %.1f MB in %s.", float64(size)/1e6, tenths(time.Since(start))),
		Facts: map[string]any{"bytes": size, "file": file},
	})
	return content, nil
}

// fileErrorUnlessDevice names the file in errors of this computer.
func fileErrorUnlessDevice(file string, err error) error {
	if described(err) != nil || errors.As(err, &interruption{}) {
		return err
	}
	return fileError(file, err)
}

func (r *recording) describe(s *record.Session, content *record.Content, name string) *meta.Meta {
	m := r.recorder.Meta()
	m.Trace, m.Ohframe, m.Clock = filepath.Base(name)+".ftrace", version.String(), s.Clock
	m.Begun, m.Ended = s.Begun, s.Ended
	m.Entries, m.Written = content.Entries, content.Written
	return m
}

// convertAndReport converts a received trace, and reports its frames.
func (r *recording) convertAndReport(ctx context.Context, name string, m *meta.Meta) error {
	in, err := r.convertAndMeasure(ctx, name, m)
	if err != nil {
		file := name + ".ftrace"
		r.event(record.Event{Step: "note", Text: "Note    " + file + " was received completely", Facts: map[string]any{"file": file}})
		return err
	}
	if r.json {
		return nil
	}
	return fileError(outputName(standard), report.Write(r.stdout, in, "table", report.Options{Style: tableStyle(term.IsTerminal(int(os.Stdout.Fd())))}))
}

// convertAndMeasure writes NAME.pftrace and NAME.html, and returns the report.
func (r *recording) convertAndMeasure(ctx context.Context, name string, m *meta.Meta) ([]report.Input, error) {
	if err := r.convert(ctx, name, m); err != nil {
		return nil, err
	}
	t, err := r.readBack(ctx, name, m)
	if err != nil {
		return nil, err
	}
	timeline := t.Timeline
	r.timeline, r.causes = timeline, t.Causes
	r.sayLength(timeline, m)
	computed, err := await(ctx, func() (*stats.Report, error) {
		return stats.Compute(timeline, stats.Options{Process: r.isReported}), nil
	})
	if err != nil {
		return nil, err
	}
	q := quality.Of(t.Timeline, t.Lines, causetext.Warnings(t.Causes))
	in := []report.Input{{Name: name + ".ftrace", File: name + ".ftrace", Stats: computed, Timeline: timeline, Causes: t.Causes, Quality: q, Recording: report.NewRecording(m)}}
	err = r.write(ctx, name+".html", func(w io.Writer) error { return report.Write(w, in, "html", report.Options{}) })
	if err != nil {
		return nil, err
	}
	r.sayFrames(timeline, computed, q, name)
	return in, nil
}

// convert converts NAME.ftrace to NAME.pftrace.
func (r *recording) convert(ctx context.Context, name string, m *meta.Meta) error {
	in, err := openInput(ctx, name+".ftrace")
	if err != nil {
		return err
	}
	defer in.Close()
	options := ohframe.ConvertOptions{Input: filepath.Base(name) + ".ftrace", Version: version.String(), Attributes: attributesOf(m)}
	inputs.UseRecorded(m, &options.Options, false)
	withCauses(&options.Options)
	return r.write(ctx, name+".pftrace", func(w io.Writer) error {
		_, err := ohframe.Convert(ctx, in, w, options)
		if err != nil && !isWriteError(err) {
			return fileError(name+".ftrace", err)
		}
		return err
	})
}

// readBack reads a received trace, and prints its warnings.
func (r *recording) readBack(ctx context.Context, name string, m *meta.Meta) (*ohframe.Trace, error) {
	in, err := openInput(ctx, name+".ftrace")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var options ohframe.Options
	inputs.UseRecorded(m, &options, false)
	withCauses(&options)
	t, err := ohframe.Read(ctx, in, options)
	if err != nil {
		return nil, fileError(name+".ftrace", err)
	}
	printWarnings(name+".ftrace", t.Warnings)
	return t, nil
}

// write writes a file, which appears completely or not at all.
func (r *recording) write(ctx context.Context, name string, write func(io.Writer) error) error {
	out, err := createOutput(r.command, name)
	if err != nil {
		return err
	}
	return writeTo(ctx, out, name, write)
}

// isReported selects the processes of the report: with --app only that application and
// render_service. The kernel keeps the end of a name.
func (r *recording) isReported(p *analyzer.Process) bool {
	app := r.recorder.App
	return app == "" || p.Name != "" && strings.HasSuffix(app, p.Name) || p.Name == "render_service"
}

// sayLength says how much of the recorded time is in the trace.
func (r *recording) sayLength(t *analyzer.Timeline, m *meta.Meta) {
	seconds := float64(t.Span.End.Sub(t.Span.Start)) / float64(trace.Second)
	recorded := m.Ended.Sub(m.Begun).Seconds()
	if r.time > 0 {
		recorded = min(recorded, r.time.Seconds())
	}
	complete := "complete"
	switch {
	case r.ring:
		complete = "the last of the recording"
	case m.Written > m.Entries:
		lost := float64(m.Written-m.Entries) / float64(m.Written)
		complete = fmt.Sprintf("its start is lost: %.1f s, %.0f %% of the events; use a larger buffer (-b %dM) or fewer tags (sched takes most)",
			math.Max(0, recorded-seconds), 100*lost, min(2*r.recorder.BufferKB, device.MaxBufferKB)/1024)
	case recorded-seconds > max(0.1*recorded, 0.2):
		complete = fmt.Sprintf("no events in the rest of the %.1f s recorded", recorded)
	}
	r.event(record.Event{
		Step: "trace", Text: fmt.Sprintf("Trace   %.1f s, %s; clock %s", seconds, complete, cmp.Or(m.Clock, "unknown")),
		Facts: map[string]any{
			"file": m.Trace, "seconds": seconds, "recorded_seconds": recorded, "clock": m.Clock,
			"entries": m.Entries, "written": m.Written, "complete": m.Written <= m.Entries,
		},
	})
}

// sayFrames says how many frames were late, and whether that can be trusted. name is the
// name of the converted files, or empty without any.
func (r *recording) sayFrames(t *analyzer.Timeline, computed *stats.Report, q *quality.Quality, name string) {
	frames, deadlines, late := 0, 0, 0
	for _, p := range computed.Processes {
		if p.Kind == stats.Application {
			frames, deadlines, late = frames+p.Frames.Complete, deadlines+p.Frames.WithDeadline, late+p.Frames.Late
		}
	}
	facts := map[string]any{"frames": frames, "with_deadline": deadlines, "late": late, "quality": q.Verdict}
	files := ""
	if q.Verdict != quality.Good {
		files = "; data quality: " + string(q.Verdict)
	}
	if name != "" {
		facts["trace"], facts["report"] = name+".pftrace", name+".html"
		files += fmt.Sprintf("; %s.pftrace, %s.html", name, name)
	}
	if frames == 0 {
		what := "of applications"
		if r.recorder.App != "" {
			what = "of " + r.recorder.App
		}
		r.event(record.Event{Step: "frames", Text: "Frames  none " + what + ": was the screen on, and did anything move?" + otherApps(t), Facts: facts})
		return
	}
	var rate *float64
	if deadlines > 0 {
		rate = new(float64)
		*rate = float64(late) / float64(deadlines)
		facts["jank_rate"] = *rate
	}
	r.event(record.Event{Step: "frames", Text: fmt.Sprintf("Jank    %s: %d late of %s with a deadline%s", text.Share(rate), late, text.Count(deadlines, "frame"), files), Facts: facts})
}

// otherApps names the applications that made frames.
func otherApps(t *analyzer.Timeline) string {
	var names []string
	list, counts := t.ProcessCounts()
	for _, p := range list {
		if p.Name != "render_service" && counts[p].Frames > 0 {
			names = append(names, text.Printable(p.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Frames of: " + strings.Join(names, ", ")
}

// openInUI shows the converted trace as "ohframe open" does.
func (r *recording) openInUI(ctx context.Context) error {
	listener, err := listen(serve.Port)
	if err != nil {
		return err
	}
	defer listener.Close()
	file, err := os.Open(r.name + ".pftrace")
	if err != nil {
		return fileError(r.name+".pftrace", err)
	}
	defer file.Close()
	address, err := serve.ParseUI(ui.Public)
	if err != nil {
		return err
	}
	v := viewer{listener: listener, ui: address, timeout: openTimeout, quiet: r.quiet}
	return v.show(ctx, filepath.Base(file.Name()), file, r.timeline, r.causes)
}

// openTimeout is the default of "ohframe open --timeout".
const openTimeout = 5 * time.Minute
