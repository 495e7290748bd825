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
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
	"ohframe/internal/view"
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
			must.Get(simulate.Write(&b, c))(t)
			contents[fmt.Sprintf("version=%d/%d.ftrace", version+1, seed)] = b.String()
		}
	}
	return find(t, folder(t, contents))
}

// The groups of a fleet by scene and page have the numbers of the reports of its traces. Groups of frames are those without interactions.
func TestInteractions(t *testing.T) {
	inputs, dir := used(t), t.TempDir()
	run(t, &Runner{Dir: dir}, inputs, Options{Read: withCauses, Shards: 2})
	type sum struct {
		responses    []float64
		frames, late int
	}
	want := map[string]*sum{}
	for _, in := range inputs {
		f := must.Get(Files{}.Open(t.Context(), in.Name))(t)
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
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"scene", "page", "version"}}))(t)
	if len(groups) != len(want) || len(want) != 10 {
		t.Fatalf("%d groups, want %d", len(groups), len(want))
	}
	for _, g := range groups {
		name := strings.ReplaceAll(view.GroupText(g.Key), " · ", " ")
		w := want[name]
		if w == nil {
			t.Errorf("%s is not in the traces", name)
			continue
		}
		slices.Sort(w.responses)
		median := stats.Percentile(w.responses, 50)
		got := g.Value("response_p50_ms")
		if g.Rows != len(w.responses) || g.Sum("frames") != int64(w.frames) || g.Sum("late") != int64(w.late) || got == nil || math.Abs(*got-median) > 0.008*median {
			t.Errorf("%s: %d interactions, %d frames, %d late, response %v; want %d, %d, %d, %g", name, g.Rows, g.Sum("frames"), g.Sum("late"), got, len(w.responses), w.frames, w.late, median)
		}
		if g.Value("response_p95_ms") != nil {
			t.Errorf("%s: P95 of %d", name, g.Rows)
		}
	}
	frames, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"kind"}}))(t)
	for _, g := range frames {
		if *g.Key[0] != "app" && *g.Key[0] != "render" || g.Value("response_p50_ms") != nil {
			t.Errorf("a group of frames by kind %s", *g.Key[0])
		}
	}
}
