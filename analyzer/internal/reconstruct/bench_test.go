package reconstruct_test

import (
	"bytes"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// BenchmarkAnalyze measures reading and analysis by all workers.
func BenchmarkAnalyze(b *testing.B) {
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Capture(8<<20)))(b)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		must.Get2(reconstruct.Analyze(b.Context(), bytes.NewReader(text.Bytes()), hitrace.Options{}, reconstruct.Options{}))(b)
	}
}
