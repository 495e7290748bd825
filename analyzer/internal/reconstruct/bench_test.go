package reconstruct_test

import (
	"bytes"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
)

// BenchmarkAnalyze measures reading and analysis by all workers.
func BenchmarkAnalyze(b *testing.B) {
	var text bytes.Buffer
	if _, err := simulate.Write(&text, simulate.Capture(8<<20)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := reconstruct.Analyze(b.Context(), bytes.NewReader(text.Bytes()), hitrace.Options{}, reconstruct.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
