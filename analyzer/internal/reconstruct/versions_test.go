package reconstruct_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
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
		timeline := withOffset(t, text, 0)
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

// Traces in which frames are shown on a second screen, 5, some of them only there: that changes nothing on the
// main one, in whatever share of the frames it is and whichever is first, and has presents of its own.
func TestScreens(t *testing.T) {
	eachStored(t, "screens", 8, func(t *testing.T, text []byte) (lines []string) {
		for f := range withOffset(t, text, 0).Complete() {
			if f.Kind != analyzer.RenderFrame {
				continue
			}
			var five trace.Time
			for _, s := range f.Screens {
				if s.ID == 5 {
					five = s.Present
				}
			}
			lines = append(lines, fmt.Sprintf("frame %d %d %d/%t, screen 5 %d", f.VsyncID, f.Commit.Start, f.Present, f.PresentEstimated, five))
		}
		slices.Sort(lines)
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
	timeline := withOffset(t, text, 0)
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
