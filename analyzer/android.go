package analyzer

import (
	"strings"

	"ohframe/analyzer/trace"
)

// SurfaceFlinger is the name of the process that composes on Android.
const SurfaceFlinger = "/system/bin/surfaceflinger"

// Android has the values that Android recorded for a frame, unchanged. Only the field of
// the frame's input format is set.
type Android struct {
	Timeline *FrameTimeline
	Latency  *LayerLatency
	Stats    *FrameStats
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

// LayerLatency is a row of `dumpsys SurfaceFlinger --latency`, without its present time,
// which is that of the render frame. Unknown values are zero.
type LayerLatency struct {
	Layer string
	// Desired is when the frame was to be shown; layers that do not ask for a
	// time have the one at which they queued the frame.
	Desired trace.Time
	// Ready is when drawing it had finished: its acquire fence was signaled.
	Ready trace.Time
	// Wanted is when the layer began to wait for the frame. It is zero if the dump
	// does not show whether the application was slow or had nothing to draw.
	Wanted trace.Time
}

// FrameStats is a row of `dumpsys gfxinfo PACKAGE framestats`: the time at which hwui
// reached each stage. IntendedVsync and FrameCompleted are the ends of the frame's actual
// interval. Unknown values are zero.
type FrameStats struct {
	Window                 string
	Vsync                  trace.Time // when the frame was begun, if all was well IntendedVsync
	HandleInputStart       trace.Time
	AnimationStart         trace.Time
	PerformTraversalsStart trace.Time
	DrawStart              trace.Time
	SyncQueued             trace.Time
	SyncStart              trace.Time
	IssueDrawCommandsStart trace.Time
	SwapBuffers            trace.Time
	GPUCompleted           trace.Time
	DequeueBuffer          trace.Duration
	QueueBuffer            trace.Duration
	Jank                   StatsJank
}

// StatsJank is a set of the jank reasons of hwui's JankTracker.
type StatsJank uint16

// The classes. The causes, StatsMissedVsync to StatsSlowDraw, are looked for
// only in frames that missed their deadline.
const (
	// StatsJanky: the frame was longer than the frame interval.
	StatsJanky StatsJank = 1 << iota
	// StatsMissedDeadline: too late for the buffer swap that it was meant for.
	StatsMissedDeadline
	// StatsHighInputLatency: in time, but behind a frame that still waited.
	StatsHighInputLatency
	// StatsMissedVsync: begun after its vsync.
	StatsMissedVsync
	// StatsSlowUI: half the interval and more on the UI thread.
	StatsSlowUI
	// StatsSlowSync: a fifth of the interval and more until drawing began.
	StatsSlowSync
	// StatsSlowDraw: three quarters of the interval and more for drawing.
	StatsSlowDraw
	// StatsDavey: 700 ms and more.
	StatsDavey
)

// statsNames are gfxinfo's names, by bit.
var statsNames = [...]string{
	"Janky", "Frame deadline missed", "High input latency", "Missed Vsync",
	"Slow UI thread", "Slow bitmap uploads", "Slow issue draw commands", "Davey",
}

// Has reports whether any of the given classes is among j.
func (j StatsJank) Has(classes StatsJank) bool { return j&classes != 0 }

// String returns the names that gfxinfo has for the classes, with commas
// between them; none if the set is empty.
func (j StatsJank) String() string { return bitNames(uint32(j), statsNames[:]) }

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
