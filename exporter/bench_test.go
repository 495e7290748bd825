package exporter

import (
	"bytes"
	"io"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/internal/simulate"
)

// capture returns a trace with the mix of lines of a real capture.
func capture(b *testing.B) []byte {
	b.Helper()
	var text bytes.Buffer
	if _, err := simulate.Write(&text, simulate.Capture(8<<20)); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

// BenchmarkEncode measures one worker at encoding what is parsed and tracked.
func BenchmarkEncode(b *testing.B) {
	text := capture(b)
	var batch hitrace.Batch
	batch.Parse(text[:1<<20], limits.Default().Line)
	plans := make([]plan, 1)
	plans[0].reset(len(batch.Events))
	newTracker(analyzer.Options{}).track(&batch, &plans[0])
	block := []hitrace.Batch{batch}
	e := newEncoder(limits.Default().Strings)
	e.encode(block, plans)
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		e.encode(block, plans)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch.Events)), "ns/event")
}

// BenchmarkConvert measures a whole conversion by all workers.
func BenchmarkConvert(b *testing.B) {
	text := capture(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Convert(b.Context(), bytes.NewReader(text), io.Discard, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
