package analyzer

import (
	"strings"

	"ohframe/analyzer/trace"
)

// SurfaceFlinger is the name of the process that composes on Android.
const SurfaceFlinger = "/system/bin/surfaceflinger"

// Android has what Android recorded for a frame, unchanged. Only the field of the frame's
// input format is set.
type Android struct {
	Timeline *FrameTimeline
	Latency  *LayerLatency
	// FrameStats: the frame is a row of `dumpsys gfxinfo PACKAGE framestats`.
	FrameStats bool
}

// FrameTimeline has the values of the FrameTimelineEvent packets of a frame. An
// application frame may draw several layers, each with an event of its own. The Verdict
// then combines all layers.
type FrameTimeline struct {
	// Token is the frame's number. Zero and negative tokens are invalid.
	Token int64
	Verdict
	GPUComposition Answer
	// Buffer is Yes for an application frame with a new picture, No if only the
	// position or appearance of the last one changed.
	Buffer Answer
	// PresentDelay is from the expected to the actual present time, negative if
	// the frame was shown early. The packet has milliseconds in single precision.
	PresentDelay      trace.Duration
	PresentDelayKnown bool
	// Surfaces are the layers of an application frame, by start; none for a render
	// frame.
	Surfaces []SurfaceFrame
}

// SurfaceFrame is the part of an application frame that one layer shows.
type SurfaceFrame struct {
	Name string
	// DisplayToken is the token of the render frame that picked the layer up.
	DisplayToken int64
	// Buffer is Yes if the layer got a new picture.
	Buffer Answer
	// Actual ends with the trace if the trace has no end.
	Actual Interval
	Verdict
	// Render is the render frame with DisplayToken; nil if the trace has none, or if
	// the layer was dropped.
	Render *Frame
}

// Answer is a boolean that may be unknown.
type Answer uint8

// The answers.
const (
	NotSaid Answer = iota
	No
	Yes
)

// AnswerOf returns Yes or No.
func AnswerOf(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// String returns "", "no" or "yes".
func (a Answer) String() string { return [...]string{"", "no", "yes"}[a] }

// JankType is why a frame was not shown when it should have been: a set of
// reasons, or JankNone. Zero is unspecified.
type JankType uint32

// The reasons, with Perfetto's values.
const (
	JankNone JankType = 1 << iota
	// JankSFScheduling: SurfaceFlinger picked the frame up on another vsync.
	JankSFScheduling
	// JankPredictionError: the display's refreshes drifted from the prediction.
	JankPredictionError
	// JankDisplayHAL: all was done in time, and it was shown late.
	JankDisplayHAL
	JankSFCPUDeadlineMissed
	JankSFGPUDeadlineMissed
	JankAppDeadlineMissed
	// JankBufferStuffing: the frame waited behind earlier ones of its application.
	JankBufferStuffing
	JankUnknown
	// JankSFStuffing: the frame waited behind earlier ones of SurfaceFlinger.
	JankSFStuffing
	JankDropped
	// JankNonAnimating: late, but nothing moved.
	JankNonAnimating
	JankAppResyncedJitter
	JankDisplayNotOn
	JankDisplayModeChange
	JankDisplayPowerModeChange
)

// jankNames are Perfetto's names, by bit.
var jankNames = [...]string{
	"None", "SurfaceFlinger Scheduling", "Prediction Error", "Display HAL",
	"SurfaceFlinger CPU Deadline Missed", "SurfaceFlinger GPU Deadline Missed", "App Deadline Missed",
	"Buffer Stuffing", "Unknown Jank", "SurfaceFlinger Stuffing", "Dropped Frame", "Non Animating",
	"App Resynced Jitter", "Display not ON", "ModeChange in progress", "PowerModeChange in progress",
}

// Has reports whether any of the given reasons is among j.
func (j JankType) Has(types JankType) bool { return j&types != 0 }

// String returns the names that Perfetto shows, in its order and with commas between
// them, or "Unspecified".
func (j JankType) String() string {
	if j == 0 {
		return "Unspecified"
	}
	// Perfetto writes the youngest of the application's types after the older one.
	const before, resynced = 2*JankAppDeadlineMissed - 1, JankAppResyncedJitter
	var names []string
	for _, part := range []JankType{j & before, j & resynced, j &^ (before | resynced)} {
		if part != 0 {
			names = append(names, bitNames(uint32(part), jankNames[:]))
		}
	}
	return strings.Join(names, ", ")
}

// PresentType is when a frame was shown, compared with when it should have been.
type PresentType uint8

// The present types, with Perfetto's values.
const (
	PresentUnspecified PresentType = iota
	PresentOnTime
	PresentLate
	PresentEarly
	// PresentDropped: the frame was never shown.
	PresentDropped
	PresentUnknown
)

// Known reports whether SurfaceFlinger knows when the frame was shown. Only then
// does a missing on_time_finish mean that the work ended late: SurfaceFlinger
// decides both at the same time.
func (p PresentType) Known() bool {
	return p == PresentOnTime || p == PresentLate || p == PresentEarly
}

// String returns the name that Perfetto shows.
func (p PresentType) String() string {
	return numberedName(uint8(p), "Unspecified Present", "On-time Present", "Late Present", "Early Present", "Dropped Frame", "Unknown Present")
}

// PredictionType is whether the expected interval of a frame is known.
type PredictionType uint8

// The prediction types, with Perfetto's values.
const (
	PredictionUnspecified PredictionType = iota
	PredictionValid
	// PredictionExpired: the frame came so late that its prediction was forgotten.
	PredictionExpired
	PredictionUnknown
)

// String returns the name that Perfetto shows.
func (p PredictionType) String() string {
	return numberedName(uint8(p), "Unspecified Prediction", "Valid Prediction", "Expired Prediction", "Unknown Prediction")
}

// JankSeverity is how far off a janky frame was: partial is less than one
// refresh.
type JankSeverity uint8

// The severities, with Perfetto's values.
const (
	SeverityUnknown JankSeverity = iota
	SeverityNone
	SeverityPartial
	SeverityFull
)

// String returns the name that Perfetto shows.
func (s JankSeverity) String() string {
	return numberedName(uint8(s), "Unknown", "None", "Partial", "Full")
}

// LayerLatency is a row of `dumpsys SurfaceFlinger --latency`.
type LayerLatency struct {
	// Wanted is when the layer began to wait for the frame. It is zero if the dump
	// does not show whether the application was slow or had nothing to draw.
	Wanted trace.Time
}

// bitNames returns the names of the bits that are set.
func bitNames(bits uint32, names []string) string {
	var list []string
	for i, n := range names {
		if bits>>i&1 != 0 {
			list = append(list, n)
		}
	}
	return strings.Join(list, ", ")
}

// numberedName returns the name with the given number, the first for those beyond.
func numberedName(n uint8, names ...string) string {
	if int(n) >= len(names) {
		n = 0
	}
	return names[n]
}
