package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Overruns are the times from the deadlines of all frames to their ends, negative for frames on
// time: how much time was left, or lacked. Frames without a known deadline or end do not count.
// Percentiles are those of Durations.
type Overruns struct {
	Frames int             `json:"frames"` // frames with a known deadline and end
	P50    trace.Duration  `json:"p50_ns"`
	P90    trace.Duration  `json:"p90_ns"`
	P95    *trace.Duration `json:"p95_ns"`
	P99    *trace.Duration `json:"p99_ns"`
	Max    trace.Duration  `json:"max_ns"`
}

// Latencies are the times from a vsync or an input to what came of it. Each is nil if no frame has
// both times. Estimated present times do not count.
type Latencies struct {
	// from the vsync of a frame until the display showed it; nil if no frame has both
	VsyncToPresent *Latency `json:"vsync_to_present"`
	// from the input of an interaction to its first frame shown
	InputToPresent *Latency `json:"input_to_present"`
	VsyncToStart   *Latency `json:"vsync_to_start"` // from the vsync of a frame to its actual start
	// from the vsync of an application's frame to that of the render frame that took it
	VsyncToRenderVsync *Latency `json:"vsync_to_render_vsync"`
	Depth              *Depth   `json:"depth"` // "vsync_to_present" of each frame in its own refresh periods
}

// Latency has the percentiles of a time. They are those of Durations.
type Latency struct {
	Frames int             `json:"frames"` // number of frames, interactions or items
	P50    trace.Duration  `json:"p50_ns"` // half of the times are at most this long
	P95    *trace.Duration `json:"p95_ns"` // 95 % of them are; nil for fewer than 20
	Max    trace.Duration  `json:"max_ns"` // the longest
}

// Depth is how many refresh periods frames are in the pipeline, rounded to a millionth.
type Depth struct {
	Frames int      `json:"frames"` // number of frames
	P50    float64  `json:"p50_periods"`
	P95    *float64 `json:"p95_periods"`
}

func overruns(frames []*analyzer.Frame) *Overruns {
	return quantilesOf[Overruns](timesOf(frames, func(f *analyzer.Frame) (trace.Duration, bool) {
		j := f.Judgement()
		return j.Overrun, j.OverrunKnown
	}))
}

// VsyncToPresentOf returns the time from the vsync of a frame until the display showed it; false if it is
// unknown.
func VsyncToPresentOf(f *analyzer.Frame) (trace.Duration, bool) {
	by := f
	if f.Kind == analyzer.ApplicationFrame {
		by = f.Render
	}
	if !f.Vsync.Known() || f.Facts.Has(analyzer.Dropped) || by == nil || !by.Present.Known() || by.PresentEstimated || by.Present < f.Vsync {
		return 0, false
	}
	return by.Present.Since(f.Vsync), true
}

// latencies returns those of the frames of a process. responses are the times from the inputs of its
// interactions to the first frames shown.
func latencies(frames []*analyzer.Frame, responses []trace.Duration) Latencies {
	var shown, start, render []trace.Duration
	var depth []microperiods
	for _, f := range frames {
		if !f.Vsync.Known() || f.Facts.Has(analyzer.Dropped) {
			continue
		}
		if f.Actual.Start >= f.Vsync {
			start = append(start, f.Actual.Start.Since(f.Vsync))
		}
		if by := f.Render; f.Kind == analyzer.ApplicationFrame && by != nil && by.Vsync >= f.Vsync {
			render = append(render, by.Vsync.Since(f.Vsync))
		}
		d, ok := VsyncToPresentOf(f)
		if !ok {
			continue
		}
		shown = append(shown, d)
		if period := periodOf(f); period > 0 {
			depth = append(depth, inPeriods(d, period))
		}
	}
	return Latencies{
		VsyncToPresent: quantilesOf[Latency](shown), InputToPresent: quantilesOf[Latency](responses), VsyncToStart: quantilesOf[Latency](start),
		VsyncToRenderVsync: quantilesOf[Latency](render), Depth: quantilesOf[Depth](depth),
	}
}

// responses returns the times from the inputs of interactions to their first frames shown, by
// process.
func responses(t *analyzer.Timeline) map[processKey][]trace.Duration {
	list := map[processKey][]trace.Duration{}
	for _, i := range t.Interactions {
		if d, ok := i.Response(); ok && i.InputAt.Known() && i.Process != nil && d >= 0 {
			key := keyOf(Application, i.Process)
			list[key] = append(list[key], d)
		}
	}
	return list
}
