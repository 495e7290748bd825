package exporter

import (
	"bytes"
	"io"
	"testing"

	"ohframe/internal/testing/simulate"
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
