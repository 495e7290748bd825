package dumpsys_test

import (
	"reflect"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
)

func number(n int) *int { return &n }

// A summary of Android 12 and later, and one of Android 6.
const (
	newSummary = `
Stats since: 752958278148ns
Total frames rendered: 300
Janky frames: 30 (10.00%)
Janky frames (legacy): 60 (20.00%)
50th percentile: 7ms
90th percentile: 19ms
95th percentile: 22ms
99th percentile: 150ms
Number Missed Vsync: 1
Number High input latency: 2
Number Slow UI thread: 3
Number Slow bitmap uploads: 4
Number Slow issue draw commands: 5
Number Frame deadline missed: 6
Number Frame deadline missed (legacy): 7
HISTOGRAM: 5ms=200 6ms=0 19ms=97 4950ms=1
50th gpu percentile: 3ms
GPU HISTOGRAM: 1ms=0 2ms=300
`
	oldSummary = `
Stats since: 91522723936145ns
Total frames rendered: 20
Janky frames: 4 (20.00%)
90th percentile: 24ms
95th percentile: 40ms
99th percentile: 90ms
Number Slow draw: 3
`
)

func TestSummaries(t *testing.T) {
	timeline, dump := read(t, "** Graphics info for pid 21 [com.new] **\n"+newSummary+
		"Window: w\n"+strings.ReplaceAll(newSummary, "300", "299")+
		"** Graphics info for pid 22 [com.old] **\n"+oldSummary+
		"** Graphics info for pid 22 [com.old] **\n"+strings.ReplaceAll(oldSummary, "rendered: 20", "rendered: 40")+
		"Package: com.days\nVersion: 1\n"+strings.ReplaceAll(oldSummary, "rendered: 20", "rendered: 5")+
		"Package: com.days\nVersion: 1\n"+strings.ReplaceAll(oldSummary, "since: 9", "since: 8")+
		"Package: com.days\nVersion: 2\nNote: Data has been filtered!\n"+oldSummary, dumpsys.Options{})
	if texts := diag.Texts(dump.Warnings()); len(texts) > 0 {
		t.Errorf("warnings %q", texts)
	}
	old := analyzer.Summary{Frames: 20, Janky: number(4), P90: number(24), P95: number(40), P99: number(90), SlowDraw: number(3)}
	later, few, filtered := old, old, old
	later.Frames, few.Frames, filtered.Filtered = 40, 5, true
	want := []struct {
		process string
		noPID   bool
		summary analyzer.Summary
	}{
		{"com.new", false, analyzer.Summary{
			Frames: 300, Janky: number(30), P50: number(7), P90: number(19), P95: number(22), P99: number(150),
			MissedVsync: number(1), HighInputLatency: number(2), SlowUI: number(3), SlowUploads: number(4), SlowDraw: number(5), MissedDeadline: number(6),
			Histogram: []analyzer.SummaryBucket{{Name: 5, Frames: 200}, {Name: 19, Frames: 97}, {Name: 4950, Frames: 1}},
		}},
		{"com.old", false, later},
		{"com.days", true, few}, {"com.days", true, old}, {"com.days", true, filtered},
	}
	if len(timeline.Summaries) != len(want) {
		t.Fatalf("%d summaries, want %d", len(timeline.Summaries), len(want))
	}
	for i, w := range want {
		got := *timeline.Summaries[i]
		if got.Process.Name != w.process || got.Process.NoPID != w.noPID {
			t.Errorf("summary %d is of %q", i, got.Process.Name)
		}
		got.Process = nil
		if !reflect.DeepEqual(got, w.summary) {
			t.Errorf("%s: got %+v, want %+v", w.process, got, w.summary)
		}
	}
}

func TestDamagedSummaries(t *testing.T) {
	for _, line := range []string{
		"Janky frames: 301 (100.33%)", "Janky frames: -1 (0%)", "50th percentile: 7", "Number Missed Vsync: x",
		"HISTOGRAM: 5ms=1 5ms=2", "HISTOGRAM: 7ms=1 6ms=2", "HISTOGRAM: 5ms", "HISTOGRAM: ms=1", "Total frames rendered: 99999999999",
	} {
		text := "Total frames rendered: 300\n" + line + "\n"
		timeline, dump := read(t, text, dumpsys.Options{})
		want := analyzer.Summary{Process: timeline.Summaries[0].Process, Frames: 300}
		if got := *timeline.Summaries[0]; !reflect.DeepEqual(got, want) || dump.Damaged != 1 {
			t.Errorf("%q: %+v, %d damaged", line, got, dump.Damaged)
		}
	}
}
