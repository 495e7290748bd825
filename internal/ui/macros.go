package ui

import (
	"slices"
	"strings"
)

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

// Macros returns the macros of the extension. Their names have the words by which people
// look for them. The palette of v55 finds beginnings of words, and splits OpenHarmony, FPS
// and ohos.Jank at capitals and dots. Source: Perfetto's ui/src/base/fuzzy.ts.
func Macros() []Macro {
	macro := func(id, name string, modules []string, commands ...[]Command) Macro {
		return Macro{"ohos." + id, "OpenHarmony: " + name + " (ohos." + id + ", openharmony)", modules, slices.Concat(commands...)}
	}
	return []Macro{
		macro("Jank", "jank, late frames by process", []string{"ohos.fps", "ohos.jank"}, jankTab.show()),
		macro("Worst", "worst frames, late whole frames by blame", []string{"ohos.jank"},
			[]Command{{"dev.perfetto.AddDebugSliceTrackWithPivot", []string{
				"SELECT ts, dur, coalesce(process_name, '') || ' ' || vsync_id AS name, blame FROM ohos_whole_frame WHERE is_late",
				"blame", "Late whole frames",
			}}}, worstTab.show()),
		macro("Why", "why frames were late, causes and lost time", []string{"ohos.why"}, causesTab.show(), ShowWhy()),
		macro("Fps", "FPS, frames per second, hitches", []string{"ohos.fps"}, []Command{CountFPS()}, fpsTab.show()),
		macro("Stages", "stages, where the time of frames goes", []string{"ohos.stages"}, stagesTab.show()),
		macro("Workspace", "show only the tracks of frames", nil, ShowWorkspace(), []Command{Expand(".")}),
		macro("CompareAndroid", "compare with Android, jank and blame", []string{"ohos.compare_android"}, compareTab.show(), blameTab.show()),
	}
}
