package fleet

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diff"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
)

// used writes traces of what users did: two of each version. The flings of version 2 answer
// 100 ms later.
func used(t *testing.T) []Input {
	t.Helper()
	contents := map[string]string{}
	for version := range 2 {
		for seed := range uint64(2) {
			c := simulate.Demonstration()
			c.Seed = 10*uint64(version) + seed + 1
			for i := range c.Interactions {
				if c.Interactions[i].Scene == "APP_LIST_FLING" {
					c.Interactions[i].Delay += trace.Duration(version) * 100 * trace.Millisecond
				}
			}
			var b bytes.Buffer
			if _, err := simulate.Write(&b, c); err != nil {
				t.Fatal(err)
			}
			contents[fmt.Sprintf("version=%d/%d.ftrace", version+1, seed)] = b.String()
		}
	}
	return find(t, folder(t, contents))
}

// The groups of a fleet by scene and page have the numbers of the reports of its traces, and
// DuckDB finds the same. Groups of frames are those without interactions.
func TestInteractions(t *testing.T) {
	inputs, dir := used(t), t.TempDir()
	run(t, &Runner{Dir: dir}, inputs, Options{Read: withCauses, Shards: 2})
	type sum struct {
		responses    []float64
		frames, late int
	}
	want := map[string]*sum{}
	for _, in := range inputs {
		f, err := Files{}.Open(t.Context(), in.Name)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ohframe.Read(t.Context(), f, ohframe.Options{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range stats.Compute(read.Timeline, stats.Options{}).Interactions {
			page := text.Unknown
			if i.Page != nil {
				page = *i.Page
			}
			key := fmt.Sprint(i.Scene, " ", page, " ", strings.TrimPrefix(filepath.Base(filepath.Dir(in.Name)), "version="))
			s := want[key]
			if s == nil {
				s = &sum{}
				want[key] = s
			}
			s.responses = append(s.responses, *i.Response)
			s.frames, s.late = s.frames+*i.Frames, s.late+*i.Late
		}
	}
	d := opened(t, dir)
	r, err := NewReport(t.Context(), d, Query{By: []string{"scene", "page", "version"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) != len(want) || len(want) != 10 {
		t.Fatalf("%d groups, want %d", len(r.Groups), len(want))
	}
	for _, g := range r.Groups {
		name := strings.ReplaceAll(groupText(g.Key), " · ", " ")
		w := want[name]
		if w == nil {
			t.Errorf("%s is not in the traces", name)
			continue
		}
		slices.Sort(w.responses)
		median := stats.Percentile(w.responses, 50)
		got := g.Value("response_p50_ms")
		if g.Rows != len(w.responses) || g.sum("frames") != int64(w.frames) || g.sum("late") != int64(w.late) || got == nil || math.Abs(*got-median) > 0.008*median {
			t.Errorf("%s: %d interactions, %d frames, %d late, response %v; want %d, %d, %d, %g", name, g.Rows, g.sum("frames"), g.sum("late"), got, len(w.responses), w.frames, w.late, median)
		}
		if g.Value("response_p95_ms") != nil {
			t.Errorf("%s: P95 of %d", name, g.Rows)
		}
	}
	for _, format := range Formats {
		var b bytes.Buffer
		if err := r.Write(&b, format, text.Style{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "APP_LIST_FLING") || !strings.Contains(b.String(), "pages/Index") {
			t.Errorf("%s has no fling:\n%s", format, b.String())
		}
	}
	frames, err := NewReport(t.Context(), d, Query{By: []string{"kind"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range frames.Groups {
		if *g.Key[0] != "app" && *g.Key[0] != "render" || g.Value("response_p50_ms") != nil {
			t.Errorf("a group of frames by kind %s", *g.Key[0])
		}
	}

	statements, err := SQL("duckdb", dir)
	if err != nil {
		t.Fatal(err)
	}
	rows := duckdb(t, statements, `SELECT * FROM responses`)
	r, err = NewReport(t.Context(), d, Query{By: []string{"scene", "page"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(r.Groups) {
		t.Errorf("DuckDB has %d rows, the report %d groups", len(rows), len(r.Groups))
	}
	for _, g := range r.Groups {
		i := slices.IndexFunc(rows, func(row map[string]any) bool { return row["scene"] == *g.Key[0] })
		got, known := rows[i]["p50_ms"].(float64)
		if x := *g.Value("response_p50_ms"); !known || math.Abs(got-x) > 0.008*x || rows[i]["interactions"] != fmt.Sprint(g.Rows) {
			t.Errorf("%s: DuckDB has %v, the report %g of %d", groupText(g.Key), rows[i], x, g.Rows)
		}
	}
}

// flung returns rows of traces with some flings each, which answer after about so many
// milliseconds.
func flung(traces, flings int, response float64) (rows []Row) {
	page, device := "pages/Index", "phone"
	for i := range traces {
		for k := range flings {
			ns := int64((response + float64(i%5+k%3)) * 1e6)
			rows = append(rows, Row{
				Trace: fmt.Sprint("trace ", i), Kind: "scene", Process: "gallery", Scene: "APP_LIST_FLING", Page: &page, Response: &ns, Dims: []*string{&device, nil}, Interaction: int64(k + 1),
			})
		}
	}
	return rows
}

// A comparison by scene tests responses of traces: medians of any number of interactions, P95
// of 20. Its values are those of the rows, within the width of a bucket.
func TestCompareInteractions(t *testing.T) {
	o := CompareOptions{Query: Query{By: []string{"scene", "page"}}, Unit: "trace"}
	for _, test := range []struct {
		flings int
		tested []string
	}{{3, []string{"response_p50_ms"}}, {20, []string{"response_p50_ms", "response_p95_ms"}}} {
		c, err := Compare(t.Context(), dataset(t, flung(12, test.flings, 80)), dataset(t, flung(15, test.flings, 120)), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Pairs) != 1 || groupText(c.Pairs[0].Key) != "APP_LIST_FLING · pages/Index" || c.Pairs[0].Units != [2]int{12, 15} {
			t.Fatalf("%d pairs, %v units", len(c.Pairs), c.Pairs[0].Units)
		}
		var tested []string
		for _, m := range c.Pairs[0].Changes {
			if m.P != nil {
				tested = append(tested, m.Name)
				// A trace adds 0 to 4 ms, a fling 0 to 2: 12 traces 1.83 on average, 15 traces 2.
				if m.Verdict != diff.Worse || math.Abs(*m.Base-83) > 2 || math.Abs(*m.Delta-40) > 1.5 {
					t.Errorf("%s: %g to %g, %s", m.Name, *m.Base, *m.New, m.Verdict)
				}
			}
		}
		if !slices.Equal(tested, test.tested) {
			t.Errorf("%d flings in a trace: %q are tested, want %q", test.flings, tested, test.tested)
		}
		for _, format := range Formats {
			var b bytes.Buffer
			if err := c.Write(&b, format, text.Style{}); err != nil || !strings.Contains(b.String(), "response_p50_ms") && !strings.Contains(b.String(), "Response P50") {
				t.Errorf("%s: %v\n%s", format, err, b.String())
			}
		}
	}
	// A scene that only one version has.
	c, err := Compare(t.Context(), dataset(t, flung(12, 3, 80)), dataset(t, nil), o)
	if err != nil || len(c.OnlyBase) != 1 || len(c.Pairs) != 0 {
		t.Errorf("%v, %v", c, err)
	}
}
