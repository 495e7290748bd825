package hitrace_test

import (
	"bytes"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// capture returns a trace with the mix of lines of a real capture.
func capture(b *testing.B) []byte {
	b.Helper()
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Capture(8<<20)))(b)
	return text.Bytes()
}

// BenchmarkParse measures one worker at parsing alone.
func BenchmarkParse(b *testing.B) {
	text := capture(b)
	var batch hitrace.Batch
	batch.Parse(text, trace.Limits{}.WithDefaults().Line)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		batch.Parse(text, trace.Limits{}.WithDefaults().Line)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bytes.Count(text, []byte("\n"))), "ns/line")
}

// BenchmarkRun measures reading by all workers.
func BenchmarkRun(b *testing.B) {
	text := capture(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(hitrace.Run(b.Context(), bytes.NewReader(text), hitrace.Options{}, hitrace.Sink{Track: func(int, *hitrace.Batch) {}}))(b)
	}
}
