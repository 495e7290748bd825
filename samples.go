package ohframe

import (
	"context"
	"errors"
	"io"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/source/unpack"
)

// samplesInput is where the samples of a text come from: the options, or the binary trace of
// the text.
type samplesInput struct {
	read     func() (*sample.Recording, error) // nil if there can be none
	required bool                              // it is an error if they do not fit
}

// samples returns where the samples of the text come from.
func (t *textInput) samples(ctx context.Context, o *Options) samplesInput {
	options := perfdata.Options{Limits: o.Limits}
	switch {
	case o.Samples.Input != nil:
		return samplesInput{func() (*sample.Recording, error) { return readSamples(ctx, o, options) }, !o.Samples.Optional}
	case t.binary != nil && !o.Samples.None:
		return samplesInput{func() (*sample.Recording, error) { return t.contained(options) }, false}
	}
	return samplesInput{}
}

// readSamples reads the recording of the options, which may be in containers.
func readSamples(ctx context.Context, o *Options, options perfdata.Options) (*sample.Recording, error) {
	content, err := unpack.Open(ctx, o.Samples.Input, unpack.Options{Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if !perfdata.Sniff(content.Head()) && !perfdata.SniffStacks(content.Head()) {
		return nil, &diag.Error{What: "not a recording of hiperf", Hint: "perf.data is the file that hiperf record writes"}
	}
	file, size, err := content.File("recording")
	if err != nil {
		return nil, err
	}
	rec, err := analysis.ReadSamples(file, size, options)
	if err != nil {
		return nil, content.Explain(err)
	}
	rec.Warnings = append(rec.Warnings, content.Warnings()...)
	return rec, nil
}

// ReadStacks reads the stacks of a main thread in r, without a trace: what MAIN_THREAD_JANK and APP_FREEZE
// deliver. The error is that of Read; ErrNotATrace if r has no stacks.
func ReadStacks(ctx context.Context, r io.Reader, o Options) (*why.Stacks, []trace.Warning, error) {
	content, err := unpack.Open(ctx, r, unpack.Options{Limits: o.Limits, Entry: o.Entry.Name})
	if err != nil {
		return nil, nil, asError(err)
	}
	defer content.Close()
	if !perfdata.SniffStacks(content.Head()) {
		return nil, nil, asError(notATrace("", ""))
	}
	file, size, err := content.File("stacks")
	if err != nil {
		return nil, nil, asError(err)
	}
	rec, err := analysis.ReadSamples(file, size, perfdata.Options{Limits: o.Limits})
	if err != nil {
		return nil, nil, asError(content.Explain(err))
	}
	s := analysis.Stacks(rec)
	if s == nil {
		return nil, nil, &Error{What: "no stacks", Err: ErrNotATrace}
	}
	return s, append(rec.Warnings, content.Warnings()...), nil
}

// contained reads the recording in the binary trace, which was read to its end: the first one of
// hiperf, else the profiles of ArkTS. hiperf has samples of all threads. It is nil if there is none.
func (t *textInput) contained(options perfdata.Options) (*sample.Recording, error) {
	scripts, err := analysis.ReadScripts(t.file, t.scripts(), options)
	if err != nil {
		return nil, err
	}
	list := t.binary.Recordings()
	if len(list) == 0 {
		if len(scripts.Samples) == 0 && len(scripts.Warnings) == 0 {
			return nil, nil // the plugin may have other data
		}
		return scripts, nil
	}
	rec, err := analysis.ReadSamples(io.NewSectionReader(t.file, list[0].At, list[0].Size), list[0].Size, options)
	if err == nil && len(scripts.Samples) > 0 {
		text := diag.Count(len(scripts.Samples), "sample") + " of ArkTS not used: hiperf has samples of the same time"
		rec.Warnings = append(rec.Warnings, trace.Warning{Code: trace.WarnSkipped, Count: len(scripts.Samples), Text: text})
	}
	return rec, err
}

// scripts returns where the profiles of ArkTS are in the binary trace.
func (t *textInput) scripts() perfdata.Scripts {
	s := t.binary.Scripts()
	return perfdata.Scripts{PID: s.PID, Interval: s.Interval, Messages: func(yield func(at, size int64) bool) {
		for _, m := range s.Messages {
			if !yield(m.At, m.Size) {
				return
			}
		}
	}}
}

// check returns the error of reading a text and its samples.
func (s *samplesInput) check(r *analysis.Result, err error) error {
	if err != nil || r.Refused == nil || !s.required {
		return err
	}
	refused := &Error{What: r.Refused.Error(), Err: ErrSamples} // not a diag.Error, to which the containers of the trace are added
	if e := (*Error)(nil); errors.As(asError(r.Refused), &e) {
		refused.What, refused.Hint = e.What, e.Hint
	}
	return refused
}

// warnings says what of the samples was skipped, and why those that are not required are not used.
func (s *samplesInput) warnings(r *analysis.Result) []trace.Warning {
	if r.Refused != nil {
		return []trace.Warning{{Code: trace.WarnSamples, Text: diag.SamplesUnused + ": " + r.Refused.Error()}}
	}
	said := r.Warnings
	if r.Samples != nil {
		said = r.Samples.Warnings
	}
	var list []trace.Warning
	for _, w := range said {
		w.Text = diag.OfSamples + w.Text
		list = append(list, w)
	}
	return list
}
