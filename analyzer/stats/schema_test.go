package stats_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// The names in the JSON are an interface: what is here may be added to, not
// changed.
const reportSchema = `
processes
processes[].durations
processes[].durations.frames
processes[].durations.histogram
processes[].durations.histogram[].below_ms
processes[].durations.histogram[].bucket_ms
processes[].durations.histogram[].frames
processes[].durations.histogram[].from_ms
processes[].durations.max_ns
processes[].durations.p50_ns
processes[].durations.p90_ns
processes[].durations.p95_ns
processes[].durations.p99_ns
processes[].durations_in_periods
processes[].durations_in_periods.frames
processes[].durations_in_periods.max_periods
processes[].durations_in_periods.p50_periods
processes[].durations_in_periods.p90_periods
processes[].durations_in_periods.p95_periods
processes[].durations_in_periods.p99_periods
processes[].empty_rate
processes[].fps
processes[].fps.all_hz
processes[].fps.event
processes[].fps.first_ns
processes[].fps.frames
processes[].fps.idle_share
processes[].fps.last_ns
processes[].fps.of_refresh
processes[].fps.rate_hz
processes[].frames
processes[].frames.commits_estimated
processes[].frames.complete
processes[].frames.dropped
processes[].frames.empty
processes[].frames.late
processes[].frames.late_gpu
processes[].frames.late_main
processes[].frames.linked
processes[].frames.misaligned
processes[].frames.presented
processes[].frames.presents_estimated
processes[].frames.truncated
processes[].frames.with_deadline
processes[].hitches
processes[].hitches.gaps
processes[].hitches.hitch_ms_per_s
processes[].hitches.hitch_ns
processes[].hitches.hitches
processes[].hitches.idle_ns
processes[].hitches.longest_at_ns
processes[].hitches.longest_ns
processes[].hitches.lost_frames
processes[].hitches.time_ns
processes[].hwui
processes[].hwui[].class
processes[].hwui[].frames
processes[].jank_rate
processes[].kind
processes[].longest_streak
processes[].longest_streak.at_ns
processes[].longest_streak.frames
processes[].longest_streak.tid
processes[].longest_streak.until_ns
processes[].longest_streak.vsync_id
processes[].name
processes[].observed
processes[].observed.from_ns
processes[].observed.seconds
processes[].observed.to_ns
processes[].pid
processes[].refresh
processes[].refresh[].frames
processes[].refresh[].period_ns
processes[].refresh[].rate_hz
processes[].stages
processes[].stages[].frames
processes[].stages[].longest_of_late
processes[].stages[].max_ns
processes[].stages[].p50_ns
processes[].stages[].p90_ns
processes[].stages[].stage
processes[].stutter
processes[].stutter.medium
processes[].stutter.severe
processes[].stutter.slight
processes[].stutter.unknown
processes[].surfaceflinger
processes[].surfaceflinger.jank_types
processes[].surfaceflinger.jank_types[].dropped
processes[].surfaceflinger.jank_types[].early
processes[].surfaceflinger.jank_types[].frames
processes[].surfaceflinger.jank_types[].late
processes[].surfaceflinger.jank_types[].on_time
processes[].surfaceflinger.jank_types[].type
processes[].surfaceflinger.jank_types[].unknown
processes[].surfaceflinger.missed
processes[].surfaceflinger.missed_application
processes[].surfaceflinger.missed_dropped
processes[].surfaceflinger.missed_surfaceflinger
processes[].whole_frames
processes[].whole_frames.blame
processes[].whole_frames.blame.application
processes[].whole_frames.blame.buffer_stuffing
processes[].whole_frames.blame.display_hal
processes[].whole_frames.blame.dropped
processes[].whole_frames.blame.pick_up
processes[].whole_frames.blame.prediction_error
processes[].whole_frames.blame.render_cpu
processes[].whole_frames.blame.render_gpu
processes[].whole_frames.blame.unknown
processes[].whole_frames.judged
processes[].whole_frames.late
processes[].whole_frames.late_rate
processes[].worst
processes[].worst[].at_ns
processes[].worst[].duration_ns
processes[].worst[].overrun_ns
processes[].worst[].overrun_periods
processes[].worst[].render_vsync_id
processes[].worst[].stage
processes[].worst[].tid
processes[].worst[].vsync_id
span
span.from_ns
span.seconds
span.to_ns
`

func TestSchema(t *testing.T) {
	timeline := twoApplications()
	timeline.Frames[0].Android = &analyzer.Android{Timeline: &analyzer.FrameTimeline{Verdict: analyzer.Verdict{Jank: analyzer.JankNone}}}
	timeline.Frames[1].Android = &analyzer.Android{Stats: &analyzer.FrameStats{Jank: analyzer.StatsJanky}}
	report := stats.Compute(timeline, stats.Options{})
	checkSchema(t, report, reportSchema)
}

func checkSchema(t *testing.T, v any, want string) {
	t.Helper()
	paths := map[string]bool{}
	keys(decoded(t, v), "", paths)
	got := slices.Sorted(maps.Keys(paths))
	expected := strings.Fields(want)
	for _, path := range got {
		if !slices.Contains(expected, path) {
			t.Errorf("%s is new", path)
		}
	}
	for _, path := range expected {
		if !paths[path] {
			t.Errorf("%s is missing", path)
		}
	}
}

// keys collects the paths of a JSON tree.
func keys(v any, path string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			p := strings.TrimPrefix(path+"."+key, ".")
			into[p] = true
			keys(v[key], p, into)
		}
	case []any:
		for i := range v {
			keys(v[i], path+"[]", into)
		}
	}
}
