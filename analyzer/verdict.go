package analyzer

import (
	"fmt"

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
	names := make([]string, len(t.Layers))
	for i := range names {
		names[i] = t.Layers[i].Name
	}
	return names
}

// verdictOf derives the verdict from the frame's facts. An application frame that
// was on time gets the jank types of the render frame that showed it, as
// SurfaceFlinger does it.
func verdictOf(f *Frame) Verdict {
	v := Verdict{Jank: JankNone, Present: presentType(f), Prediction: PredictionValid, Severity: SeverityNone}
	if f.Judged() {
		v.OnTimeFinish = AnswerOf(!f.Late() || f.Facts.Has(Empty))
	}
	if !f.Expected.Known() {
		v.Prediction = PredictionUnknown
	}
	if f.Facts.Has(Empty) {
		v.Jank = JankNonAnimating
		return v
	}
	var faults JankType
	guilty := f
	switch {
	case f.Kind == RenderFrame:
		faults = renderFaults(f, f.Facts.Has(Misaligned))
	case f.Late():
		faults = JankAppDeadlineMissed
	case f.Render != nil:
		guilty = f.Render
		faults = renderFaults(guilty, f.Facts.Has(Misaligned))
	}
	if faults != 0 {
		v.Jank, v.Severity = faults, severity(guilty)
	}
	return v
}

// renderFaults returns the jank types of render_service: its thread was late, or
// only its GPU work was, and it picked up the application frame on another vsync.
func renderFaults(f *Frame, misaligned bool) JankType {
	var faults JankType
	switch {
	case f.Facts.Has(Empty):
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

// severity is full for an overrun of at least one refresh period, and partial for a
// shorter one, which costs at most one refresh, and for a frame with a fault that ended
// on time. Perfetto shows partial jank in a paler colour than the others.
func severity(f *Frame) JankSeverity {
	if f.Overrun() < max(f.Period, trace.Nanosecond) {
		return SeverityPartial
	}
	return SeverityFull
}
