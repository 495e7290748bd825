// Package exporter writes frames as Perfetto traces. ohframe.Convert also writes the
// events of a text trace; this package writes a Timeline from any source.
package exporter

import (
	"context"
	"io"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
)

// Options decide what is written about the conversion.
type Options struct {
	// Input is the name of the input and Version that of the program. Perfetto's
	// overview page shows them.
	Input, Version string
	// Attributes are further facts about the trace, by name, which that page shows too:
	// the device that recorded it, for example.
	Attributes map[string]string
}

// Write writes a timeline to w as a Perfetto trace. causes are the causes of its late
// frames, or nil. The same arguments give the same bytes. The error is that of w or ctx;
// after an error the output is unusable.
func Write(ctx context.Context, w io.Writer, t *analyzer.Timeline, causes *why.Causes, o Options) error {
	_, err := pftrace.ConvertTimeline(ctx, t, causes, w, pftrace.Options{
		Input: o.Input, Version: o.Version, Attributes: o.Attributes,
	})
	return err
}
