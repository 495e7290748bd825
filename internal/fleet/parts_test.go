package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/internal/frametable"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// cellsOf returns the values of the cells as the databases print them: integers as text.
func cellsOf(cells []cell) map[string]any {
	row := map[string]any{}
	for _, c := range cells {
		row[c.name()] = printed(reflect.ValueOf(c.to).Elem())
	}
	return row
}

func printed(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return printed(v.Elem())
	case reflect.Slice:
		if bytes, ok := v.Interface().([]byte); ok {
			return fmt.Sprintf("%X", bytes)
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, printed(v.Index(i)))
		}
		return list
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return validText(v.String())
	}
	return fmt.Sprint(v.Int())
}

// framesOf returns the frames of a trace in the words of the format json, which is written
// without package parquet.
func framesOf(t *testing.T, trace *ohframe.Trace) (rows []map[string]any) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, frametable.Write(&b, []frametable.Input{{Timeline: trace.Timeline, Causes: trace.Causes}}, frametable.Options{Format: "json", Kinds: []string{"app", "render"}}))
	var document struct{ Frames []map[string]any }
	d := json.NewDecoder(&b)
	d.UseNumber()
	must.Do(t, d.Decode(&document))
	return document.Frames
}

// same fails if two lists do not have the same rows, in any order.
func same(t *testing.T, name string, got, want []map[string]any) {
	t.Helper()
	keys := func(rows []map[string]any) (list []string) {
		for _, row := range rows {
			var b strings.Builder
			for _, column := range slices.Sorted(maps.Keys(row)) {
				fmt.Fprintf(&b, "%s=%v\n", column, row[column])
			}
			list = append(list, b.String())
		}
		slices.Sort(list)
		return list
	}
	g, w := keys(got), keys(want)
	if len(g) != len(w) {
		t.Errorf("%s: %d rows, want %d", name, len(g), len(w))
		return
	}
	for i := range g {
		if g[i] != w[i] {
			t.Errorf("%s: row %d:\n%s\nwant\n%s", name, i, g[i], w[i])
			return
		}
	}
}

// fileReaders are programs that others read Parquet files with.
var fileReaders = []string{"duckdb-files", "hyparquet"}

// tablesOf returns the rows of Parquet files as a reader prints them.
func tablesOf(t *testing.T, reader string, files []string) [][]map[string]any {
	t.Helper()
	list := must.Get(json.Marshal(files))(t)
	var tables [][]map[string]any
	must.Do(t, runDatabase(t, &tables, reader, string(list)))
	if len(tables) != len(files) {
		t.Fatalf("%s: %d tables of %d files", reader, len(tables), len(files))
	}
	return tables
}

// Other readers find every value of every part in its column.
func TestParts(t *testing.T) {
	slow.SkipRace(t)
	rule := func(s string) Rule {
		r := must.Get(ParseRule(s))(t)
		return r
	}
	dir := folder(t, map[string]string{
		"up/build=7/event.json": jank([]string{"a.trace"}, map[string]any{"user": "u1", "device": "ALN"}),
		"up/build=7/a.trace":    demo + "# a\n",
		"up/2/event.json":       jank([]string{"none.trace"}, nil),
		"up/3/event.json":       "{",
		"up/bad.ftrace":         "no trace",
	})
	some := func(n int) []Input {
		return find(t, []string{"../../testdata/demo.ftrace", "../../testdata/flings.ftrace.gz", "../../testdata/layers.ftrace.gz", "../../testdata/why/waits.ftrace", "../../testdata/frames"}[:n]...)
	}
	cases := map[string]struct {
		inputs  []Input
		options Options
	}{
		"one":          {some(1), Options{}},
		"one, causes":  {some(1), Options{Read: withCauses}},
		"dimensions":   {some(2), Options{Read: withCauses, Shards: 3, Rules: []Rule{rule("first=([a-z])[a-z]*.ftrace"), rule("none=X"), rule("kind_of=demo|flings")}}},
		"many":         {some(5), Options{Read: withCauses, Shards: 4, Rules: []Rule{rule("name=([a-z]+)[^/]*$")}}},
		"no causes":    {some(5), Options{Shards: 2}},
		"events":       {uploads(t, filepath.Join(dir, "up"), -1, 0), Options{Read: withCauses, Shards: 2}},
		"few in shard": {some(1), Options{Read: withCauses, Shards: 5}},
	}
	type part struct {
		name string
		want []map[string]any
	}
	var parts []part
	counted := map[string]int{}
	for _, c := range cases {
		dir := t.TempDir()
		c.options.Frames = true
		r := &Runner{Dir: dir, Store: Files{}, read: ohframe.Read}
		run(t, r, c.inputs, c.options)
		for k, inputs := range r.Plan.Shards {
			want := map[string][]map[string]any{}
			for _, in := range inputs {
				result := r.analyse(t.Context(), in, 1)
				add := func(folder string, cells []cell) { want[folder] = append(want[folder], cellsOf(cells)) }
				if result.event != nil {
					add(eventsFolder, result.event.cells(r.Plan.Dims))
				}
				if result.failure != nil {
					add(failuresFolder, result.failure.cells(r.Plan.Dims))
				}
				if result.stored != nil {
					add(resultsFolder, result.stored.cells(r.Plan.Dims, true))
				}
				for i, folder := range tableFolders {
					cells := new(Row).cells(everything(table(i), r.Plan.Dims))
					must.Do(t, result.rows[i].load(cells, func() error {
						add(folder, cells)
						return nil
					}))
				}
				if result.frames == nil {
					continue
				}
				for _, row := range framesOf(t, result.frames) {
					delete(row, "input")
					row["trace"] = in.Name
					for i, value := range r.Plan.dims.of(in) {
						row[r.Plan.Dims[i]] = printed(reflect.ValueOf(value))
					}
					want[framesFolder] = append(want[framesFolder], row)
				}
			}
			for _, folder := range Folders {
				file := r.Plan.part(dir, folder, k)
				must.Get(os.Stat(file))(t)
				parts = append(parts, part{file, want[folder]})
				counted[folder] += len(want[folder])
			}
		}
	}
	for _, folder := range Folders {
		if counted[folder] == 0 {
			t.Errorf("%s: no rows", folder)
		}
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	for _, reader := range slow.Of(fileReaders[1:], fileReaders) { // TestEngines has DuckDB
		for i, rows := range tablesOf(t, reader, names) {
			same(t, reader+" of "+parts[i].name, rows, parts[i].want)
		}
	}
}

// The same holds for the file of ohframe frames.
func TestFramesFile(t *testing.T) {
	slow.SkipRace(t)
	var inputs []frametable.Input
	for _, name := range []string{"demo.ftrace", "captures/openharmony-5.0-browser.ftrace"} {
		content := must.Get(os.ReadFile("../../testdata/" + name))(t)
		trace := must.Get(ohframe.Read(t.Context(), bytes.NewReader(content), withCauses))(t)
		inputs = append(inputs, frametable.Input{Name: name, Timeline: trace.Timeline, Causes: trace.Causes})
	}
	var files []string
	var want [][]map[string]any
	for _, list := range [][]frametable.Input{inputs[:1], inputs} {
		var document struct{ Frames []map[string]any }
		var text, table bytes.Buffer
		must.Do(t, frametable.Write(&text, list, frametable.Options{Format: "json"}))
		must.Do(t, frametable.Write(&table, list, frametable.Options{Format: "parquet"}))
		d := json.NewDecoder(&text)
		d.UseNumber()
		must.Do(t, d.Decode(&document))
		files = append(files, filepath.Join(folder(t, map[string]string{"frames.parquet": table.String()}), "frames.parquet"))
		want = append(want, document.Frames)
	}
	for _, reader := range fileReaders {
		for i, rows := range tablesOf(t, reader, files) {
			same(t, fmt.Sprintf("%s of %d traces", reader, i+1), rows, want[i])
		}
	}
}

// A dimension cannot have the name of a column of frames if these are written.
func TestDimensionOfFrames(t *testing.T) {
	rule := must.Get(ParseRule("flag=."))(t)
	inputs := []Input{{Name: "a.ftrace"}}
	if _, err := NewPlan(inputs, Options{Rules: []Rule{rule}}); err != nil {
		t.Error(err)
	}
	if _, err := NewPlan(inputs, Options{Rules: []Rule{rule}, Frames: true}); err == nil || !strings.Contains(err.Error(), "flag") {
		t.Errorf("got %v, want an error that names the column", err)
	}
}
