package analyzer

import (
	"context"
	"io"

	"ohframe/analyzer/hitrace"
)

// Analyze reads the text trace in r and returns its timeline, and what was read
// and not understood. The error is that of hitrace.Run.
func Analyze(ctx context.Context, r io.Reader, reading hitrace.Options, options Options) (*Timeline, *hitrace.Totals, error) {
	b := NewBuilder(options)
	reading = reading.WithDefaults()
	names := make([]Names, reading.Workers)
	totals, err := hitrace.Run(ctx, r, reading, hitrace.Stages{
		Track: func(batch *hitrace.Batch) {
			for i := range batch.Events {
				b.Track(&batch.Events[i])
			}
		},
		Encode: func(worker int, batch *hitrace.Batch) {
			names[worker].Reset()
			for i := range batch.Events {
				names[worker].Add(&batch.Events[i])
			}
		},
		Write: func(worker int, _ *hitrace.Batch) error {
			b.Merge(&names[worker])
			return nil
		},
	})
	if err != nil {
		return nil, totals, err
	}
	timeline := b.Timeline()
	if !reading.Window.IsOpen() {
		timeline.Cut(reading.Window.Bounds(totals.Start))
	}
	return timeline, totals, nil
}
