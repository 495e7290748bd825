package analyzer

import (
	"fmt"
	"math"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

const testPeriod = 10 * trace.Millisecond

// judged returns a frame with the given facts. It is late by just that much.
func judged(kind Kind, facts Facts, overrun trace.Duration) *Frame {
	f := &Frame{
		Kind: kind, Facts: facts, Period: testPeriod,
		Expected: Interval{Start: 1_000_000_000, End: 1_010_000_000},
		Deadline: 1_010_000_000,
		Actual:   Interval{Start: 1_001_000_000, End: 1_009_000_000},
	}
	end := f.Deadline.Add(overrun)
	switch {
	case facts.Has(MainLate):
		f.Actual.End = end
	case facts.Has(GPULate):
		f.GPU = []Interval{{Start: f.Actual.Start, End: end}}
	}
	return f
}

// telling is a row of the table in Perfetto's numbers.
type telling struct {
	jank                 int32
	onTime               bool
	prediction, severity int32
}

func checkVerdict(t *testing.T, name string, f *Frame, want telling) {
	t.Helper()
	v := f.Verdict()
	got := telling{int32(v.Jank), want.onTime, int32(v.Prediction), int32(v.Severity)}
	if got != want || v.OnTimeFinish != AnswerOf(want.onTime) {
		t.Errorf("%s: got %+v, want %+v", name, v, want)
	}
}

func TestVerdictOfRenderFrame(t *testing.T) {
	const (
		cpu, gpu, late = MainLate, GPULate, trace.Millisecond
		misaligned     = Misaligned
		empty          = Empty
	)
	for _, test := range []struct {
		facts Facts
		want  telling
	}{
		{0, telling{1, true, 1, 1}},
		{cpu, telling{16, false, 1, 3}},
		{gpu, telling{32, false, 1, 3}},
		{cpu | gpu, telling{16, false, 1, 3}},
		{misaligned, telling{2, true, 1, 2}},
		{misaligned | cpu, telling{2 | 16, false, 1, 3}},
		{misaligned | gpu, telling{2 | 32, false, 1, 3}},
		{misaligned | cpu | gpu, telling{2 | 16, false, 1, 3}},
		{empty, telling{2048, true, 1, 1}},
		// Late comes before empty: a frame that needed too long was late, whatever it drew.
		{empty | cpu, telling{16, false, 1, 3}},
		{empty | gpu, telling{32, false, 1, 3}},
	} {
		f := judged(RenderFrame, test.facts, late)
		name := fmt.Sprintf("facts %#x", test.facts)
		checkVerdict(t, name, f, test.want)
		f.Expected = Interval{}
		test.want.prediction = 3
		checkVerdict(t, name+" without an expected interval", f, test.want)
	}
}

func TestVerdictOfApplicationFrame(t *testing.T) {
	const (
		cpu, gpu   = MainLate, GPULate
		misaligned = Misaligned
		empty      = Empty
		unlinked   = Truncated // no fact of a render frame that is linked
	)
	for _, test := range []struct {
		facts, render Facts
		want          telling
	}{
		{0, unlinked, telling{1, true, 1, 1}},
		{cpu, unlinked, telling{64, false, 1, 3}},
		{empty, unlinked, telling{2048, true, 1, 1}},
		{empty | cpu, unlinked, telling{64, false, 1, 3}},

		// A frame on time has the faults of its render frame.
		{0, 0, telling{1, true, 1, 1}},
		{0, cpu, telling{16, true, 1, 3}},
		{0, gpu, telling{32, true, 1, 3}},
		{0, cpu | gpu, telling{16, true, 1, 3}},
		{misaligned, misaligned, telling{2, true, 1, 2}},
		{misaligned, misaligned | cpu, telling{2 | 16, true, 1, 3}},
		{misaligned, misaligned | gpu, telling{2 | 32, true, 1, 3}},
		// The render frame was misaligned with another application.
		{0, misaligned, telling{1, true, 1, 1}},
		{0, misaligned | cpu, telling{16, true, 1, 3}},
		{0, empty | cpu, telling{16, true, 1, 3}},

		// A late frame has only its own fault.
		{cpu, 0, telling{64, false, 1, 3}},
		{cpu, cpu, telling{64, false, 1, 3}},
		{cpu, gpu, telling{64, false, 1, 3}},
		{cpu | misaligned, misaligned, telling{64, false, 1, 3}},
		{cpu | misaligned, misaligned | cpu, telling{64, false, 1, 3}},
	} {
		f := judged(ApplicationFrame, test.facts, trace.Millisecond)
		if test.render != unlinked {
			f.Render = judged(RenderFrame, test.render, 3*testPeriod)
		}
		name := fmt.Sprintf("facts %#x, render frame's %#x", test.facts, test.render)
		checkVerdict(t, name, f, test.want)
		f.Expected = Interval{} // of a worker thread, which may be late nevertheless
		test.want.prediction = 3
		checkVerdict(t, name+", without an expected interval", f, test.want)
	}
}

// The present type follows from the present delay alone: not from the jank type, nor from
// whether there was anything to draw. Both kinds of frames have that of the render frame.
func TestPresentType(t *testing.T) {
	const start = trace.Time(trace.Second)
	for _, test := range []struct {
		what             string
		expected, period trace.Duration // lengths
		present          trace.Duration // after the expected start; 0 if unknown
		want             PresentType
		delay            trace.Duration
	}{
		// From 5.0 on, two periods less 5 ms: expected at the second vsync.
		{"at its vsync", 15 * trace.Millisecond, testPeriod, 20 * trace.Millisecond, PresentOnTime, 0},
		{"2 ms after it", 15 * trace.Millisecond, testPeriod, 22 * trace.Millisecond, PresentOnTime, 2 * trace.Millisecond},
		{"later than that", 15 * trace.Millisecond, testPeriod, 22*trace.Millisecond + 1, PresentLate, 2*trace.Millisecond + 1},
		{"2 ms before it", 15 * trace.Millisecond, testPeriod, 18 * trace.Millisecond, PresentOnTime, -2 * trace.Millisecond},
		{"earlier than that", 15 * trace.Millisecond, testPeriod, 18*trace.Millisecond - 1, PresentEarly, -2*trace.Millisecond - 1},
		{"a vsync early", 15 * trace.Millisecond, testPeriod, 10 * trace.Millisecond, PresentEarly, -testPeriod},
		// Before, one period: expected at the next vsync.
		{"4.0, at its vsync", testPeriod, testPeriod, testPeriod, PresentOnTime, 0},
		{"4.0, a vsync late", testPeriod, testPeriod, 2 * testPeriod, PresentLate, testPeriod},
		// Unknown without a present, an expected interval or a period.
		{"never shown", 15 * trace.Millisecond, testPeriod, 0, PresentUnknown, 0},
		{"not expected", 0, testPeriod, testPeriod, PresentUnknown, 0},
		{"no period", 15 * trace.Millisecond, 0, testPeriod, PresentUnknown, 0},
	} {
		for _, facts := range []Facts{0, MainLate, Misaligned, Empty} {
			render := judged(RenderFrame, facts, trace.Millisecond)
			render.Expected, render.Period = Interval{}, test.period
			if test.expected > 0 {
				render.Expected = Interval{Start: start, End: start.Add(test.expected)}
			}
			if test.present > 0 {
				render.Present = start.Add(test.present)
			}
			app := judged(ApplicationFrame, facts, trace.Millisecond)
			app.Render = render
			for _, f := range []*Frame{render, app} {
				delay, ok := f.PresentDelay()
				if got := f.Verdict().Present; got != test.want || delay != test.delay || ok != (test.want != PresentUnknown) {
					t.Errorf("%s, %v frame with facts %#x: %v, delay %v (%t), want %v, %v", test.what, f.Kind, facts, got, delay, ok, test.want, test.delay)
				}
			}
		}
	}
	must.Equal(t, judged(ApplicationFrame, MainLate, trace.Millisecond).Verdict().Present, PresentUnknown, "picked up by no render frame")
}

// A frame without a deadline is neither on time nor late.
func TestVerdictWithoutDeadline(t *testing.T) {
	for _, facts := range []Facts{0, Empty} {
		f := judged(ApplicationFrame, facts, 0)
		f.Deadline = 0
		must.Equal(t, f.Verdict().OnTimeFinish, NotSaid, "facts %#x: on time", facts)
	}
}

// SurfaceFlinger's verdict comes before one by the facts.
func TestVerdictOfSurfaceFlinger(t *testing.T) {
	f := judged(ApplicationFrame, MainLate, trace.Millisecond)
	want := Verdict{JankBufferStuffing, PresentEarly, PredictionExpired, SeverityFull, Yes}
	f.Android = &Android{Timeline: &FrameTimeline{Verdict: want}}
	must.Equal(t, f.Verdict(), want)
}

func TestJankTypeString(t *testing.T) {
	for j, want := range map[JankType]string{
		0:        "Unspecified",
		JankNone: "None",
		JankAppDeadlineMissed | JankPredictionError:                        "Prediction Error, App Deadline Missed",
		JankBufferStuffing | JankAppResyncedJitter | JankAppDeadlineMissed: "App Deadline Missed, App Resynced Jitter, Buffer Stuffing",
		JankAppResyncedJitter | JankSFScheduling:                           "SurfaceFlinger Scheduling, App Resynced Jitter",
		JankDisplayPowerModeChange | JankUnknown:                           "Unknown Jank, PowerModeChange in progress",
	} {
		must.Equal(t, j.String(), want, "%#x", uint32(j))
	}
}

func TestVerdictDropped(t *testing.T) {
	for v, want := range map[Verdict]bool{
		{Jank: JankNone, Present: PresentOnTime}:               false,
		{Jank: JankNone, Present: PresentDropped}:              true,
		{Jank: JankDropped, Present: PresentUnspecified}:       true,
		{Jank: JankAppDeadlineMissed, Present: PresentUnknown}: false,
	} {
		must.Equal(t, v.Dropped(), want, "%+v: dropped", v)
	}
}

// A late frame costs a refresh, however short the overrun, one that is only misaligned none.
func TestSeverity(t *testing.T) {
	for _, test := range []struct {
		f    *Frame
		want JankSeverity
	}{
		{judged(ApplicationFrame, MainLate, 1), SeverityFull},
		{judged(RenderFrame, MainLate, 1), SeverityFull},
		{judged(RenderFrame, GPULate, 1), SeverityFull},
		{judged(RenderFrame, Misaligned|GPULate, 1), SeverityFull},
		{judged(RenderFrame, Misaligned, 0), SeverityPartial},
	} {
		must.Equal(t, test.f.Verdict().Severity, test.want, "%v frame, facts %#x", test.f.Kind, test.f.Facts)
	}
}

// The weight of a period of 10 ms is √(10 ÷ 8⅓) = 1.0954451.
func TestJankScore(t *testing.T) {
	const weight = 1.0954451
	render := func(facts Facts, overrun trace.Duration) *Frame { return judged(RenderFrame, facts, overrun) }
	app := func(facts Facts, r *Frame) *Frame {
		f := judged(ApplicationFrame, facts, testPeriod)
		f.Render = r
		r.Applications = append(r.Applications, f)
		return f
	}
	// Picked up three vsyncs after the one that the frame was made for.
	later := render(Misaligned, 0)
	later.Expected = Interval{Start: 1_040_000_000, End: 1_050_000_000}
	laterApp := app(Misaligned, later)
	slow := judged(ApplicationFrame, MainLate, 1_000_000_000/60)
	slow.Period = 1_000_000_000 / 60
	timeless := judged(ApplicationFrame, MainLate, testPeriod)
	timeless.Period = 0
	for name, test := range map[string]struct {
		f    *Frame
		want float64
	}{
		"on time":                       {judged(ApplicationFrame, 0, 0), 0},
		"late by a period":              {judged(ApplicationFrame, MainLate, testPeriod), weight},
		"late by three periods":         {judged(ApplicationFrame, MainLate, 3*testPeriod), 2 * weight},
		"late by a period at 60 Hz":     {slow, 1.4142136},
		"late, of unknown period":       {timeless, 0},
		"empty":                         {judged(ApplicationFrame, Empty, 0), 0},
		"empty, late by a period":       {judged(ApplicationFrame, MainLate|Empty, testPeriod), weight},
		"GPU late by three periods":     {render(GPULate, 3*testPeriod), 2 * weight},
		"late, its render frame later":  {app(MainLate, render(MainLate, 3*testPeriod)), weight},
		"render frame late":             {app(0, render(MainLate, 3*testPeriod)), 2 * weight},
		"misaligned, not later":         {app(Misaligned, render(Misaligned, 0)), 0},
		"picked up three vsyncs later":  {laterApp, 2 * weight},
		"render frame that picks it up": {later, 2 * weight},
	} {
		if got := test.f.JankScore(); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestLayerNames(t *testing.T) {
	p := &Process{PID: 200, Name: "com.example.app"}
	for _, test := range []struct {
		f    *Frame
		want []string
	}{
		{&Frame{Process: p, TID: 200}, []string{"com.example.app#200"}},
		{&Frame{Process: p, TID: 207}, []string{"com.example.app#207"}},
		{&Frame{Process: &Process{PID: 5}, TID: 5}, []string{"#5"}},
		{&Frame{Process: p, Kind: RenderFrame}, nil},
		{&Frame{Process: p, Android: &Android{Timeline: &FrameTimeline{Surfaces: []SurfaceFrame{{Name: "a#1"}, {Name: "b#2"}}}}}, []string{"a#1", "b#2"}},
	} {
		must.EqualSlices(t, test.f.LayerNames(), test.want)
	}
}

// A frame is judged if it has a deadline or if SurfaceFlinger knows. What it writes
// as on_time_finish = false may also mean that it does not know; then it has not
// said when the frame was shown.
func TestJudged(t *testing.T) {
	said := func(v Verdict) *FrameTimeline { return &FrameTimeline{Verdict: v} }
	for _, test := range []struct {
		name        string
		kind        Kind
		facts       Facts
		deadline    trace.Time
		said        *FrameTimeline
		want        bool
		wantOverrun trace.Duration // of a frame that ends at 100
	}{
		{"deadline", ApplicationFrame, 0, 50, nil, true, 0},
		{"no deadline", ApplicationFrame, 0, 0, nil, false, 0},
		{"late", RenderFrame, MainLate, 50, nil, true, 50},
		{"late on the GPU", RenderFrame, GPULate, 50, nil, true, 50},
		{"late without a deadline", RenderFrame, MainLate, 0, said(Verdict{Jank: JankSFCPUDeadlineMissed}), true, 0},
		{"late before its deadline", ApplicationFrame, MainLate, 150, said(Verdict{Jank: JankAppDeadlineMissed}), true, 0},
		{"truncated", ApplicationFrame, Truncated, 50, said(Verdict{OnTimeFinish: Yes}), false, 0},
		{"dropped", ApplicationFrame, Dropped, 50, said(Verdict{OnTimeFinish: Yes}), false, 0},
		{"dropped, late before", ApplicationFrame, Dropped | MainLate, 50, said(Verdict{Jank: JankAppDeadlineMissed}), true, 50},
		{"on time", RenderFrame, 0, 0, said(Verdict{OnTimeFinish: Yes}), true, 0},
		{"only a jank type", RenderFrame, 0, 0, said(Verdict{Jank: JankNone}), true, 0},
		{"nothing said, application", ApplicationFrame, 0, 50, said(Verdict{}), true, 0},
		{"nothing said, no deadline", ApplicationFrame, 0, 0, said(Verdict{}), false, 0},
		{"nothing said, render frame", RenderFrame, 0, 50, said(Verdict{}), false, 0},
		{"not known, application", ApplicationFrame, 0, 50, said(Verdict{Jank: JankUnknown, OnTimeFinish: No}), true, 0},
		{"not known, no deadline", ApplicationFrame, 0, 0, said(Verdict{Jank: JankUnknown, OnTimeFinish: No}), false, 0},
		{"not known, render frame", RenderFrame, 0, 50, said(Verdict{Jank: JankUnknown, OnTimeFinish: No}), false, 0},
	} {
		f := &Frame{Kind: test.kind, Facts: test.facts, Deadline: test.deadline, Actual: Interval{Start: 10, End: 100}}
		if test.said != nil {
			f.Android = &Android{Timeline: test.said}
		}
		must.Equal(t, f.Judged(), test.want, "%s: judged", test.name)
		must.Equal(t, f.Overrun(), test.wantOverrun, "%s: overrun", test.name)
	}
}
