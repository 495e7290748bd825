package ui

import (
	"fmt"
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
	// Without rows, the tab has one row with a text in one column: empty is an SQL expression.
	notice, empty string
}

// link makes a row a link to a slice: the UI looks for columns of these names. Source:
// Perfetto's ui/src/plugins/dev.perfetto.QueryPage/results_table.ts.
var (
	linkID = column{"id", "s.id"}
	link   = []column{{"ts", "s.ts"}, {"dur", "s.dur"}, {"track_id", "s.track_id"}}
)

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

// show returns the commands that show the tab.
func (t *tab) show() []Command {
	return []Command{RunQuery(t.create()), {"dev.perfetto.RunQueryAndShowTab", []string{"SELECT * FROM " + t.view(), t.title}}}
}

// noFrames is the text in a tab of a trace without frames of OpenHarmony.
const noFrames = "'this trace has no frames of OpenHarmony; for Android, run the macro ohos.CompareAndroid'"

// noneLate is the text in a tab if no frame was late.
const noneLate = "iif(EXISTS (SELECT 1 FROM ohos_frame), 'no frame was late', " + noFrames + ")"

// why has each late frame with its largest cause. It needs the module ohos.why.
var why = tab{
	title: "Why frames were late",
	columns: append([]column{
		linkID, {"why", "c.cause"}, {"late ms", "round(c.overrun_ns / 1e6, 1)"}, {"process", "f.process_name"}, {"frame", "f.vsync_id"},
		{"confidence", "c.confidence"}, {"advice", "c.advice"},
	}, link...),
	from:   "ohos_frame_cause AS c JOIN ohos_frame AS f ON f.id = c.frame_id JOIN slice AS s ON s.id = f.event_id WHERE c.rank = 1",
	order:  "c.overrun_ns DESC, s.ts",
	notice: "why",
	empty:  "iif(EXISTS (SELECT 1 FROM ohos_frame WHERE is_late), 'this trace has no causes: convert it without --no-causes', " + noneLate + ")",
}

// ShowWhy shows why each late frame was late. A click on a row selects the frame's slice of
// the track Frames. It needs the module ohos.why.
func ShowWhy() []Command { return why.show() }
