package ui

import (
	"fmt"
	"slices"
	"strings"
)

// column is a column of a tab: its title, and an expression.
type column struct{ title, value string }

// tab is a table that the UI shows in a tab. The UI shows the text of the query below the
// title, so the query selects from a view that has the name of the title.
type tab struct {
	title   string
	columns []column
	from    string // a list of tables with conditions
	order   string
	machine string // an expression for the machine of a row, if the tab is shown at once
	// Without rows, the tab has one row with a text in one column: empty is an SQL expression.
	notice, empty string
}

// link makes a row a link to a slice: the UI looks for columns of these names. Source:
// Perfetto's ui/src/plugins/dev.perfetto.QueryPage/results_table.ts.
var (
	linkID = column{"id", "s.id"}
	link   = []column{{"ts", "s.ts"}, {"dur", "s.dur"}, {"track_id", "s.track_id"}}
)

// tellSides adds a column that says of which trace of a merged one a row is. The machines are in the order of the
// traces. Their names are in SQL only from v58 on.
func (t *tab) tellSides(names []string) {
	if len(names) < 2 {
		return
	}
	quoted := func(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }
	side := column{"side", fmt.Sprintf("iif((SELECT count(*) FROM _ohos_machine AS m WHERE m.machine_id < %s) = 0, %s, %s)", t.machine, quoted(names[0]), quoted(names[1]))}
	t.columns = slices.Insert(slices.Clone(t.columns), 1, side)
}

// view returns the name of the tab's view.
func (t *tab) view() string {
	return "ohos_" + strings.ReplaceAll(strings.ToLower(t.title), " ", "_")
}

// create returns the statement that creates the tab's view.
func (t *tab) create() string {
	outer, inner := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		title := `"` + c.title + `"`
		inner[i] = c.value + " AS " + title
		outer[i] = title
		if c.title == t.notice {
			outer[i] = fmt.Sprintf("iif(place, %s, %s) AS %s", title, t.empty, title)
		}
	}
	return fmt.Sprintf("CREATE OR REPLACE PERFETTO VIEW %s AS SELECT %s FROM (SELECT 1) LEFT JOIN (SELECT row_number() OVER (ORDER BY %s) AS place, %s FROM %s) ON TRUE ORDER BY place;",
		t.view(), strings.Join(outer, ", "), t.order, strings.Join(inner, ", "), t.from)
}

// show returns the commands that run a script and show the tab.
func (t *tab) show(script string) []Command {
	return []Command{runQuery(script + t.create()), showTable(t.title, "SELECT * FROM "+t.view())}
}

// why has each late frame with its largest cause. A click on a row selects the frame's slice
// of the track Frames.
var why = tab{
	title: "Why frames were late",
	columns: append([]column{
		linkID, {"why", "coalesce(extract_arg(s.arg_set_id, 'debug.cause'), " + noCauses + ")"},
		{"late ms", "round(extract_arg(s.arg_set_id, 'debug.overrun_ms'), 1)"},
		{"process", "p.name"}, {"frame", "s.vsync_id"},
		{"confidence", "extract_arg(s.arg_set_id, 'debug.confidence')"}, {"advice", "extract_arg(s.arg_set_id, 'debug.advice')"},
	}, link...),
	from:    "ohos_frame_slice AS s JOIN process AS p USING (upid) WHERE s.is_late",
	order:   "extract_arg(s.arg_set_id, 'debug.overrun_ms') DESC, s.ts, s.id",
	machine: "p.machine_id",
	notice:  "why",
	empty:   noneLate,
}

// soon is the SQL module of the tabs that "ohframe open" shows before it creates the tables
// of all modules.
const soon = "ohos.slices"

// layersModule is the SQL module of the tab of layers. It includes soon.
const layersModule = "ohos.layers"

// interactionsModule is the SQL module of the tabs of interactions. It includes soon.
const interactionsModule = "ohos.interactions"
