package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/view"
)

// readSchema returns the fields of each object that docs/diff.md promises, in
// order, with their types in brackets.
func readSchema(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, field := regexp.MustCompile("^### `(.+)`$"), regexp.MustCompile("^\\| `(.+?)` \\| (.+?) \\|")
	objects, object := map[string][]string{}, ""
	for _, line := range strings.Split(string(text), "\n") {
		switch {
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
	return objects
}

// everything is a comparison in which every list has something.
func everything(t *testing.T) *Diff {
	t.Helper()
	base := gallery("gallery", "render_service", 30, 20, func(i int) int { return 1 + i })
	base.process(300, "idle")
	base.frame(analyzer.ApplicationFrame, base.process(301, "old"), 1000, 5)
	new := gallery("gallery", "surfaceflinger", 30, 25, func(i int) int { return 4 + i })
	new.frame(analyzer.ApplicationFrame, new.process(302, "new"), 1000, 5)
	list := conditions(t, "jank_rate>+2%, hitch_ratio>+1, ui_work_p50_ms>+1")
	return compare(t, withCosts(base.side("before.ftrace"), 10), withCosts(new.side("after.ftrace"), 30), Options{FailOn: list, Any: true})
}

// check compares a value with the schema's objects.
func check(t *testing.T, schema map[string][]string, seen map[string]bool, path string, value any) {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		t.Errorf("%s is no object", path)
		return
	}
	promised := map[string]string{}
	for _, field := range schema[path] {
		name, typ, _ := strings.Cut(strings.TrimSuffix(field, ")"), " (")
		promised[name] = typ
	}
	if got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(maps.Keys(promised)); !slices.Equal(got, want) {
		t.Fatalf("%s has the fields %q, docs/diff.md says %q", path, got, want)
	}
	seen[path] = true
	for name, typ := range promised {
		typ, nullable := strings.CutSuffix(typ, " or null")
		got := map[string]string{"<nil>": "null", "string": "string", "float64": "number", "bool": "boolean", "[]interface {}": "list", "map[string]interface {}": "object"}[fmt.Sprintf("%T", object[name])]
		if got == "null" && nullable {
			continue
		}
		if typ == "integer" && got == "number" && object[name] == float64(int64(object[name].(float64))) {
			got = "integer"
		}
		if got != typ {
			t.Errorf("%s.%s is of type %s, docs/diff.md says %s", path, name, got, typ)
		}
		inner := strings.TrimPrefix(path+"."+name, "the document.")
		for _, same := range []struct{ path, as string }{
			{"processes[].causes.lost", "processes[].causes.by_cause[]"}, {"processes[].causes.time_per_frame", "processes[].causes.by_cause"}, {"new", "base"}, {"processes[].new", "processes[].base"}, {"only_in_new", "only_in_base"},
		} {
			if inner == same.path {
				inner = same.as
			}
		}
		switch v := object[name].(type) {
		case map[string]any:
			if name != "span" { // a report's
				check(t, schema, seen, inner, v)
			}
		case []any:
			for _, element := range v {
				if name != "refresh" && name != "runs" { // a report's, and names
					check(t, schema, seen, inner+"[]", element)
				}
			}
		}
	}
}

// The schema is a promise: whoever changes a field must see that it is one.
func TestSchema(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte(write(t, everything(t), "json", WriteOptions{Skipped: []view.Input{{Name: "bad", Skipped: "no frames"}}})), &document); err != nil {
		t.Fatal(err)
	}
	schema, seen := readSchema(t), map[string]bool{}
	check(t, schema, seen, "the document", document)
	for object := range schema {
		if !seen[object] {
			t.Errorf("docs/diff.md describes %s, which is not in JSON", object)
		}
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		Base, New struct{ Name string }
		Processes []struct {
			Base, New struct {
				Kind, Name string
				PID        int
			}
			MatchedBy string `json:"matched_by"`
			Measures  []Measure
		}
		OnlyInBase, OnlyInNew []struct{ Name string } `json:"-"`
		FailOn                []struct {
			Condition, Measure, Status string
			Process                    *int
			Missing                    string
		} `json:"fail_on"`
		Test struct {
			Method  string
			Level   float64
			Changes int
		}
	}
	text := write(t, everything(t), "json", WriteOptions{})
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Base.Name != "before.ftrace" || got.New.Name != "after.ftrace" || len(got.Processes) != 2 {
		t.Fatalf("got %+v", got)
	}
	rendering := got.Processes[1]
	if rendering.Base.Name != "render_service" || rendering.New.Name != "surfaceflinger" || rendering.MatchedBy != "kind" || rendering.Base.Kind != "render" {
		t.Errorf("rendering: %+v", rendering)
	}
	app := got.Processes[0]
	if got.Test.Method != "block_permutation" || got.Test.Level != 0.04 || got.Test.Changes != 12 { // all but P99 of two processes
		t.Errorf("test: %+v", got.Test)
	}
	jank := slices.IndexFunc(app.Measures, func(m Measure) bool { return m.Name == "jank_rate" })
	if m := app.Measures[jank]; !near(m.Base, 20.0/30) || !near(m.New, 23.0/30) || !near(m.Delta, .1) || !near(m.Relative, .15) || m.Verdict != OneRunEach || *m.P <= stats.Level || *m.Low >= .1 || *m.High <= .1 {
		t.Errorf("jank rate: %+v", m)
	}
	// The measures that are known on a side, in the order of the documentation.
	at, pair := 0, everything(t).Pairs[0]
	for _, m := range app.Measures {
		for at < len(measures) && measures[at].Name != m.Name {
			if of := measures[at].Of; of(pair.Base) != nil || of(pair.New) != nil {
				t.Errorf("%s is missing", measures[at].Name)
			}
			at++
		}
		at++
		if m.Base == nil && m.New == nil {
			t.Errorf("%s is unknown on both sides", m.Name)
		}
	}
	if at > len(measures) || len(app.Measures) < 20 {
		t.Errorf("%d measures", len(app.Measures))
	}
	outcomes := []string{}
	for _, o := range got.FailOn {
		who := o.Missing
		if o.Process != nil {
			who = fmt.Sprint(*o.Process)
		}
		outcomes = append(outcomes, fmt.Sprint(who, " ", o.Condition, " ", o.Measure, " ", o.Status))
	}
	want := []string{
		"0 jank_rate>+2% jank_rate failed", "0 hitch_ratio>+1 hitch_ratio passed", "0 ui_work_p50_ms>+1 ui_work_p50_ms failed",
		"1 jank_rate>+2% jank_rate passed", "1 hitch_ratio>+1 hitch_ratio passed", "1 ui_work_p50_ms>+1 ui_work_p50_ms unknown",
		"old jank_rate>+2% jank_rate unknown", "old hitch_ratio>+1 hitch_ratio unknown", "old ui_work_p50_ms>+1 ui_work_p50_ms unknown",
	}
	if !slices.Equal(outcomes, want) {
		t.Errorf("conditions: %q", outcomes)
	}
	for _, part := range []string{`"only_in_base": [`, `"name": "old"`, `"verdict": null`, `"relative": null`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing", part)
		}
	}
	// An empty list is not null.
	text = write(t, compare(t, before(), after(), Options{}), "json", WriteOptions{})
	for _, part := range []string{`"only_in_base": []`, `"only_in_new": []`, `"fail_on": []`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing", part)
		}
	}
}
