package reconstruct_test

import (
	"math"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// measured returns the measures of a simulated trace.
func measured(t *testing.T, config simulate.Config) *stats.Report {
	t.Helper()
	text, truth := written(t, config)
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	return stats.Compute(timeline, stats.Options{})
}

// TestEveryNthVsync: an animation that draws on every n-th vsync has the n-th part of the rate,
// in a scene and without one. Nothing is late.
func TestEveryNthVsync(t *testing.T) {
	for _, hz := range []int{60, 90, 120} {
		for every := 1; every <= 4; every++ {
			for _, scene := range []bool{false, true} {
				config := simulate.Default()
				config.Duration, config.Rates, config.Chances.RenderSkip = 2100*trace.Millisecond, []simulate.Rate{{Hz: hz}}, 1
				config.Apps[0].Interval = int64(every)
				if scene {
					config.Interactions = []simulate.Interaction{{Scene: "APP_LIST_FLING", Page: "pages/Index", Length: 2 * trace.Second}}
				}
				report := measured(t, config)
				rates := map[string]*float64{"application": report.Processes[0].FPS.Rate, "render_service": report.Processes[1].FPS.Rate}
				cadences := []*stats.Cadence{report.Processes[0].FPS.Cadence, report.Processes[1].FPS.Cadence}
				if scene {
					rates["fling"], cadences = report.Interactions[0].FPS, append(cadences, report.Interactions[0].Cadence)
				}
				want := float64(hz) / float64(every)
				for name, rate := range rates {
					if rate == nil || math.Abs(*rate-want) > want/1000 {
						t.Errorf("every %d of %d Hz, scene %v: %s has %v FPS, want %g", every, hz, scene, name, rate, want)
					}
				}
				for _, c := range cadences {
					if c == nil || *c != (stats.Cadence{Every: every, Refresh: hz, Share: 1}) {
						t.Errorf("every %d of %d Hz, scene %v: cadence %+v", every, hz, scene, c)
					}
				}
				for _, p := range report.Processes {
					if p.Hitches.Hitches != 0 || p.Frames.Late != 0 {
						t.Errorf("every %d of %d Hz, scene %v: %s has %d hitches, %d late frames", every, hz, scene, p.Name, p.Hitches.Hitches, p.Frames.Late)
					}
				}
			}
		}
	}
}

// TestPauseChangesNothing: the same frames have the same rate and hitch ratio, however long a
// recording idles between them.
func TestPauseChangesNothing(t *testing.T) {
	var first *stats.Report
	for _, seconds := range []trace.Duration{0, 1, 4, 18, 58} {
		config := simulate.Default()
		config.Duration, config.Chances.RenderSkip = (2+seconds)*trace.Second, 1
		for n, vsync := range []int64{11, 24, 41, 73, 90, 104} { // three before the pause, three after
			if n >= 3 {
				vsync += int64(seconds) * 60
			}
			config.Injections = append(config.Injections, simulate.Injection{Cause: "more_work", Vsync: vsync, Length: 30 * trace.Millisecond})
		}
		config.Apps[0].Pauses = []simulate.Pause{{At: trace.Second, Length: seconds * trace.Second}}
		report := measured(t, config)
		if first == nil {
			first = report
		}
		for n, p := range report.Processes {
			want := first.Processes[n]
			if p.Frames.Late != want.Frames.Late || p.Hitches.Hitches != want.Hitches.Hitches || want.Hitches.Hitches == 0 {
				t.Fatalf("%d s: %d late, %d hitches, want %d, %d: other frames", seconds, p.Frames.Late, p.Hitches.Hitches, want.Frames.Late, want.Hitches.Hitches)
			}
			if math.Abs(*p.Hitches.Ratio/(*want.Hitches.Ratio)-1) > 1e-3 || math.Abs(*p.FPS.Rate/(*want.FPS.Rate)-1) > 1e-3 {
				t.Errorf("%d s: %s: %.3f ms/s at %.3f FPS, want %.3f at %.3f", seconds, p.Name, *p.Hitches.Ratio, *p.FPS.Rate, *want.Hitches.Ratio, *want.FPS.Rate)
			}
		}
	}
}
