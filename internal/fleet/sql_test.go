package fleet

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/frametable"
	"ohframe/internal/testing/slow"
)

// duckdb runs statements and a query in DuckDB, which "make duckdb" installs, and returns
// the rows.
func duckdb(t *testing.T, statements, query string) (rows []map[string]any) {
	t.Helper()
	dir, err := filepath.Abs("../../build/duckdb")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		if os.Getenv("OHFRAME_REQUIRE_DUCKDB") == "1" {
			t.Fatal(err)
		}
		t.Skip("no DuckDB: make duckdb installs it")
	}
	const script = `
import { createRequire } from 'node:module';
const { DuckDBInstance } = createRequire(process.argv[1] + '/')('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(process.argv[2]);
const reader = await connection.runAndReadAll(process.argv[3]);
console.log(JSON.stringify(reader.getRowObjectsJson()));`
	cmd := exec.Command("node", "--input-type=module", "-e", script, dir, statements, query)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return rows
}

// DuckDB computes the numbers of the report from the same files.
func TestDuckDB(t *testing.T) {
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, traces(t), Options{Read: withCauses, Shards: 3})
	statements, err := SQL("duckdb", dir)
	if err != nil {
		t.Fatal(err)
	}
	rows := duckdb(t, statements, `SELECT * FROM rates JOIN percentiles USING (kind, process) ORDER BY kind, process`)
	groups, _, err := opened(t, dir).Groups(t.Context(), Query{By: []string{"kind", "process"}})
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]map[string]any{}
	for _, row := range rows {
		byKey[row["kind"].(string)+"/"+row["process"].(string)] = row
	}
	compared := 0
	for _, g := range groups {
		row := byKey[*g.Key[0]+"/"+*g.Key[1]]
		if row == nil {
			if g.Value("p50_ms") != nil {
				t.Errorf("%s: DuckDB has no row", *g.Key[1])
			}
			continue
		}
		for _, name := range []string{"jank_rate", "fps", "hitch_ratio", "p50_ms", "p90_ms", "p95_ms", "p99_ms"} {
			want := g.Value(name)
			got, known := row[name].(float64)
			if known != (want != nil) || known && math.Abs(got-*want) > 1e-12*math.Abs(*want) {
				t.Errorf("%s: %s: DuckDB has %v, the report %v", *g.Key[1], name, row[name], want)
			}
			compared++
		}
	}
	if compared < 30 {
		t.Errorf("%d numbers compared", compared)
	}
	var lost int64
	for _, g := range groups {
		for _, c := range g.Causes {
			lost += int64(c.Lost)
		}
	}
	if got := duckdb(t, statements, `SELECT sum(lost_ns)::DOUBLE AS lost FROM causes`)[0]["lost"]; got != float64(lost) || lost == 0 {
		t.Errorf("lost time: DuckDB has %v, the report %d", got, lost)
	}
}

// The query in docs/commands.md has the numbers of the report, to the last digit.
func TestFramesQuery(t *testing.T) {
	slow.SkipRace(t)
	doc, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(string(doc), "then ask DuckDB:\n\n```\n")
	query, _, found := strings.Cut(query, "```")
	if !found {
		t.Fatal("docs/commands.md has no query")
	}
	trace, err := ohframe.Read(t.Context(), strings.NewReader(demo), ohframe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := frametable.Write(&table, []frametable.Input{{Timeline: trace.Timeline}}, frametable.Options{Format: "parquet"}); err != nil {
		t.Fatal(err)
	}
	rows := duckdb(t, "", strings.Replace(query, "traces/", folder(t, map[string]string{"demo.parquet": table.String()})+"/", 1))
	processes := stats.Compute(trace.Timeline, stats.Options{}).Processes
	if len(rows) != len(processes) || len(rows) < 3 {
		t.Errorf("%d rows, want %d", len(rows), len(processes))
	}
	for _, p := range processes {
		want := map[string]any{"kind": string(p.Kind), "process": p.Name, "frames": strconv.Itoa(p.Frames.Complete), "p50_ms": float64(p.Durations.P50) / 1e6, "jank_rate": nil}
		if p.JankRate != nil {
			want["jank_rate"] = *p.JankRate
		}
		if !slices.ContainsFunc(rows, func(row map[string]any) bool {
			for column, value := range want {
				if row[column] != value {
					return false
				}
			}
			return true
		}) {
			t.Errorf("no row has %v: %v", want, rows)
		}
	}
}

func TestSQLNames(t *testing.T) {
	for _, engine := range Engines {
		if text, err := SQL(engine, "s3://bucket/a b"); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", engine, err)
		}
		if _, err := SQL(engine, "a'; DROP TABLE x; --"); err == nil {
			t.Errorf("%s: a quote in the name of a folder is no error", engine)
		}
	}
}
