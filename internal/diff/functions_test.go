package diff

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

var (
	recompute = why.Function{Name: "entry::Feed::recompute", Module: "libentry.so"}
	draw      = why.Function{Name: "entry::Feed::draw", Module: "libentry.so"}
)

// withFunctions gives each process a number of frames with samples, one a millisecond, that spent
// the given milliseconds in recompute, 50 in draw, and 4 waiting for storage in draw.
func withFunctions(s Side, frames, recomputed int) Side {
	of := func(n int) why.FunctionSum { return why.FunctionSum{Samples: n, Time: trace.Duration(n) * ms} }
	for _, k := range s.Costs {
		k.functions = functionTimes{frames: frames, all: of(recomputed + 54), times: map[functionID]why.FunctionSum{
			{recompute, why.Run}: of(recomputed), {draw, why.Run}: of(50), {draw, why.WaitIO}: of(4),
		}}
	}
	return s
}

// sampledRuns returns a side of runs with frames of a length in milliseconds.
func sampledRuns(name string, length int, recomputed ...int) Side {
	var runs []Side
	for i, x := range recomputed {
		runs = append(runs, withFunctions(costlyFrames(fmt.Sprint(name, i), 10, length), 20, x))
	}
	return Join(name, runs)
}

// Recompute takes 40 / 20 = 2 ms of a frame, and then 100 / 20 = 5. Waits have 4 samples in a run, and
// 12 in three.
func TestFunctionChanges(t *testing.T) {
	d := compare(t, sampledRuns("base", 5, 40, 38, 42), sampledRuns("new", 9, 100, 98, 102), Options{})
	list := d.Pairs[0].Functions.List
	if len(list) != 3 {
		t.Fatalf("%d functions", len(list))
	}
	c := list[0]
	if c.Function != recompute.Name || math.Abs(*c.Base-2) > 1e-9 || math.Abs(*c.New-5) > 1e-9 || c.Verdict != Worse || c.BaseSamples != 120 || c.NewSamples != 300 {
		t.Errorf("%s: %v → %v, %s, samples %d → %d", c.title, *c.Base, *c.New, c.Verdict, c.BaseSamples, c.NewSamples)
	}
	if c := list[1]; *c.Delta != 0 || c.Verdict != Unclear {
		t.Errorf("%s: %v, %s", c.title, *c.Delta, c.Verdict)
	}
	for _, format := range Formats {
		if format == "junit" {
			continue // they have conditions, and no measures
		}
		if text := write(t, d, format, WriteOptions{}); !strings.Contains(text, "recompute") || !strings.HasPrefix(text, "{") && !strings.Contains(text, "2.0 → 5.0") {
			t.Errorf("%s lacks the function", format)
		}
	}
	// Functions explain changes of measures. Without one, none of them is significant.
	d = compare(t, sampledRuns("base", 5, 40, 38, 42), sampledRuns("new", 5, 100, 98, 102), Options{})
	if c := d.Pairs[0].Functions.List[0]; c.Function != recompute.Name || c.Verdict != Unclear || c.P == nil {
		t.Errorf("%s: %s", c.title, c.Verdict)
	}
}

// Without samples on a side, functions are not compared, and the comparison says so.
func TestUnsampled(t *testing.T) {
	for _, test := range []struct {
		base, new Side
		side      string
	}{{costly("base", 10), sampledRuns("new", 5, 40), "base"}, {sampledRuns("base", 5, 40), costly("new", 10), "new"}} {
		d := compare(t, test.base, test.new, Options{})
		note := "Functions are not compared: " + test.side + " has no samples"
		if n := len(d.Pairs[0].Functions.List); n > 0 || !strings.Contains(write(t, d, "table", WriteOptions{}), note) {
			t.Errorf("%d functions without samples of %s", n, test.side)
		}
	}
	if table := write(t, compare(t, costly("base", 10), costly("new", 10), Options{}), "table", WriteOptions{}); strings.Contains(table, "unctions") {
		t.Error(table)
	}
	// A run without samples is no run with a time of 0.
	d := compare(t, sampledRuns("base", 5, 40), Join("new", []Side{costly("a", 10), withFunctions(costly("b", 10), 20, 40)}), Options{})
	if c := d.Pairs[0].Functions.List[0]; *c.New != *c.Base {
		t.Errorf("%v → %v", *c.Base, *c.New)
	}
}

// The times are those of all stages, in frames of this kind of this process.
func TestFunctionTimes(t *testing.T) {
	p, other := &analyzer.Process{PID: 1}, &analyzer.Process{PID: 2}
	use := func(p *analyzer.Process, kind analyzer.Kind, stage why.Stage, late, onTime int) why.FunctionUse {
		return why.FunctionUse{
			FunctionID: why.FunctionID{Process: p, Kind: kind, Stage: stage, Wait: why.Run, Function: recompute},
			Late:       why.FunctionSum{Samples: late, Time: trace.Duration(late) * ms}, OnTime: why.FunctionSum{Samples: onTime, Time: trace.Duration(onTime) * ms},
		}
	}
	c := &why.Causes{
		Sampled: []why.SampledFrames{{Process: p, Late: 2, OnTime: 8}, {Process: p, Kind: analyzer.RenderFrame, Late: 100}, {Process: other, Late: 100}},
		Uses: []why.FunctionUse{
			use(p, 0, why.StageBuild, 5, 10), use(p, 0, why.StageLayout, 20, 0), use(p, analyzer.RenderFrame, why.StageDraw, 100, 0), use(other, 0, why.StageBuild, 100, 0),
		},
	}
	k := newFunctionTimes(c, []*analyzer.Frame{{Process: p}})
	u := k.unit(functionID{recompute, why.Run})
	if u.Value != 3.5 || math.Abs(u.Variance-3.5*3.5/35) > 1e-9 { // 35 samples of 1 ms in 10 frames
		t.Errorf("%+v", u)
	}
	if u := k.unit(functionID{draw, why.Run}); u.Value != 0 || math.Abs(u.Variance-0.01) > 1e-9 {
		t.Errorf("without samples: %+v", u)
	}
}
