package why_test

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

func TestValidate(t *testing.T) {
	const ms = trace.Millisecond
	for _, test := range []struct {
		spoil func(e *why.Explanation)
		want  string
	}{
		{func(*why.Explanation) {}, ""},
		{func(e *why.Explanation) { e.Frame = nil }, "has no explanation"},
		{func(e *why.Explanation) { e.Parts[1].Time = 0 }, "a part of 0 ns"},
		{func(e *why.Explanation) { e.Parts[0].Time++ }, "the sum of its parts"},
		{func(e *why.Explanation) { e.Start++; e.Parts[0].Time-- }, "it starts at"},
		{func(e *why.Explanation) { e.Lost++ }, "its overrun"},
		{func(e *why.Explanation) { e.Shares[0].Usual++ }, "a share of"},
		{func(e *why.Explanation) { e.Shares[0].Share-- }, "the sum of its shares"},
		{func(e *why.Explanation) { e.Shares = nil }, "without a cause"},
		{func(e *why.Explanation) { e.Outcome = why.KnockOn }, "without a cause"},
		{func(e *why.Explanation) { e.Outcome = why.ShownLate }, "without a cause"},
		{func(e *why.Explanation) { e.PeriodBefore = ms }, "impossible period"},
		{func(e *why.Explanation) { e.NotBegun = &why.Explanation{} }, "never began"},
		{func(e *why.Explanation) { e.PickUp = &why.Explanation{} }, "not picked up"},
		{func(e *why.Explanation) { e.Frame.Facts, e.Frame.Deadline, e.Lost = 0, 0, 0 }, "it is on time and has causes"},
	} {
		f := &analyzer.Frame{
			Process: &analyzer.Process{}, Facts: analyzer.MainLate, Deadline: trace.Time(20 * ms),
			Actual: analyzer.Interval{Start: trace.Time(10 * ms), End: trace.Time(25 * ms)},
		}
		e := &why.Explanation{
			Frame: f, Start: trace.Time(10 * ms), End: trace.Time(25 * ms), Lost: 5 * ms, Outcome: why.OneCause,
			Parts:  []why.Part{{Stage: why.StageFrame, Wait: why.Run, Time: 9 * ms}, {Stage: why.StageLayout, Wait: why.WaitIO, Time: 6 * ms}},
			Shares: []why.Share{{Stage: why.StageLayout, Wait: why.WaitIO, Value: 6 * ms, Usual: ms, Share: 5 * ms}},
		}
		test.spoil(e)
		c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}
		if e.Frame != nil {
			c.Frames[f] = e
		}
		err := c.Validate(&analyzer.Timeline{Frames: []*analyzer.Frame{f}})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
