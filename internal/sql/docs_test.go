package sql_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"ohframe/analyzer/analysis"
	"ohframe/exporter/pftrace"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/uitest"
	"ohframe/internal/ui"
)

const guide = "../../docs/perfetto.md"

// block is a query in the guide and the output below it.
var block = regexp.MustCompile("(?s)```sql\n(.*?)```\n\n```text\n(.*?)```\n")

// TestGuide checks what the documents state about the demo.
func TestGuide(t *testing.T) {
	session := loadDemo(t)
	t.Run("queries", func(t *testing.T) { checkGuide(t, session) })
	t.Run("UI commands", func(t *testing.T) { checkGuideCommands(t, session) })
	t.Run("names", func(t *testing.T) { checkGuideNames(t, session) })
}

// checkGuide runs the queries of docs/perfetto.md on the demo trace, or on one with interactions.
func checkGuide(t *testing.T, session *engine.Session) {
	checkQueries(t, guide, func(query string) *engine.Session {
		if strings.Contains(query, "ohos.interactions") {
			return loadFlings(t)
		}
		return session
	})
}

// checkQueries runs the queries of a document on sessions, each as it stands, and compares their
// output with what the document says. "make docs" writes that instead.
func checkQueries(t *testing.T, document string, on func(query string) *engine.Session) {
	t.Helper()
	text := must.Get(os.ReadFile(document))(t)
	queries := 0
	updated := block.ReplaceAllStringFunc(string(text), func(found string) string {
		queries++
		parts := block.FindStringSubmatch(found)
		got := layOut(enginetest.Query(t, on(parts[1]), parts[1]))
		if got != parts[2] {
			t.Logf("query\n%s\ngives\n%s\n%s says\n%s", parts[1], got, document, parts[2])
		}
		return strings.Replace(found, "```text\n"+parts[2], "```text\n"+got, 1)
	})
	if queries < 2 {
		t.Errorf("%s has %d queries", document, queries)
	}
	schematest.Update(t, document, updated)
}

func loadDemo(t *testing.T) *engine.Session {
	t.Helper()
	enginetest.ForTest(t)
	demo := must.Get(os.Open("../../testdata/demo.ftrace"))(t)
	defer demo.Close()
	output, _ := convert(t, demo, pftrace.Options{Analysis: analysis.Options{Causes: true}})
	return load(t, output)
}

func loadFlings(t *testing.T) *engine.Session {
	t.Helper()
	packed := must.Get(os.Open("../../testdata/flings.ftrace.gz"))(t)
	defer packed.Close()
	text := must.Get(gzip.NewReader(packed))(t)
	output, _ := convert(t, text, pftrace.Options{NoEvents: true})
	return load(t, output)
}

// layOut prints a table for people.
func layOut(table engine.Table) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(table.Columns, "\t"))
	for _, row := range table.Rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			if cell == nil {
				cell = "NULL"
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return text.String()
}

// Each module can be included without the others, and finds nothing in a trace without
// frames. In full, each is alone in its session.
func TestModulesAlone(t *testing.T) {
	empty, _ := convert(t, strings.NewReader("   a-1   (    1) [000] ....  1.000000: print: B|1|x\n"), pftrace.Options{})
	demo, _ := demoTrace(t)
	for name, trace := range map[string][]byte{"empty": empty, "demo": demo, "android": androidTrace(t)} {
		session := load(t, trace)
		for _, module := range modules(t) {
			if slow.Enabled() {
				session = load(t, trace)
			}
			query(t, session, "INCLUDE PERFETTO MODULE ohos."+module+"; SELECT 1")
			for _, table := range tablesOf(t, module) {
				rows := query(t, session, "SELECT * FROM "+table)
				if aboutFrames := table != "callstack" && table != "trace_range"; name == "empty" && aboutFrames {
					compare(t, table, rows, nil)
				}
			}
		}
	}
}

var (
	object = regexp.MustCompile(`^CREATE OR REPLACE PERFETTO (TABLE|VIEW|FUNCTION|MACRO) ([a-z]\w*)\(?`)
	column = regexp.MustCompile(`^  \w+ [A-Z]\w*(\([\w.]+\))?,?$`)
	// named are the columns of each type: no other one is called so.
	named = map[string]*regexp.Regexp{
		"TIMESTAMP": regexp.MustCompile(`^ts$|_ts$`), "DURATION": regexp.MustCompile(`^(dur|ns)$|_(dur|ns)$`), "BOOL": regexp.MustCompile(`^is_`),
	}
)

// tablesOf are the tables of a module that are for users.
func tablesOf(t *testing.T, module string) (list []string) {
	t.Helper()
	text := must.Get(fs.ReadFile(sql.Files(), module+".sql"))(t)
	for line := range strings.Lines(string(text)) {
		if m := object.FindStringSubmatch(line); m != nil && (m[1] == "TABLE" || m[1] == "VIEW") {
			list = append(list, m[2])
		}
	}
	if len(list) == 0 && module != "viz" {
		t.Fatalf("%s has no tables", module)
	}
	return list
}

// Tables and functions for users have a comment above them, and so has each of their typed
// columns, which is named after its type. Names of others begin with an underscore.
func TestComments(t *testing.T) {
	for _, name := range modules(t) {
		text := must.Get(fs.ReadFile(sql.Files(), name+".sql"))(t)
		last, within, columns := "", "", 0
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			commented := strings.HasPrefix(strings.TrimSpace(last), "-- ")
			m := object.FindStringSubmatch(line)
			switch {
			case m != nil:
				within, columns = m[2], 0
				if !commented || !strings.HasPrefix(m[2], "ohos_") && name != "trace_streamer" || !strings.HasSuffix(line, "(") {
					t.Errorf("%s: %s has no comment, no columns or no prefix", name, m[2])
				}
			case line == "AS" || line == "AS (":
				if within != "" && columns == 0 {
					t.Errorf("%s: %s has no columns", name, within)
				}
				within = ""
			case within != "" && column.MatchString(line):
				if columns++; !commented {
					t.Errorf("%s: %s: column %q has no comment", name, within, line)
				}
				words := strings.Fields(strings.TrimSuffix(line, ","))
				for typ, like := range named {
					if is := like.MatchString(words[0]); is != (words[1] == typ) && name != "trace_streamer" {
						t.Errorf("%s: %s: the type of the column %q is not that of its name", name, within, line)
					}
				}
			case within != "" && !strings.HasPrefix(line, "  --") && !strings.HasPrefix(line, ")") && !strings.HasPrefix(line, "RETURNS"):
				t.Errorf("%s: %s: %q is no column", name, within, line)
			}
			if len([]rune(line)) > 120 {
				t.Errorf("%s: long line %q", name, line)
			}
			last = line
		}
	}
}

// checkGuideCommands checks the commands of docs/perfetto.md: that the
// UI has them, and that their queries give what a track needs.
func checkGuideCommands(t *testing.T, session *engine.Session) {
	text := must.Get(os.ReadFile(guide))(t)
	var commands []ui.Command
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1) {
		var list []struct {
			ui.Command
			Name string
			Run  []ui.Command
		}
		if err := json.Unmarshal(m[1], &list); err != nil {
			t.Errorf("%v in\n%s", err, m[1])
		}
		for _, c := range list {
			if c.Name == "" {
				commands = append(commands, c.Command)
			}
			commands = append(commands, c.Run...)
		}
	}
	if len(commands) == 0 {
		t.Error("no commands")
	}
	uitest.Run(t, session, commands)
}

// The guide names all tracks that the demo has, and all tables.
func checkGuideNames(t *testing.T, session *engine.Session) {
	text := must.Get(os.ReadFile(guide))(t)
	names := enginetest.Query(t, session, `
		SELECT DISTINCT '| ' || name || ' |' FROM track
		WHERE type GLOB 'process*track_event' AND name IS NOT NULL AND name NOT GLOB 'Frames (*' AND name NOT GLOB 'Why (*' AND name NOT GLOB 'Waited for (*'`).Rows
	if len(names) < 10 {
		t.Errorf("%d names", len(names))
	}
	for _, row := range names {
		if name := row[0].(string); !strings.Contains(string(text), name) {
			t.Errorf("the guide says nothing of %s", name)
		}
	}
	var list []string
	for _, module := range modules(t) {
		list = append(list, tablesOf(t, module)...)
	}
	for _, table := range list {
		if !strings.Contains(string(text), "`"+table+"`") {
			t.Errorf("the guide says nothing of %s", table)
		}
	}
}
