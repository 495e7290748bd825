package ftrace

import (
	"bytes"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
)

// BenchmarkEncode measures one worker at encoding what is parsed and planned.
func BenchmarkEncode(b *testing.B) {
	var capture bytes.Buffer // a trace with the mix of lines of a real capture
	if _, err := simulate.Write(&capture, simulate.Capture(8<<20)); err != nil {
		b.Fatal(err)
	}
	text := capture.Bytes()
	var batch hitrace.Batch
	batch.Parse(text[:1<<20], trace.DefaultLimits().Line)
	e := NewEncoder(trace.DefaultLimits().Strings, true)
	NewPlanner(trace.DefaultLimits()).Plan(&batch, e)
	e.encode()
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		e.encode()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch.Events)), "ns/event")
}
