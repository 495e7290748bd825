// Package convert makes Perfetto traces of whatever holds frames.
package convert

import (
	"bytes"
	"context"
	"io"
	"slices"

	"ohframe/analyzer/perfetto"
	"ohframe/exporter"
	"ohframe/internal/container"
	"ohframe/internal/input"
)

// Convert reads the input in r and writes it to w as a Perfetto trace: a text
// trace with all that it holds, a dump with its frames. Summary.Totals is nil for
// a dump. The error is that of input.Read or exporter.Convert; an input that is a
// Perfetto trace already is an *input.Error.
func Convert(ctx context.Context, r io.Reader, w io.Writer, o exporter.Options) (summary *exporter.Summary, warnings []string, err error) {
	content, err := input.Open(ctx, r, o.Reader)
	if err != nil {
		return nil, nil, err
	}
	defer content.Close()
	head := bytes.Clone(content.Head())
	switch {
	case perfetto.Sniff(head):
		err = &input.Error{What: "a Perfetto trace already", Hint: "open it in ui.perfetto.dev as it is; ohframe report reads it too"}
	case !input.IsText(head):
		in, err := input.Read(ctx, content, input.Options{Reader: o.Reader, Analyzer: o.Analyzer})
		if err != nil {
			return nil, nil, err
		}
		summary, err = exporter.ConvertTimeline(ctx, in.Timeline, w, o)
		return summary, in.Warnings, err
	default:
		summary, err = convertText(ctx, content, head, w, o)
	}
	if err != nil {
		return nil, nil, input.Explain(content, err)
	}
	return summary, slices.Concat(summary.Totals.Warnings(), summary.Timeline.Diagnostics.Warnings(), summary.Over.Warnings(), content.Warnings()), nil
}

func convertText(ctx context.Context, content *container.Content, head []byte, w io.Writer, o exporter.Options) (*exporter.Summary, error) {
	if err := input.CheckHead(head); err != nil {
		return nil, err
	}
	o.Analyzer.Dump = content.Dump()
	summary, err := exporter.Convert(ctx, content, w, o)
	return summary, input.CheckText(head, summary.Totals, err)
}
