//go:build !js

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ohframe/analyzer"
	"ohframe/internal/condition"
	"ohframe/internal/diff"
	"ohframe/internal/exit"
	"ohframe/internal/record"
	"ohframe/internal/text"
)

// compare compares the runs of two sides, as diff does: on standard output and as a page.
func (r *receiver) compare(ctx context.Context, o record.Options, failOn condition.Conditions) error {
	c := r.c.within(ctx) // which the signals end that record has
	apps := [2]string{o.Compare[0].App, o.Compare[1].App}
	options := diff.Options{FailOn: failOn, Process: func(p *analyzer.Process) bool { return isOf(apps[0], p) || isOf(apps[1], p) }}
	if apps[0] != apps[1] {
		options.Map = []diff.Mapping{{Base: apps[0], New: apps[1]}}
	}
	in := &reader{c: c, causes: true, interactions: true, layers: true, lacks: lacksFrames, process: options.Process}
	var names [2]string
	var inputs [2][]input
	for i, side := range o.Compare {
		var err error
		names[i] = filepath.Join(o.Name, side.Name)
		if inputs[i], err = expandInputs(c, names[i:i+1]); err != nil {
			return err
		}
	}
	d, err := compareInputs(c, inputs, names, in, options)
	if err != nil {
		return err
	}
	page := filepath.Join(o.Name, "diff.html")
	write := diff.WriteOptions{Gate: in.gate(d.Checks()), Skipped: in.skipped}
	err = writeOutputTo(c, page, func(w io.Writer, _ text.Style) error { return diff.Write(w, d, "html", write) })
	if err != nil {
		return err
	}
	r.event(record.Event{Step: "compared", Text: "Compared the runs; " + page, Facts: map[string]any{"base": names[0], "new": names[1], "page": page}})
	if !r.json {
		write.Style = styleOf(os.Stdout)
		if err := diff.Write(r.stdout, d, "table", write); err != nil {
			return fileError(outputName(standard), err)
		}
	}
	err = in.finish(d.Checks())
	if e := (*exit.Result)(nil); errors.As(err, &e) {
		e.Hint = "" // the hint names flags of diff
	}
	return err
}

// isOf reports whether a process is recorded if an application is: itself or render_service.
// The kernel keeps the end of a name.
func isOf(app string, p *analyzer.Process) bool {
	return app == "" || p.Name != "" && strings.HasSuffix(app, p.Name) || p.Name == "render_service"
}
