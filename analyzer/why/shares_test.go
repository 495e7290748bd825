package why

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Time on a slower processor is no variation as well.
func TestVariationWithoutSlowPart(t *testing.T) {
	const ms = trace.Millisecond
	run := func(stage place.Stage, d trace.Duration, kHz int64) (component, amount) {
		return component{stage, place.Run}, amount{d, int64(d) * kHz, d}
	}
	u := &usual{medians: map[component]amount{}}
	a := &account{span: span{end: trace.Time(11*ms + ms/10), deadline: trace.Time(6 * ms)}}
	for _, c := range []struct {
		stage            place.Stage
		usual, value     trace.Duration
		usualKHz, nowKHz int64
	}{
		{place.Layout, 5 * ms, 10 * ms, 2000, 1000}, // the same cycles
		{place.Build, ms, ms + ms/10, 2000, 2000},   // a little more work
	} {
		id, m := run(c.stage, c.usual, c.usualKHz)
		u.medians[id], u.total = m, u.total+m.time
		_, v := run(c.stage, c.value, c.nowKHz)
		a.cells = append(a.cells, cell{c.stage, place.Run, 2, v.time, v.cycles, v.clocked, level{}})
	}
	over := map[place.Wait]trace.Duration{}
	values := a.components()
	for _, x := range u.shares(values, u.within(a.span.budget(), values), a.span.overrun()) {
		over[x.wait] += x.value - x.usual
	}
	if len(over) != 2 || over[place.RunSlow] != 5*ms || over[place.Variation] != ms/10 {
		t.Errorf("over the usual time: %v", over)
	}
}
