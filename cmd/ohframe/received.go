//go:build !js

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/record"
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
	record.SayLength(r.event, s.Timeline, t.Meta, r.time)
	if r.launch {
		record.SayLaunch(r.event, computed)
	}
	if t.Meta.Run != nil {
		if frames := record.SayFrames(r.event, s.Timeline, s.Quality, computed, app, ""); frames == 0 {
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
	record.SayFrames(r.event, s.Timeline, s.Quality, computed, app, t.Name)
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
		return await(c.Context, func() (*ohframe.Summary, error) { return convertInto(c, inputOf(file), in, io.Discard, outName, false) })
	}
	err = writeOutputTo(c, outName, func(out io.Writer, _ text.Style) (err error) {
		s, err = convertInto(c, inputOf(file), in, out, outName, false)
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
