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
	sinks = append([]hitrace.Sink{in.sink(reading.Workers)}, sinks...)
	own, err := newOwn(in.shared, options.Measures, reading.Workers)
	if err != nil {
		return nil, &hitrace.Totals{}, err
	}
	if len(options.Measures) > 0 {
		sinks = append(sinks, own.sink())
	}
	totals, err := hitrace.Run(ctx, r, reading, sinks...)
	if err != nil {
		return nil, totals, err
	}
	in.overwritten = totals.Overwritten > 0
	own.end()
	in.diagnostics.addMany(analyzer.RecordsOver, own.over)
	timeline := in.timeline()
	own.set(timeline, in.lives)
	if !reading.Window.IsOpen() {
		timeline.Cut(reading.Window.Bounds(totals.Start))
	}
	return timeline, totals, nil
}

// sink returns the sink that builds the timeline of an input.
func (in *input) sink(workers int) hitrace.Sink {
	builder := in.begin()
	scanners := make([]scanner, workers)
	return hitrace.Sink{
		Prepare: func(worker int, block *hitrace.Batch) {
			s := &scanners[worker]
			if s.starts, s.again = s.starts[:0], len(block.Starts) > 0; !s.again {
				s.scan(block.Events)
			}
		},
		Begin: func() { builder = in.begin() },
		Track: func(worker int, batch *hitrace.Batch) {
			s := &scanners[worker]
			if s.again { // the batch is a part of the block
				s.scan(batch.Events)
			}
			builder.track(s)
		},
		Encode: func(worker int, block *hitrace.Batch) {
			if s := &scanners[worker]; s.again {
				s.addAll(block.Events, s.starts)
			}
		},
		Write: func(worker int) error {
			in.merge(&scanners[worker].names)
			return nil
		},
	}
}
