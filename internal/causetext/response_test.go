package causetext

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// The time beside a name is the time of that name, and time outside of slices is said to be so.
func TestStepTimes(t *testing.T) {
	const ms = trace.Millisecond
	step := func(length trace.Duration, threads ...why.WaitTime) why.Step {
		s := why.Step{Name: why.StepLaunch, Stage: "LoadAbility", Time: length}
		for i, x := range threads {
			s.Work = append(s.Work, why.Work{TID: trace.TID(7 + i), Thread: "t", Process: "p", End: trace.Time(length), Waits: []why.WaitTime{x}, Idle: length - x.Value})
		}
		return s
	}
	spawner := why.WaitTime{Wait: why.WaitUnknown, Value: 119 * ms, Slice: "StartProcess", SliceTime: 70 * ms, OtherTime: 40 * ms, OtherSlices: 3, Calls: 1}
	spawned := why.WaitTime{Wait: why.WaitUnknown, Value: 80 * ms, Slice: "SpawningHook", SliceTime: 41 * ms, OtherTime: 20 * ms, OtherSlices: 8, Calls: 1}
	for _, test := range []struct {
		step          why.Step
		longest, work string
	}{
		{step(71*ms, why.WaitTime{Wait: why.Run, Value: 71 * ms, Slice: "Attach", SliceTime: 3 * ms, OtherTime: 2 * ms, OtherSlices: 3, Calls: 1}),
			"LoadAbility 71.0 ms: running", "running 71.0 ms: 66.0 outside of slices and 5.0 in 4 slices, Attach the most with 3.0 ms"},
		{step(71*ms, why.WaitTime{Wait: why.Run, Value: 40 * ms, Slice: "Attach", SliceTime: 3 * ms, Calls: 1}),
			"LoadAbility 71.0 ms: running 40.0 ms", "running 40.0 ms: 37.0 outside of slices and 3.0 in Attach"},
		{step(71*ms, why.WaitTime{Wait: why.Run, Value: 70 * ms, Slice: "Attach", SliceTime: 30 * ms, OtherTime: 39 * ms, OtherSlices: 2, Calls: 1}),
			"LoadAbility 71.0 ms: running", "running 70.0 ms in 3 slices, Attach the most with 30.0 ms"},
		{step(213*ms, why.WaitTime{Wait: why.Run, Value: 200 * ms, Slice: "RunScript", SliceTime: 142 * ms, Calls: 1}),
			"LoadAbility 213.0 ms: running 142.0 ms in RunScript", "running 200.0 ms, most in RunScript (142.0 ms)"},
		{step(120*ms, spawner, spawned),
			"LoadAbility 120.0 ms: running or waiting 70.0 ms in StartProcess",
			"p:t: running or waiting 119.0 ms, most in StartProcess (70.0 ms) / p:t: running or waiting 80.0 ms, most in SpawningHook (41.0 ms); idle 40.0 ms"},
	} {
		test.step.Work[0].Idle = 0
		must.Equal(t, LongestStep(&why.Explanation{Steps: []why.Step{test.step}}), test.longest)
		must.Equal(t, StepWork(&test.step), test.work)
	}
}
