package stats_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// truth is what the simulation that made the demo trace knows of it.
type truth struct {
	Offset trace.Duration
	Frames []struct {
		Kind       string
		PID        trace.PID
		Period     trace.Duration
		Deadline   trace.Time
		Start, End trace.Time
		Late       bool
		Empty      bool
		Misaligned bool
		Truncated  bool
		Sources    [][2]int64
		Present    trace.Time
		Estimated  bool `json:"present_estimated"`
	}
}

// From the text of a trace to its measures, against the truth.
func TestDemo(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo.frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var truth truth
	if err := json.Unmarshal(text, &truth); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	timeline, _, err := analyzer.Analyze(t.Context(), f, hitrace.Options{}, analyzer.Options{ClockOffset: &truth.Offset})
	if err != nil {
		t.Fatal(err)
	}
	report := stats.Compute(timeline, stats.Options{})
	if len(report.Processes) != 3 {
		t.Fatalf("%d processes, want two applications and render_service", len(report.Processes))
	}
	for _, p := range report.Processes {
		want := stats.Counts{Empty: new(int)}
		var presents []trace.Time
		var durations []trace.Duration
		for _, f := range truth.Frames {
			shows := f.PID == p.PID && p.Kind == stats.RenderService
			for _, source := range f.Sources {
				shows = shows || source[0] == int64(p.PID)
			}
			if shows && f.Present.Known() && !f.Truncated {
				presents = append(presents, f.Present)
			}
			if f.PID != p.PID {
				continue
			}
			if f.Truncated {
				want.Truncated++
				continue
			}
			want.Complete++
			durations = append(durations, f.End.Sub(f.Start))
			for count, holds := range map[*int]bool{&want.Late: f.Late, want.Empty: f.Empty, &want.PresentsEstimated: f.Estimated, &want.Misaligned: f.Misaligned, &want.WithDeadline: f.Deadline.Known()} {
				if holds {
					*count++
				}
			}
		}
		got := p.Frames
		got.LateMain, got.LateGPU, got.Linked, got.Presented = 0, 0, 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", p.Name, got, want)
		}
		slices.Sort(durations)
		if p.Durations.Max != durations[len(durations)-1] || p.Durations.P50 != durations[(len(durations)-1)/2] {
			t.Errorf("%s: %s and %s at most, want %s and %s", p.Name, p.Durations.P50, p.Durations.Max, durations[(len(durations)-1)/2], durations[len(durations)-1])
		}
		rate := float64(len(presents)-1) / (float64(slices.Max(presents)-slices.Min(presents)) / 1e9)
		if p.FPS.Event != stats.Present || p.FPS.Frames != len(presents) || p.FPS.All != rate {
			t.Errorf("%s: %+v, want %d presents, %v Hz", p.Name, *p.FPS, len(presents), rate)
		}
	}
}
