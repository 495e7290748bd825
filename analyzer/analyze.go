package analyzer

import (
	"context"
	"io"

	"ohframe/analyzer/hitrace"
)

// Analyze reads the text trace in r and returns its timeline, and the counts of lines
// that it read and skipped. The error is that of hitrace.Run.
func Analyze(ctx context.Context, r io.Reader, reading hitrace.Options, options Options) (*Timeline, *hitrace.Totals, error) {
	input := NewInput(options)
	builder := input.Begin()
	reading = reading.WithDefaults()
	names := make([]Names, reading.Workers)
	totals, err := hitrace.Run(ctx, r, reading, hitrace.Stages{
		Prepare: options.PrepareStage(),
		Begin:   func() { builder = input.Begin() },
		Track:   func(_ int, batch *hitrace.Batch) { builder.TrackAll(batch) },
		Encode:  func(worker int, block *hitrace.Batch) { names[worker].Read(block) },
		Write: func(worker int) error {
			input.Merge(&names[worker])
			return nil
		},
	})
	if err != nil {
		return nil, totals, err
	}
	timeline := input.Timeline()
	if !reading.Window.IsOpen() {
		timeline.Cut(reading.Window.Bounds(totals.Start))
	}
	return timeline, totals, nil
}

// TrackAll tracks the events of a batch.
func (b *Builder) TrackAll(batch *hitrace.Batch) {
	for i := range batch.Events {
		b.Track(&batch.Events[i])
	}
}

// Read replaces the names with those in the events of a block.
func (n *Names) Read(block *hitrace.Batch) {
	n.Reset()
	for i := range block.Events {
		n.Add(&block.Events[i])
	}
}
