// Package convert makes Perfetto traces of whatever holds frames.
package convert

import (
	"bytes"
	"context"
	"io"

	"ohframe/analyzer/perfetto"
	"ohframe/exporter"
	"ohframe/internal/input"
)

// Convert reads the input in r and writes it to w as a Perfetto trace: a text
// trace with all that it holds, a dump with its frames. Summary.Totals is nil for
// a dump. The error is that of input.Read or exporter.Convert; an input that is a
// Perfetto trace already is an *input.Error.
func Convert(ctx context.Context, r io.Reader, w io.Writer, o exporter.Options) (summary *exporter.Summary, warnings []string, err error) {
	reader := input.NewReader(r)
	head := bytes.Clone(input.Peek(reader))
	switch {
	case perfetto.Sniff(head):
		return nil, nil, &input.Error{What: "a Perfetto trace already", Hint: "open it in ui.perfetto.dev as it is; ohframe report reads it too"}
	case !input.IsText(head):
		in, err := input.Read(ctx, reader, input.Options{Reader: o.Reader, Analyzer: o.Analyzer})
		if err != nil {
			return nil, nil, err
		}
		summary, err = exporter.ConvertTimeline(in.Timeline, w, o)
		return summary, in.Warnings, err
	}
	summary, err = exporter.Convert(ctx, reader, w, o)
	return summary, nil, input.CheckText(head, summary.Totals, err)
}
