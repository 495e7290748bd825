package fleet

import (
	"encoding/json"
	"fmt"
	"maps"
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
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// views returns the rows of a query of the views of a dataset in one of the Engines. Those of
// Spark are translated, and run by DuckDB.
func views(t *testing.T, engine, dir, query string) []map[string]any {
	t.Helper()
	if engine == "spark" {
		return database(t, "duckdb", strings.ReplaceAll(translatedSpark(t), "DATASET", dir), query)
	}
	statements := must.Get(SQL(engine, dir))(t)
	return database(t, engine, statements, query)
}

// translated are the views for Spark as statements of DuckDB, for the folder DATASET: loading
// the translator takes seconds.
var translated string

func translatedSpark(t *testing.T) string {
	t.Helper()
	if translated == "" {
		statements := must.Get(SQL("spark", "DATASET"))(t)
		translated = database(t, "spark-translation", statements, "")[0]["sql"].(string)
	}
	return translated
}

// database runs statements and a query in an engine of databases/query.mjs, which "make databases"
// installs, and returns the rows. Integers of 64 bits are strings.
func database(t *testing.T, engine, statements, query string) (rows []map[string]any) {
	t.Helper()
	runDatabase(t, &rows, engine, statements, query)
	return rows
}

// runDatabase sets result to what databases/query.mjs prints.
func runDatabase(t *testing.T, result any, engine, statements, query string) {
	t.Helper()
	dir := must.Get(filepath.Abs("../../build/databases"))(t)
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		if os.Getenv("OHFRAME_REQUIRE_DATABASES") == "1" {
			t.Fatal(err)
		}
		t.Skip("no databases: make databases installs them")
	}
	cmd := exec.Command("node", "databases/query.mjs", dir, engine, statements, query)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", engine, err)
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatalf("%s: %v: %s", engine, err, out)
	}
}

// All engines compute the numbers of the report from the same files.
func TestEngines(t *testing.T) {
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, traces(t), Options{Read: withCauses, Shards: 3})
	groups, _ := must.Get2(opened(t, dir).groups(t.Context(), Query{By: []string{"kind", "process"}}))(t)
	lost := map[string]int64{}
	for _, g := range groups {
		for _, c := range g.Causes {
			lost[c.Name] += int64(c.Lost)
		}
	}
	for _, engine := range Engines {
		t.Run(engine, func(t *testing.T) {
			byKey := map[string]map[string]any{}
			for _, row := range views(t, engine, dir, `SELECT * FROM rates JOIN percentiles USING (kind, process)`) {
				byKey[row["kind"].(string)+"/"+row["process"].(string)] = row
			}
			compared := 0
			for _, g := range groups {
				row := byKey[*g.Key[0]+"/"+*g.Key[1]]
				if row == nil {
					if g.Value("p50_ms") != nil {
						t.Errorf("%s: no row", *g.Key[1])
					}
					continue
				}
				if row["frames"] != fmt.Sprint(g.Sum("frames")) || row["traces"] != fmt.Sprint(g.Traces) {
					t.Errorf("%s: %v frames of %v traces, the report %d of %d", *g.Key[1], row["frames"], row["traces"], g.Sum("frames"), g.Traces)
				}
				for _, name := range []string{"jank_rate", "fps", "hitch_ratio", "p50_ms", "p90_ms", "p95_ms", "p99_ms"} {
					want := g.Value(name)
					got, known := row[name].(float64)
					if known != (want != nil) || known && math.Abs(got-*want) > 1e-12*math.Abs(*want) {
						t.Errorf("%s: %s is %v, in the report %v", *g.Key[1], name, row[name], want)
					}
					compared++
				}
			}
			if compared < 30 {
				t.Errorf("%d numbers compared", compared)
			}
			got := map[string]int64{}
			for _, row := range views(t, engine, dir, `SELECT cause, lost_ns FROM causes`) {
				ns := must.Get(strconv.ParseInt(row["lost_ns"].(string), 10, 64))(t)
				got[row["cause"].(string)] += ns
			}
			if !maps.Equal(got, lost) || len(lost) < 3 {
				t.Errorf("causes: %v, in the report %v", got, lost)
			}
		})
	}
}

// The views for Spark follow its grammar. TestEngines runs a translation, which is not as
// strict.
func TestSparkGrammar(t *testing.T) {
	statements := must.Get(SQL("spark", "s3://bucket/a b"))(t)
	for _, e := range database(t, "spark-grammar", statements, "") {
		t.Errorf("line %v: %v", e["startLine"], e["message"])
	}
	if len(database(t, "spark-grammar", "CREATE VIEW a AS SELECT b c d FROM t", "")) != 1 {
		t.Error("a wrong statement has no error")
	}
}

// The engines compute the value that stands for a bucket as bucketOf's inverse does, of all
// buckets: those below 128 have no shift, and the last one the largest.
func TestBucketMiddles(t *testing.T) {
	var h histogram
	for b := range bucket(octaves * perOctave) {
		h.Add(b, 1)
	}
	row := Row{Trace: "a", Kind: stats.Application, Process: "a", Dims: make([]*string, 2)}
	row.Histograms[durationHistogram] = h.counts()
	dir := dataset(t, []Row{row}).Dir
	for engine, query := range map[string]string{
		"duckdb":     `SELECT bucket, bucket_middle(bucket) AS middle FROM durations`,
		"clickhouse": `SELECT arrayJoin(duration_bucket) AS bucket, bucket_middle(bucket) AS middle FROM traces`,
		"spark":      `SELECT bucket, middle FROM durations`,
	} {
		t.Run(engine, func(t *testing.T) {
			rows := views(t, engine, dir, query)
			if len(rows) != octaves*perOctave {
				t.Fatalf("%d buckets, want %d", len(rows), octaves*perOctave)
			}
			for _, row := range rows {
				b := bucket(row["bucket"].(float64))
				if row["middle"] != fmt.Sprint(b.middle()) {
					t.Fatalf("bucket %d: %v, want %d", b, row["middle"], b.middle())
				}
			}
		})
	}
}

// The query in docs/commands.md has the numbers of the report, to the last digit.
func TestFramesQuery(t *testing.T) {
	slow.SkipRace(t)
	doc := must.Get(os.ReadFile("../../docs/commands.md"))(t)
	_, query, _ := strings.Cut(string(doc), "then ask DuckDB:\n\n```\n")
	query, _, found := strings.Cut(query, "```")
	if !found {
		t.Fatal("docs/commands.md has no query")
	}
	trace := must.Get(ohframe.Read(t.Context(), strings.NewReader(demo), ohframe.Options{}))(t)
	var table strings.Builder
	must.Do(t, frametable.Write(&table, []frametable.Input{{Timeline: trace.Timeline}}, frametable.Options{Format: "parquet"}))
	rows := database(t, "duckdb", "", strings.Replace(query, "traces/", folder(t, map[string]string{"demo.parquet": table.String()})+"/", 1))
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

// The factors of rates are floats: a product of integers exceeds 64 bits when a dataset has many frames.
func TestRateFactors(t *testing.T) {
	for _, engine := range Engines {
		text, err := SQL(engine, "dataset")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"    sum(rated_late) / nullIf(sum(rated), 0) AS jank_rate,\n",
			"    sum(shown_gaps) * 1e9 / nullIf(sum(shown_span_ns), 0) AS fps,\n",
			"    sum(hitch_ns) * 1e3 / nullIf(sum(hitch_time_ns), 0) AS hitch_ratio",
			"    (sum(l.late) + sum(l.long) + sum(l.early)) / nullIf(sum(l.judged), 0) AS uneven_rate,\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", engine, want)
			}
		}
	}
}
