package reconstruct_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// What became of vsyncs is what the simulation knows of them, in traces with and without unused ones, of several
// applications at several rates, whole and cut.
func TestSimulatedRequesters(t *testing.T) {
	eras := simulate.Eras()
	for seed := range uint64(slow.Of(24, 300)) {
		config := simulate.Everything()
		config.Seed, config.Era, config.CutStart, config.CutEnd = seed+1, eras[seed%uint64(len(eras))], seed%3 == 1, seed%3 > 0
		hertz := [...]int{60, 72, 90, 120}
		config.Rates = []simulate.Rate{{Hz: hertz[seed%4]}, {From: 200 * trace.Millisecond, Hz: hertz[seed/4%4]}, {From: 400 * trace.Millisecond, Hz: hertz[seed%4]}}
		with := seed%2 == 0
		if with {
			config.Chances.AppEmpty, config.Chances.Unchanged = .7, .3
		}
		for i := range config.Apps {
			config.Apps[i].Asks, config.Apps[i].VsyncThread = true, i == int(seed%3)
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkRequesters(t, config, with) })
	}
}

func checkRequesters(t *testing.T, config simulate.Config, with bool) {
	text, truth := written(t, config)
	asked := strings.Count(text.String(), "B|1027|H:gallery0_RequestNextVSync")
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	must.Do(t, timeline.Validate())
	type key struct {
		kind  simulate.Kind
		tid   trace.TID
		vsync int64
	}
	frames := map[key]*simulate.Frame{}
	for _, f := range truth.Frames {
		frames[key{f.Kind, f.TID, f.Vsync}] = f
	}
	known, unused := 0, 0
	for _, r := range timeline.Requesters {
		for i := range r.Vsyncs {
			v := &r.Vsyncs[i]
			outcome := v.Outcome()
			if r.Name == "displaySoloist" || r.Name == "" {
				if outcome == analyzer.Drawn || outcome == analyzer.NothingShown {
					t.Errorf("%s at %s: outcome %d of a thread that draws nothing", r.Name, v.At, outcome)
				}
				continue
			}
			f := frames[key{simulate.AppFrame, v.Frame.TID, v.Frame.VsyncID}]
			want := analyzer.Drawn
			if r.Name == "rs" {
				f = frames[key{simulate.RenderFrame, v.Frame.TID, v.Frame.VsyncID}]
			}
			switch {
			case f == nil:
				t.Fatalf("%s at %s: no such frame", r.Name, v.At)
			case f.Unchanged, f.TakenBy != nil && f.TakenBy.Unchanged && !f.TakenBy.Truncated:
				want = analyzer.NothingShown
			case f.Empty && f.Kind == simulate.AppFrame:
				want = analyzer.NothingSent
			}
			if outcome == analyzer.OutcomeUnknown {
				if !f.Truncated && !f.Unfinished && f.Kind == simulate.AppFrame {
					t.Errorf("%s at %s: outcome unknown, want %d", r.Name, v.At, want)
				}
				continue
			}
			known++
			if outcome >= analyzer.NothingSent {
				unused++
			}
			if outcome != want {
				t.Errorf("%s at %s: outcome %d, want %d", r.Name, v.At, outcome, want)
			}
		}
		if r.Process != nil && r.Name == "gallery0" && (len(r.Asked) != asked || len(r.Asked) == 0) {
			t.Errorf("%s asked %d times, want %d", r.Name, len(r.Asked), asked)
		}
	}
	if known == 0 || with && unused*3 < known {
		t.Errorf("%d of %d vsyncs are unused", unused, known)
	}
}
