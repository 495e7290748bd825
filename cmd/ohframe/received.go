package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
	"ohframe/internal/report"
	"ohframe/internal/text"
)

// receiver uses the traces that record has received: it converts and reports one, and
// measures several.
type receiver struct {
	c *call
	*steps
	time   time.Duration // how long to record; zero if the user decides
	launch bool          // the application was started
	open   bool          // show the trace
}

func (r *receiver) received(ctx context.Context, t *record.Trace) error {
	c := r.c.within(ctx) // which the signals end that record has
	uses(c, t.Name+".ftrace")
	s, err := r.convert(c, t)
	if err != nil {
		return err
	}
	r.sayUnused(s, t.Meta)
	printWarnings(t.Name+".ftrace", diag.Texts(s.Warnings))
	app := ""
	if t.Meta.App != nil {
		app = t.Meta.App.Bundle
	}
	computed, err := await(ctx, func() (*stats.Report, error) {
		return stats.Compute(s.Timeline, stats.Options{Process: func(p *analyzer.Process) bool { return isOf(app, p) }}), nil
	})
	if err != nil {
		return err
	}
	r.sayLength(s.Timeline, t.Meta)
	if r.launch {
		r.sayLaunch(computed)
	}
	if t.Meta.Run != nil {
		if frames := r.sayFrames(s, computed, app, ""); frames == 0 {
			t.Meta.Run.Problem = "no frames of " + cmp.Or(app, "an application")
		}
		return nil
	}
	file := t.Name + ".ftrace"
	in := []report.Input{{Name: file, File: file, Stats: computed, Timeline: s.Timeline, Causes: s.Causes, Quality: s.Quality, Recording: report.NewRecording(t.Meta)}}
	err = writeOutputTo(c, t.Name+".html", func(w io.Writer, _ text.Style) error { return report.Write(w, in, "html", report.Options{}) })
	if err != nil {
		return err
	}
	r.sayFrames(s, computed, app, t.Name)
	if !r.json {
		err = report.Write(r.stdout, in, "table", report.Options{Style: styleOf(os.Stdout)})
		if err != nil {
			return fileError(outputName(standard), err)
		}
	}
	if r.open {
		return r.c.App.RunContext(ctx, []string{r.c.App.Name, "open", fmt.Sprintf("--quiet=%t", r.quiet), t.Name + ".pftrace"})
	}
	return nil
}

// convert converts NAME.ftrace to NAME.pftrace. One of several runs is only read.
func (r *receiver) convert(c *call, t *record.Trace) (s *ohframe.Summary, err error) {
	file, outName := t.Name+".ftrace", t.Name+".pftrace"
	in, err := openInput(c, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if t.Meta.Run != nil {
		return await(c.Context, func() (*ohframe.Summary, error) { return convertInto(c, file, in, io.Discard, outName, false) })
	}
	err = writeOutputTo(c, outName, func(out io.Writer, _ text.Style) (err error) {
		s, err = convertInto(c, file, in, out, outName, false)
		return err
	})
	return s, err
}

// sayUnused notes that the samples do not fit the trace. That makes a run invalid.
func (r *receiver) sayUnused(s *ohframe.Summary, m *meta.Meta) {
	i := slices.IndexFunc(s.Warnings, func(w trace.Warning) bool { return w.Code == trace.WarnSamples })
	if i < 0 {
		return
	}
	problem := s.Warnings[i].Text
	s.Warnings = slices.Delete(s.Warnings, i, i+1)
	r.event(record.Event{Step: "note", Text: "Note    " + problem, Facts: map[string]any{"samples": problem}})
	if m.Run != nil {
		m.Run.Problem = problem
	}
}

// sayLength says how much of the recorded time is in the trace.
func (r *receiver) sayLength(t *analyzer.Timeline, m *meta.Meta) {
	seconds := float64(t.Span.End.Sub(t.Span.Start)) / float64(trace.Second)
	recorded := m.Ended.Sub(m.Begun).Seconds()
	if r.time > 0 {
		recorded = min(recorded, r.time.Seconds())
	}
	complete := "complete"
	switch {
	case m.Written > m.Entries:
		lost := float64(m.Written-m.Entries) / float64(m.Written)
		complete = fmt.Sprintf("its start is lost: %.1f s, %.0f %% of the events; use a larger buffer (-b %dM) or fewer tags (sched takes most)",
			math.Max(0, recorded-seconds), 100*lost, min(2*m.BufferKB, device.MaxBuffer(&m.Device))/1024)
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

// sayLaunch says how long the launch took, and whether the trace has its first frame.
func (r *receiver) sayLaunch(computed *stats.Report) {
	i := slices.IndexFunc(computed.Interactions, func(i *stats.Interaction) bool { return i.Source.Kind == analyzer.LaunchInteraction })
	if i < 0 {
		return // older systems do not mark it
	}
	l := computed.Interactions[i]
	facts := map[string]any{"launch": l.Scene, "response_ms": l.Response}
	what := "its first frame is not in the trace; record longer (-t)"
	if l.Response != nil {
		what = fmt.Sprintf("first frame shown %s ms after its begin", text.Number(*l.Response, 1))
	}
	r.event(record.Event{Step: "launch", Text: fmt.Sprintf("Launch  %s: %s", l.Scene, what), Facts: facts})
}

// sayFrames says how many frames were late, and whether that can be trusted. name is the
// name of the converted files, or empty without any. It returns the number of frames of
// applications.
func (r *receiver) sayFrames(s *ohframe.Summary, computed *stats.Report, app, name string) (frames int) {
	judged, late := 0, 0
	for _, p := range computed.Processes {
		if p.Kind == stats.Application {
			frames, judged, late = frames+p.Frames.Complete, judged+p.Frames.Judged, late+p.Frames.Late
		}
	}
	facts := map[string]any{"frames": frames, "judged": judged, "late": late, "quality": s.Quality.Verdict}
	files := ""
	if s.Quality.Verdict != stats.Good {
		files = "; data quality: " + string(s.Quality.Verdict)
	}
	if name != "" {
		facts["trace"], facts["report"] = name+".pftrace", name+".html"
		files += fmt.Sprintf("; %s.pftrace, %s.html", name, name)
	}
	var rate *float64
	if judged > 0 {
		rate = new(float64)
		*rate = float64(late) / float64(judged)
		facts["jank_rate"] = *rate
	}
	what := fmt.Sprintf("Jank    %s: %d late of %s%s", text.Share(rate), late, text.Count(judged, "judged frame"), files)
	if frames == 0 {
		what = fmt.Sprintf("Frames  none of %s: was the screen on, and did anything move?%s", cmp.Or(app, "applications"), otherApps(s.Timeline))
	}
	r.event(record.Event{Step: "frames", Text: what, Facts: facts})
	return frames
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
