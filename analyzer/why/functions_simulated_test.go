package why_test

import (
	"bytes"
	"slices"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// sampled reads a scene and its recording, whose offset is known.
func sampled(t testing.TB, s simulate.Scene, r simulate.Recording) (*simulate.Truth, analysis.Result) {
	t.Helper()
	var text, perf bytes.Buffer
	truth := must.Get(s.GenerateWithSamples(&text, &perf, r))(t)
	result, err := analysis.Run(t.Context(), &text, hitrace.Options{Workers: 1}, reconstruct.Options{}, analysis.Options{
		Causes: true, SamplesOffset: &truth.Recording.Offset,
		Samples: func() (*sample.Recording, error) {
			return sampling.Read(bytes.NewReader(perf.Bytes()), int64(perf.Len()), perfdata.Options{})
		},
	})
	if err != nil || result.Refused != nil {
		t.Fatal(err, result.Refused)
	}
	must.NoError(t, result.Causes.Validate(result.Timeline))
	checkFunctions(t, result)
	return truth, result
}

// checkFunctions checks what is stated about the samples of late frames: that the time in functions
// is all the time that the threads ran, and that flame graphs add up.
func checkFunctions(t testing.TB, result analysis.Result) {
	t.Helper()
	type stage struct {
		stage why.Stage
		wait  why.Wait
	}
	for f, e := range result.Causes.Frames {
		if len(e.Sampled) == 0 {
			if len(e.Functions)+len(e.Calls) > 0 {
				t.Errorf("frame %d has functions and no samples", f.VsyncID)
			}
			continue
		}
		if e.Lost == 0 {
			t.Errorf("frame %d is on time and has functions", f.VsyncID)
		}
		times, samples := map[stage]trace.Duration{}, map[stage]int{}
		running := 0
		for _, p := range e.Parts {
			if p.Wait == why.Run || p.Wait == why.GCRun {
				times[stage{p.Stage, p.Wait}] += p.Time
			}
		}
		for _, p := range e.Sampled {
			samples[stage{p.Stage, p.Wait}] += p.Samples
			if p.Wait == why.Run || p.Wait == why.GCRun {
				times[stage{p.Stage, p.Wait}] -= p.Time
			}
			if p.Wait.Runs() {
				running += p.Samples
			}
		}
		for s, left := range times {
			if left != 0 {
				t.Errorf("frame %d: %v of stage %v are in no function", f.VsyncID, left, s)
			}
		}
		for i, x := range e.Functions {
			if x.Of != samples[stage{x.Stage, x.Wait}] || x.Samples > x.Of || x.Wait.Runs() && x.Of < why.LeastSamples {
				t.Errorf("frame %d: %+v", f.VsyncID, x)
			}
			if i > 0 && x.Excess() > e.Functions[i-1].Excess() {
				t.Errorf("frame %d: function %d has a greater excess than the one before", f.VsyncID, i)
			}
		}
		for _, p := range e.Sampled { // each with enough samples is named
			enough := p.Function.Name != "" && p.Wait.Runs() && samples[stage{p.Stage, p.Wait}] >= why.LeastSamples
			if enough && len(e.Functions) < why.MaxFunctions && !slices.ContainsFunc(e.Functions, func(x why.FunctionTime) bool { return x.Function == p.Function && x.Stage == p.Stage }) {
				t.Errorf("frame %d: %s has %d samples and no time", f.VsyncID, p.Function.Name, p.Samples)
			}
		}
		if len(e.Calls) > 0 && e.Calls[0].Samples != running {
			t.Errorf("frame %d: the flame graph has %d samples, want %d", f.VsyncID, e.Calls[0].Samples, running)
		}
		sums := make([]trace.Duration, len(e.Calls))
		for i := len(e.Calls) - 1; i > 0; i-- {
			c := &e.Calls[i]
			if sums[i] > c.Time+trace.Duration(len(e.Calls)) { // each is rounded
				t.Errorf("frame %d: call %d has %v, and its calls %v", f.VsyncID, i, c.Time, sums[i])
			}
			sums[c.Parent] += c.Time
		}
	}
}

// namings counts what is said about late frames.
type namings struct {
	frames, right, wrong, unnamed int // with at least so many samples
	some, someRight, someWrong    int // with five to nine
	few, fewNamed                 int
	waits, waitsRight, waitsWrong int
	others, othersNamed           int // frames that no function is the reason of
}

// add counts the frames of a scene.
func (n *namings) add(t testing.TB, s simulate.Scene, r simulate.Recording) {
	truth, result := sampled(t, s, r)
	hot := map[int64]*simulate.CauseTruth{}
	for _, c := range truth.Causes {
		if c.Hot != nil && c.Late && !c.Cause.ShowsLate() && c.PickUp == "" {
			hot[c.Vsync] = c
		}
	}
	for f := range result.Timeline.Complete() {
		e := result.Causes.Of(f)
		cause := e.Cause()
		if cause == nil {
			continue
		}
		named := e.FunctionOf(cause)
		c := hot[f.VsyncID]
		if c == nil || c.TID != f.TID || c.Hot.TID != f.TID {
			n.others++
			if named != nil {
				n.othersNamed++
				if testing.Verbose() {
					t.Logf("other %+v frame %d %v %v: named %+v", s, f.VsyncID, cause.Wait, cause.Stage, named)
				}
			}
			continue
		}
		right := named != nil && named.Name == c.Hot.Function && named.Module == c.Hot.Module
		switch {
		case c.Hot.Waits && !r.OffCPU:
			if named != nil {
				n.waitsWrong++
			}
		case c.Hot.Waits:
			n.waits++
			if right {
				n.waitsRight++
			} else if named != nil {
				n.waitsWrong++
			}
			if !right && testing.Verbose() {
				t.Logf("wait %+v frame %d: %v %v %+v, want %+v", s, f.VsyncID, cause.Wait, cause.Stage, named, c.Hot)
			}
		case c.Hot.All >= 10:
			if right && cause.Wait == why.Run && (named.Samples != c.Hot.Samples || named.Of != c.Hot.All) {
				t.Errorf("%+v frame %d: %d of %d samples, want %d of %d", s, f.VsyncID, named.Samples, named.Of, c.Hot.Samples, c.Hot.All)
			}
			n.frames++
			switch {
			case right:
				n.right++
			case named == nil:
				n.unnamed++
			default:
				n.wrong++
			}
			if !right && testing.Verbose() {
				t.Logf("%+v frame %d: %v %v %+v, want %+v\n%+v", s, f.VsyncID, cause.Wait, cause.Stage, named, c.Hot, e.Functions)
			}
		case c.Hot.All >= why.LeastSamples:
			n.some++
			if right {
				n.someRight++
			} else if named != nil {
				n.someWrong++
			}
		default:
			n.few++
			if named != nil {
				n.fewNamed++
				if testing.Verbose() {
					t.Logf("few %+v %+v frame %d: %v %v %+v, want %+v", s, r, f.VsyncID, cause.Wait, cause.Stage, named, c.Hot)
				}
			}
		}
	}
}

// The hot function of late frames is the one that they are generated with, of 95 % of the frames
// with 10 samples, and frames with less than five have none.
func TestHotFunctions(t *testing.T) {
	var n namings
	i := 0
	for c, cause := range simulate.Causes() {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			for _, hz := range []int{60, 90, 120} {
				for _, rate := range []int{250, 1000, 4000} {
					for seed := range slow.Of(1, 4) {
						if i++; i%slow.Of(11, 1) > 0 {
							continue
						}
						s := simulate.Scene{Kernel: kernel, RefreshHz: hz, Cause: simulate.Cause(cause), Seed: uint64(c + 31*seed + 7*hz), Decoys: seed%2 == 0}
						n.add(t, s, simulate.Recording{Seed: uint64(i), Rate: rate, OffCPU: i%2 == 0, Clock: simulate.ClockMonotonic})
					}
				}
			}
		}
	}
	t.Logf("%+v", n)
	if n.frames == 0 || n.right*20 < n.frames*19 {
		t.Errorf("the right function is named for %d of %d frames", n.right, n.frames)
	}
	if n.waitsRight*20 < n.waits*19 || n.waitsWrong > 0 {
		t.Errorf("the right function is named for %d of %d waits, a wrong one for %d", n.waitsRight, n.waits, n.waitsWrong)
	}
	if n.few == 0 || n.fewNamed > 0 {
		t.Errorf("%d of %d frames with few samples have a function", n.fewNamed, n.few)
	}
}

// Frames that the recording does not cover have no functions, and do not count.
func TestPartlyRecorded(t *testing.T) {
	s := simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseMix, Seed: 5, Frames: 88}
	r := simulate.Recording{Seed: 1, Clock: simulate.ClockMonotonic, From: 300 * trace.Millisecond, Length: 300 * trace.Millisecond}
	_, result := sampled(t, s, r)
	from, to := result.Samples.Samples[0].Time, result.Samples.Samples[len(result.Samples.Samples)-1].Time
	inside, outside := 0, 0
	for f := range result.Timeline.Complete() {
		e := result.Causes.Of(f)
		if e.Lost == 0 {
			continue
		}
		if want := e.Start >= from && e.End <= to; (len(e.Sampled) > 0) != want {
			t.Errorf("frame %d from %d to %d: %+v", f.VsyncID, e.Start, e.End, e.Sampled)
		} else if want {
			inside++
		} else {
			outside++
		}
	}
	late := 0
	for _, s := range result.Causes.Sampled {
		late += s.Late
	}
	if inside == 0 || outside == 0 || late != inside {
		t.Errorf("%d late frames are inside of the recording, %d outside, and %d count", inside, outside, late)
	}
}
