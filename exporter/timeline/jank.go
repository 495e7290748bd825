package timeline

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/protos/perfettopb"
)

// verdict is how a frame's facts are told in Perfetto's words.
type verdict struct {
	jank       perfettopb.FrameTimelineEvent_JankType // a sum of bits
	present    perfettopb.FrameTimelineEvent_PresentType
	prediction perfettopb.FrameTimelineEvent_PredictionType
	severity   perfettopb.FrameTimelineEvent_JankSeverityType
	onTime     bool
}

// judge tells a frame's facts in Perfetto's words. An application frame that is
// in time itself bears the faults of the render frame that showed it, as on
// Android.
func judge(f *analyzer.Frame) verdict {
	v := verdict{
		jank:       perfettopb.FrameTimelineEvent_JANK_NONE,
		present:    perfettopb.FrameTimelineEvent_PRESENT_ON_TIME,
		prediction: perfettopb.FrameTimelineEvent_PREDICTION_VALID,
		severity:   perfettopb.FrameTimelineEvent_SEVERITY_NONE,
		onTime:     !f.Late(),
	}
	if !f.Expected.Known() {
		v.prediction = perfettopb.FrameTimelineEvent_PREDICTION_UNKNOWN
	}
	if f.Facts.Has(analyzer.Empty) {
		v.jank = perfettopb.FrameTimelineEvent_JANK_NON_ANIMATING
		v.present = perfettopb.FrameTimelineEvent_PRESENT_UNKNOWN
		v.onTime = true
		return v
	}
	var faults perfettopb.FrameTimelineEvent_JankType
	guilty := f
	switch {
	case f.Kind == analyzer.RenderFrame:
		faults = renderFaults(f, f.Facts.Has(analyzer.Misaligned))
	case f.Late():
		faults = perfettopb.FrameTimelineEvent_JANK_APP_DEADLINE_MISSED
	case f.Render != nil:
		guilty = f.Render
		faults = renderFaults(guilty, f.Facts.Has(analyzer.Misaligned))
	}
	if faults != 0 {
		v.jank = faults
		v.present = perfettopb.FrameTimelineEvent_PRESENT_LATE
		v.severity = severity(guilty)
	}
	return v
}

// renderFaults returns what went wrong in render_service: its thread was late,
// or only its GPU work was, and it took the application's frame on another
// vsync than was meant.
func renderFaults(f *analyzer.Frame, misaligned bool) perfettopb.FrameTimelineEvent_JankType {
	var faults perfettopb.FrameTimelineEvent_JankType
	switch {
	case f.Facts.Has(analyzer.Empty):
	case f.Facts.Has(analyzer.MainLate):
		faults |= perfettopb.FrameTimelineEvent_JANK_SF_CPU_DEADLINE_MISSED
	case f.Facts.Has(analyzer.GPULate):
		faults |= perfettopb.FrameTimelineEvent_JANK_SF_GPU_DEADLINE_MISSED
	}
	if misaligned {
		faults |= perfettopb.FrameTimelineEvent_JANK_SF_SCHEDULING
	}
	return faults
}

// severity tells a frame that overran by less than its period, which costs one
// refresh at the most, from one that overran by more.
func severity(f *analyzer.Frame) perfettopb.FrameTimelineEvent_JankSeverityType {
	overrun := f.Overrun()
	switch {
	case overrun == 0:
		return perfettopb.FrameTimelineEvent_SEVERITY_NONE
	case overrun < max(f.Period, trace.Nanosecond):
		return perfettopb.FrameTimelineEvent_SEVERITY_PARTIAL
	}
	return perfettopb.FrameTimelineEvent_SEVERITY_FULL
}
