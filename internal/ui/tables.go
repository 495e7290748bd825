package ui

// The tabs of macros. FPS is the measure of "ohframe report": without idle time.
var (
	// jankTab needs no more than ohos.slices, so that "ohframe open" can show it soon.
	jankTab = tab{
		title: "Jank by process",
		columns: []column{
			{"process", "process_name"}, {"pid", "pid"}, {"kind", "kind"},
			{"frames", measure("frames.complete")}, {"late", measure("frames.late")}, {"late %", "round(100 * " + measure("jank_rate") + ", 1)"},
			{"FPS", "round(" + measure("fps.rate_hz") + ", 1)"}, {"hitch ms/s", "round(" + measure("hitches.hitch_ms_per_s") + ", 1)"},
			{"P50 ms", "round(" + measure("durations.p50_ns") + " / 1e6, 1)"}, {"P95 ms", "round(" + measure("durations.p95_ns") + " / 1e6, 1)"},
			{"max ms", "round(" + measure("durations.max_ns") + " / 1e6, 1)"},
			{"slight", measure("stutter.slight")}, {"medium", measure("stutter.medium")}, {"severe", measure("stutter.severe")},
			{"hitches", measure("hitches.hitches")}, {"empty", measure("frames.empty")}, {"misaligned", measure("frames.misaligned")},
		},
		from:    "_ohos_report",
		order:   measure("frames.late") + " DESC, " + measure("jank_rate") + " DESC, process_name, pid",
		machine: "(SELECT machine_id FROM process AS p WHERE p.upid = _ohos_report.upid)",
		notice:  "process", empty: noFrames,
	}
	causesTab = tab{
		title: "Lost time by cause",
		columns: []column{
			{"cause", "c.title"}, {"lost ms", "round(c.lost_ns / 1e6, 1)"}, {"lost %", "round(100 * c.lost_share, 1)"}, {"frames", "c.frames"},
			{"process", "p.name"}, {"waited for", "c.culprit"}, {"advice", "c.advice"},
		},
		from:   "ohos_cause AS c JOIN process AS p USING (upid)",
		order:  "c.lost_ns DESC, p.name, c.title",
		notice: "cause", empty: "iif(EXISTS (SELECT 1 FROM ohos_frame_slice WHERE is_late), " + noCauses + ", " + noneLate + ")",
	}
	functionsTab = tab{
		title: "Functions of late frames",
		columns: []column{
			{"function", "function"}, {"longer ms", "round(excess_ns / 1e6, 2)"}, {"late ms", "round(late_ns / 1e6, 2)"}, {"usual ms", "round(usual_ns / 1e6, 2)"},
			{"samples", "late_samples"}, {"late frames", "late_frames"}, {"module", "module"}, {"process", "process_name"}, {"kind", "kind"},
		},
		from:   "ohos_function_excess",
		order:  "excess_ns DESC, late_ns DESC, process_name, function, module",
		notice: "function", empty: "iif(EXISTS (SELECT 1 FROM ohos_frame_function), " + noneLate + ", 'no samples of frames')",
	}
	fpsTab = tab{
		title: "Frames per second",
		columns: []column{
			{"process", "f.process_name"}, {"pid", "f.pid"}, {"kind", "f.kind"}, {"FPS", "round(f.fps, 1)"}, {"FPS idle included", "round(f.fps_all, 1)"},
			{"refreshes per frame", "f.cadence_every"}, {"of Hz", "f.cadence_refresh_hz"}, {"frames", "f.frames"}, {"shown by", "f.event"}, {"hitches", "h.hitches"}, {"lost frames", "h.lost_frames"},
			{"hitch ms", "round(h.hitch_ns / 1e6, 1)"}, {"hitch ms/s", "round(h.hitch_ms_per_s, 1)"}, {"gaps", "h.gaps"},
		},
		from:   "ohos_fps AS f LEFT JOIN ohos_hitch_ratio AS h USING (kind, upid)",
		order:  "f.kind, f.process_name, f.pid",
		notice: "process", empty: "iif(EXISTS (SELECT 1 FROM ohos_frame_slice), 'no process showed two frames', " + noFrames + ")",
	}
	stagesTab = tab{
		title: "Stages of frames",
		columns: []column{
			{"stage", "stage"}, {"P50 ms", "round(p50_ns / 1e6, 2)"}, {"P90 ms", "round(p90_ns / 1e6, 2)"}, {"max ms", "round(max_ns / 1e6, 2)"},
			{"longest of late", "longest_of_late"}, {"frames", "frames"}, {"process", "process_name"}, {"pid", "pid"}, {"kind", "kind"},
		},
		from:   "ohos_stage",
		order:  "kind, process_name, pid, number",
		notice: "stage", empty: noFrames,
	}
	interactionsTab = tab{
		title: "Interactions",
		columns: append([]column{
			linkID, {"interaction", "s.interaction"}, {"scene", "iif(s.kind = 'launch', s.scene || ' launch', s.scene)"},
			{"hitch ms/s", "round(s.hitch_ms_per_s, 1)"}, {"late", "s.late"}, {"frames", "s.frames"}, {"longest missed run", "s.longest_missed_run"},
			{"response ms", "round(s.response_ms, 1)"}, {"grade", "s.grade"}, {"completion ms", "round(s.completion_ms, 1)"},
			{"FPS", "round(s.fps, 1)"}, {"refreshes per frame", "s.cadence_every"}, {"of Hz", "s.cadence_refresh_hz"}, {"worst frame", "s.worst_frame"}, {"process", "s.process_name"}, {"page", "s.page"},
		}, link...),
		from:    "ohos_interaction AS s",
		order:   "s.hitch_ms_per_s DESC, s.late DESC, s.interaction",
		machine: "(SELECT machine_id FROM process AS p WHERE p.upid = s.upid)",
		notice:  "scene", empty: noInteractions,
	}
	// The order is that of the tracks.
	layersTab = tab{
		title: "Layers",
		columns: append([]column{
			linkID, {"layer", "s.name"}, {"late", "s.late"}, {"dropped", "s.dropped"}, {"uneven %", "round(100 * s.uneven_rate, 1)"},
			{"FPS", "round(s.fps, 1)"}, {"cadence ms", "round(s.cadence_ms, 1)"}, {"longest ms", "round(s.longest_ms, 1)"}, {"shown", "s.shown"},
			{"buffers", "s.buffers"}, {"queue P50 ms", "round(s.queue_p50_ms, 1)"}, {"queue P95 ms", "round(s.queue_p95_ms, 1)"},
			{"request P50 ms", "round(s.request_p50_ms, 1)"}, {"GPU P50 ms", "round(s.gpu_p50_ms, 1)"},
			{"process", "s.process_name"}, {"framework", "s.framework"},
		}, link...),
		from:    "ohos_layer AS s",
		order:   "coalesce(s.late, 0) DESC, s.dropped DESC, s.buffers DESC, s.layer_id",
		machine: "s.machine_id",
		notice:  "layer", empty: noLayers,
	}
	launchesTab = tab{
		title: "Stages of launches",
		columns: append([]column{
			linkID, {"launch", "i.scene || ' launch ' || s.interaction"}, {"stage", "s.name"}, {"ms", "round(s.dur / 1e6, 1)"},
			{"at ms", "round((s.ts - i.begin_ts) / 1e6, 1)"}, {"process", "s.process_name"},
		}, link...),
		from:   "ohos_launch_stage AS s JOIN ohos_interaction AS i ON i.id = s.interaction_id",
		order:  "s.interaction, s.ts, s.id",
		notice: "stage", empty: "iif(EXISTS (SELECT 1 FROM ohos_interaction), 'no launches', " + noInteractions + ")",
	}
)

const (
	// noFrames is the text in a tab of a trace without frames of OpenHarmony.
	noFrames = "'no frames of OpenHarmony'"
	// noInteractions is the text in a tab of a trace without interactions.
	noInteractions = "'no interactions of OpenHarmony'"
	// noLayers is the text in a tab of a trace without layers.
	noLayers = "'no layers of OpenHarmony'"
	// noCauses is the text in a tab of a trace without causes.
	noCauses = "'unknown: converted with --no-causes'"
	// noneLate is the text in a tab if no frame was late.
	noneLate = "iif(EXISTS (SELECT 1 FROM ohos_frame_slice), 'no frame was late', " + noFrames + ")"
)

// measure returns the expression for a measure of a process in _ohos_report.
func measure(path string) string { return "_ohos_measure!('" + path + "')" }
