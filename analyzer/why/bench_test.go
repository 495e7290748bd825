package why_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
)

// BenchmarkCauses compares reading a trace with and without causes. The demo is
// repeated to 20 MB, as one input of many traces.
func BenchmarkCauses(b *testing.B) {
	demo, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		b.Fatal(err)
	}
	if name := os.Getenv("OHFRAME_BENCH_TRACE"); name != "" {
		if demo, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
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
				if _, err := analysis.Run(context.Background(), bytes.NewReader(demo), hitrace.Options{Workers: 1}, reconstruct.Options{}, analysis.Options{Causes: causes}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
