package analyzer

import (
	"cmp"
	"fmt"
	"math"

	"ohframe/analyzer/trace"
)

// Verdict is a judgement of a frame in the words of Android's frame timeline.
type Verdict struct {
	Jank       JankType
	Present    PresentType
	Prediction PredictionType
	Severity   JankSeverity
	// OnTimeFinish reports whether the work itself, as opposed to its presentation,
	// ended by its deadline.
	OnTimeFinish Answer
}

// Dropped reports whether the frame was never shown.
func (v *Verdict) Dropped() bool { return v.Present == PresentDropped || v.Jank.Has(JankDropped) }

// Verdict returns SurfaceFlinger's verdict on the frame if the trace has one, else
// the frame's facts in the same words.
func (f *Frame) Verdict() Verdict {
	if t := f.frameTimeline(); t != nil {
		return t.Verdict
	}
	return verdictOf(f)
}

// frameTimeline returns nil for a frame that does not come from Android's frame
// timeline.
func (f *Frame) frameTimeline() *FrameTimeline {
	if f.Android == nil {
		return nil
	}
	return f.Android.Timeline
}

// LayerNames returns the names of the layers that an application frame draws. On
// systems other than Android there is one for each UI thread, named
// "process#thread": Perfetto reads the number as the layer's id.
func (f *Frame) LayerNames() []string {
	if f.Kind != ApplicationFrame {
		return nil
	}
	t := f.frameTimeline()
	if t == nil {
		return []string{fmt.Sprintf("%s#%d", f.Process.Name, f.TID)}
	}
	names := make([]string, len(t.Surfaces))
	for i := range names {
		names[i] = t.Surfaces[i].Name
	}
	return names
}

// verdictOf derives the verdict from the frame's facts. An application frame that
// was on time gets the jank types of the render frame that showed it, as
// SurfaceFlinger does it.
func verdictOf(f *Frame) Verdict {
	v := Verdict{Jank: JankNone, Present: presentType(f), Prediction: PredictionValid, Severity: SeverityNone}
	if f.Judged() {
		v.OnTimeFinish = AnswerOf(!f.Late())
	}
	if !f.Expected.Known() {
		v.Prediction = PredictionUnknown
	}
	if f.Facts.Has(Empty) && !f.Late() {
		v.Jank = JankNonAnimating
		return v
	}
	if faults, guilty := f.faults(); faults != 0 {
		v.Jank, v.Severity = faults, severity(guilty)
	}
	return v
}

// faults returns the jank types of a frame, 0 for none, and the frame at fault: the frame
// itself, or its render frame.
func (f *Frame) faults() (JankType, *Frame) {
	switch {
	case f.Kind == RenderFrame:
		return renderFaults(f, f.Facts.Has(Misaligned)), f
	case f.Late():
		return JankAppDeadlineMissed, f
	case f.Render != nil:
		return renderFaults(f.Render, f.Facts.Has(Misaligned)), f.Render
	}
	return 0, f
}

// renderFaults returns the jank types of render_service: its thread was late, or
// only its GPU work was, and it picked up the application frame on another vsync.
func renderFaults(f *Frame, misaligned bool) JankType {
	var faults JankType
	switch {
	case f.Facts.Has(MainLate):
		faults |= JankSFCPUDeadlineMissed
	case f.Facts.Has(GPULate):
		faults |= JankSFGPUDeadlineMissed
	}
	if misaligned {
		faults |= JankSFScheduling
	}
	return faults
}

// severity is full for a late frame, and partial for one with a fault that ended on time.
// Perfetto shows partial jank in a paler colour. How late a frame was is in its score.
func severity(f *Frame) JankSeverity {
	if f.Late() {
		return SeverityFull
	}
	return SeverityPartial
}

// JankScore returns how bad the jank of a frame is by SurfaceFlinger's formula, 0 if it
// has none (docs/frames.md 14.8). Of a frame with SurfaceFlinger's own verdict it is not known.
func (f *Frame) JankScore() float64 {
	if f.frameTimeline() != nil {
		return 0
	}
	faults, guilty := f.faults()
	period := cmp.Or(guilty.Period, f.Period)
	if faults == 0 || period <= 0 {
		return 0
	}
	delay := guilty.Overrun()
	if faults.Has(JankSFScheduling) {
		delay = max(delay, trace.Duration(f.longestPickUpDelay())*period)
	}
	const shortest = float64(trace.Second) / 120 // SurfaceFlinger: the refresh period of weight 1
	return math.Log2(1+float64(delay)/float64(period)) * math.Sqrt(float64(period)/shortest)
}

// longestPickUpDelay returns by how many vsyncs an application frame, or one of those that
// a render frame picked up, was picked up late.
func (f *Frame) longestPickUpDelay() int {
	longest := f.PickUpDelay()
	for _, app := range f.Applications {
		longest = max(longest, app.PickUpDelay())
	}
	return longest
}
