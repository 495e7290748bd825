// Package uitest checks commands of Perfetto's UI as the UI would run them at its start.
package uitest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/ui"
)

// arguments is the number of arguments of the commands that the UI runs by itself. It
// refuses others. Source: Perfetto's ui/src/core/startup_command_allowlist.ts.
var arguments = map[string]int{
	"dev.perfetto.PinTracksByRegex":                          2,
	"dev.perfetto.ExpandTracksByRegex":                       2,
	"dev.perfetto.CollapseTracksByRegex":                     2,
	"dev.perfetto.AddDebugSliceTrack":                        2,
	"dev.perfetto.AddDebugSliceTrackWithPivot":               3,
	"dev.perfetto.AddDebugCounterTrack":                      2,
	"dev.perfetto.AddDebugCounterTrackWithPivot":             3,
	"dev.perfetto.CreateWorkspace":                           1,
	"dev.perfetto.SwitchWorkspace":                           1,
	"dev.perfetto.CopyTracksToWorkspaceByRegex":              3,
	"dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors": 3,
	"dev.perfetto.RunQuery":                                  1,
	"dev.perfetto.RunQueryAndShowTab":                        2,
	"dev.perfetto.AddNoteAtTimestamp":                        2,
}

// Pattern is a pattern for paths of tracks, compiled.
type Pattern struct{ not, match *regexp.Regexp }

// Compile compiles a pattern as the UI does. Go's patterns have no lookahead; one may begin
// with a condition that the path must not meet.
func Compile(t testing.TB, text string) Pattern {
	t.Helper()
	not, match := "", text
	if after, ok := strings.CutPrefix(text, "^(?!"); ok {
		if not, match, ok = strings.Cut(after, `$)`); !ok {
			t.Fatalf("pattern %s", text)
		}
		not, match = "^"+not+"$", "^"+match
	}
	p := Pattern{}
	for _, compile := range []struct {
		to   **regexp.Regexp
		text string
	}{{&p.not, not}, {&p.match, match}} {
		if compile.text == "" {
			continue
		}
		compiled := must.Get(regexp.Compile(compile.text))(t)
		*compile.to = compiled
	}
	return p
}

// Match reports whether the pattern matches a path.
func (p Pattern) Match(path string) bool {
	return p.match.MatchString(path) && (p.not == nil || !p.not.MatchString(path))
}

// Run checks commands in their order, and runs their queries. Each must return rows, and
// those for a track the columns of the track, without NULL for the pivot.
func Run(t testing.TB, session *engine.Session, commands []ui.Command) {
	t.Helper()
	workspace := ""
	for _, c := range commands {
		if want, ok := arguments[c.ID]; !ok || len(c.Args) != want {
			t.Errorf("%s with %d arguments", c.ID, len(c.Args))
			continue
		}
		switch name := strings.TrimPrefix(c.ID, "dev.perfetto."); {
		case strings.Contains(name, "ByRegex"):
			Compile(t, c.Args[0])
			if last := c.Args[len(c.Args)-1]; last != "name" && last != "path" {
				t.Errorf("%s: %q is neither name nor path", c.ID, last)
			}
			if strings.HasPrefix(name, "Copy") && c.Args[1] != workspace {
				t.Errorf("%s to %q", c.ID, c.Args[1])
			}
		case name == "CreateWorkspace":
			workspace = c.Args[0]
		case name == "SwitchWorkspace":
			if c.Args[0] != workspace {
				t.Errorf("%s to %q", c.ID, c.Args[0])
			}
		case name == "AddNoteAtTimestamp":
			if _, err := strconv.ParseInt(c.Args[0], 10, 64); err != nil || c.Args[1] == "" {
				t.Errorf("%s %q: %v", c.ID, c.Args, err)
			}
		case name == "RunQuery":
			enginetest.Query(t, session, c.Args[0]+"; SELECT 1")
		default:
			runQuery(t, session, c)
		}
	}
}

// runQuery runs the query of a command that shows it.
func runQuery(t testing.TB, session *engine.Session, c ui.Command) {
	t.Helper()
	table := enginetest.Query(t, session, c.Args[0])
	if len(table.Rows) == 0 {
		t.Errorf("%s: no rows from %s", c.ID, c.Args[0])
	}
	var need []string
	switch {
	case strings.Contains(c.ID, "Slice"):
		need = []string{"ts", "dur", "name"}
	case strings.Contains(c.ID, "Counter"):
		need = []string{"ts", "value"}
	}
	if strings.HasSuffix(c.ID, "WithPivot") {
		need = append(need, c.Args[1])
	}
	for _, name := range need {
		column := slices.Index(table.Columns, name)
		if column < 0 {
			t.Errorf("%s: no column %s in %v", c.ID, name, table.Columns)
			continue
		}
		for _, row := range table.Rows {
			if row[column] == nil {
				t.Errorf("%s: NULL in column %s", c.ID, name)
				break
			}
		}
	}
}
