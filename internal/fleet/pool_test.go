package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/report"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// pooledTraces are traces of all kinds by name, also real ones.
func pooledTraces(t *testing.T) map[string]string {
	t.Helper()
	var scene, everything bytes.Buffer
	must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseMix}).Generate(&scene))(t)
	late := simulate.Everything()
	late.Seed = 3 // which has frames that are late and empty
	must.Get(simulate.Write(&everything, late))(t)
	contents := map[string]string{"scene.ftrace": scene.String(), "everything.ftrace": everything.String()}
	files := must.Get(filepath.Glob("../../../shared/traces/*.ftrace"))(t)
	for _, name := range append(files, "../../testdata/demo.ftrace", "../../testdata/layers.ftrace.gz", "../../testdata/flings.ftrace.gz") {
		contents[filepath.Base(name)] = string(must.Get(os.ReadFile(name))(t))
	}
	return contents
}

// pooledJSON is the pooled part of a report.
type pooledJSON struct {
	Processes, Interactions, Layers []struct {
		Key       map[string]*string
		Traces    int
		Count     int
		Measures  map[string]*float64
		Estimated []string
	}
}

// poolOf returns the pooled report of datasets, and its JSON.
func poolOf(t *testing.T, datasets []*Dataset, o PoolOptions) (pooledJSON, string) {
	t.Helper()
	o.Stages = true
	in := must.Get(Pool(t.Context(), "pool", datasets, o))(t)
	var b bytes.Buffer
	must.Do(t, report.Write(&b, []report.Input{*in}, "json", report.Options{}))
	var d struct{ Pooled pooledJSON }
	must.Do(t, json.Unmarshal(b.Bytes(), &d))
	return d.Pooled, b.String()
}

// A report of a dataset, in one shard or in several, or of several datasets, is that of its traces.
func TestPooledTraces(t *testing.T) {
	slow.SkipRace(t)
	contents := pooledTraces(t)
	all, halves := t.TempDir(), [2]string{t.TempDir(), t.TempDir()}
	parts := [2]map[string]string{{}, {}}
	memory := NewDataset([]string{"version"})
	i := 0
	for name, content := range contents {
		version := []string{"1", "2"}[i%2]
		parts[i%2]["version="+version+"/"+name] = content
		i++
	}
	dirs := []string{folder(t, parts[0]), folder(t, parts[1])}
	run(t, &Runner{Dir: all}, find(t, dirs...), Options{Read: withCauses, Shards: 3})
	for i, dir := range dirs {
		run(t, &Runner{Dir: halves[i]}, find(t, dir), Options{Read: withCauses})
	}
	for _, in := range find(t, dirs...) {
		version := strings.TrimPrefix(filepath.Base(filepath.Dir(in.Name)), "version=")
		read := must.Get(ohframe.Read(t.Context(), must.Get(os.Open(in.Name))(t), ohframe.Options{Causes: true}))(t)
		memory.Add(in.Name, map[string]string{"version": version}, read)
	}
	var first []string
	for _, in := range find(t, dirs[0]) {
		first = append(first, in.Name)
	}
	_, some := poolOf(t, []*Dataset{memory.Only(first, 1)}, PoolOptions{})
	if _, got := poolOf(t, []*Dataset{opened(t, all).Only(first, 1)}, PoolOptions{}); got != some || !strings.Contains(got, `"unreliable_traces": 1,`) || strings.Contains(got, "version=2") || !strings.Contains(got, "version=1") {
		t.Errorf("some traces of the dataset: %s", firstDifference(got, some))
	}
	for _, by := range [][]string{nil, {}, {"version", "process"}, {"version", "scene", "page"}, {"layer"}, {"format", "recorded_day"}} {
		_, want := poolOf(t, []*Dataset{memory}, PoolOptions{Query: Query{By: by}})
		if _, got := poolOf(t, []*Dataset{opened(t, all)}, PoolOptions{Query: Query{By: by}}); got != want {
			t.Errorf("by %q: the dataset has %s", by, firstDifference(got, want))
		}
		if _, got := poolOf(t, []*Dataset{opened(t, halves[0]), opened(t, halves[1])}, PoolOptions{Query: Query{By: by}}); got != want {
			t.Errorf("by %q: two datasets have %s", by, firstDifference(got, want))
		}
	}
}

// What is pooled of one process, interaction or layer has the numbers of its own report: exactly, or within 1/128
// where it says that a percentile is an estimate. What it does not have is unknown, never zero.
func TestPoolOfOne(t *testing.T) {
	compared, unknown := map[string]int{}, map[string]int{}
	for name, content := range pooledTraces(t) {
		read := must.Get(ohframe.Read(t.Context(), strings.NewReader(content), ohframe.Options{Causes: true}))(t)
		d := NewDataset(nil)
		d.Add(name, nil, read)
		own := stats.Compute(read.Timeline, stats.Options{})
		check := func(list stats.MeasureList, pooled, subject any) {
			for i := range list {
				m := &list[i]
				got, want := m.Of(pooled), m.Of(subject)
				within := 0.
				if m.Estimated(pooled) {
					within = 1. / 128
				}
				switch {
				case got == nil && m.Aggregate != nil && want != nil:
					t.Errorf("%s: %s is unknown, want %v", name, m.Path, *want)
				case got == nil:
					unknown[m.Path]++
				case want == nil:
					t.Errorf("%s: %s is %v, want none", name, m.Path, *got)
				case math.Abs(*got-*want) > within*math.Abs(*want):
					t.Errorf("%s: %s is %v, want %v within %v", name, m.Path, *got, *want, within)
				default:
					compared[m.Path]++
					if *want < 0 {
						compared["negative"]++
					}
				}
			}
		}
		in := must.Get(Pool(t.Context(), "", []*Dataset{d}, PoolOptions{Query: Query{Stages: true}}))(t)
		for _, p := range in.Stats.Processes {
			if p.Pool.Count != 1 {
				continue
			}
			for _, of := range own.Processes {
				if of.Name == p.Name && of.Kind == p.Kind {
					check(stats.Measures, p, of)
					must.Equal(t, p.Frames.LateEmpty, of.Frames.LateEmpty, name)
					compared["late and empty"] += of.Frames.LateEmpty
				}
			}
		}
		all := read.Timeline.Interactions
		for i, of := range own.Interactions {
			if of.Truncated {
				continue
			}
			one := NewDataset(nil)
			read.Timeline.Interactions = all[i : i+1]
			one.Add(name, nil, read)
			in := must.Get(Pool(t.Context(), "", []*Dataset{one}, PoolOptions{Interactions: true}))(t)
			for _, x := range in.Stats.Interactions { // none of a trace without frames
				check(stats.InteractionMeasures, x, of)
			}
		}
		for _, x := range in.Stats.Layers {
			for _, of := range own.Layers {
				if x.Pool.Count == 1 && layerKey(of) == x.Pool.Name {
					check(stats.LayerMeasures, x, of)
				}
			}
		}
	}
	for _, list := range []stats.MeasureList{stats.Measures, stats.InteractionMeasures, stats.LayerMeasures} {
		for i := range list {
			if m := &list[i]; m.Aggregate != nil && compared[m.Path] == 0 {
				t.Errorf("%s is known of nothing that is pooled", m.Path)
			}
		}
	}
	if compared["negative"] == 0 || compared["late and empty"] == 0 || unknown["frames.first_draw"] == 0 || compared["frames.first_draw"] > 0 {
		t.Errorf("%v, unknown %v", compared, unknown)
	}
}

// Tables have the groups with the most frames, in the order of their values.
func TestLargestGroups(t *testing.T) {
	var rows []Row
	for i := range 30 {
		device := fmt.Sprintf("d%02d", i)
		row := Row{Trace: device, Kind: stats.Application, Process: "p", Dims: []*string{&device, nil}}
		row.Numbers[columnIndex["frames"]] = int64(1000 + i)
		rows = append(rows, row)
	}
	in := must.Get(Pool(t.Context(), "pool", []*Dataset{dataset(t, rows)}, PoolOptions{Query: Query{By: []string{"device"}}}))(t)
	const most = "d10 d11 d12 d13 d14 d15 d16 d17 d18 d19 d20 d21 d22 d23 d24 d25 d26 d27 d28 d29"
	for all, want := range map[bool]string{false: most, true: "d00 d01 d02 d03 d04 d05 d06 d07 d08 d09 " + most} {
		var b bytes.Buffer
		must.Do(t, report.Write(&b, []report.Input{*in}, "table", report.Options{Verbose: all}))
		table, _, more := strings.Cut(b.String(), "… and 10 more with fewer frames; --all shows all\n")
		_, table, _ = strings.Cut(table, "Processes")
		if got := strings.Join(regexp.MustCompile(`\bd\d\d\b`).FindAllString(table, -1), " "); got != want || more == all {
			t.Errorf("all %t: %s, want %s in %s", all, got, want, b.String())
		}
	}
}

// Conditions are on each group: flings are known by their input, layers by their names, and what is not there fails.
func TestPoolConditions(t *testing.T) {
	d := NewDataset(nil)
	for _, name := range []string{"flings.ftrace.gz", "layers.ftrace.gz"} {
		content := must.Get(os.ReadFile("../../testdata/" + name))(t)
		d.Add(name, nil, must.Get(ohframe.Read(t.Context(), bytes.NewReader(content), ohframe.Options{}))(t))
	}
	in := must.Get(Pool(t.Context(), "", []*Dataset{d}, PoolOptions{Query: Query{Stages: true}}))(t)
	list := must.Get(condition.Parse("fling.response_ms>1, launch.first_frame_ms>1, layer(gameSurface).fps<1, layer.fps<1, nosuch: fps<1, hot.first_frame_ms>1, first_draw_frames>1", condition.OfValues))(t)
	got := map[string]string{}
	for _, c := range list.CheckReport("", in.Stats, nil) {
		got[c.Condition] += string(c.Status) + " "
	}
	for limit, want := range map[string]string{
		"fling.response_ms>1": "failed", "launch.first_frame_ms>1": "failed", "layer(gameSurface).fps<1": "passed", "layer.fps<1": "passed",
		"fps<1": "unknown", "hot.first_frame_ms>1": "unknown", "first_draw_frames>1": "unknown",
	} {
		if statuses := strings.Fields(got[limit]); len(statuses) == 0 || slices.ContainsFunc(statuses, func(s string) bool { return s != want }) {
			t.Errorf("%s: %q, want %s", limit, statuses, want)
		}
	}
}

// layerKey is the name of the group of a layer by process and layer.
func layerKey(l *stats.Layer) string {
	process, layer := "", text.LayerName(l.Name)
	if l.Process != nil {
		process = *l.Process
	}
	return view.GroupText([]*string{&process, &layer})
}

// measured returns a measure of the group by its name, of layers by its path, and what has it; nil if it has none.
func (g *Group) measured(name string) (*stats.Measure, any) {
	switch m := stats.PoolMeasures.Named(name); {
	case g.process != nil && m != nil:
		return m, g.process.Pool
	case g.process != nil:
		return stats.Measures.Named(name), g.process
	case g.interaction != nil && m != nil:
		return m, g.interaction.Pool
	case g.interaction != nil: // views call it as that of processes
		for i := range stats.InteractionMeasures {
			if m, of := &stats.InteractionMeasures[i], measures.Named(name); of != nil && m.Same(of) {
				return m, g.interaction
			}
		}
	}
	return stats.LayerMeasures.At(name), g.layer
}

// Value returns the value of such a measure.
func (g *Group) Value(name string) *float64 {
	m, of := g.measured(name)
	return m.Value(of)
}

// firstDifference returns the first line of two texts that differs.
func firstDifference(got, want string) string {
	lines := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || line != lines[i] {
			return fmt.Sprintf("line %d: %s, want %s", i+1, line, lines[min(i, len(lines)-1)])
		}
	}
	return "less"
}
