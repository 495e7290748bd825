package simulate

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"ohframe/internal/testing/slow"
)

// TestCaptureMix compares a big trace with the real capture that it stands for.
func TestCaptureMix(t *testing.T) {
	slow.SkipRace(t)
	const size = 16 << 20
	text, truth := simulateText(t, Capture(size))
	if len(text) < size || len(text) > size+size/50 {
		t.Errorf("asked for %d bytes, got %d", size, len(text))
	}
	shares, total := map[string]float64{}, 0.0
	for _, k := range captureMix {
		shares[k.line] = float64(k.count)
		total += float64(k.count)
	}
	got := map[string]float64{}
	lines := readLines(t, text)
	for _, l := range lines {
		name := l.event
		if name == "print" {
			name = l.payload[:1]
		}
		if shares[name] == 0 && !strings.HasPrefix(l.payload, "trace_event_clock_sync") {
			t.Fatalf("an event %q", name)
		}
		got[name]++
		// Perfetto nests a call that waits for a reply until that comes.
		if name == "binder_transaction" && !strings.Contains(l.payload, " flags=0x11 ") {
			t.Fatalf("a call that nobody answers: %s", l.payload)
		}
	}
	for name, want := range shares {
		want = 100 * want / total
		have := 100 * got[name] / float64(len(lines))
		// Within 0.7 percent of all lines and, for rare events, a half of their own.
		if math.Abs(have-want) > 0.7 || math.Abs(have-want) > want/2 {
			t.Errorf("%s is %.2f%% of all lines, not %.2f%%", name, have, want)
		}
	}
	if mean := float64(len(text)) / float64(len(lines)); math.Abs(mean-127.1) > 2 {
		t.Errorf("lines have %.1f bytes on average, not %.1f", mean, 127.1)
	}
	seconds := float64(lines[len(lines)-1].time-lines[0].time) / 1e9
	if rate := float64(len(lines)) / seconds; math.Abs(rate-captureLines) > captureLines/50 {
		t.Errorf("%.0f lines a second, not %d", rate, captureLines)
	}
	if len(truth.Frames) < 180 {
		t.Errorf("%d frames", len(truth.Frames))
	}
	checkSchedule(t, lines, KernelHongMeng)
}

// A reader of the first bytes must not depend on how much follows.
func TestSizeOnlyAppends(t *testing.T) {
	small, _ := simulateText(t, Capture(1<<20))
	large, _ := simulateText(t, Capture(3<<20))
	same := len(small) * 9 / 10 // the end of the small one is wound up
	if !bytes.Equal(small[:same], large[:same]) {
		t.Error("a longer trace begins otherwise")
	}
}
