package stats

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
)

// Measures are all numbers of a process, in the order of its JSON, except the lists
// (histogram, jank types, worst frames) and points in time.
var Measures = declare[Process](slices.Concat(
	[]Measure{
		measure("observed.seconds", "seconds", Seconds, Neither, "Observed time, s", "from the start of the first complete frame to the end of the last, without the time between traces", sum("observed_ns")),
		measure("frames.complete", "frames", Count, Neither, "Frames", "frames that begin and end within the trace; all but `truncated` count these", short("Frames", 5)),
	},
	counts("frames.", [][4]string{
		{"judged", "judged_frames", "Judged frames", "frames that are known to be late or on time"},
		{"late", "late_frames", "Late frames", "frames that ended after their deadline, on their thread or on the GPU"},
		{"late_empty", "late_empty_frames", "Late frames, empty", "late frames that are known to have drawn nothing"},
		{"late_main", "late_main_frames", "Late frames, on their thread", "frames that were late on their thread"},
		{"late_gpu", "late_gpu_frames", "Late frames, on the GPU", "frames that were late on the GPU"},
		{"empty", "empty_frames", "Empty frames", "frames with nothing to show; null if it is unknown of all frames, as without markers of transactions"},
		{"first_draw", "first_draw_frames", "First draws", "frames that are the first that ArkUI draws of a window"},
		{"late_first_draw", "late_first_draw_frames", "Late first draws", "late ones among them"},
		{"misaligned", "misaligned_frames", "Misaligned frames", "application frames that were picked up on another vsync than the one they were made for, or render frames that picked such frames up"},
		{"linked", "linked_frames", "Linked frames", "application frames that a render frame took, or render frames that took any"},
		{"presented", "presented_frames", "Presented frames", "render frames with a known present time"},
		{"presents_estimated", "estimated_presents", "Estimated present times", "frames of `presented` whose present time is an estimate: `fps` and `hitches` use it, the stage `commit_to_present` does not"},
		{"commits_estimated", "estimated_commits", "Estimated commits", "render frames whose commit was matched by time instead of vsync: an estimate, which the stages `commit` and `commit_to_present` use"},
		{"deadlines_inferred", "inferred_deadlines", "Inferred deadlines", "judged frames whose deadline the trace does not state: it is a period after the vsync"},
		{"dropped", "dropped_frames", "Dropped frames", "frames that were never shown; only SurfaceFlinger reports them"},
		{"truncated", "truncated_frames", "Truncated frames", "frames whose begin or end is outside the trace"},
	}),
	[]Measure{
		measure("jank_rate", "jank_rate", Share, Lower, "Jank rate", "late frames / judged frames; null if no frame is judged, or too few of another framework", main, tested, rateOfLate, short("Jank", 0)),
		measure("jank_rate_later_draws", "jank_rate_later_draws", Share, Lower, "Jank rate without first draws", "the same of all frames but first draws, which no animation waits for; null if there are none"),
		measure("lost_ns", "lost_ms", Milliseconds, Lower, "Lost time, ms", "time by which late frames ended after their deadlines, in sum; null if no frame is judged, or if by how much frames were late is unknown", short("Lost ms", 0)),
		measure("empty_rate", "empty_rate", Share, Lower, "Empty rate", "empty frames / frames that are known to be empty or not; null without complete frames, or if `empty` is null", main, share("empty", "empty_known")),
		measure("fps.rate_hz", "fps", Hertz, Higher, "FPS", "frames shown per second while animating: without idle time; null if no two frames follow each other without any", main, tested, perRefresh, animating, shownRate, short("FPS", 2)),
		measure("fps.all_hz", "fps_all", Hertz, Higher, "FPS, idle time included", "(`frames` − 1) / the time from first to last, without the time between traces"),
		measure("fps.idle_share", "idle_share", Share, Neither, "Idle share", "share of that time that is idle (docs/frames.md 9.6); null if unknown", main),
		measure("fps.of_refresh", "fps_of_refresh", Share, Higher, "FPS / refresh rate", "frames shown / refreshes, while animating; null if a refresh period is unknown", main, acrossRates, animating, unbounded, short("FPS / refresh", 2)),
		measure("fps.cadence.every", "cadence_every", Count, Lower, "Cadence, refreshes", "refreshes from one frame that was shown to the next, most often: 2 is every second vsync"),
		measure("fps.cadence.refresh_hz", "cadence_refresh", Hertz, Neither, "Cadence, refresh rate", "the display's refresh rate then, a whole number"),
		measure("fps.cadence.share", "cadence_share", Share, Neither, "Cadence, share", "share of the gaps without idle time that are like that"),
		measure("display.time_ns", "displayed_ms", Milliseconds, Neither, "Time of a known refresh rate, ms", "time for which the display's refresh rate is known"),
		measure("display.lowered_ns", "lowered_rate_ms", Milliseconds, Neither, "Time of a lowered refresh rate, ms", "time below a rate that the display had before in the trace"),
		measure("display.lowered_share", "lowered_rate_share", Share, Lower, "Time of a lowered refresh rate, share", "`lowered_ns` / `time_ns`", share("lowered_rate_ns", "displayed_ns")),
		measure("hitches.idle_ns", "idle_ms", Milliseconds, Neither, "Idle, ms", "part of `time_ns` that is idle; a hang while no frame is due counts"),
		measure("hitches.hitches", "hitches", Count, Neither, "Hitches", "gaps that were 0.7 refresh periods or more longer than they should have been"),
		measure("hitches.hitch_ns", "hitch_ms", Milliseconds, Neither, "Total hitch time, ms", "sum of all hitches", short("Hitch ms", 0)),
		measure("hitches.lost_frames", "lost_frames", Count, Neither, "Lost frames", "frames that would have fitted in"),
		measure("hitches.hitch_ms_per_s", "hitch_ratio", MillisecondsPS, Lower, "Hitch ratio, ms/s", "`hitch_ns` in milliseconds / (`time_ns` − `idle_ns`) in seconds; null if no two frames follow each other without idle time", main, tested, animating, hitchRatio, short("Hitch ms/s", 1)),
		measure("hitches.longest_ns", "longest_hitch_ms", Milliseconds, Lower, "Longest hitch, ms", "the longest hitch; 0 without hitches"),
		measure("not_begun.frames", "not_begun_frames", Count, Neither, "Frames that never began", "vsyncs in a run of frames on which none began, because the main thread was busy with something else"),
		measure("not_begun.time_ns", "not_begun_ms", Milliseconds, Neither, "Time of frames that never began, ms", "sum of the refresh periods by which the frames after them came later"),
		measure("not_begun.longest_ns", "longest_not_begun_ms", Milliseconds, Lower, "Longest time of frames that never began, ms", "the longest such time before a frame; 0 without any"),
		measure("not_begun.rate", "not_begun_rate", Share, Lower, "Rate of frames that never began", "`frames` / these and the frames that began", share("not_begun_frames", "wanted_frames")),
		measure("hangs.hangs", "hangs", Count, Neither, "Hangs", "times of 250 ms or more in which the main thread was busy outside of complete frames"),
		measure("hangs.severe", "severe_hangs", Count, Neither, "Severe hangs", "those of 500 ms or more"),
		measure("hangs.hang_ns", "hang_ms", Milliseconds, Neither, "Total hang time, ms", "sum of all hangs"),
		measure("hangs.hang_ms_per_s", "hang_ratio", MillisecondsPS, Lower, "Hang ratio, ms/s", "sum of all hangs in milliseconds / length of the trace in seconds", main, ratio("hanging_ns", 1e6, "hang_span_ns", 1e9)),
		measure("hangs.longest_ns", "longest_hang_ms", Milliseconds, Lower, "Longest hang, ms", "the longest hang; 0 without hangs"),
		measure("vsyncs.unused", "unused_vsyncs", Count, Neither, "Unused vsyncs", "vsyncs that the process received and that led to no new picture"),
		measure("vsyncs.unused_share", "unused_vsync_share", Share, Lower, "Unused vsyncs, share", "`unused` / (`judged` + `perhaps_drawn`), of connections with 10 judged vsyncs or more, if these are half of the received ones; null without one", share("unused_vsyncs", "judged_vsyncs perhaps_drawn_vsyncs")),
		measure("vsyncs.unused_cpu_ms_per_s", "unused_cpu_ratio", MillisecondsPS, Lower, "Processor time of unused vsyncs, ms/s", "how long the threads that received these vsyncs ran in them, in milliseconds / length of the trace in seconds; null if it is unknown", ratio("unused_cpu_ns", 1e6, "unused_span_ns", 1e9)),
		measure("whole_frames.judged", "whole_frames", Count, Neither, "Whole frames", "whole frames that are known to be late or on time; for a render service, those that it finished"),
		measure("whole_frames.late", "late_whole_frames", Count, Neither, "Late whole frames", "late ones among them"),
		measure("whole_frames.late_rate", "whole_late_rate", Share, Lower, "Late rate of whole frames", "`late` / `judged`; null if `judged` is 0", main, share("late_whole_frames", "whole_frames"), short("Late whole", 6)),
	},
	counts("whole_frames.blame.", [][4]string{
		{"application", "blame_application", "Late by the application", "the application missed its deadline"},
		{"render_cpu", "blame_render_cpu", "Late by rendering, CPU", "the render service's main thread missed its deadline"},
		{"render_gpu", "blame_render_gpu", "Late by rendering, GPU", "the render frame's GPU work missed its deadline"},
		{"pick_up", "blame_pick_up", "Picked up late", "the frame was picked up on a later vsync"},
		{"display_hal", "blame_display_hal", "Late by the display HAL", "all work was done on time, and the display showed it late; Android only"},
		{"buffer_stuffing", "blame_buffer_stuffing", "Late by buffer stuffing", "the frame waited behind earlier ones; Android only"},
		{"prediction_error", "blame_prediction_error", "Late by prediction error", "the display's vsyncs drifted from the prediction; Android only"},
		{"dropped", "blame_dropped", "Dropped whole frames", "the frame was never shown; Android only"},
		{"unknown", "blame_unknown", "Late for unknown reasons", "the trace gives no cause; Android only"},
	}),
	counts("surfaceflinger.", [][4]string{
		{"missed_application", "missed_application", "Missed by the application", "frames with the jank type App Deadline Missed or App Resynced Jitter"},
		{"missed_surfaceflinger", "missed_surfaceflinger", "Missed by SurfaceFlinger", "frames with one of SurfaceFlinger's jank types, Prediction Error or Display HAL"},
		{"missed_dropped", "missed_dropped", "Missed: dropped", "frames with the jank type Dropped Frame"},
		{"missed", "missed", "Missed frames", "frames with any of these"},
	}),
	[]Measure{measure("longest_streak.frames", "longest_streak", Count, Lower, "Longest streak of late frames", "frames in the streak", main)},
	counts("stutter.", [][4]string{
		{"slight", "slight_stutters", "Slight stutters", "late by less than 2 of their own refresh periods"},
		{"medium", "medium_stutters", "Medium stutters", "late by 2 to 6"},
		{"severe", "severe_stutters", "Severe stutters", "late by more than 6"},
		{"unknown", "unknown_stutters", "Stutters of unknown level", "late, with an unknown deadline or refresh period"},
	}),
	durationMeasures("p50", "half of the complete frames took at most this long", short("P50 ms", 6)),
	durationMeasures("p90", "90 % of the complete frames took at most this long"),
	durationMeasures("p95", "95 % of the complete frames, late or not, took at most this long; null for fewer than 20", short("P95 ms", 4)),
	durationMeasures("p99", "99 % of the complete frames took at most this long; null for fewer than 100", short("P99 ms", 0)),
	durationMeasures("max", "the longest", longest("duration", "duration_max_ns"), short("Max ms", 3)),
	quantiles("overruns.", "overrun_", "Overrun ", Lower, "overrun", []quantile{
		{"p50", "half of the frames ended at most this long after their deadline; negative before it"}, {"p90", "90 % did"},
		{"p95", "95 % did; null for fewer than 20 frames"}, {"p99", "99 % did; null for fewer than 100 frames"}, {"max", "the most"},
	}, unbounded),
	latencyMeasures("vsync_to_present", "Vsync to present", "from the vsync of a frame until the display showed it", Lower),
	latencyMeasures("input_to_present", "Input to present", "from the input of an interaction to its first frame shown", Lower),
	latencyMeasures("vsync_to_start", "Vsync to start", "from the vsync of a frame to its actual start", Lower),
	latencyMeasures("vsync_to_render_vsync", "Vsync to render vsync", "from the vsync of an application's frame to that of the render frame that took it", Neither),
	[]Measure{
		measure("latencies.depth.p50_periods", "depth_p50_periods", Periods, Lower, "Depth of the pipeline P50, periods", "refresh periods from the vsync until the display showed the frame, of half of the frames at most"),
		measure("latencies.depth.p95_periods", "depth_p95_periods", Periods, Lower, "Depth of the pipeline P95, periods", "of 95 % of them; null for fewer than 20"),
		measure("nodes.measured_p50", "nodes_measured_p50", Count, Lower, "Nodes measured P50", "half of the frames measured at most so many nodes"),
		measure("nodes.measured_max", "nodes_measured_max", Count, Lower, "Nodes measured max", "the most"),
		measure("nodes.laid_out_p50", "nodes_laid_out_p50", Count, Lower, "Nodes laid out P50", "half of the frames laid out at most so many nodes"),
		measure("nodes.laid_out_max", "nodes_laid_out_max", Count, Lower, "Nodes laid out max", "the most"),
	},
	stageMeasures(),
)...)

// The thresholds, which are the field's. docs/glossary.md lists them.
var (
	HitchThresholds   = Thresholds{"hitch ratio, ms/s", 5, 10, "good below", "Apple: less than 5 is good, more than 10 critical; Huawei: less than 5, of flings"}
	RunThresholds     = Thresholds{"vsyncs missed in a row", 3, 0, "noticeable from", "Huawei: noticeable"}
	JankThresholds    = Thresholds{"share of late frames, %", 5, 25, "", "from 5 %, P95 is late; Google Play: a session with more than 25 % slow frames is slow"}
	FrameThresholds   = Thresholds{"duration of a frame, ms", 16, 700, "", "Android: a slow frame, a frozen frame"}
	OverrunThresholds = Thresholds{"overrun, refresh periods", 2, 6, "", "OpenHarmony's stutter levels (HapRay): medium from 2, severe above 6"}
)

// What measures of processes and interactions have alike, the first one of layers, too.
var (
	shownGaps  = ratio("shown_gaps", 1, "shown_span_ns", 1e9)
	shownRate  = all(term("FPS", "frames shown per second of the time that is not idle; in an interaction no time is"), shownGaps)
	hitchRatio = all(term("hitch ratio", "hitch time in ms per second that is not idle; a hang while no frame is due counts as idle here"),
		ratio("hitch_ns", 1e6, "hitch_time_ns", 1e9), rated(&HitchThresholds))
	rateOfLate = all(term("jank rate", "late frames / judged frames"), share("rated_late", "rated"), rated(&JankThresholds))
)

// The names of the measures to look at first, in the order of tables.
var (
	Leading               = []string{"jank_rate", "hitch_ratio", "fps", "p95_ms"}
	LeadingAcrossSystems  = []string{"hitch_ratio", "fps", "vsync_to_present_p50_ms"} // without an OwnRule
	LeadingOfInteractions = []string{"response_ms", "first_frame_ms", "hitch", "fps"}
	LeadingOfLayers       = []string{"fps", "late", "uneven", "dropped", "queue_p95_ms"}
	LeadingOfOwn          = []string{"p50", "p90", "max"}
)

// counts returns measures that are counts: each has a field, a name, a label and a meaning.
func counts(path string, list [][4]string) (measures []Measure) {
	for _, c := range list {
		measures = append(measures, measure(path+c[0], c[1], Count, Neither, c[2], c[3]))
	}
	return measures
}

// quantile is a quantile of times, and what it means.
type quantile struct{ q, meaning string }

// label returns "P50", or "max".
func (q quantile) label() string { return strings.Replace(q.q, "p", "P", 1) }

// quantiles returns the measures of quantiles of times, which are in nanoseconds at their paths. The name
// of a Distribution is empty if nothing keeps one.
func quantiles(path, name, label string, better Better, times string, list []quantile, flags ...flag) (measures []Measure) {
	for _, q := range list {
		m := measure(path+q.q+"_ns", name+q.q+"_ms", Milliseconds, better, label+q.label()+", ms", q.meaning, flags...)
		switch percent, err := strconv.Atoi(q.q[1:]); {
		case times == "" || m.Aggregate != nil:
		case err == nil:
			percentile(times, percent)(&m)
		default:
			percentile(times, 100)(&m)
		}
		measures = append(measures, m)
	}
	return measures
}

func durationMeasures(q, meaning string, flags ...flag) []Measure {
	if q != "max" {
		flags = append(flags, tested, perRefresh)
	}
	list := quantiles("durations.", "", "Duration ", Lower, "duration", []quantile{{q, meaning}}, append(flags, main, rated(&FrameThresholds))...)
	periods := measure("durations_in_periods."+q+"_periods", q+"_periods", Periods, Lower, "Duration "+quantile{q: q}.label()+", periods", strings.Replace(meaning, "this long", "so many refresh periods", 1), least(list[0].Least))
	periods.AcrossRates = q != "max"
	if q == "p95" {
		short("P95 periods", list[0].Drop)(&periods)
	}
	return append(list, periods)
}

func latencyMeasures(name, label, meaning string, better Better) []Measure {
	times := ""
	if slices.Contains(Distributions, name) {
		times = name
	}
	return quantiles("latencies."+name+".", name+"_", label+" ", better, times, []quantile{
		{"p50", "half of the times " + meaning + " are at most this long"}, {"p95", "95 % of them are; null for fewer than 20"}, {"max", "the longest"},
	})
}

func stageMeasures() (list []Measure) {
	for stage := range stagesCount {
		path := "stages." + stage.String() + "."
		list = append(list, quantiles(path, stage.String()+"_", stage.Label()+" ", Lower, stage.String(), []quantile{
			{"p50", "half of the times are at most this long; null without times"}, {"p90", "90 % of them are"}, {"max", "the longest"},
		})...)
		list = append(list, measure(path+"longest_of_late", stage.String()+"_longest_of_late", Count, Neither,
			"Late, longest in "+stage.Label(), "late frames in which this was the longest stage before the deadline"))
	}
	return list
}

// InteractionMeasures are the numbers of interactions.
var InteractionMeasures = declare[Interaction](
	measure("response_ms", "response_ms", Milliseconds, Lower, "Response, ms", "time from the input, or from the begin without one, to the first frame shown", tested,
		term("response", "the time from an input to the first frame shown of an interaction"), percentile("response", 50), short("Response ms", 0)),
	measure("completion_ms", "completion_ms", Milliseconds, Lower, "Completion, ms", "time from the input, or from the begin without one, to the last frame shown", tested,
		term("completion", "the time from an input to the last frame shown of an interaction"), percentile("completion", 50), short("Completion ms", 4)),
	measure("response_ms", "first_frame_ms", Milliseconds, Lower, "First frame, ms", "time from the first stage of a launch to its first frame shown", tested, launch, percentile("response", 50)),
	measure("hitch_ms_per_s", "hitch", MillisecondsPS, Lower, "Hitch ratio, ms/s", "time by which frames were shown late, per second", tested, hitchRatio, short("Hitch ms/s", 0)),
	measure("jank_rate", "jank_rate", Share, Lower, "Jank rate", "late frames / judged frames", tested, rateOfLate, short("Jank", 2)),
	measure("fps", "fps", Hertz, Higher, "FPS", "frames shown per second, without the slow end of a fling", tested, perRefresh, shownRate, short("FPS", 1)),
	measure("late", "late", Count, Lower, "Late frames", "frames that ended after their deadline"),
	measure("missed_vsyncs", "missed_vsyncs", Count, Lower, "Missed vsyncs", "frames that would have fitted in hitches"),
	measure("longest_missed_run", "longest_missed_run", Count, Lower, "Longest run of missed vsyncs", "the most missed vsyncs in a row", rated(&RunThresholds),
		term("longest missed run", "the most vsyncs that were missed between two frames of an interaction"), short("Missed run", 0)),
	measure("p50_ms", "p50_ms", Milliseconds, Lower, "Duration P50, ms", "median of the durations of its frames", perRefresh, percentile("duration", 50)),
	measure("p95_ms", "p95_ms", Milliseconds, Lower, "Duration P95, ms", "95th percentile of the durations of its frames; null for fewer than 20", tested, perRefresh, percentile("duration", 95), short("P95 ms", 5)),
)

// DeviceMeasures are those of InteractionMeasures that the device has, too.
var DeviceMeasures = declare[analyzer.DeviceFigures](InteractionMeasures.having(reflect.TypeFor[analyzer.DeviceFigures]())...)

// LayerMeasures are the numbers of layers.
var LayerMeasures = declare[Layer](
	measure("fps", "fps", Hertz, Higher, "FPS", "intervals between presents / their time, without pauses; null for fewer than two presents", tested, animating, shownGaps, short("FPS", 0)),
	measure("uneven_rate", "uneven", Share, Lower, "Uneven rate", "early, long and late intervals between presents / intervals", tested, ofCadence,
		term("uneven", "an interval between presents that differs from its layer's cadence by more than half a refresh period; a cadence between refresh rates, such as 25 FPS at 60 Hz, is uneven by nature"), share("late long early", "judged"), short("Uneven", 4)),
	measure("late_rate", "late", Share, Lower, "Late rate", "late intervals between presents / intervals", tested, ofCadence, rated(&JankThresholds), share("late", "judged"), short("Late", 0)),
	measure("dropped_rate", "dropped", Share, Lower, "Dropped rate", "buffers that were never shown / buffers shown or dropped", tested, share("dropped", "shown dropped"), short("Dropped", 1)),
	measure("queue_p50_ms", "queue_p50_ms", Milliseconds, Lower, "Queue P50, ms", "median of the times from when a buffer is queued until the compositor takes it", tested, percentile("queue", 50), short("Queue P50 ms", 9)),
	measure("queue_p95_ms", "queue_p95_ms", Milliseconds, Lower, "Queue P95, ms", "95th percentile of the times in the queue; null for fewer than 20 buffers", tested, percentile("queue", 95), short("Queue P95 ms", 10)),
	measure("longest_ms", "longest_ms", Milliseconds, Lower, "Longest interval, ms", "the longest interval that was compared with the cadence", ofCadence, short("Longest ms", 0)),
	measure("request_p50_ms", "request_p50_ms", Milliseconds, Lower, "Request P50, ms", "median of the times that the producer waited for a free buffer", percentile("request", 50), short("Request P50 ms", 11)),
	measure("request_p95_ms", "request_p95_ms", Milliseconds, Lower, "Request P95, ms", "95th percentile of the times that the producer waits for a free buffer; null for fewer than 20 buffers", percentile("request", 95), short("Request P95 ms", 12)),
	measure("gpu_p50_ms", "gpu_p50_ms", Milliseconds, Lower, "GPU P50, ms", "median of the times that the producer's GPU worked on after a buffer was queued", percentile("gpu", 50), short("GPU P50 ms", 13)),
	measure("gpu_p95_ms", "gpu_p95_ms", Milliseconds, Lower, "GPU P95, ms", "95th percentile of the times that the GPU works after a buffer is queued; null for fewer than 20 buffers", percentile("gpu", 95), short("GPU P95 ms", 14)),
)

// PoolMeasures are the numbers that only several processes or interactions have.
var PoolMeasures = declare[Pool](
	measure("reused_share", "reused_share", Share, Higher, "Reused items", "items of ArkUI's components that were reused, of those built or reused", share("reused_items", "built_items reused_items"), least(LeastBuilt)),
	measure("response_p50_ms", "response_p50_ms", Milliseconds, Lower, "Response P50, ms", "median of the responses of interactions, of launches to the first frame", percentile("response", 50), least(1), short("Response P50 ms", 0)),
	measure("response_p95_ms", "response_p95_ms", Milliseconds, Lower, "Response P95, ms", "95th percentile of the responses of interactions; unknown for fewer than 20", percentile("response", 95), short("Response P95 ms", 0)),
	measure("completion_p50_ms", "completion_p50_ms", Milliseconds, Lower, "Completion P50, ms", "median of the times to the last frame shown of interactions", percentile("completion", 50), least(1), short("Completion P50 ms", 4)),
)
