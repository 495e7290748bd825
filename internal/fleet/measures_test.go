package fleet

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
)

// A group of one process or one layer has the measures of a report of the trace: ratios exactly, percentiles, also
// negative ones, within 1/128.
func TestMeasuresOfOne(t *testing.T) {
	var scene bytes.Buffer
	must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseMix}).Generate(&scene))(t)
	contents, compared := map[string]string{"a.ftrace": scene.String()}, map[string]int{}
	for _, name := range []string{"demo.ftrace", "layers.ftrace.gz", "flings.ftrace.gz"} {
		content := must.Get(os.ReadFile("../../testdata/" + name))(t)
		contents[name] = string(content)
	}
	for name, content := range contents {
		read := must.Get(ohframe.Read(t.Context(), strings.NewReader(content), ohframe.Options{}))(t)
		dir := t.TempDir()
		run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{name: content})), Options{})
		report, d := stats.Compute(read.Timeline, stats.Options{}), opened(t, dir)
		check := func(by []string, key string, subject any, measures stats.MeasureList, name func(*stats.Measure) string) {
			groups, _ := must.Get2(d.groups(t.Context(), Query{By: by, Stages: true}))(t)
			for _, g := range groups {
				for i := range measures {
					m := &measures[i]
					if groupText(g.Key) != key || m.Aggregate == nil {
						continue
					}
					got, want := g.Value(name(m)), m.Value(subject)
					within := 1e-9
					if m.Aggregate.Times != "" {
						within = 1. / 128
					}
					switch {
					case (got == nil) != (want == nil), got != nil && math.Abs(*got-*want) > within*math.Abs(*want):
						t.Errorf("%s of %s: %v, want %v", m.Name, key, got, want)
					case got != nil:
						compared[name(m)]++
						if *want < 0 {
							compared["negative"]++
						}
					}
				}
			}
		}
		for _, p := range report.Processes {
			check([]string{"kind", "process"}, groupText([]*string{(*string)(&p.Kind), &p.Name}), p, stats.Measures, func(m *stats.Measure) string { return m.Name })
		}
		for _, l := range report.Layers {
			layer := text.LayerName(l.Name)
			check([]string{"layer"}, groupText([]*string{&layer}), l, stats.LayerMeasures, func(m *stats.Measure) string { return m.Path })
		}
	}
	for _, m := range append(measures, stats.Measure{Name: "negative", Aggregate: &stats.Aggregate{}}) {
		if compared[m.Name] == 0 && stats.GroupMeasures.Named(m.Name) == nil {
			t.Errorf("%s is known of no process and no layer", m.Name)
		}
	}
}

// Items of components are counted for their process: three built and one reused, a quarter of all.
func TestItems(t *testing.T) {
	text := func(name string, built, reused int) string {
		lines := []string{"B|200|H:ReceiveVsync name:ui dataCount: 24bytes now:1000000000 expectedEnd: 1016600000 vsyncId:5, fd:9", "B|200|H:OnVsyncEvent now:1000000000", "E|200", "E|200"}
		for range built {
			lines = append(lines, "B|200|H:CustomNode:BuildItem [Card][self:38][parent:37]", "E|200")
		}
		for range reused {
			lines = append(lines, "B|200|H:CustomNode:BuildRecycle [Card][self:38][parent:37]", "E|200")
		}
		all := ""
		for i, line := range lines {
			all += fmt.Sprintf("%s-200 (200) [001] .... 1.000%03d: print: %s\n", name, 100+i, line)
		}
		return all
	}
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{
		"a.ftrace": text("app", 2, 1), "b.ftrace": text("app", 1, 0), "c.ftrace": text("other", 0, 0),
	})), Options{})
	groups, _ := must.Get2(opened(t, dir).groups(t.Context(), Query{By: []string{"process"}}))(t)
	for _, g := range groups {
		share := g.Values[measureIndex("reused_share")]
		switch *g.Key[0] {
		case "app":
			if share == nil || *share != 0.25 || g.Sum("built_items") != 3 || g.Sum("reused_items") != 1 {
				t.Errorf("%d built, %d reused, share %v", g.Sum("built_items"), g.Sum("reused_items"), share)
			}
		default:
			if share != nil {
				t.Errorf("%s: share %v of no items", *g.Key[0], *share)
			}
		}
	}
	if len(groups) != 2 {
		t.Errorf("%d groups", len(groups))
	}
}
