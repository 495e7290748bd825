package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/causes"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
)

// testdata/api/report.md has the fields of JSON, with the comments of the structs, and the columns
// of CSV, which are named after fields. "make docs" writes both.
func TestSchema(t *testing.T) {
	const name = "../../testdata/api/report.md"
	var elsewhere []reflect.Type // testdata/api/why.md
	for _, f := range schematest.Fields(t, reflect.TypeFor[causes.Causes](), "", nil) {
		elsewhere = append(elsewhere, schematest.Element(f.Type))
	}
	objects := schematest.Document(t, name, reflect.TypeFor[document](), schematest.Meanings(map[string]stats.MeasureList{
		"inputs[].processes[]": stats.Measures, "inputs[].interactions[]": stats.InteractionMeasures,
		"inputs[].layers[]": stats.LayerMeasures,
	}), "", elsewhere...)
	header, _, _ := strings.Cut(write(t, nil, "csv", Options{}), "\n")
	for _, c := range strings.Split(header, ",")[len(identityColumns):] {
		path := "inputs[].processes[]." + regexp.MustCompile(`^stages\.[a-z_]+`).ReplaceAllString(c, "stages[]")
		if strings.Contains(path, ".causes.") { // testdata/api/why.md
			continue
		}
		path = strings.Replace(path, ".processes[].quality.", ".quality.", 1)
		dot := strings.LastIndex(path, ".")
		if !slices.ContainsFunc(objects[path[:dot]], func(f schematest.Field) bool { return f.Name == path[dot+1:] }) {
			t.Errorf("column %s is named after no field", c)
		}
	}
	document := must.Get(os.ReadFile(name))(t)
	before, rest, _ := strings.Cut(string(document), "```text\n")
	_, after, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no list of columns", name)
	}
	var columns []string
	for _, c := range strings.Split(header, ",") {
		if c = regexp.MustCompile(`^stages\.[a-z_]+`).ReplaceAllString(c, "stages.STAGE"); !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	list := regexp.MustCompile(`(.{1,110}),`).ReplaceAllString(strings.Join(columns, ",")+",", "$1\n") // as many on a line as fit
	schematest.Update(t, name, before+"```text\n"+strings.ReplaceAll(list, ",", " ")+"```"+after)
}

// Rows of interactions and layers have what JSON has of them, under the same names. Unknown values are
// empty, fields of objects are named OBJECT_FIELD, lists of objects have no column but the stages.
func TestItemsCSV(t *testing.T) {
	in := flings()
	in.Name, in.Timeline.Layers = "=flings", screen().Timeline.Layers
	in.Timeline.Interactions[0].Page = "@page"
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	var d struct {
		Inputs []struct{ Interactions, Layers []map[string]any }
	}
	must.Do(t, json.Unmarshal([]byte(write(t, []Input{in}, "json", Options{})), &d))
	for _, x := range []struct {
		o    Options
		json []map[string]any
		more []map[string]string // of rows
	}{
		{Options{Interactions: true}, d.Inputs[0].Interactions, []map[string]string{{"page": "'@page"}, {}, {"reasons": "input_unseen; not_shown"},
			{"stages": "LoadAbility=150000000; Application Launching=50000000; UI Ability Launching=200000000; First Frame, application=10000000; First Frame, render=20000000"}}},
		{Options{Layers: true}, d.Inputs[0].Layers, []map[string]string{{"pid": "", "late": "", "queue_id": ""}, {"queue_id": "1288490188800", "fps": "50"}, {"late": "2", "uneven_rate": "0.4"}}},
	} {
		rows, err := csv.NewReader(strings.NewReader(write(t, []Input{in}, "csv", x.o))).ReadAll()
		if err != nil || len(rows) != 1+len(x.more) {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for n, fields := range x.json {
			want := map[string]string{"trace": "'=flings"}
			var add func(prefix string, fields map[string]any)
			add = func(prefix string, fields map[string]any) {
				for name, value := range fields {
					switch value := value.(type) {
					case nil:
						if slices.Contains(rows[0], name) {
							want[prefix+name] = ""
						}
					case map[string]any:
						add(name+"_", value)
					case float64:
						want[prefix+name] = strconv.FormatFloat(value, 'f', -1, 64)
					case []any:
						if slices.Contains(rows[0], name) {
							want[name] = ""
						}
					default:
						want[prefix+name] = fmt.Sprint(value)
					}
				}
			}
			add("", fields)
			maps.Copy(want, x.more[n])
			for c, name := range rows[0] {
				must.Equal(t, rows[n+1][c], want[name], "row %d: %s", n+1, name)
				delete(want, name)
			}
			if len(want) > 0 {
				t.Errorf("row %d: no column for %v", n+1, want)
			}
		}
	}
}
