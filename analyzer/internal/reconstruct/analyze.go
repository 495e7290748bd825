package reconstruct

import (
	"context"
	"io"

	"ohframe/analyzer"
	"ohframe/internal/source/hitrace"
)

// Analyze reads the text trace in r and returns its timeline, and the counts of lines
// that it read and skipped. It passes the events to the sinks, too. The error is that of
// hitrace.Run.
func Analyze(ctx context.Context, r io.Reader, reading hitrace.Options, options Options, sinks ...hitrace.Sink) (*analyzer.Timeline, *hitrace.Totals, error) {
	in := newInput(options)
	reading = reading.WithDefaults()
	totals, err := hitrace.Run(ctx, r, reading, append([]hitrace.Sink{in.sink(reading.Workers)}, sinks...)...)
	if err != nil {
		return nil, totals, err
	}
	in.overwritten = totals.Overwritten > 0
	timeline := in.timeline()
	if !reading.Window.IsOpen() {
		timeline.Cut(reading.Window.Bounds(totals.Start))
	}
	return timeline, totals, nil
}

// sink returns the sink that builds the timeline of an input.
func (in *input) sink(workers int) hitrace.Sink {
	builder := in.begin()
	byWorker := make([]names, workers)
	return hitrace.Sink{
		Begin: func() { builder = in.begin() },
		Track: func(worker int, batch *hitrace.Batch) {
			in.starts = in.starts[:0]
			for i := range batch.Events {
				builder.track(&batch.Events[i])
			}
			byWorker[worker].starts = append(byWorker[worker].starts, in.starts...)
		},
		Encode: func(worker int, block *hitrace.Batch) { byWorker[worker].addAll(block.Events) },
		Write: func(worker int) error {
			in.merge(&byWorker[worker])
			byWorker[worker].reset()
			return nil
		},
	}
}
