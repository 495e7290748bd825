package why_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// BenchmarkCauses compares reading a trace with and without causes. The demo is
// repeated to 20 MB, as one input of many traces.
func BenchmarkCauses(b *testing.B) {
	demo := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(b)
	if name := os.Getenv("OHFRAME_BENCH_TRACE"); name != "" {
		demo = must.Get(os.ReadFile(name))(b)
	} else {
		demo = bytes.Repeat(demo, 20<<20/len(demo))
	}
	for _, causes := range []bool{false, true} {
		name := "frames"
		if causes {
			name = "causes"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(demo)))
			for b.Loop() {
				must.Get(analysis.Run(context.Background(), bytes.NewReader(demo), hitrace.Options{Workers: 1}, reconstruct.Options{}, analysis.Options{Causes: causes}))(b)
			}
		})
	}
}
