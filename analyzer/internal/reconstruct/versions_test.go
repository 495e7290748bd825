package reconstruct_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// TestVersions reads traces in the spelling of versions that the simulation does not write any more. What
// they have was known to the simulation that wrote them: each file of testdata/versions has traces, and
// after each what contents says of it.
func TestVersions(t *testing.T) {
	paths, err := filepath.Glob("testdata/versions/*.txtar.gz")
	if err != nil || len(paths) != 6 {
		t.Fatalf("%d versions, %v", len(paths), err)
	}
	for _, path := range paths {
		packed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		files := txtar.Parse(text).Files
		for i := 0; i+1 < len(files); i += 2 {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar.gz")+"/"+files[i].Name, func(t *testing.T) {
				want := strings.Split(strings.TrimSuffix(string(files[i+1].Data), "\n"), "\n")
				compareLines(t, files[i].Name, contents(t, files[i].Data), want)
			})
		}
	}
}

// contents describes the frames, layers and interactions of a trace whose clock is the monotonic one.
func contents(t *testing.T, text []byte) (lines []string) {
	t.Helper()
	timeline, _, err := reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{Strict: true}, reconstruct.Options{ClockOffset: new(trace.Duration)})
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, f := range timeline.Frames {
		if f.Framework == analyzer.Platform {
			lines = append(lines, describeFound(f))
		} else {
			lines = append(lines, describeProduced(f))
		}
	}
	for _, l := range timeline.Layers {
		lines = append(lines, describeLayer(l)...)
	}
	return append(lines, strings.Split(described(timeline), "\n")...)
}
