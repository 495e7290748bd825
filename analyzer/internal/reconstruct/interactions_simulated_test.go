package reconstruct_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// interactionTraces are traces with interactions, by what they have.
func interactionTraces() map[string]simulate.Config {
	list := simulate.BadScenes()
	list["scenes"], list["launches"], list["demonstration"] = simulate.Scenes(), simulate.Launches(), simulate.Demonstration()
	return list
}

// TestSimulatedInteractions compares all that a report says of interactions with what the
// simulation of each system version knows of them.
func TestSimulatedInteractions(t *testing.T) {
	traces := interactionTraces()
	for n, name := range slices.Sorted(maps.Keys(traces)) {
		config := traces[name]
		for i, era := range simulate.Eras() {
			if !slow.Enabled() && (i+n)%4 != 0 {
				continue
			}
			t.Run(name+"/"+era, func(t *testing.T) {
				config.Era, config.Seed = era, uint64(i)
				if i%2 == 1 {
					config.Rates = []simulate.Rate{{Hz: 120}}
				}
				text, truth := written(t, config)
				checkInteractions(t, text, truth)
			})
		}
	}
}

// TestAnyInteractions does the same with random traces.
func TestAnyInteractions(t *testing.T) {
	seeds := slow.Of(15, 300)
	eras := simulate.Eras()
	for seed := range seeds {
		config := simulate.Anything(uint64(seed))
		config.Era = eras[seed%len(eras)]
		t.Run(fmt.Sprintf("%d/%s", seed, config.Era), func(t *testing.T) {
			text, truth := written(t, config)
			checkInteractions(t, text, truth)
		})
	}
}

// TestFreezes compares the hangs of traces that cut one, and the frames that are late at the end, with
// what the simulation knows of them.
func TestFreezes(t *testing.T) {
	seeds := 24
	if slow.Enabled() {
		seeds = 200
	}
	cut, frames, unfinished := map[bool]int{}, 0, 0
	for seed := range seeds {
		config := simulate.Freezes(uint64(seed))
		t.Run(fmt.Sprintf("%d/%s", seed, config.Era), func(t *testing.T) {
			text, truth := written(t, config)
			whole := text.Bytes()
			checkInteractions(t, text, truth)
			unfinished += checkUnfinished(t, whole, truth)
			for _, h := range truth.Hangs {
				cut[h.BeginCut]++
				if h.Name == "ReceiveVsync" {
					frames++
				}
			}
		})
	}
	if cut[false] < seeds/5 || cut[true] < seeds/5 || frames < seeds/10 || unfinished < frames {
		t.Errorf("%d hangs of %d traces are cut by the end, %d by the begin; %d are frames; %d frames are unfinished", cut[false], seeds, cut[true], frames, unfinished)
	}
}

// checkUnfinished checks the frames that are late where the trace ends. It returns their number.
func checkUnfinished(t *testing.T, text []byte, truth *simulate.Truth) int {
	t.Helper()
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	describe := func(tid trace.TID, start trace.Time, atLeast trace.Duration) string {
		return fmt.Sprintf("thread %d at %d, late by %d", tid, start, atLeast)
	}
	var got, want []string
	for f := range timeline.Complete() {
		if j := f.Judgement(); j.AtLeast {
			got = append(got, describe(f.TID, f.Actual.Start, j.Lost()))
		}
	}
	for _, f := range truth.Frames {
		if f.Unfinished {
			want = append(want, describe(f.TID, f.Start, f.End.Sub(f.Deadline)))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("unfinished frames: %q, want %q", got, want)
	}
	return len(want)
}

func checkInteractions(t *testing.T, text io.Reader, truth *simulate.Truth) {
	t.Helper()
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	must.Do(t, timeline.Validate())
	if n := totals.Problems.Lost(); n > 0 {
		t.Errorf("%d lines not understood: %v", n, totals.Problems.Counts())
	}
	report := stats.Compute(timeline, stats.Options{})
	var got, want []string
	for _, i := range report.Interactions {
		i := *i // without the measures of its frames
		i.Late, i.JankRate, i.MissedVsyncs, i.LongestMissedRun, i.FPS, i.Cadence, i.HitchRatio = nil, nil, nil, nil, nil, nil, nil
		i.P50, i.P95, i.Grade, i.WorstFrame, i.Reasons = nil, nil, nil, nil, nil
		got = append(got, asJSON(t, i))
	}
	for i, w := range truth.Interactions {
		want = append(want, asJSON(t, wantedInteraction(i+1, w)))
	}
	compareLines(t, "interactions", got, want)
	got, want = nil, nil
	for _, h := range report.Hangs {
		got = append(got, fmt.Sprintf(hangWords, h.PID, h.Start, h.Duration, h.Slice, h.Severe, h.BeginCut, h.EndCut))
	}
	hangs := slices.SortedFunc(slices.Values(truth.Hangs), func(a, b simulate.HangTruth) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	for _, h := range hangs {
		want = append(want, fmt.Sprintf(hangWords, h.PID, h.Start, h.Duration, h.Name, h.Duration >= 500*trace.Millisecond, h.BeginCut, h.EndCut))
	}
	compareLines(t, "hangs", got, want)
}

const hangWords = "of %d at %d for %d in %q, severe %t, cut %t %t"

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text := must.Get(json.Marshal(v))(t)
	return string(text)
}

// optional returns a value, or nil if it is zero and so unknown.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// wantedInteraction is what a report should say.
func wantedInteraction(id int, w *simulate.InteractionTruth) stats.Interaction {
	i := stats.Interaction{
		ID: id, Kind: w.Kind, Scene: w.Scene, PID: w.PID, Process: w.Process, Page: optional(w.Page),
		Input: optional(string(w.Input)), InputAt: optional(w.InputTime), Begin: optional(w.Begin), End: optional(w.End),
		FirstShown: optional(w.FirstShown), LastShown: optional(w.LastShown), Estimated: w.Estimated,
		Truncated: w.Truncated, Interrupted: w.Interrupted, TimedOut: w.TimedOut, Counted: w.Counted, Stages: []stats.LaunchStage{},
	}
	if w.Seen.Known() {
		n := len(w.Frames)
		i.Frames, i.Response, i.Completion = &n, optional(w.Response.Milliseconds()), optional(w.Completion.Milliseconds())
	}
	if d := w.Device; d != (simulate.DeviceTruth{}) {
		ms := func(n *int64) *float64 {
			if n == nil {
				return nil
			}
			f := float64(*n)
			return &f
		}
		i.Device = &analyzer.DeviceFigures{ResponseMS: ms(d.Response), CompletionMS: ms(d.Completion), HitchRatio: d.Hitch, MaxFrameMS: ms(d.MaxFrame), FPS: d.FPS}
	}
	for _, s := range w.Stages {
		i.Stages = append(i.Stages, stats.LaunchStage{Name: s.Name, Begin: s.Begin, Duration: optional(s.Duration)})
	}
	return i
}
