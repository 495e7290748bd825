package stats

import (
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Unit is the unit of a measure.
type Unit string

// The units.
const (
	Count          Unit = "count"
	Share          Unit = "share" // 0 to 1
	Hertz          Unit = "hz"
	Milliseconds   Unit = "ms"
	MillisecondsPS Unit = "ms_per_s"
	Seconds        Unit = "s"
	Periods        Unit = "periods" // refresh periods of the display
)

// Better is which direction of a measure is an improvement.
type Better string

// The directions.
const (
	Lower   Better = "lower"
	Higher  Better = "higher"
	Neither Better = "neither" // a fact, or a count that grows with the trace
)

// Measure is a number of a process, with everything that reports, CSV columns,
// comparisons and their documentation need.
type Measure struct {
	// Path is the JSON path within a process and the name of the CSV column. In the
	// list of stages it has the stage's name instead of an index. A path that ends in
	// _ns is in nanoseconds.
	Path string
	// Name is the name in comparisons, where durations are in milliseconds.
	Name string
	Unit Unit // of Name
	// Better is empty for a measure without a direction.
	Better Better
	// Label is the name for people, with the unit.
	Label string
	// Meaning explains the measure in a few words.
	Meaning string
	// Main measures are always shown.
	Main bool
	// Of returns the value, nil if unknown.
	Of func(*Process) *float64
}

// Value returns the measure in its Unit, in which times are milliseconds; nil if unknown.
func (m *Measure) Value(p *Process) *float64 {
	x := m.Of(p)
	if x != nil && strings.HasSuffix(m.Path, "_ns") {
		return number(*x / 1e6)
	}
	return x
}

// Measures are all numbers of a process, in the order of its JSON, except the lists
// (histogram, jank types, worst frames) and points in time.
var Measures = measures()

func measures() []Measure {
	list := []Measure{
		{"observed.seconds", "seconds", Seconds, Neither, "Observed time, s", "from the start of the first complete frame to the end of the last, without the time between traces", false,
			part(func(p *Process) *Span { return p.Observed }, func(s *Span) float64 { return s.Seconds })},
		frameCount("frames.complete", "frames", "Frames", "frames that begin and end within the trace; all but `truncated` count these", func(c *Counts) int { return c.Complete }),
		frameCount("frames.judged", "judged_frames", "Judged frames", "frames that are known to be late or on time", func(c *Counts) int { return c.Judged }),
		frameCount("frames.late", "late_frames", "Late frames", "frames that ended after their deadline, on their thread or on the GPU", func(c *Counts) int { return c.Late }),
		frameCount("frames.late_main", "late_main_frames", "Late frames, on their thread", "frames that were late on their thread", func(c *Counts) int { return c.LateMain }),
		frameCount("frames.late_gpu", "late_gpu_frames", "Late frames, on the GPU", "frames that were late on the GPU", func(c *Counts) int { return c.LateGPU }),
		{"frames.empty", "empty_frames", Count, Neither, "Empty frames", "frames with nothing to show; null if it is unknown of all frames, as without markers of transactions", false,
			part(func(p *Process) *int { return p.Frames.Empty }, func(n *int) float64 { return float64(*n) })},
		frameCount("frames.first_draw", "first_draw_frames", "First draws", "frames that are the first that ArkUI draws of a window", func(c *Counts) int { return c.FirstDraw }),
		frameCount("frames.late_first_draw", "late_first_draw_frames", "Late first draws", "late ones among them", func(c *Counts) int { return c.LateFirstDraw }),
		frameCount("frames.misaligned", "misaligned_frames", "Misaligned frames", "application frames that were picked up on another vsync than the one they were made for, or render frames that picked such frames up", func(c *Counts) int { return c.Misaligned }),
		frameCount("frames.linked", "linked_frames", "Linked frames", "application frames that a render frame took, or render frames that took any", func(c *Counts) int { return c.Linked }),
		frameCount("frames.presented", "presented_frames", "Presented frames", "render frames with a known present time", func(c *Counts) int { return c.Presented }),
		frameCount("frames.presents_estimated", "estimated_presents", "Estimated present times", "frames of `presented` whose present time is an estimate: `fps` and `hitches` use it, the stage `commit_to_present` does not", func(c *Counts) int { return c.PresentsEstimated }),
		frameCount("frames.commits_estimated", "estimated_commits", "Estimated commits", "render frames whose commit was matched by time instead of vsync: an estimate, which the stages `commit` and `commit_to_present` use", func(c *Counts) int { return c.CommitsEstimated }),
		frameCount("frames.deadlines_inferred", "inferred_deadlines", "Inferred deadlines", "judged frames whose deadline the trace does not state: it is a period after the vsync", func(c *Counts) int { return c.DeadlinesInferred }),
		frameCount("frames.dropped", "dropped_frames", "Dropped frames", "frames that were never shown; only SurfaceFlinger reports them", func(c *Counts) int { return c.Dropped }),
		frameCount("frames.truncated", "truncated_frames", "Truncated frames", "frames whose begin or end is outside the trace", func(c *Counts) int { return c.Truncated }),
		{"jank_rate", "jank_rate", Share, Lower, "Jank rate", "late frames / judged frames; null if no frame is judged, or too few of another framework", true, func(p *Process) *float64 { return p.JankRate }},
		{"jank_rate_later_draws", "jank_rate_later_draws", Share, Lower, "Jank rate without first draws", "the same of all frames but first draws, which no animation waits for; null if there are none", false, func(p *Process) *float64 { return p.JankRateLater }},
		{"lost_ns", "lost_ms", Milliseconds, Lower, "Lost time, ms", "sum of the overruns of late frames; null if no frame is judged, or if by how much frames were late is unknown", false,
			func(p *Process) *float64 { return nanoseconds(p.Lost) }},
		{"empty_rate", "empty_rate", Share, Lower, "Empty rate", "empty frames / frames that are known to be empty or not; null without complete frames, or if `empty` is null", true, func(p *Process) *float64 { return p.EmptyRate }},
		{"fps.rate_hz", "fps", Hertz, Higher, "FPS", "frames shown per second while animating: without idle time; null if no two frames follow each other without any", true,
			optional(func(p *Process) *FPS { return p.FPS }, func(f *FPS) *float64 { return f.Rate })},
		{"fps.all_hz", "fps_all", Hertz, Higher, "FPS, idle time included", "(`frames` − 1) / the time from first to last, without the time between traces", false,
			part(func(p *Process) *FPS { return p.FPS }, func(f *FPS) float64 { return f.All })},
		{"fps.idle_share", "idle_share", Share, Neither, "Idle share", "share of that time that is idle (docs/frames.md 9.6); null if unknown", true,
			optional(func(p *Process) *FPS { return p.FPS }, func(f *FPS) *float64 { return f.IdleShare })},
		{"fps.of_refresh", "fps_of_refresh", Share, Higher, "FPS / refresh rate", "frames shown / refreshes, while animating; null if a refresh period is unknown", true,
			optional(func(p *Process) *FPS { return p.FPS }, func(f *FPS) *float64 { return f.OfRefresh })},
	}
	cadence := func(field, name string, unit Unit, better Better, label, meaning string, of func(*Cadence) float64) {
		list = append(list, Measure{"fps.cadence." + field, name, unit, better, label, meaning, false, part(func(p *Process) *Cadence {
			if p.FPS == nil {
				return nil
			}
			return p.FPS.Cadence
		}, of)})
	}
	cadence("every", "cadence_every", Count, Lower, "Cadence, refreshes", "refreshes from one frame that was shown to the next, most often: 2 is every second vsync", func(c *Cadence) float64 { return float64(c.Every) })
	cadence("refresh_hz", "cadence_refresh", Hertz, Neither, "Cadence, refresh rate", "the display's refresh rate then, a whole number", func(c *Cadence) float64 { return float64(c.Refresh) })
	cadence("share", "cadence_share", Share, Neither, "Cadence, share", "share of the gaps without idle time that are like that", func(c *Cadence) float64 { return c.Share })
	hitch := func(field, name string, unit Unit, better Better, label, meaning string, main bool, of func(*Hitches) float64) {
		list = append(list, Measure{"hitches." + field, name, unit, better, label, meaning, main, part(func(p *Process) *Hitches { return p.Hitches }, of)})
	}
	hitch("idle_ns", "idle_ms", Milliseconds, Neither, "Idle, ms", "part of `time_ns` that is idle", false, func(h *Hitches) float64 { return float64(h.Idle) })
	hitch("hitches", "hitches", Count, Neither, "Hitches", "gaps that were 0.7 refresh periods or more longer than they should have been", false, func(h *Hitches) float64 { return float64(h.Hitches) })
	hitch("hitch_ns", "hitch_ms", Milliseconds, Neither, "Total hitch time, ms", "sum of all hitches", false, func(h *Hitches) float64 { return float64(h.Hitch) })
	hitch("lost_frames", "lost_frames", Count, Neither, "Lost frames", "frames that would have fitted in", false, func(h *Hitches) float64 { return float64(h.LostFrames) })
	list = append(list, Measure{"hitches.hitch_ms_per_s", "hitch_ratio", MillisecondsPS, Lower, "Hitch ratio, ms/s", "`hitch_ns` in milliseconds / (`time_ns` − `idle_ns`) in seconds; null if no two frames follow each other without idle time", true,
		optional(func(p *Process) *Hitches { return p.Hitches }, func(h *Hitches) *float64 { return h.Ratio })})
	hitch("longest_ns", "longest_hitch_ms", Milliseconds, Lower, "Longest hitch, ms", "the longest hitch; 0 without hitches", false, func(h *Hitches) float64 { return float64(h.Longest) })
	whole := func(field, name, label, meaning string, of func(*WholeFrames) int) {
		list = append(list, Measure{"whole_frames." + field, name, Count, Neither, label, meaning, false, always(func(p *Process) int { return of(&p.WholeFrames) })})
	}
	whole("judged", "whole_frames", "Whole frames", "whole frames that are known to be late or on time; for a render service, those that it finished", func(w *WholeFrames) int { return w.Judged })
	whole("late", "late_whole_frames", "Late whole frames", "late ones among them", func(w *WholeFrames) int { return w.Late })
	list = append(list, Measure{"whole_frames.late_rate", "whole_late_rate", Share, Lower, "Late rate of whole frames", "`late` / `judged`; null if `judged` is 0", true,
		func(p *Process) *float64 { return p.WholeFrames.LateRate }})
	for i, cause := range [len(analyzer.BlameNames)]struct{ label, meaning string }{
		{"Late by the application", "the application missed its deadline"},
		{"Late by rendering, CPU", "the render service's main thread missed its deadline"},
		{"Late by rendering, GPU", "the render frame's GPU work missed its deadline"},
		{"Picked up late", "the frame was picked up on a later vsync"},
		{"Late by the display HAL", "all work was done on time, and the display showed it late; Android only"},
		{"Late by buffer stuffing", "the frame waited behind earlier ones; Android only"},
		{"Late by prediction error", "the display's vsyncs drifted from the prediction; Android only"},
		{"Dropped whole frames", "the frame was never shown; Android only"},
		{"Late for unknown reasons", "the trace gives no cause; Android only"},
	} {
		whole("blame."+analyzer.BlameNames[i], "blame_"+analyzer.BlameNames[i], cause.label, cause.meaning, func(w *WholeFrames) int { return w.Blame.Of(1 << i) })
	}
	verdict := func(field, name, label, meaning string, of func(*Verdicts) int) {
		list = append(list, Measure{"surfaceflinger." + field, name, Count, Neither, label, meaning, false,
			part(func(p *Process) *Verdicts { return p.SurfaceFlinger }, func(v *Verdicts) float64 { return float64(of(v)) })})
	}
	verdict("missed_application", "missed_application", "Missed by the application", "frames with the jank type App Deadline Missed or App Resynced Jitter", func(v *Verdicts) int { return v.MissedApplication })
	verdict("missed_surfaceflinger", "missed_surfaceflinger", "Missed by SurfaceFlinger", "frames with one of SurfaceFlinger's jank types, Prediction Error or Display HAL", func(v *Verdicts) int { return v.MissedSurfaceFlinger })
	verdict("missed_dropped", "missed_dropped", "Missed: dropped", "frames with the jank type Dropped Frame", func(v *Verdicts) int { return v.MissedDropped })
	verdict("missed", "missed", "Missed frames", "frames with any of these", func(v *Verdicts) int { return v.Missed })
	list = append(list, Measure{"longest_streak.frames", "longest_streak", Count, Lower, "Longest streak of late frames", "frames in the streak", true, part(func(p *Process) *Streak { return p.LongestStreak }, func(s *Streak) float64 { return float64(s.Frames) })})
	stutter := func(level, meaning string, of func(*Stutter) int) {
		label := string(level[0]-'a'+'A') + level[1:] + " stutters"
		if level == "unknown" {
			label = "Stutters of unknown level"
		}
		list = append(list, Measure{"stutter." + level, level + "_stutters", Count, Neither, label, meaning, false, always(func(p *Process) int { return of(&p.Stutter) })})
	}
	stutter("slight", "late by less than 2 of their own refresh periods", func(s *Stutter) int { return s.Slight })
	stutter("medium", "late by 2 to 6", func(s *Stutter) int { return s.Medium })
	stutter("severe", "late by more than 6", func(s *Stutter) int { return s.Severe })
	stutter("unknown", "late, with an unknown deadline or refresh period", func(s *Stutter) int { return s.Unknown })
	for _, q := range []struct {
		name, label, meaning string
		duration             func(*Durations) *trace.Duration
		periods              func(*DurationsInPeriods) *float64
	}{
		{"p50", "P50", "half of the frames took at most this long", func(d *Durations) *trace.Duration { return &d.P50 }, func(d *DurationsInPeriods) *float64 { return &d.P50 }},
		{"p90", "P90", "90 % did", func(d *Durations) *trace.Duration { return &d.P90 }, func(d *DurationsInPeriods) *float64 { return &d.P90 }},
		{"p95", "P95", "95 % did; null for fewer than 20 frames", func(d *Durations) *trace.Duration { return d.P95 }, func(d *DurationsInPeriods) *float64 { return d.P95 }},
		{"p99", "P99", "99 % did; null for fewer than 100 frames", func(d *Durations) *trace.Duration { return d.P99 }, func(d *DurationsInPeriods) *float64 { return d.P99 }},
		{"max", "max", "the longest", func(d *Durations) *trace.Duration { return &d.Max }, func(d *DurationsInPeriods) *float64 { return &d.Max }},
	} {
		list = append(list,
			Measure{"durations." + q.name + "_ns", q.name + "_ms", Milliseconds, Lower, "Duration " + q.label + ", ms", q.meaning, true,
				optional(func(p *Process) *Durations { return p.Durations }, func(d *Durations) *float64 { return nanoseconds(q.duration(d)) })},
			Measure{"durations_in_periods." + q.name + "_periods", q.name + "_periods", Periods, Lower, "Duration " + q.label + ", periods", q.meaning, false,
				optional(func(p *Process) *DurationsInPeriods { return p.DurationsInPeriods }, q.periods)})
	}
	overrun := func(q, label, meaning string, of func(*Overruns) *trace.Duration) {
		list = append(list, Measure{"overruns." + q + "_ns", "overrun_" + q + "_ms", Milliseconds, Lower, "Overrun " + label + ", ms", meaning, false,
			optional(func(p *Process) *Overruns { return p.Overruns }, func(o *Overruns) *float64 { return nanoseconds(of(o)) })})
	}
	overrun("p50", "P50", "half of the frames ended at most this long after their deadline; negative before it", func(o *Overruns) *trace.Duration { return &o.P50 })
	overrun("p90", "P90", "90 % did", func(o *Overruns) *trace.Duration { return &o.P90 })
	overrun("p95", "P95", "95 % did; null for fewer than 20 frames", func(o *Overruns) *trace.Duration { return o.P95 })
	overrun("p99", "P99", "99 % did; null for fewer than 100 frames", func(o *Overruns) *trace.Duration { return o.P99 })
	overrun("max", "max", "the most", func(o *Overruns) *trace.Duration { return &o.Max })
	for _, l := range []struct {
		name, label, meaning string
		better               Better
		of                   func(*Latencies) *Latency
	}{
		{"vsync_to_present", "Vsync to present", "from the vsync of a frame until the display showed it", Lower, func(l *Latencies) *Latency { return l.VsyncToPresent }},
		{"input_to_present", "Input to present", "from the input of an interaction to its first frame shown", Lower, func(l *Latencies) *Latency { return l.InputToPresent }},
		{"vsync_to_start", "Vsync to start", "from the vsync of a frame to its actual start", Lower, func(l *Latencies) *Latency { return l.VsyncToStart }},
		{"vsync_to_render_vsync", "Vsync to render vsync", "from the vsync of an application's frame to that of the render frame that took it", Neither, func(l *Latencies) *Latency { return l.VsyncToRenderVsync }},
	} {
		timed := func(q, label, meaning string, of func(*Latency) *trace.Duration) {
			list = append(list, Measure{"latencies." + l.name + "." + q + "_ns", l.name + "_" + q + "_ms", Milliseconds, l.better, l.label + " " + label + ", ms", meaning, false,
				optional(func(p *Process) *Latency { return l.of(&p.Latencies) }, func(x *Latency) *float64 { return nanoseconds(of(x)) })})
		}
		timed("p50", "P50", "half of the times "+l.meaning+" are at most this long", func(x *Latency) *trace.Duration { return &x.P50 })
		timed("p95", "P95", "95 % of them are; null for fewer than 20", func(x *Latency) *trace.Duration { return x.P95 })
		timed("max", "max", "the longest", func(x *Latency) *trace.Duration { return &x.Max })
	}
	depth := func(q, label, meaning string, of func(*Depth) *float64) {
		list = append(list, Measure{"latencies.depth." + q + "_periods", "depth_" + q + "_periods", Periods, Lower, "Depth of the pipeline " + label + ", periods", meaning, false,
			optional(func(p *Process) *Depth { return p.Latencies.Depth }, of)})
	}
	depth("p50", "P50", "refresh periods from the vsync until the display showed the frame, of half of the frames at most", func(d *Depth) *float64 { return &d.P50 })
	depth("p95", "P95", "of 95 % of them; null for fewer than 20", func(d *Depth) *float64 { return d.P95 })
	counted := func(field, label, meaning string, of func(*Nodes) int) {
		list = append(list, Measure{"nodes." + field, "nodes_" + field, Count, Lower, label, meaning, false, part(func(p *Process) *Nodes { return p.Nodes }, func(n *Nodes) float64 { return float64(of(n)) })})
	}
	counted("measured_p50", "Nodes measured P50", "half of the frames measured at most so many nodes; null without ArkUI's debug parameters", func(n *Nodes) int { return n.MeasuredP50 })
	counted("measured_max", "Nodes measured max", "the most", func(n *Nodes) int { return n.MeasuredMax })
	counted("laid_out_p50", "Nodes laid out P50", "half of the frames laid out at most so many nodes", func(n *Nodes) int { return n.LaidOutP50 })
	counted("laid_out_max", "Nodes laid out max", "the most", func(n *Nodes) int { return n.LaidOutMax })
	for stage := range stagesCount {
		timed := func(q, label, meaning string, of func(*StageTimes) *trace.Duration) {
			list = append(list, Measure{"stages." + stage.String() + "." + q + "_ns", stage.String() + "_" + q + "_ms", Milliseconds, Lower,
				stage.Label() + " " + label + ", ms", meaning, false,
				optional(func(p *Process) *StageTimes { return p.stage(stage) }, func(t *StageTimes) *float64 { return nanoseconds(of(t)) })})
		}
		timed("p50", "P50", "half of the times are at most this long; null without times", func(t *StageTimes) *trace.Duration { return t.P50 })
		timed("p90", "P90", "90 % of them are", func(t *StageTimes) *trace.Duration { return t.P90 })
		timed("max", "max", "the longest", func(t *StageTimes) *trace.Duration { return t.Max })
		list = append(list, Measure{"stages." + stage.String() + ".longest_of_late", stage.String() + "_longest_of_late", Count, Neither,
			"Late, longest in " + stage.Label(), "late frames in which this was the longest stage before the deadline", false,
			part(func(p *Process) *StageTimes { return p.stage(stage) }, func(t *StageTimes) float64 { return float64(t.LongestOfLate) })})
	}
	return list
}

// frameCount returns the measure of a count of frames.
func frameCount(path, name, label, meaning string, of func(*Counts) int) Measure {
	return Measure{path, name, Count, Neither, label, meaning, false, always(func(p *Process) int { return of(&p.Frames) })}
}

// stage returns nil if the process's frames do not go through the stage.
func (p *Process) stage(stage Stage) *StageTimes {
	for i := range p.Stages {
		if p.Stages[i].Stage == stage {
			return &p.Stages[i]
		}
	}
	return nil
}

// always returns the value function of a count that is always known.
func always(of func(*Process) int) func(*Process) *float64 {
	return func(p *Process) *float64 { return number(float64(of(p))) }
}

// part returns the value function of a field of a part of a process that may be nil.
func part[T any](get func(*Process) *T, of func(*T) float64) func(*Process) *float64 {
	return optional(get, func(t *T) *float64 { return number(of(t)) })
}

// optional returns the value function of a field that may be nil, of a part that may be.
func optional[T any](get func(*Process) *T, of func(*T) *float64) func(*Process) *float64 {
	return func(p *Process) *float64 {
		t := get(p)
		if t == nil {
			return nil
		}
		return of(t)
	}
}

// nanoseconds returns nil for nil.
func nanoseconds(d *trace.Duration) *float64 {
	if d == nil {
		return nil
	}
	return number(float64(*d))
}

func number(x float64) *float64 { return &x }
