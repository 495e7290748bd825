package engine_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// textTrace has two slices, one inside the other: outer from 10.000001 s to
// 10.000009 s, inner from 10.000003 s to 10.000005 s.
const textTrace = `# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||   TIMESTAMP  FUNCTION
            work-101   (  100) [002] ....    10.000001: tracing_mark_write: B|100|outer
            work-101   (  100) [002] ....    10.000003: tracing_mark_write: B|100|inner
            work-101   (  100) [002] ....    10.000005: tracing_mark_write: E|100
            work-101   (  100) [002] ....    10.000009: tracing_mark_write: E|100
`

// TestSession runs queries in one session: they do not disturb each other.
func TestSession(t *testing.T) {
	session := enginetest.Load(t, []byte(textTrace))
	for name, test := range map[string]func(t *testing.T, session *engine.Session){
		"query": testQuery, "values": testValues, "large result": testLargeResult,
		"scripts": testScripts, "errors": testQueryErrors,
	} {
		t.Run(name, func(t *testing.T) { test(t, session) })
	}
}

func testQuery(t *testing.T, session *engine.Session) {
	got := enginetest.Query(t, session, `
		SELECT slice.name, ts, dur, depth, tid, pid
		FROM slice JOIN thread_track ON slice.track_id = thread_track.id
		JOIN thread USING (utid) JOIN process USING (upid)
		ORDER BY ts`)
	want := engine.Table{
		Columns: []string{"name", "ts", "dur", "depth", "tid", "pid"},
		Rows: [][]any{
			{"outer", int64(10_000_001_000), int64(8000), int64(0), int64(101), int64(100)},
			{"inner", int64(10_000_003_000), int64(2000), int64(1), int64(101), int64(100)},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func testValues(t *testing.T, session *engine.Session) {
	tests := []struct {
		sql  string
		want any
	}{
		{"NULL", nil},
		{"'[NULL]'", "[NULL]"},
		{"'NULL'", "NULL"},
		{"''", ""},
		{"'a \"b\" c'", `a "b" c`},
		{"'it''s'", "it's"},
		{"'a,b'", "a,b"},
		{"'a'||char(10)||'b'", "a\nb"},
		{"'名字 🙂'", "名字 🙂"},
		{"CAST(x'61ff62' AS TEXT)", "a\xffb"},
		{"0", int64(0)},
		{"-1", int64(-1)},
		{"9007199254740993", int64(1<<53 + 1)}, // a double would make it even
		{"9223372036854775807", int64(math.MaxInt64)},
		{"-9223372036854775808", int64(math.MinInt64)},
		{"0.1", 0.1},
		{"1.0 / 3", 1.0 / 3},
		{"2.0", 2.0},
		{"x'00ff0a'", []byte{0x00, 0xff, 0x0a}},
	}
	// All of them in one row, so that each is distinguished from its neighbours.
	var cells []string
	want := engine.Table{Rows: [][]any{nil}}
	for _, test := range tests {
		cells = append(cells, test.sql+" AS same")
		want.Columns = append(want.Columns, "same")
		want.Rows[0] = append(want.Rows[0], test.want)
	}
	got := enginetest.Query(t, session, "SELECT "+strings.Join(cells, ", "))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A result of many rows comes in many messages.
func testLargeResult(t *testing.T, session *engine.Session) {
	const rows = 100_000
	got := enginetest.Query(t, session, `
		WITH RECURSIVE counter(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counter WHERE i < 100000)
		SELECT i, 'row ' || i, i / 2.0, NULL FROM counter`)
	if len(got.Rows) != rows {
		t.Fatalf("%d rows, want %d", len(got.Rows), rows)
	}
	want := []any{int64(rows), "row 100000", rows / 2.0, nil}
	if last := got.Rows[rows-1]; !reflect.DeepEqual(last, want) {
		t.Errorf("last row %v, want %v", last, want)
	}
}

func testScripts(t *testing.T, session *engine.Session) {
	tests := []struct {
		name, sql, want string
	}{
		{"no rows", "SELECT name FROM slice WHERE 0", "name\n"},
		{"several statements", "CREATE PERFETTO TABLE t AS SELECT 3 AS x; SELECT x + 1 AS y FROM t;", "y\n4\n"},
		{"more than a pipe holds", strings.Repeat("-- comment\n", 50_000) + "SELECT 1 AS x", "x\n1\n"},
		{"what an earlier query created", "SELECT x FROM t", "x\n3\n"},
	}
	for _, test := range tests {
		must.Equal(t, enginetest.Query(t, session, test.sql).String(), test.want, "%s", test.name)
	}
}

// An error leaves the session as it was.
func testQueryErrors(t *testing.T, session *engine.Session) {
	tests := []struct {
		name, sql, want string
	}{
		{"syntax", "SELEC 1", "syntax error near 'SELEC'"},
		{"table", "SELECT 1 FROM nowhere", "no such table: nowhere"},
		{"later statement", "SELECT 1 WHERE 0; SELEC 2", "syntax error near 'SELEC'"},
		{"column", "SELECT nought FROM slice", "no such column: nought"},
		{"rows nobody sees", "SELECT 1; SELECT 2", "2 statements return rows"},
		{"nothing to run", "-- only a comment", "No valid SQL"},
	}
	for _, test := range tests {
		if _, err := session.Query(test.sql); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
	enginetest.Query(t, session, "SELECT 1")
}

func TestPackages(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "folder")
	must.Do(t, os.MkdirAll(filepath.Join(directory, "sub"), 0o700))
	module := []byte("CREATE PERFETTO TABLE made AS SELECT 'by the module' AS text;")
	must.Do(t, os.WriteFile(filepath.Join(directory, "sub", "module.sql"), module, 0o600))
	for spec, name := range map[string]string{directory: "folder", directory + "@other": "other"} {
		session := enginetest.Load(t, []byte(textTrace), spec)
		got := enginetest.Query(t, session, "INCLUDE PERFETTO MODULE "+name+".sub.module; SELECT text FROM made")
		if want := "text\n\"by the module\"\n"; got.String() != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// What was loaded before is gone, also if what is loaded is no trace.
func TestReload(t *testing.T) {
	session := enginetest.Load(t, []byte(textTrace))
	path := filepath.Join(t.TempDir(), "trace")
	must.Do(t, os.WriteFile(path, []byte("no trace"), 0o600))
	if err := session.Reload(path); err == nil || !strings.Contains(err.Error(), "Unknown trace type") {
		t.Errorf("got error %v", err)
	}
	must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(textTrace, "inner", "other")), 0o600))
	must.Do(t, session.Reload(path))
	must.Equal(t, enginetest.Query(t, session, "SELECT group_concat(name) AS names FROM slice").String(), "names\n\"outer,other\"\n", "slices")
}
