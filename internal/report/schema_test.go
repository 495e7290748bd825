package report

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// readSchema returns the fields of each object, in order, and the columns that
// docs/report-schema.md promises. The type of a field is in brackets after it. A row may have
// several fields.
func readSchema(t *testing.T) (objects map[string][]string, columns []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/report-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, field := regexp.MustCompile("^### `(.+)`$"), regexp.MustCompile("^\\| `(.+?)` \\| (.+?) \\|")
	objects = map[string][]string{}
	object, inColumns := "", false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "```text":
			inColumns = true
		case line == "```":
			inColumns = false
		case inColumns:
			columns = append(columns, line)
		case heading.MatchString(line):
			object = heading.FindStringSubmatch(line)[1]
		case strings.HasPrefix(line, "## "):
			object = ""
		case object != "" && field.MatchString(line):
			m := field.FindStringSubmatch(line)
			for name := range strings.SplitSeq(m[1], "`, `") {
				objects[object] = append(objects[object], name+" ("+m[2]+")")
			}
		}
	}
	return objects, columns
}

// collectFields lists the fields that a type has in JSON, by object. first has the object
// that has a type first.
func collectFields(objects map[string][]string, first map[reflect.Type]string, object string, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			collectFields(objects, first, object, f.Type.Elem())
			continue
		case !f.IsExported() || name == "-":
			continue
		}
		path := name
		if object != "the document" {
			path = object + "." + name
		}
		inner, described := f.Type, ""
		if inner.Kind() == reflect.Pointer {
			inner, described = inner.Elem(), " or null"
		} else if inner == reflect.TypeFor[trace.PID]() {
			described = " or null"
		}
		if inner.Kind() == reflect.Func { // iter.Seq, a list
			inner = reflect.SliceOf(inner.In(0).In(0))
		}
		if inner.Kind() == reflect.Slice {
			inner, path = inner.Elem(), path+"[]"
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			described = "list"
		} else if inner.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()) {
			described = "string" + described
		} else {
			described = map[reflect.Kind]string{
				reflect.Struct: "object", reflect.String: "string", reflect.Float64: "number",
				reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int32: "integer", reflect.Int64: "integer",
			}[inner.Kind()] + described
		}
		objects[object] = append(objects[object], name+" ("+described+")")
		if inner.Kind() == reflect.Struct {
			if first[inner] == "" {
				first[inner] = path
			}
			collectFields(objects, first, path, inner)
		}
	}
}

// The schema is a promise: whoever changes a field must see that it is one.
func TestSchema(t *testing.T) {
	documented, columns := readSchema(t)
	actual, first := map[string][]string{}, map[reflect.Type]string{}
	collectFields(actual, first, "the document", reflect.TypeFor[document]())
	firsts := slices.Collect(maps.Values(first))
	for object, fields := range actual {
		if object != "the document" && documented[object] == nil && !slices.Contains(firsts, object) {
			continue // the same fields as another object
		}
		if !slices.Equal(documented[object], fields) {
			t.Errorf("%s has the fields\n%q\ndocs/report-schema.md says\n%q", object, fields, documented[object])
		}
	}
	for object := range documented {
		if actual[object] == nil {
			t.Errorf("docs/report-schema.md describes %s, which is not in JSON", object)
		}
	}
	for _, c := range columns[len(identityColumns):] {
		path := "inputs[].processes[]." + regexp.MustCompile(`^stages\.[a-z_]+`).ReplaceAllString(c, "stages[]")
		path = strings.Replace(path, ".causes.top.", ".causes.ranking[].", 1)
		path = strings.Replace(path, ".processes[].quality.", ".quality.", 1)
		dot := strings.LastIndex(path, ".")
		if !slices.ContainsFunc(actual[path[:dot]], func(f string) bool { return strings.HasPrefix(f, path[dot+1:]+" ") }) {
			t.Errorf("column %s is named after no field", c)
		}
	}
	header, _, _ := strings.Cut(write(t, nil, "csv", Options{}), "\n")
	if got := strings.Split(header, ","); !slices.Equal(got, columns) {
		t.Errorf("csv has the columns\n%s\ndocs/report-schema.md says\n%s", strings.Join(got, "\n"), strings.Join(columns, "\n"))
	}
}

// docs/report-schema.md explains each measure as the table of measures does, and
// lists the columns of CSV. "make docs" writes both.
func TestMeasuresAreDocumented(t *testing.T) {
	const name = "../../docs/report-schema.md"
	document, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	meanings := map[string]string{}
	columns := slices.Clone(identityColumns)
	for _, m := range stats.Measures {
		meanings["inputs[].processes[]."+regexp.MustCompile(`^stages\.[a-z_]+`).ReplaceAllString(m.Path, "stages[]")] = m.Meaning
		columns = append(columns, m.Path)
	}
	columns = append(append(columns, causeColumns...), qualityColumn)
	heading, field := regexp.MustCompile("^### `(.+)`$"), regexp.MustCompile("^(\\| `(.+?)` \\| .+? \\|) .+ \\|$")
	object, lines := "", strings.Split(string(document), "\n")
	for i, line := range lines {
		if m := heading.FindStringSubmatch(line); m != nil {
			object = m[1]
		} else if m := field.FindStringSubmatch(line); m != nil && meanings[object+"."+m[2]] != "" {
			lines[i] = m[1] + " " + meanings[object+"."+m[2]] + " |"
		}
	}
	want := strings.Join(lines, "\n")
	before, rest, _ := strings.Cut(want, "```text\n")
	_, after, found := strings.Cut(rest, "\n```")
	if !found {
		t.Fatalf("%s has no list of columns", name)
	}
	want = before + "```text\n" + strings.Join(columns, "\n") + "\n```" + after
	if os.Getenv("OHFRAME_UPDATE_DOCS") != "" {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(document) != want {
		t.Errorf("%s is out of date: run make docs", name)
	}
}

func TestJSON(t *testing.T) {
	text := write(t, sample(), "json", Options{})
	var got struct {
		Inputs []struct {
			Name string
			stats.Report
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := sample()
	if len(got.Inputs) != len(want) {
		t.Fatalf("there are %d inputs", len(got.Inputs))
	}
	for i, in := range got.Inputs {
		if in.Name != want[i].Name || !reflect.DeepEqual(&in.Report, want[i].Stats) {
			t.Errorf("input %d comes back as %+v", i, in)
		}
	}
	// Unknown values are null, and an empty list is not null.
	for _, part := range []string{`"name": "\u001b[2Jevil`, `"span": null`, `"fps": null`, `"processes": []`, `"worst": []`, `"overrun_periods": null`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing", part)
		}
	}
	if got := write(t, nil, "json", Options{}); got != "{\n \"inputs\": [],\n \"skipped\": []\n}\n" {
		t.Errorf("no inputs are %q", got)
	}
}

func TestCSV(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(write(t, sample(), "csv", Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 4 {
		t.Fatalf("there are %d records, want a header and 3 processes", len(records))
	}
	for row, cells := range []map[string]string{
		{
			"input": "trace.ftrace", "kind": "app", "pid": "20170", "name": "example.gallery",
			"fps.event": "present", "fps.rate_hz": "60.003", "refresh.rates_hz": "60 120", "observed.seconds": "2.5",
			"frames.complete": "150", "frames.with_deadline": "140", "frames.late": "21", "frames.truncated": "2",
			"jank_rate": "0.15", "empty_rate": "0.02",
			"hitches.hitch_ms_per_s": "51.196", "hitches.lost_frames": "7", "hitches.longest_ns": "47000000",
			"whole_frames.blame.application": "16", "whole_frames.blame.pick_up": "3",
			"longest_streak.frames": "6", "stutter.severe": "1",
			"durations.p50_ns": "6250000", "durations.max_ns": "133700000", "durations_in_periods.p99_periods": "2.64",
			"stages.ui_work.p90_ns": "12000000", "stages.ui_work.longest_of_late": "16", "stages.commit_to_present.p50_ns": "",
		},
		{
			"input": "trace.ftrace", "kind": "render", "name": "render_service", "fps.event": "commit",
			"jank_rate": "0", "longest_streak.frames": "", "hitches.longest_ns": "", "durations_in_periods.p50_periods": "", "stages.ui_work.p50_ns": "", "stages.render_main.max_ns": "5000000",
		},
		{
			"input": "other.ftrace", "pid": "", "name": "\x1b[2Jevil\u202e", "fps.event": "", "fps.rate_hz": "", "refresh.rates_hz": "",
			"frames.complete": "0", "jank_rate": "", "hitches.lost_frames": "", "longest_streak.frames": "", "durations.p50_ns": "",
		},
	} {
		for column, want := range cells {
			i := slices.Index(records[0], column)
			if i < 0 {
				t.Errorf("there is no column %s", column)
			} else if got := records[row+1][i]; got != want {
				t.Errorf("row %d: %s is %q, want %q", row+1, column, got, want)
			}
		}
	}
}
