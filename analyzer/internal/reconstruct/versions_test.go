package reconstruct_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/tracetest"
)

// Traces in the spelling of versions that the simulation does not write any more have what it knew of
// them, in the words of contents.
func TestVersions(t *testing.T) {
	eachStored(t, "versions", 17, contents)
}

// Traces in which processes follow one another with one id, with different events of the kernel about
// them: each process has its own frames, with its own name.
func TestReuse(t *testing.T) {
	eachStored(t, "lives", 15, func(t *testing.T, text []byte) (lines []string) {
		timeline, _, err := reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: new(trace.Duration)})
		if err != nil {
			t.Fatal(err)
		}
		if err := timeline.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, p := range timeline.Processes {
			frames, late := 0, 0
			for f := range timeline.Complete() {
				if f.Process == p && f.Kind == analyzer.ApplicationFrame {
					frames++
					if f.Late() {
						late++
					}
				}
			}
			if frames > 0 {
				lines = append(lines, fmt.Sprintf("%s %d frames %d late", p.Name, frames, late))
			}
		}
		return lines
	})
}

// eachStored compares what is said of stored traces.
func eachStored(t *testing.T, name string, n int, describe func(*testing.T, []byte) []string) {
	t.Helper()
	files := tracetest.Stored(t, "testdata/"+name+".txtar.zst")
	if len(files) != 2*n {
		t.Errorf("%d files, want %d traces", len(files), n)
	}
	for i := 0; i+1 < len(files); i += 2 {
		t.Run(files[i].Name, func(t *testing.T) {
			compareLines(t, files[i].Name, describe(t, files[i].Data), strings.Split(strings.TrimSuffix(string(files[i+1].Data), "\n"), "\n"))
		})
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
