package ui

import (
	"cmp"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// The tabs of macros. FPS is the measure of "ohframe report": without idle time.
var (
	// jankTab needs no more than ohos.slices, so that "ohframe open" can show it soon.
	jankTab = tab{
		title: "Jank by process",
		columns: []column{
			{"process", "process_name"}, {"pid", "pid"}, {"kind", "kind"},
			{"frames", measure("frames.complete")}, {"late", measure("frames.late")}, ofProcess("jank_rate"), ofProcess("hitch_ratio"), ofProcess("fps"),
			ofProcess("p50_ms"), ofProcess("p95_ms"), ofProcess("max_ms"),
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
			{"process", "process_name"}, {"pid", "pid"}, {"kind", "kind"}, ofProcess("fps"), ofProcess("fps_all"),
			{"refreshes per frame", measure("fps.cadence.every")}, {"of Hz", measure("fps.cadence.refresh_hz")}, {"frames", measure("fps.frames")}, {"shown by", measure("fps.event")},
			ofProcess("hitches"), ofProcess("lost_frames"), ofProcess("hitch_ms"), ofProcess("hitch_ratio"), {"gaps", measure("hitches.gaps")},
		},
		from:   "_ohos_report WHERE " + measure("fps.event") + " IS NOT NULL",
		order:  "kind, process_name, pid",
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
			ofInteraction("hitch"), {"late", "s.late"}, {"frames", "s.frames"}, ofInteraction("longest_missed_run"),
			ofInteraction("response_ms"), {"grade", "s.grade"}, ofInteraction("completion_ms"), ofInteraction("fps"),
			{"refreshes per frame", "s.cadence_every"}, {"of Hz", "s.cadence_refresh_hz"}, {"worst frame", "s.worst_frame"}, {"process", "s.process_name"}, {"page", "s.page"},
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
			linkID, {"layer", "s.name"}, {"late", "s.late"}, {"dropped", "s.dropped"}, ofLayer("uneven"),
			ofLayer("fps"), {"cadence ms", "round(s.cadence_ms, 1)"}, ofLayer("longest_ms"), {"shown", "s.shown"}, {"buffers", "s.buffers"},
			ofLayer("queue_p50_ms"), ofLayer("queue_p95_ms"), ofLayer("request_p50_ms"), ofLayer("gpu_p50_ms"),
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

// ofProcess returns the column of a measure of processes in _ohos_report, by its name.
func ofProcess(name string) column {
	m := stats.Measures.Named(name)
	return measured(m, measure(m.Path))
}

// ofInteraction returns that of a measure of ohos_interaction.
func ofInteraction(name string) column {
	m := stats.InteractionMeasures.Named(name)
	return measured(m, "s."+m.Path)
}

// ofLayer returns that of a measure of ohos_layer.
func ofLayer(name string) column {
	m := stats.LayerMeasures.Named(name)
	return measured(m, "s."+m.Path)
}

// measured returns the column of a measure whose value is an expression. Numbers but counts have one decimal, shares
// are in percent.
func measured(m *stats.Measure, value string) column {
	c := column{text.Within(cmp.Or(m.Short, strings.Replace(m.Label, ",", "", 1))), "round(" + value + ", 1)"}
	switch {
	case m.Unit == stats.Count:
		c.value = value
	case m.Unit == stats.Share:
		c.title, c.value = c.title+" %", "round(100 * "+value+", 1)"
	case strings.HasSuffix(m.Path, "_ns"):
		c.value = "round(" + value + " / 1e6, 1)"
	}
	return c
}

// measure returns the expression for a measure of a process in _ohos_report.
func measure(path string) string { return "_ohos_measure!('" + path + "')" }
