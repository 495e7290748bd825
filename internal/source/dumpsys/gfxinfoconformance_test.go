package dumpsys_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

// Dumps with the columns of each version of Android. What is expected was
// computed by hand from the rules of hwui's JankTracker; the arithmetic is in the
// comment of each file. A line of "frames" is a frame's duration and its deadline
// in ms after IntendedVsync, whether ohframe calls it late, and what hwui counts.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.txtar")
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		archive := must.Get(txtar.ParseFile(file))(t)
		parts := map[string]string{}
		for _, f := range archive.Files {
			parts[f.Name] = string(f.Data)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			checkDump(t, parts["dump"], parts)
			if strings.Contains(parts["dump"], "GpuCompleted") {
				// A summary with lines left out says less than the columns.
				checkDump(t, strings.Replace(parts["dump"], "Window: ", "Number Missed Vsync: 1\n\nWindow: ", 1), parts)
			}
			const swapped, straight = "FrameInterval,FrameStartTime,", "FrameStartTime,FrameInterval,"
			if strings.Contains(parts["dump"], swapped) {
				// The values are in the right order: under the right names they say the same.
				checkDump(t, strings.Replace(parts["dump"], swapped, straight, 1), parts)
			}
		})
	}
}

func checkDump(t *testing.T, text string, want map[string]string) {
	t.Helper()
	timeline, dump := read(t, text, dumpsys.Options{})
	must.Equal(t, dump.Damaged+dump.TooLong, 0, "damaged lines")
	w := dump.Processes[0].Windows[0]
	got := map[string]string{
		"window": strings.Join(append([]string{fmt.Sprintf("%gms", ms(w.Interval))}, diag.Texts(dump.Warnings())...), "\n") + "\n",
	}
	for _, f := range timeline.Frames {
		late := ""
		if f.Late() {
			late = " late"
		}
		line := fmt.Sprintf("%g of %g%s: %s", ms(f.Actual.Duration()), ms(f.Deadline.Sub(f.Actual.Start)), late, f.Android.Stats.Jank)
		got["frames"] += strings.TrimSpace(line) + "\n"
	}
	for _, name := range []string{"window", "frames"} {
		must.Equal(t, got[name], want[name], "%s", name)
	}
}

func ms(d trace.Duration) float64 { return float64(d) / 1e6 }
