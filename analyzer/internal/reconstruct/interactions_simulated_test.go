package reconstruct_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
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
	timeline, _, err := reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
	if err != nil {
		t.Fatal(err)
	}
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
	timeline, totals, err := reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := totals.Problems.Lost(); n > 0 {
		t.Errorf("%d lines not understood: %v", n, totals.Problems.Counts())
	}
	report := stats.Compute(timeline, stats.Options{})
	compareFields(t, "interaction", fields(t, report.Interactions), wantedInteractions(truth))
	compareFields(t, "hang", fields(t, report.Hangs), wantedHangs(timeline, truth))
}

// fields are the JSON fields of objects.
func fields(t *testing.T, list any) (objects []map[string]any) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &objects); err != nil {
		t.Fatal(err)
	}
	return objects
}

// compareFields compares the fields that are wanted.
func compareFields(t *testing.T, what string, got, want []map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %ss, want %d", len(got), what, len(want))
		for _, object := range got {
			t.Logf("got %v", object)
		}
		for _, object := range want {
			t.Logf("want %v", object)
		}
		return
	}
	for i, object := range want {
		for field, value := range object {
			if got := got[i][field]; !same(got, value) {
				t.Errorf("%s %d, %v of %v: %s is %v, want %v", what, i+1, object["scene"], object["pid"], field, text(got), text(value))
			}
		}
	}
}

func text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// same compares what JSON has with what is wanted.
func same(got, want any) bool {
	switch want := want.(type) {
	case float64:
		got, ok := got.(float64)
		return ok && math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
	case []map[string]any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, func(g any, w map[string]any) bool { return same(g, w) })
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return false
		}
		for field, value := range want {
			if !same(object[field], value) {
				return false
			}
		}
		return true
	}
	return got == want
}

// known returns a number, or nil if it is zero and so unknown.
func known[T ~int64 | ~int](n T) any {
	if n == 0 {
		return nil
	}
	return float64(n)
}

// wantedInteractions are the fields that a report should have.
func wantedInteractions(truth *simulate.Truth) (list []map[string]any) {
	for i, w := range truth.Interactions {
		milliseconds := func(d trace.Duration) any {
			if !w.Seen.Known() || d == 0 {
				return nil
			}
			return d.Milliseconds()
		}
		texts := func(s string) any {
			if s == "" {
				return nil
			}
			return s
		}
		number := func(n *float64) any {
			if n == nil {
				return nil
			}
			return *n
		}
		object := map[string]any{
			"id": float64(i + 1), "kind": w.Kind, "scene": w.Scene, "pid": float64(w.PID), "process": w.Process,
			"page": texts(w.Page), "input": texts(string(w.Input)), "input_ns": known(w.InputTime),
			"begin_ns": known(w.Begin), "end_ns": known(w.End),
			"first_shown_ns": known(w.FirstShown), "last_shown_ns": known(w.LastShown),
			"response_ms": milliseconds(w.Response), "completion_ms": milliseconds(w.Completion), "estimated": w.Estimated,
			"truncated": w.Truncated, "interrupted": w.Interrupted, "timed_out": w.TimedOut, "counted": w.Counted,
			"frames": nil, "device": nil,
		}
		if w.Seen.Known() {
			object["frames"] = float64(len(w.Frames))
		}
		if d := w.Device; d != (simulate.DeviceTruth{}) {
			whole := func(n *int64) any {
				if n == nil {
					return nil
				}
				return float64(*n)
			}
			object["device"] = map[string]any{
				"response_ms": whole(d.Response), "completion_ms": whole(d.Completion), "max_frame_ms": whole(d.MaxFrame),
				"hitch_ms_per_s": number(d.Hitch), "fps": number(d.FPS),
			}
		}
		stages := []map[string]any{}
		for _, s := range w.Stages {
			stages = append(stages, map[string]any{"name": s.Name, "begin_ns": float64(s.Begin), "dur_ns": known(s.Duration)})
		}
		object["stages"] = stages
		list = append(list, object)
	}
	return list
}

func wantedHangs(timeline *analyzer.Timeline, truth *simulate.Truth) (list []map[string]any) {
	names := map[trace.PID]string{}
	for _, p := range timeline.Processes {
		names[p.PID] = p.Name
	}
	hangs := slices.SortedFunc(slices.Values(truth.Hangs), func(a, b simulate.HangTruth) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	for _, h := range hangs {
		list = append(list, map[string]any{
			"pid": float64(h.PID), "process": names[h.PID], "start_ns": float64(h.Start), "duration_ns": float64(h.Duration),
			"slice": h.Name, "severe": h.Duration >= 500*trace.Millisecond, "begin_cut": h.BeginCut, "end_cut": h.EndCut,
		})
	}
	return list
}
