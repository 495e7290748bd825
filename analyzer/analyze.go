package analyzer

import (
	"context"
	"io"

	"ohframe/internal/source/hitrace"
)

// Analyze reads the text trace in r and returns its timeline, and the counts of lines
// that it read and skipped. It passes the events to the sinks, too. The error is that of
// hitrace.Run.
func Analyze(ctx context.Context, r io.Reader, reading hitrace.Options, options Options, sinks ...hitrace.Sink) (*Timeline, *hitrace.Totals, error) {
	input := NewInput(options)
	reading = reading.WithDefaults()
	totals, err := hitrace.Run(ctx, r, reading, append([]hitrace.Sink{input.sink(reading.Workers)}, sinks...)...)
	if err != nil {
		return nil, totals, err
	}
	timeline := input.Timeline()
	if !reading.Window.IsOpen() {
		timeline.Cut(reading.Window.Bounds(totals.Start))
	}
	return timeline, totals, nil
}

// sink returns the sink that builds the timeline of an input.
func (in *Input) sink(workers int) hitrace.Sink {
	builder := in.Begin()
	names := make([]Names, workers)
	return hitrace.Sink{
		Begin: func() { builder = in.Begin() },
		Track: func(_ int, batch *hitrace.Batch) {
			for i := range batch.Events {
				builder.Track(&batch.Events[i])
			}
		},
		Encode: func(worker int, block *hitrace.Batch) { names[worker].Read(block) },
		Write: func(worker int) error {
			in.Merge(&names[worker])
			return nil
		},
	}
}

// Read replaces the names with those in the events of a block.
func (n *Names) Read(block *hitrace.Batch) {
	n.Reset()
	for i := range block.Events {
		n.Add(&block.Events[i])
	}
}
