package diff

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
)

// everything is a comparison in which every list has something.
func everything(t *testing.T) *Diff {
	t.Helper()
	base := gallery("gallery", "render_service", 30, 20, func(i int) int { return 1 + i })
	base.process(300, "idle")
	base.frame(analyzer.ApplicationFrame, base.process(301, "old"), 1000, 5)
	new := gallery("gallery", "surfaceflinger", 30, 25, func(i int) int { return 4 + i })
	new.frame(analyzer.ApplicationFrame, new.process(302, "new"), 1000, 5)
	list := conditions(t, "jank_rate>+2%, hitch_ratio>+1, ui_work_p50_ms>+1")
	sides := [2]Side{withCosts(base.side("before.ftrace"), 10), withCosts(new.side("after.ftrace"), 30)}
	sides[0].Stats.Interactions = append(flings(80, 81, 82, 83, 84), fling("pages/Old", 80), launch("notes", "cold", 600))
	sides[1].Stats.Interactions = append(flings(90, 91, 92, 93, 94), fling("pages/New", 80), launch("notes", "cold", 700))
	sides[0].Stats.Layers = played("", surface("player", "View#1", 30, 5, nil, nil), surface("player", "old", 3, 5, nil, nil)).Stats.Layers
	sides[1].Stats.Layers = played("", surface("player", "View#2", 30, 9, nil, nil), surface("player", "new", 3, 5, nil, nil)).Stats.Layers
	return compare(t, repeated(3, sides[0]), repeated(3, sides[1]), Options{FailOn: list})
}

// The schema is a promise: whoever changes a field must see that it is one.
func TestSchema(t *testing.T) {
	schematest.Document(t, "../../testdata/api/diff.md", reflect.TypeFor[document](), nil, "", reflect.TypeFor[stats.Span](), reflect.TypeFor[stats.Refresh](), reflect.TypeFor[stats.Quality]())
}

func TestJSON(t *testing.T) {
	type side struct{ Kind, Name string }
	var got struct {
		Processes []struct {
			Base, New side
			MatchedBy string `json:"matched_by"`
			Measures  []*Measure
		}
		OnlyInBase []side `json:"only_in_base"`
		FailOn     []struct {
			Condition, Measure, Status string
			List, Missing              string
			Index                      *int
		} `json:"fail_on"`
		Test struct {
			Method  string
			Changes int
		}
	}
	must.Do(t, json.Unmarshal([]byte(write(t, everything(t), "json", WriteOptions{})), &got))
	if r := got.Processes[1]; r.Base != (side{"render", "render_service"}) || r.New != (side{"render", "surfaceflinger"}) || r.MatchedBy != "kind" {
		t.Errorf("rendering: %+v", r)
	}
	if got.Test.Method != "moderated_t" || got.Test.Changes != 12 || len(got.OnlyInBase) != 1 { // all but P99 of two processes
		t.Errorf("test: %+v, only in base %+v", got.Test, got.OnlyInBase)
	}
	// The measures that are known on a side, in the order of the documentation.
	pair := everything(t).Pairs[0]
	list := slices.DeleteFunc(pair.measures(), func(m *Measure) bool { return m.Base == nil && m.New == nil })
	for i, m := range got.Processes[0].Measures {
		if m.Name != list[i].Name || m.Verdict != list[i].Verdict || (m.P == nil) != (m.Verdict == NotTested) {
			t.Errorf("%s, want %s", describe(m), describe(list[i]))
		}
	}
	outcomes := []string{}
	for _, o := range got.FailOn {
		who := o.Missing
		if o.List == "processes" {
			who = fmt.Sprint(*o.Index)
		}
		outcomes = append(outcomes, fmt.Sprint(who, " ", o.Condition, " ", o.Measure, " ", o.Status))
	}
	want := []string{
		"0 jank_rate>+2% jank_rate passed", "0 hitch_ratio>+1 hitch_ratio passed", "0 ui_work_p50_ms>+1 ui_work_p50_ms failed",
		"1 jank_rate>+2% jank_rate passed", "1 hitch_ratio>+1 hitch_ratio passed", "1 ui_work_p50_ms>+1 ui_work_p50_ms unknown",
		"old jank_rate>+2% jank_rate unknown", "old hitch_ratio>+1 hitch_ratio unknown", "old ui_work_p50_ms>+1 ui_work_p50_ms unknown",
	}
	must.EqualSlices(t, outcomes, want, "conditions")
	// An empty list is not null.
	text := write(t, compare(t, before(), after(), Options{}), "json", WriteOptions{})
	for _, part := range []string{`"only_in_base": []`, `"only_in_new": []`, `"fail_on": []`} {
		must.Contain(t, text, part)
	}
}
