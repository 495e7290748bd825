package analyzer_test

import (
	"bytes"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
)

// BenchmarkTrack measures what is done to events one after another: following
// threads and collecting frames. What it allocates is the frames.
func BenchmarkTrack(b *testing.B) {
	var text bytes.Buffer
	truth, err := simulate.Write(&text, simulate.Capture(8<<20))
	if err != nil {
		b.Fatal(err)
	}
	var batch hitrace.Batch
	batch.Parse(text.Bytes(), trace.DefaultLimits().Line)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		builder := analyzer.NewInput(analyzer.Options{}).Begin()
		for i := range batch.Events {
			builder.Track(&batch.Events[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch.Events)), "ns/event")
	b.ReportMetric(float64(len(truth.Frames)), "frames")
}

// BenchmarkAnalyze measures reading and analysis by all workers.
func BenchmarkAnalyze(b *testing.B) {
	var text bytes.Buffer
	if _, err := simulate.Write(&text, simulate.Capture(8<<20)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := analyzer.Analyze(b.Context(), bytes.NewReader(text.Bytes()), hitrace.Options{}, analyzer.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
