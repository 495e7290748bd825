package ui

import (
	"slices"

	"ohframe/internal/sql"
)

// ofTimeline has the late frames of a trace without tracks Frames, as Android's: what is
// known of them is on the frame timeline.
var ofTimeline = tab{
	title: why.title,
	columns: append([]column{
		linkID, {androidWhy, "s.jank_type"}, {"late ms", "iif(s.surface_frame_token IS NULL, NULL, round((s.ts + s.dur - e.deadline) / 1e6, 1))"},
		{"process", "p.name"}, {"frame", "cast_int!(s.name)"}, {"layer", "s.layer_name"},
	}, link...),
	from: "actual_frame_timeline_slice AS s JOIN process AS p USING (upid) " +
		"LEFT JOIN (SELECT upid, name, max(ts + dur) AS deadline FROM expected_frame_timeline_slice GROUP BY upid, name) AS e USING (upid, name) " +
		"WHERE s.jank_type GLOB iif(s.surface_frame_token IS NULL, '*SurfaceFlinger [CG]PU Deadline Missed*', '*App Deadline Missed*')",
	order:  "iif(s.surface_frame_token IS NULL, NULL, s.ts + s.dur - e.deadline) DESC, s.ts",
	notice: androidWhy,
	empty:  "'no frame was late'",
}

// androidWhy is the title of the column of Perfetto's jank types.
const androidWhy = "why (SurfaceFlinger's jank type)"

// NoFrames returns the command that says in a tab that there is nothing to see.
func NoFrames() Command {
	return showTable("No frames", "SELECT 'ohframe found no complete frame in this trace; ohframe report says why' AS \"no frames\"")
}

// Overview is what decides which tabs a view has.
type Overview struct {
	Frames   bool // there are complete frames
	Late     bool // some frame is late
	Judged   bool // it is known of some frame whether it is late
	Android  bool // the frames are Android's
	Selected bool // the view selects something

	// Sides are the names of the traces with frames of OpenHarmony in a merged one, in their order.
	Sides []string

	Layers       bool // there are tracks of layers
	Interactions bool // there are interactions
	Interaction  bool // the view selects one
}

// Open returns the commands that show the tabs of a view, the one in front last, and then
// create the tables of all modules with names of their own. The tabs read slices, because
// the tables need many times as long.
func Open(o Overview) ([]Command, error) {
	needed := []string{soon}
	if o.Interactions {
		needed = append(needed, interactionsModule)
	}
	if o.Layers {
		needed = append(needed, layersModule)
	}
	script, err := sql.Inline(needed...)
	if err != nil {
		return nil, err
	}
	tables, err := sql.Inline(sql.OwnNames()...)
	if err != nil {
		return nil, err
	}
	processes := jankTab
	if o.Judged && !o.Late {
		processes.title = "No frame was late"
	}
	var commands []Command
	show := func(t tab) { // the script creates what tabs select from, before the first of them
		t.tellSides(o.Sides)
		commands, script = append(commands, t.show(script)...), ""
	}
	if o.Layers && o.Late {
		show(layersTab)
	}
	if o.Interactions && !o.Interaction {
		show(interactionsTab)
	}
	switch {
	case o.Judged && o.Android:
		commands = append(commands, ofTimeline.show("")...)
	case o.Frames && !o.Android:
		show(processes)
		if o.Late {
			show(why)
		}
	}
	if o.Layers && !o.Late {
		show(layersTab)
	}
	if o.Interaction {
		show(interactionsTab)
	}
	commands = append(commands, runQuery(tables))
	if o.Selected {
		commands = slices.Insert(commands, 0, runQuery(pause))
	}
	return commands, nil
}

// pause lets the UI end its zoom, which takes 300 ms from v55 on, before it moves to the
// selected slice: that move stops the zoom wherever it is. The UI finds the slice with
// several queries, so it waits while the engine counts. That must be the first query: the UI
// waits for the others, and asks for the slice meanwhile. Source: Perfetto's
// ui/src/core/timeline.ts and ui/src/plugins/dev.perfetto.DeeplinkQuerystring.
const pause = "CREATE OR REPLACE PERFETTO TABLE _ohos_pause AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000) SELECT count(*) AS n FROM n"
