package why_test

import (
	"context"
	"io"
	"os"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/judge"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

func explain(t testing.TB, r io.Reader) (*analyzer.Timeline, *why.Causes) {
	t.Helper()
	recorder := threads.NewRecorder(trace.Limits{}.WithDefaults())
	timeline, _ := must.Get2(reconstruct.Analyze(context.Background(), r, hitrace.Options{}, reconstruct.Options{}, recorder.Sink()))(t)
	return timeline, judged(t, recorder, timeline)
}

// judged returns the causes of the frames that a recorder has seen, and checks them.
func judged(t testing.TB, r *threads.Recorder, timeline *analyzer.Timeline) *why.Causes {
	t.Helper()
	causes := judge.Explain(r.Finish(), timeline, nil, nil, true, 4)
	must.NoError(t, causes.Validate(timeline))
	return causes
}

// TestTraces: all the time of a frame is accounted for, and so is all of its overrun.
func TestTraces(t *testing.T) {
	for _, name := range tracetest.Paths(t) {
		t.Run(tracetest.Name(name), func(t *testing.T) {
			f := must.Get(os.Open(name))(t)
			defer f.Close()
			_, causes := explain(t, f)
			for _, e := range causes.Frames {
				checkPieces(t, e)
			}
		})
	}
}
