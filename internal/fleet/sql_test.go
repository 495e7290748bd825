package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/frametable"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/view"
)

// views returns the rows of queries of the views of a dataset in one of the Engines. Those of
// Spark are translated, and run by DuckDB.
func views(t *testing.T, engine string, d *Dataset, queries ...string) [][]map[string]any {
	t.Helper()
	statements := must.Get(d.SQL(engine))(t)
	if engine == "spark" {
		engine, statements = "duckdb", translatedSpark(t, statements)
	}
	return database(t, engine, statements, queries...)
}

// translated are statements for Spark as those of DuckDB: loading the translator takes seconds.
var translated = map[string]string{}

func translatedSpark(t *testing.T, statements string) string {
	t.Helper()
	list := strings.Split(statements, ";\n")
	unknown := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return translated[s] != "" })
	var results []string
	must.Do(t, runDatabase(t, &results, "spark-translation", "", unknown...))
	for i, s := range unknown {
		translated[s] = results[i]
	}
	text := "SET TimeZone = 'UTC'"
	for _, s := range list {
		text += ";\n" + translated[s]
	}
	return text
}

// database runs statements and queries in an engine of databases/query.mjs, which "make databases"
// installs, and returns the rows of each. Integers of 64 bits are strings.
func database(t *testing.T, engine, statements string, queries ...string) (rows [][]map[string]any) {
	t.Helper()
	if err := runDatabase(t, &rows, engine, statements, queries...); err != nil {
		t.Fatalf("%s: %v", engine, err)
	}
	return rows
}

// runDatabase sets result to what databases/query.mjs prints. The error has what the engine says.
func runDatabase(t *testing.T, result any, engine, statements string, queries ...string) error {
	t.Helper()
	dir := must.Get(filepath.Abs("../../build/databases"))(t)
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		if os.Getenv("OHFRAME_REQUIRE_DATABASES") == "1" {
			t.Fatal(err)
		}
		t.Skip("no databases: make databases installs them")
	}
	cmd := exec.Command("node", append([]string{"databases/query.mjs", dir, engine, statements}, queries...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return json.Unmarshal(out, result)
}

// measured is a query of a view with measures of groups.
type measured struct {
	query string
	by    []string
}

var measuredViews = []measured{
	{"SELECT * FROM rates", []string{"kind", "process"}},
	{"SELECT * FROM percentiles", []string{"kind", "process"}},
	{"SELECT * FROM responses", []string{"kind", "process", "scene", "page"}},
	{"SELECT * FROM layer_rates", []string{"process", "layer"}},
}

// check compares rows of a view with the groups of the report, and says of columns whether a value is known.
func (v *measured) check(t *testing.T, d *Dataset, rows []map[string]any, known map[string]bool) {
	t.Helper()
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: v.by}))(t)
	for _, row := range rows {
		i := slices.IndexFunc(groups, func(g *Group) bool {
			for i, dim := range v.by {
				if name, _ := row[dim].(string); (row[dim] == nil) != (g.Key[i] == nil) || g.Key[i] != nil && *g.Key[i] != name {
					return false
				}
			}
			return true
		})
		if i < 0 {
			t.Errorf("%s: the report has no group of %v", v.query, row)
			continue
		}
		g := groups[i]
		for name, value := range row {
			var want any
			m, of := g.measured(name)
			_, sum := columnIndex[name]
			switch {
			case slices.Contains(v.by, name):
				continue
			case name == "traces":
				want = fmt.Sprint(g.Traces)
			case name == "interactions":
				want = fmt.Sprint(g.Rows)
			case sum:
				want = fmt.Sprint(g.Sum(name))
			case m.Value(of) != nil:
				exact := *m.Value(of)
				want = exact
				// Views have the responses themselves, and the report those of buckets.
				within := 1e-12
				if times := m.Aggregate.Times; m.Estimated(of) && (times == "response" || times == "completion") {
					within = 0.008
				}
				if x, ok := value.(float64); ok && math.Abs(x-exact) <= within*math.Abs(exact) {
					want = x
				}
			}
			if value != want {
				t.Errorf("%s: %s of %s is %v, in the report %v", v.query, name, view.GroupText(g.Key), value, want)
			}
			known[name] = known[name] || want != nil
		}
	}
}

// pooled returns rows of traces with all measures: page b is unknown, and the number of frames exceeds 32 bits.
func pooled() (rows []Row) {
	r := rand.New(rand.NewPCG(1, 1))
	times := func(row *Row, number int) {
		var h histogram
		for range 200 {
			h.addValue(r.Int64N(50e6))
		}
		row.Histograms[number] = h.counts()
		if number == durationHistogram {
			row.Shortest, row.Numbers[columnIndex["duration_max_ns"]] = &h.low, h.high
		}
	}
	page := "a"
	for i := range 180 {
		row := Row{Trace: fmt.Sprint(i), Dims: make([]*string, 2), Process: []string{"a", "b", ""}[i%3]}
		for c := range columns {
			row.Numbers[c] = 1 + r.Int64N(1e6)
		}
		row.Numbers[columnIndex["frames"]] = 1<<32 + int64(i)
		frames, interaction, layer := row, row, row
		frames.Kind = stats.Application
		times(&frames, durationHistogram)
		interaction.Kind, interaction.Scene, interaction.Response, interaction.Completion = "scene", "fling", new(r.Int64N(1e9)), new(int64(1<<40))
		if i%2 == 0 {
			interaction.Page = &page
		}
		if i%7 == 0 {
			interaction.Response = nil
		}
		layer.Kind, layer.Layer = "layer", "video"
		rows = append(rows, frames, interaction, layer)
	}
	return rows
}

// All engines compute the numbers of the report from the same files: measures, and those of every query
// in the documents and the views.
func TestEngines(t *testing.T) {
	contents := map[string]string{"1.ftrace": demo, "2.ftrace": demo, "junk.ftrace": "junk\n"}
	for i := range 3 {
		contents[fmt.Sprintf("%d/x.trace", i)] = numbered(i)
		contents[fmt.Sprintf("%d/event.json", i)] = jank([]string{"x.trace"}, map[string]any{"user": fmt.Sprint("u", i%2), "time": 1795600000500 + i})
	}
	dir := t.TempDir()
	inputs := append(uploads(t, folder(t, contents), -1, 0), traces(t)...)
	slices.SortFunc(inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	must.Do(t, MarkDuplicates(t.Context(), Files{}, inputs, 0))
	run(t, &Runner{Dir: dir}, inputs, Options{Read: withCauses, Shards: 3})
	d, made := opened(t, dir), dataset(t, append(pooled(), allBuckets()))
	for _, engine := range Engines {
		t.Run(engine, func(t *testing.T) {
			known := map[string]bool{}
			queries := documented(t, engine)
			for i, rows := range views(t, engine, d, queries...) {
				checkDocumented(t, d, queries[i], rows, known)
			}
			var all []string
			for _, v := range measuredViews {
				all = append(all, v.query)
			}
			results := views(t, engine, made, append(all, columnsQuery, "SELECT bucket, middle FROM durations WHERE trace = 'all buckets'")...)
			for i, rows := range results[:len(all)] {
				v := &measuredViews[i]
				v.check(t, made, rows, known)
				if groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{made}, Query{By: v.by}))(t); len(rows) != len(groups) {
					t.Errorf("%s: %d rows, in the report %d groups", v.query, len(rows), len(groups))
				}
			}
			checkColumns(t, results[len(all)])
			checkMiddles(t, results[len(all)+1])
			for column, ok := range known {
				if !ok {
					t.Errorf("%s is always unknown", column)
				}
			}
		})
	}
}

// documented returns the queries of views in the documents, which are for DuckDB, and in the views' comment.
func documented(t *testing.T, engine string) (queries []string) {
	for _, m := range regexp.MustCompile(`(?m)^--   (SELECT .*);$`).FindAllStringSubmatch(viewsSQL, -1) {
		queries = append(queries, m[1])
	}
	if engine != "duckdb" {
		return queries
	}
	found := 0
	for _, name := range append(must.Get(filepath.Glob("../../docs/*.md"))(t), "../../README.md") {
		document := string(must.Get(os.ReadFile(name))(t))
		found += strings.Count(document, "duckdb -")
		for _, m := range regexp.MustCompile(`duckdb -init views\.sql -c "((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(document, -1) {
			queries = append(queries, strings.ReplaceAll(m[1], `\"`, `"`))
			found--
		}
	}
	must.Equal(t, found, 0, "commands of the documents are not run")
	return queries
}

// checkDocumented compares the rows of a query with the report of a dataset of 6 traces and 3 events, of
// which 2 traces are duplicates.
func checkDocumented(t *testing.T, d *Dataset, query string, rows []map[string]any, known map[string]bool) {
	t.Helper()
	for _, v := range measuredViews {
		if strings.HasPrefix(query, v.query) {
			v.check(t, d, rows, known)
			return
		}
	}
	want := map[string]string{}
	groups := func(by ...string) []*Group {
		groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: by}))(t)
		return groups
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }
	switch {
	case strings.Contains(query, "FROM causes"):
		causes := groups()[0].Causes
		for _, c := range causes[:min(10, len(causes))] {
			want[c.Title] = fmt.Sprint(c.Frames, " ", number(float64(c.Lost)/1e9))
		}
	case strings.Contains(query, "recorded"):
		for _, g := range groups("recorded_day") {
			day := "<nil>"
			if g.Key[0] != nil {
				day = *g.Key[0] + " 00:00:00"
			}
			want[day] = number(*g.Value("jank_rate"))
		}
	case strings.Contains(query, "duplicate"):
		for name, f := range failuresOf(t, d.Dir) {
			if f.Reason == duplicate {
				want[name] = f.Message
			}
		}
	case strings.Contains(query, "FROM failures"):
		for reason, n := range d.Failures {
			want[string(reason)] = fmt.Sprint(n)
		}
	case strings.Contains(query, "FROM events"):
		want["MAIN_THREAD_JANK"] = "3 of 1.2.0 by 2"
	default:
		t.Errorf("%s: with what should it be compared?", query)
		return
	}
	got := map[string]string{}
	for _, row := range rows {
		switch {
		case row["events"] != nil:
			got[row["event"].(string)] = fmt.Sprintf("%v of %v by %v", row["events"], row["version"], row["users"])
		case row["message"] != nil:
			got[filepath.Base(row["trace"].(string))] = row["message"].(string)
		case row["reason"] != nil:
			got[row["reason"].(string)] = row["n"].(string)
		case row["cause"] != nil:
			got[row["cause"].(string)] = row["frames"].(string) + " " + number(row["seconds"].(float64))
		default:
			got[fmt.Sprint(row["day"])] = number(row["jank_rate"].(float64))
		}
	}
	if !maps.Equal(got, want) || len(want) == 0 {
		t.Errorf("%s: %v, in the report %v", query, got, want)
	}
}

const columnsQuery = `SELECT trace, page, frames, completion_ns, response_ns FROM interactions WHERE trace IN ('0', '1') ORDER BY trace`

// checkColumns checks rows of columnsQuery: an unknown value and a number above 32 bits are never another value.
func checkColumns(t *testing.T, got []map[string]any) {
	t.Helper()
	if len(got) != 2 || got[0]["page"] != "a" || got[1]["page"] != nil || got[0]["frames"] != fmt.Sprint(1<<32) || got[1]["completion_ns"] != fmt.Sprint(1<<40) ||
		got[0]["response_ns"] != nil || got[1]["response_ns"] == nil {
		t.Error(got)
	}
}

// A column that one part does not have is never unknown.
func TestViewsOfColumns(t *testing.T) {
	slow.SkipRace(t)
	d := dataset(t, pooled())
	for _, missing := range slow.Of([]string{"frames"}, []string{"page", "frames"}) {
		cells := slices.DeleteFunc(new(Row).cells(everything(ofInteractions, d.Dims)), func(c cell) bool { return c.name() == missing })
		r := newRecord("interactions", cells)
		out := must.Get(Files{}.Create(t.Context(), joinPath(d.Dir, interactionsFolder, partName(1, 2))))(t)
		w := newWriter(out, r.schema)
		must.Get(w.WriteRows([]parquet.Row{r.store(nil)}))(t)
		must.Do(t, errors.Join(w.Close(), out.Commit()))
		for _, engine := range Engines[:2] { // Spark itself is not run
			var rows [][]map[string]any
			err := runDatabase(t, &rows, engine, must.Get(d.SQL(engine))(t), columnsQuery)
			if err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("%s: %s is missing: %v, %v", engine, missing, err, rows)
			}
		}
	}
}

// The views for Spark follow its grammar. TestEngines runs a translation, which is not as
// strict.
func TestSparkGrammar(t *testing.T) {
	slow.Skip(t) // the grammar takes two seconds to load
	errors := func(statements string) (list []map[string]any) {
		must.Do(t, runDatabase(t, &list, "spark-grammar", statements))
		return list
	}
	d := &Dataset{Dir: "s3://bucket/a b", Dims: []string{"user"}}
	for _, e := range errors(must.Get(d.SQL("spark"))(t)) {
		t.Errorf("line %v: %v", e["startLine"], e["message"])
	}
	if len(errors("CREATE VIEW a AS SELECT b c d FROM t")) != 1 {
		t.Error("a wrong statement has no error")
	}
}

// allBuckets returns a row with a duration in each bucket: those below 128 have no shift, and the last one
// has the largest.
func allBuckets() Row {
	var h histogram
	for b := range bucket(octaves * perOctave) {
		h.Add(b, 1)
	}
	row := Row{Trace: "all buckets", Kind: stats.Application, Process: "all buckets", Dims: make([]*string, 2)}
	row.Histograms[durationHistogram], row.Shortest, row.Numbers[columnIndex["duration_max_ns"]] = h.counts(), &h.low, h.high
	return row
}

// checkMiddles checks that the engine computes the value that stands for a bucket as bucketOf's inverse does.
func checkMiddles(t *testing.T, rows []map[string]any) {
	t.Helper()
	must.Equal(t, len(rows), octaves*perOctave, "buckets")
	for _, row := range rows {
		if b := bucket(row["bucket"].(float64)); row["middle"] != fmt.Sprint(b.middle()) {
			t.Fatalf("bucket %d: %v, want %d", b, row["middle"], b.middle())
		}
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
	rows := database(t, "duckdb", "", strings.Replace(query, "traces/", folder(t, map[string]string{"demo.parquet": table.String()})+"/", 1))[0]
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
		if text, err := (&Dataset{Dir: "s3://bucket/a b"}).SQL(engine); err != nil || strings.Contains(text, "{{") {
			t.Errorf("%s: %v\n%s", engine, err, text)
		}
		if _, err := (&Dataset{Dir: "a'; DROP TABLE x; --"}).SQL(engine); err == nil {
			t.Errorf("%s: a quote in the name of a folder is no error", engine)
		}
	}
}
