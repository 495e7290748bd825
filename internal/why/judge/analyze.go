package judge

import (
	"context"
	"io"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/why/record"
)

// Analyze is reconstruct.Analyze and, with causes, returns why frames took their time; nil
// without.
func Analyze(ctx context.Context, r io.Reader, reading hitrace.Options, options reconstruct.Options, causes bool, sinks ...hitrace.Sink) (*analyzer.Timeline, *why.Causes, *hitrace.Totals, error) {
	if !causes {
		t, totals, err := reconstruct.Analyze(ctx, r, reading, options, sinks...)
		return t, nil, totals, err
	}
	recorder := record.New(options.Limits)
	t, totals, err := reconstruct.Analyze(ctx, r, reading, options, append([]hitrace.Sink{recorder.Sink()}, sinks...)...)
	if err != nil {
		return nil, nil, totals, err
	}
	return t, Explain(recorder.Finish(), t), totals, nil
}
