package why_test

import (
	"reflect"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

var (
	recompute = why.Function{Name: "Feed::recompute", Module: "libentry.so"}
	shape     = why.Function{Name: "Text::shape", Module: "libentry.so"}
	load      = why.Function{Name: "Store::load", Module: "libentry.so"}
)

func ran(f why.Function, samples int, d trace.Duration) why.FunctionTime {
	return why.FunctionTime{Function: f, Stage: why.StageLayout, Wait: why.Run, Samples: samples, Time: d}
}

// TestFunctionCosts compares three late frames, of which one was not sampled and one has no sample
// in the stage, with ten frames on time.
//
//	recompute  8 of 10 samples of 10 of 20 ms: 8 × 2 = 16 ms, by 20/√8 less likely; on time 1 ms in 10
//	shape      2 samples: too few
//	load       waited 30 ms in 6 waits, on time never
func TestFunctionCosts(t *testing.T) {
	const ms = trace.Millisecond
	p := &analyzer.Process{PID: 7}
	frames := []*analyzer.Frame{{Process: p}, {Process: p}, {Process: p}, {Process: p}}
	waited := why.FunctionTime{Function: load, Stage: why.StageLayout, Wait: why.WaitIO, Samples: 6, Time: 30 * ms}
	c := &why.Causes{
		Frames: map[*analyzer.Frame]*why.Explanation{
			frames[0]: {Lost: 1, Sampled: []why.FunctionTime{ran(recompute, 8, 8*ms), ran(shape, 2, 2*ms), waited}},
			frames[1]: {Lost: 1, Sampled: []why.FunctionTime{ran(why.Function{}, 0, 10*ms), {Stage: why.StageLayout, Wait: why.WaitIO, Time: 50 * ms}}},
			frames[2]: {Lost: 1},
			frames[3]: {Sampled: []why.FunctionTime{ran(recompute, 8, 8*ms)}}, // on time
		},
		Sampled: []why.SampledFrames{{Process: p, Late: 2, OnTime: 10}},
	}
	use := func(f why.Function, w why.Wait, samples int, d trace.Duration) why.FunctionUse {
		return why.FunctionUse{FunctionID: why.FunctionID{Process: p, Stage: why.StageLayout, Wait: w, Function: f}, OnTime: why.FunctionSum{Samples: samples, Time: d}}
	}
	c.Uses = []why.FunctionUse{use(recompute, why.Run, 1, ms), use(shape, why.Run, 10, 10*ms), use(load, why.WaitIO, 0, 0)}
	want := []why.FunctionCost{
		{Function: load, Wait: why.WaitIO, Stage: why.StageLayout, Frames: 1, Samples: 6, Time: 15 * ms, Total: 30 * ms},
		{Function: recompute, Wait: why.Run, Stage: why.StageLayout, Frames: 1, Samples: 8, Time: 8 * ms, Usual: 100 * trace.Microsecond, Total: 15_800 * trace.Microsecond},
	}
	if got := c.FunctionCosts(frames); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if got := c.FunctionCosts(frames[2:]); len(got) > 0 {
		t.Errorf("without a sampled late frame: %+v", got)
	}

	// On time, 10 samples of 50 ms: 10 of 16 ms in two frames. 6 ms are less than twice
	// √(16²/8 + 10²/10) = 6.5 ms. With 40 samples it is √(16²/8 + 10²/40) = 5.9 ms: still less. With 2.8 ms
	// in two frames, 13.2 ms are more than twice √(16²/8 + 2.8²/40) = 5.7 ms; with 5 ms, 11 ms are less.
	for _, test := range []struct {
		samples int
		onTime  trace.Duration
		named   bool
	}{{10, 50 * ms, false}, {40, 50 * ms, false}, {40, 14 * ms, true}, {40, 25 * ms, false}} {
		c.Uses[0].OnTime = why.FunctionSum{Samples: test.samples, Time: test.onTime}
		if got := c.FunctionCosts(frames); (len(got) == 2) != test.named {
			t.Errorf("%+v: %+v", test, got)
		}
	}
	c.Uses[0].OnTime = why.FunctionSum{}
	c.Frames[frames[0]].Sampled[0].Samples = why.LeastSamples
	if got := c.FunctionCosts(frames); len(got) != 2 {
		t.Errorf("with %d samples: %+v", why.LeastSamples, got)
	}
	c.Frames[frames[0]].Sampled[0].Samples = why.LeastSamples - 1
	if got := c.FunctionCosts(frames); len(got) != 1 {
		t.Errorf("with %d samples: %+v", why.LeastSamples-1, got)
	}
	c.Sampled[0].OnTime = 0
	if got := c.FunctionCosts(frames); len(got) > 0 {
		t.Errorf("without a frame on time: %+v", got)
	}
	if got := (*why.Causes)(nil).FunctionCosts(frames); len(got) > 0 {
		t.Errorf("without causes: %+v", got)
	}
}

// The function of a cause is the first one of its stage and wait, if it is sure; that of a slower
// CPU has 60 % of all time and samples.
func TestFunctionOf(t *testing.T) {
	const ms = trace.Millisecond
	time := func(f why.Function, s why.Stage, w why.Wait, sure bool) why.FunctionTime {
		return why.FunctionTime{Function: f, Stage: s, Wait: w, Sure: sure, Innermost: shape, Time: ms, Usual: ms / 2}
	}
	e := &why.Explanation{Functions: []why.FunctionTime{
		time(shape, why.StageBuild, why.Run, true), time(recompute, why.StageLayout, why.Run, true), time(shape, why.StageLayout, why.Run, true),
		time(load, why.StageLayout, why.WaitIO, false), time(load, why.StageBuild, why.WaitIO, true), time(recompute, why.StageBuild, why.Run, true),
	}}
	for _, test := range []struct {
		stage why.Stage
		wait  why.Wait
		want  string
	}{
		{why.StageLayout, why.Run, recompute.Name},
		{why.StageBuild, why.Run, shape.Name},
		{why.StageLayout, why.WaitIO, ""},
		{why.StageBuild, why.WaitIO, load.Name},
		{why.StageInput, why.Run, ""},
		{why.NoStage, why.RunSlow, ""},
	} {
		got := ""
		if f := e.FunctionOf(&why.Share{Stage: test.stage, Wait: test.wait}); f != nil {
			got = f.Name
		}
		must.Equal(t, got, test.want, "%v %v", test.stage, test.wait)
	}
	if e.FunctionOf(nil) != nil {
		t.Error("no cause has a function")
	}
	slow := &why.Share{Wait: why.RunSlow}
	for _, test := range []struct {
		samples, others int
		time            trace.Duration // of 10 ms
		named           bool
	}{{6, 4, 6 * ms, true}, {5, 4, 6 * ms, false}, {6, 4, 6*ms - 1, false}, {3, 2, 6 * ms, true}, {3, 1, 6 * ms, false}} {
		e.Sampled = []why.FunctionTime{
			ran(recompute, test.samples-1, test.time/2), ran(why.Function{}, test.others, 10*ms-test.time), ran(recompute, 1, test.time-test.time/2),
			{Function: load, Wait: why.WaitIO, Samples: 9, Time: 50 * ms},
		}
		f := e.FunctionOf(slow)
		must.Equal(t, f != nil, test.named, "%+v", test)
		if want := (why.FunctionTime{Function: recompute, Wait: why.Run, Innermost: shape, Samples: test.samples, Of: test.samples + test.others, Time: test.time, Usual: ms, Sure: true}); f != nil && *f != want {
			t.Errorf("%+v: %+v, want %+v", test, *f, want)
		}
	}
}
