package timeline

import (
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/uicolour"
)

// The name of a late frame's slice says so, and by how much the frame was late.
func TestSliceName(t *testing.T) {
	for _, test := range []struct {
		late    bool
		by      trace.Duration
		atLeast bool
		want    string
	}{
		{false, 0, false, "10033"},
		{false, trace.Millisecond, false, "10033"},
		{true, 0, false, "10033 late"},
		{true, -trace.Millisecond, false, "10033 late"},
		{true, 12_449_999, false, "10033 late 12.4 ms"},
		{true, 12_450_001, false, "10033 late 12.5 ms"},
		{true, 1, false, "10033 late 0.0 ms"},
		{true, 3 * trace.Second, false, "10033 late 3000.0 ms"},
		{true, 3 * trace.Second, true, "10033 late ≥ 3000.0 ms"},
	} {
		s := slice{name: []byte("the one before"), late: true}
		s.setName(10033, test.late, test.by, test.atLeast)
		if string(s.name) != test.want || s.late != test.late {
			t.Errorf("late %t by %v: got %q, late %t", test.late, test.by, s.name, s.late)
		}
	}
}

// An interval from damaged lines may end before it starts. It cannot be a slice.
func TestStagesInOrder(t *testing.T) {
	for _, test := range []struct {
		interval analyzer.Interval
		want     bool
	}{
		{analyzer.Interval{Start: 1, End: 2}, true},
		{analyzer.Interval{Start: 2, End: 2}, true},
		{analyzer.Interval{Start: 3, End: 2}, false},
		{analyzer.Interval{Start: 3}, false},
		{analyzer.Interval{End: 3}, false},
		{analyzer.Interval{}, false},
	} {
		must.Equal(t, inOrder(test.interval), test.want, "%v", test.interval)
	}
}

// Each lane has room for slices one after another.
func TestLanes(t *testing.T) {
	var got []uint64
	described := uint64(0)
	l := lanes{more: func() uint64 { described++; return described }}
	for _, i := range [][2]trace.Time{{10, 20}, {10, 30}, {20, 25}, {22, 40}, {25, 26}, {30, 31}, {30, 30}, {50, 60}} {
		got = append(got, l.track(analyzer.Interval{Start: i[0], End: i[1]}))
	}
	must.EqualSlices(t, got, []uint64{1, 2, 1, 3, 1, 1, 2, 1})
}

// What a thread does or waits for has a colour of its own, which is not that of late frames.
func TestWaitColours(t *testing.T) {
	waits := map[uicolour.Colour]why.Wait{}
	for i, correlation := range waitColours {
		wait, c := why.Wait(i), uicolour.Of("", string(correlation))
		if other, taken := waits[c]; taken || correlation == "" || c.Red() {
			t.Errorf("%s: %q is %v, as %s", wait, correlation, c, other)
		}
		waits[c] = wait
	}
}

// Frames on time are green, and no colour for frames looks the same.
func TestOnTimeColour(t *testing.T) {
	onTime := uicolour.Of("", string(onTimeColour)).Hue
	if onTime < 100 || onTime > 145 {
		t.Errorf("on time is %d degrees", onTime)
	}
	for _, other := range []colour{lateColour, pickedUpLateColour, misalignedColour, noDeadlineColour, emptyColour} {
		if hue := uicolour.Of("", string(other)).Hue; hue > onTime-20 && hue < onTime+20 {
			t.Errorf("%q is %d degrees, on time %d", other, hue, onTime)
		}
	}
}

// A picture is shown until the next one is, whatever the order of the frames.
func TestPresented(t *testing.T) {
	var frames []*analyzer.Frame
	for _, at := range []trace.Time{30, 0, 10, 50, 30, 70} {
		frames = append(frames, &analyzer.Frame{Present: at})
	}
	want := []stage{
		{frames[2], analyzer.Interval{Start: 10, End: 30}},
		{frames[0], analyzer.Interval{Start: 30, End: 30}},
		{frames[4], analyzer.Interval{Start: 30, End: 50}},
		{frames[3], analyzer.Interval{Start: 50, End: 70}},
	}
	for end, last := range map[trace.Time]trace.Time{60: 70, 70: 70, 90: 90} {
		all := append(slices.Clone(want), stage{frames[5], analyzer.Interval{Start: 70, End: last}})
		must.EqualSlices(t, presented(frames, &analyzer.Timeline{Span: analyzer.Interval{End: end}}), all, "trace ends at %d", end)
	}
}
