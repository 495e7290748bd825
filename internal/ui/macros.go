package ui

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
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
	return append([]Command{runQuery(strings.Join(includes, " "))}, m.Commands...)
}

// runQuery runs SQL statements that return nothing.
func runQuery(sql string) Command {
	return Command{"dev.perfetto.RunQuery", []string{sql}}
}

// showTable shows the rows of a query in a tab.
func showTable(title, sql string) Command {
	return Command{"dev.perfetto.RunQueryAndShowTab", []string{sql, title}}
}

// workspace is the name of the workspace with the tracks of frames.
const workspace = "Frames"

// frameTracks matches the ends of the paths of the tracks of frames: those of the frame
// timeline, and Frames. A path has the names of a track and its ancestors. The UI copies a
// track with all below it, so these must not match, too: below Actual Timeline, UIs to come have tracks of the same names for
// each layer, whose paths are nested (https://github.com/google/perfetto/pull/7424).
const (
	frameTracks = " > ((Expected|Actual) Timeline|Frames)"
	nested      = `[\s\S]* > (Expected|Actual) Timeline > [\s\S]*`
)

// framesOf matches the paths of the tracks of frames that end as given, except those for which another pattern is.
func framesOf(except, end string) string {
	return "^(?!(" + nested + except + `)$)[\s\S]*` + end + frameTracks + "$"
}

// bareTracks matches the ends of the paths of the tracks that a process without frames has, or
// no process.
const bareTracks = "(Interactions|Hangs|Why|Waited for|Components)$"

// lateTracks matches the path of the track of what was late in all processes.
const lateTracks = "^Late frames" + sideOf + "$"

// layerTracks matches the path of the track of layers, which belongs to no process.
const layerTracks = "^Layers" + sideOf + "$"

// sideOf matches the side in the name of a track of a merged trace that belongs to no process.
const sideOf = `( \((base|new): [^>]*\))?`

// anyProcess matches the end of the path of any process.
const anyProcess = `\s\d+( \(.*\))?`

// process matches the end of the path of a process with one of some ids. The UI labels it with its name, its
// process id, and in brackets its machine if there are several.
func process(pids []trace.PID) string {
	return " (" + strings.ReplaceAll(strings.Trim(fmt.Sprint(pids), "[]"), " ", "|") + `)( \(.*\))?`
}

// ShowWorkspace switches to a workspace of only the tracks of frames and interactions, under
// the names of their processes, and of layers, below what was late in all processes. Processes with one of the
// given ids are the first. Layers are above the processes if layersFirst, otherwise below.
func ShowWorkspace(pids []trace.PID, layersFirst bool) []Command {
	commands := []Command{{"dev.perfetto.CreateWorkspace", []string{workspace}}, copyToWorkspace(lateTracks)}
	if layersFirst {
		commands = append(commands, copyToWorkspace(layerTracks))
	}
	except, bare := "", ""
	if len(pids) > 0 {
		for _, pid := range pids {
			one := process([]trace.PID{pid})
			commands = append(commands, copyToWorkspace(framesOf("", one)), copyToWorkspace(one+" > "+bareTracks))
		}
		except = `|[\s\S]*` + process(pids) + frameTracks
		bare = `^(?![\s\S]*` + process(pids) + " > " + bareTracks + `)`
	}
	commands = append(commands, copyToWorkspace(framesOf(except, "")), copyToWorkspace(bare+`^([\s\S]*`+anyProcess+" > )?"+bareTracks))
	if !layersFirst {
		commands = append(commands, copyToWorkspace(layerTracks))
	}
	return append(commands, Command{"dev.perfetto.SwitchWorkspace", []string{workspace}})
}

func copyToWorkspace(pattern string) Command {
	return Command{"dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors", []string{pattern, workspace, "path"}}
}

// expand expands the tracks whose paths match a pattern.
func expand(pattern string) Command {
	return Command{"dev.perfetto.ExpandTracksByRegex", []string{pattern, "path"}}
}

// ExpandProcesses expands the processes with one of some ids, and their tracks Frames if asked for.
func ExpandProcesses(pids []trace.PID, frames bool) Command {
	if frames {
		return expand(process(pids) + "( > Frames)?$")
	}
	return expand(process(pids) + "$")
}

// ExpandLayers expands the track of layers, not what is below each of them.
func ExpandLayers() Command { return expand(layerTracks) }

// countFPS shows the frames per second of each process. It needs the module ohos.fps.
func countFPS() Command {
	return Command{"dev.perfetto.AddDebugCounterTrackWithPivot", []string{
		"SELECT f.ts, f.fps AS value, coalesce(p.name, '') || ' ' || p.pid AS process FROM ohos_fps_over_time AS f JOIN process AS p USING (upid)",
		"process", "FPS",
	}}
}

// Macros returns the macros of the extension. Their names have the words by which people
// look for them. The palette of v55 finds beginnings of words, and splits OpenHarmony before
// its second capital. Source: Perfetto's ui/src/base/fuzzy.ts.
func Macros() []Macro {
	macro := func(id, name string, modules []string, commands ...[]Command) Macro {
		return Macro{"ohos." + id, "OpenHarmony: " + name + " (ohos." + id + ", openharmony)", modules, slices.Concat(commands...)}
	}
	return []Macro{
		macro("Jank", "jank, late frames by process", []string{soon}, jankTab.show("")),
		macro("Why", "why frames were late, the worst first, causes and lost time", []string{"ohos.why"}, causesTab.show(""), why.show("")),
		macro("Functions", "functions in which late frames were longer, samples", []string{"ohos.functions"}, functionsTab.show("")),
		macro("Fps", "FPS, frames per second, hitches", []string{"ohos.fps"}, []Command{countFPS()}, fpsTab.show("")),
		macro("Interactions", "interactions, flings, clicks, launches, most hitches first", []string{interactionsModule}, interactionsTab.show("")),
		macro("Launches", "launches, cold starts by stage", []string{interactionsModule}, launchesTab.show("")),
		macro("Layers", "layers, videos, games, buffers", []string{layersModule}, layersTab.show("")),
		macro("Stages", "stages, where the time of frames goes", []string{"ohos.stages"}, stagesTab.show("")),
		macro("Workspace", "show only the tracks of frames", nil, ShowWorkspace(nil, true), []Command{expand(".")}),
	}
}
