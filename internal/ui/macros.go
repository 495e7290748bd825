package ui

import "strings"

// Command is a call of a command of the UI, of those that links, macros and the UI's
// startup may use. Source: Perfetto's docs/visualization/commands-automation-reference.md
// and ui/src/core/startup_command_allowlist.ts.
type Command struct {
	ID   string   `json:"id"`
	Args []string `json:"args"`
}

// Macro is a list of commands that the UI shows by name.
type Macro struct {
	ID   string // in the namespace of the SQL package
	Name string
	// Modules are the SQL modules that the commands need.
	Modules  []string
	Commands []Command
}

// run returns all commands of a macro: first the modules are included.
func (m *Macro) run() []Command {
	if len(m.Modules) == 0 {
		return m.Commands
	}
	includes := make([]string, len(m.Modules))
	for i, module := range m.Modules {
		includes[i] = "INCLUDE PERFETTO MODULE " + module + ";"
	}
	return append([]Command{RunQuery(strings.Join(includes, " "))}, m.Commands...)
}

// RunQuery runs SQL statements that return nothing.
func RunQuery(sql string) Command {
	return Command{"dev.perfetto.RunQuery", []string{sql}}
}

// showTable shows the rows of a query in a tab.
func showTable(title, sql string) Command {
	return Command{"dev.perfetto.RunQueryAndShowTab", []string{sql, title}}
}

// Workspace is the name of the workspace with the tracks of frames.
const Workspace = "Frames"

// frameTracks matches the paths of the tracks of frames: those of the frame timeline, and
// Frames. A path has the names of a track and its ancestors. The UI copies a track with all
// below it, so these must not match, too.
const frameTracks = " > ((Expected|Actual) Timeline|Frames)$"

// ShowWorkspace switches to a workspace of only the frame tracks, under the names of their
// processes.
func ShowWorkspace() []Command {
	return []Command{
		{"dev.perfetto.CreateWorkspace", []string{Workspace}},
		{"dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors", []string{frameTracks, Workspace, "path"}},
		{"dev.perfetto.SwitchWorkspace", []string{Workspace}},
	}
}

// Expand expands the tracks whose paths match a pattern.
func Expand(pattern string) Command {
	return Command{"dev.perfetto.ExpandTracksByRegex", []string{pattern, "path"}}
}

// CountFPS shows the frames per second of each process. It needs the module ohos.fps.
func CountFPS() Command {
	return Command{"dev.perfetto.AddDebugCounterTrackWithPivot", []string{
		"SELECT f.ts, f.fps AS value, coalesce(p.name, '') || ' ' || p.pid AS process FROM ohos_fps_over_time AS f JOIN process AS p USING (upid)",
		"process", "FPS",
	}}
}

// CompareProcesses shows the late frames of each process of an OpenHarmony or Android
// trace. It needs the module ohos.compare_android.
func CompareProcesses(title string) Command {
	return showTable(title, "SELECT system, kind, process_name AS process, pid, frames, late, round(100 * jank_rate, 1) AS late_percent, "+
		"longest_streak, round(fps_all, 1) AS fps_all, p50_ns / 1e6 AS p50_ms, p95_ns / 1e6 AS p95_ms, max_ns / 1e6 AS max_ms "+
		"FROM ohos_or_android_process ORDER BY late DESC, kind, process, pid")
}

// Macros returns the macros of the extension.
func Macros() []Macro {
	return []Macro{
		{"ohos.Jank", "OpenHarmony: late frames by process", []string{"ohos.fps", "ohos.jank"}, []Command{
			showTable("Late frames by process", "SELECT j.process_name AS process, j.pid, j.kind, j.frames, j.late, round(100 * j.jank_rate, 1) AS late_percent, "+
				"j.slight, j.medium, j.severe, j.empty, j.misaligned, round(f.fps, 1) AS fps, h.hitches, round(h.hitch_ms_per_s, 1) AS hitch_ms_per_s "+
				"FROM ohos_jank AS j LEFT JOIN ohos_fps AS f USING (kind, upid) LEFT JOIN ohos_hitch_ratio AS h USING (kind, upid) "+
				"ORDER BY j.late DESC, process, j.pid"),
		}},
		{"ohos.Worst", "OpenHarmony: worst frames", []string{"ohos.jank"}, []Command{
			{"dev.perfetto.AddDebugSliceTrackWithPivot", []string{
				"SELECT ts, dur, coalesce(process_name, '') || ' ' || vsync_id AS name, blame FROM ohos_whole_frame WHERE is_late",
				"blame", "Late whole frames",
			}},
			showTable("Worst frames", "SELECT w.ts, w.dur, w.process_name AS process, w.vsync_id, round(w.overrun_ns / 1e6, 1) AS late_ms, "+
				"round(w.overrun_periods, 1) AS periods, w.longest_stage "+
				"FROM ohos_worst_frame AS w ORDER BY w.overrun_ns DESC, w.ts"),
		}},
		{"ohos.Why", "OpenHarmony: why frames were late", []string{"ohos.why", WhyModule}, append([]Command{
			showTable("Lost time by cause", "SELECT p.name AS process, c.title AS cause, c.frames, round(c.lost_ns / 1e6, 1) AS lost_ms, "+
				"round(100 * c.lost_share, 1) AS lost_percent, c.culprit, c.advice "+
				"FROM ohos_cause AS c JOIN process AS p USING (upid) ORDER BY c.lost_ns DESC, process, c.title"),
		}, ShowWhy()...)},
		{"ohos.Fps", "OpenHarmony: frames per second", []string{"ohos.fps"}, []Command{
			CountFPS(),
			showTable("Frames per second", "SELECT f.process_name AS process, f.pid, f.kind, f.event AS shown_by, f.frames, round(f.fps, 1) AS fps, "+
				"h.gaps, h.hitches, h.lost_frames, round(h.hitch_ns / 1e6, 1) AS hitch_ms, round(h.hitch_ms_per_s, 1) AS hitch_ms_per_s "+
				"FROM ohos_fps AS f LEFT JOIN ohos_hitch_ratio AS h USING (kind, upid) ORDER BY f.kind, process, f.pid"),
		}},
		{"ohos.Stages", "OpenHarmony: where the time of frames goes", []string{"ohos.stages"}, []Command{
			showTable("Stages of frames", "SELECT process_name AS process, pid, kind, number, stage, frames, round(p50_ns / 1e6, 2) AS p50_ms, "+
				"round(p90_ns / 1e6, 2) AS p90_ms, round(max_ns / 1e6, 2) AS max_ms, longest_of_late FROM ohos_stage ORDER BY kind, process, pid, number"),
		}},
		{"ohos.Workspace", "OpenHarmony: show only the tracks of frames", nil, append(ShowWorkspace(), Expand("."))},
		{"ohos.CompareAndroid", "OpenHarmony: compare with Android", []string{"ohos.compare_android"}, []Command{
			CompareProcesses("OpenHarmony and Android"),
			showTable("Blame for late whole frames", "SELECT system, kind, process_name AS process, pid, judged, late, application, render_cpu, render_gpu, pick_up, "+
				"display_hal, buffer_stuffing, prediction_error, dropped, unknown FROM ohos_or_android_blame ORDER BY late DESC, kind, process, pid"),
		}},
	}
}
