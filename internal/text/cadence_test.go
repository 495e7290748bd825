package text

import (
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestCadence(t *testing.T) {
	for want, c := range map[string]stats.Cadence{
		"every vsync of 120 Hz":                           {Every: 1, Refresh: 120, Share: 1},
		"every 2nd vsync of 120 Hz":                       {Every: 2, Refresh: 120, Share: .9},
		"every 3rd vsync of 90 Hz (75.0 % of the gaps)":   {Every: 3, Refresh: 90, Share: .75},
		"every 4th vsync of 60 Hz":                        {Every: 4, Refresh: 60, Share: 1},
		"every 11th vsync of 120 Hz":                      {Every: 11, Refresh: 120, Share: 1},
		"every 21st vsync of 240 Hz":                      {Every: 21, Refresh: 240, Share: 1},
		"every 112th vsync of 120 Hz (1.0 % of the gaps)": {Every: 112, Refresh: 120, Share: .01},
	} {
		must.Equal(t, Cadence(&c), want, "%+v", c)
	}
}

func TestLayerCadences(t *testing.T) {
	const ms, second = trace.Millisecond, trace.Second
	at := func(n int) trace.Time { return trace.Time(n) * trace.Time(second) }
	one := func(from, to int, every trace.Duration) stats.LayerCadence {
		return stats.LayerCadence{From: at(from), To: at(to), Interval: every, Every: every, Buffers: 1}
	}
	pairs := stats.LayerCadence{From: at(3), To: at(5), Interval: 10 * ms, Every: 10 * ms, Buffers: 2}
	for want, list := range map[string][]stats.LayerCadence{
		"":                         nil,
		"one buffer every 16.0 ms": {one(1, 9, 16*ms)},
		"one buffer every 16.0 ms until +2.0 s, then every 33.0 ms":                     {one(1, 3, 16*ms), one(3, 9, 33*ms)},
		"one buffer every 16.0 ms until +2.0 s, then two every 10.0 ms (200 a second)":  {one(1, 3, 16*ms), pairs},
		"two buffers every 10.0 ms (200 a second) until +4.0 s, then one every 16.0 ms": {pairs, one(5, 9, 16*ms)},
		"one buffer every 16.0 ms until +1.0 s, then every 33.0 ms until +2.0 s, then every 16.0 ms until +3.0 s, then every 33.0 ms, and 2 more changes": {
			one(1, 2, 16*ms), one(2, 3, 33*ms), one(3, 4, 16*ms), one(4, 5, 33*ms), one(5, 6, 16*ms), one(6, 7, 33*ms)},
	} {
		must.Equal(t, LayerCadences(list, "buffer", at(1)), want)
	}
}

func TestLayerDrop(t *testing.T) {
	hz, before, since := 60.0, 120.0, trace.Time(1605*trace.Millisecond)
	for want, d := range map[string]stats.LayerDrops{
		"35 buffers dropped: the display went from 120 to 60 Hz at +605.0 ms":                                               {Reason: "display_rate", Buffers: 35, Refresh: &hz, Before: &before, Since: &since},
		"9 buffers dropped: the producer was late and caught up, faster than the display shows buffers, first at +605.0 ms": {Reason: "caught_up", Buffers: 9, First: since},
		"35 buffers dropped: the display had only 60 Hz":                                                                    {Reason: "display_rate", Buffers: 35, Refresh: &hz},
		"1 buffer dropped: it came in the same vsync as a later one":                                                        {Reason: "same_vsync", Buffers: 1},
		"2 buffers dropped: they came in the same vsync as a later one":                                                     {Reason: "same_vsync", Buffers: 2},
		"2 buffers dropped: render_service took none for a vsync or longer":                                                 {Reason: "taken_late", Buffers: 2},
		"2 buffers dropped: the trace does not show why":                                                                    {Reason: "unknown", Buffers: 2},
	} {
		must.Equal(t, LayerDrop(&d, nil, trace.Time(trace.Second)), want)
	}
	voter := "VOTER_THERMAL"
	d := stats.LayerDrops{Reason: "display_rate", Buffers: 35, Refresh: &hz, Before: &before, Since: &since}
	must.Equal(t, LayerDrop(&d, []stats.RefreshRate{{}, {Start: since, Voter: &voter}}, trace.Time(trace.Second)),
		"35 buffers dropped: the display went from 120 to 60 Hz at +605.0 ms (thermal vote)")
}

// Of a display that often changes its rate, a text names three changes.
func TestLayerDrops(t *testing.T) {
	hz, before := 60.0, 120.0
	var list []stats.LayerDrops
	for n := range 5 {
		since := trace.Time(n+1) * trace.Time(trace.Second)
		list = append(list, stats.LayerDrops{Reason: "display_rate", Buffers: 9 - n, Refresh: &hz, Before: &before, Since: &since})
	}
	for all, want := range map[bool]int{false: 4, true: 5} {
		got := LayerDrops(list, nil, trace.Time(trace.Second), all)
		if len(got) != want || got[2] != LayerDrop(&list[2], nil, trace.Time(trace.Second)) {
			t.Errorf("%q", got)
		}
		if last := got[len(got)-1]; !all && last != "11 other buffers dropped" {
			t.Error(last)
		}
	}
}
