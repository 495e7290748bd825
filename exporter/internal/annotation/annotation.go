// Package annotation names the facts of a frame that are written to a Perfetto trace as
// debug annotations of the frame's slice, for people and SQL. ohframe does not read them:
// package internal/result stores the same facts.
//
// docs/perfetto.md describes the annotations for users, and the queries in internal/sql/ohos select
// them by name.
package annotation

import "strings"

// Key is an annotation. In the trace it is also the number of the interned name.
type Key uint8

// Names that end in _ts are times: nanoseconds of trace time, as the timestamps of
// slices. Names that end in _ms are durations in milliseconds: multiplied by 1e6
// and rounded, they are exact to the nanosecond. Names that end in _ns are durations in
// nanoseconds. A fact that is unknown or does not
// apply has no annotation.
const (
	// Start is on every slice with annotations: when it begins, as their times are meant. A
	// trace that is merged with another is moved, and what annotations say is not.
	Start Key = iota + 1

	// Frames of both kinds.
	VsyncID          // as in the text; absent if the text has none
	Token            // the number on the frame timeline, if it is not the vsync id
	TID              // the thread, if it is not the main thread; only of application frames
	Flag             // 1 late, 2 empty, 3 misaligned
	ExpectedAt       // when the work was expected to begin
	VsyncAt          // when the vsync was due, if it is not the expected start
	DeadlineAt       // when the work was expected to end
	DeadlineInferred // set if the trace does not state the deadline
	Period           // the display's refresh period
	Coalesced        // how many vsyncs waited behind this one
	FirstDraw        // set if the frame is the first that is drawn of a window
	Overrun          // by how much a late frame missed its deadline
	LongestStage     // stats.LongestStage of a late frame
	MainLate         // late on its thread
	GPULate          // late on the GPU; only of render frames
	Empty            // sent or processed nothing
	EmptyUnknown     // whether it sent or processed something is unknown
	Unfinished       // the trace ends within it, after its deadline
	Misaligned       // picked up on another vsync than planned

	// Application frames. Whole frames have the render token too.
	Transactions // the indices of those sent
	SentAt       // when the last of them was sent
	RenderToken  // the token of the render frame that applied the last of them
	AlsoTakenBy  // the tokens of other render frames that applied earlier ones
	JudgedBy     // whose deadline a frame without an expected interval has, in words

	// Application frames of a framework, which may also have DrawAt, Draw, GPUAt and GPU.
	Framework    // what draws the frame
	CPUTime      // how long the frame's thread ran
	DrawTID      // the thread that draws it
	DisplaySyncs // the requests for vsyncs that the frame served
	EntryID      // of one of them
	EntryType

	// Render frames.
	Applications     // the number of application frames it picked up
	DrawAt           // when the render thread began to draw
	Draw             // how long it drew
	GPUAt            // when the first GPU work began
	GPU              // from there to the end of the last
	CommitAt         // when the commit of the layers to the display began
	Commit           // the duration of the commit
	CommitEstimated  // the commit was matched by time, not by vsync
	PresentAt        // when the display showed the frame
	PresentEstimated // the display had shown it before the commit looked

	// Whole frames.
	Blame      // the causes of a late one; also of the application frame
	MadeForEnd // the expected end if it had been picked up on the vsync it was made for

	// For late frames, if causes were looked for: where their time went, and why.
	Waits          // the times by stage and wait: StageWait
	Cause          // in a sentence
	Verdict        // why.Outcome
	Confidence     // how sure it is
	Basis          // what the frame was compared with
	CauseWait      // the wait of the frame's cause
	CauseStage     // its stage
	CauseSlice     // its slice
	CauseTime      // how long the frame spent there
	CauseUsual     // how long frames on time do
	CauseShare     // its part of the overrun
	CauseArguments // those of its longest slice
	CauseFunction  // the function in which most of the excess is, with its module
	CauseSamples   // the samples of a profiler in it
	KnockOnOf      // the vsync id of the frame that delayed this one
	Causes         // all causes, the largest first

	// For frames that were late in another way (docs/why.md 7 and 8).
	ShownLate    // by how much the display showed a render frame late
	ShownCause   // why, in a sentence
	PickedUpLate // by how much an application frame that was on time was picked up late
	PickUpReason // why.PickUpReason
	PickUpCause  // in a sentence

	// For each of Causes.
	EntryTitle
	EntryWait
	EntryStage
	EntrySlice
	EntryFunction  // the kernel function in which the thread waited the longest
	EntryValue     // how long the frame spent on it
	EntryUsual     // how long frames on time do
	EntryShare     // its part of the overrun
	EntryEarlierAt // the start of the frame that the thread was busy with
	Culprit        // the thread that was waited for; also of the frame's cause
	CulpritPID
	CulpritTID
	CulpritWait      // what it did most of the time
	CulpritSlice     // and in which slice
	CulpritArguments // those of that slice
	CulpritTime      // how long it was waited for
	CulpritUnsure
	Advice // also of the frame's cause
	// EntryGCReason is the reason of the garbage collection that the cause is.
	EntryGCReason
	// EntryArguments are those of the longest slice of the cause.
	EntryArguments
	EntryFrequency      // of the CPUs on which the thread ran, if they were slower than usual
	EntryUsualFrequency // on which it runs usually
	EntryCores          // the cores, if they are the reason
	EntryLimit          // the frequency to which the system limited the CPUs, if that is the reason
	EntryHighest        // the highest frequency of these CPUs
	EntryLimitReason    // what the system says about that limit

	// Processes and their hitches: names below these are those of JSON.
	Report  // stats.Process
	Ranking // what late frames cost, by cause: why.Ranking
	Hitch   // stats.Hitch

	// Interactions and hangs: names below these are those of JSON.
	Interaction // stats.Interaction
	LaunchStage // stats.LaunchStage
	Hang        // stats.Hang

	// Components and state variables: names below these are those of JSON.
	Components     // stats.Component
	StateVariables // stats.StateVariable

	// Layers, with names below it that are those of JSON, and buffers, which also have
	// PresentAt, PresentEstimated, DeadlineAt and Overrun.
	Layer          // stats.Layer
	LayerID        // its number
	Sequence       // the buffer's id
	RequestAt      // when the producer asked for a free buffer
	Request        // how long it waited for one
	QueuedAt       // when it handed the buffer over
	ReadyAt        // when its GPU was done
	AcquiredAt     // when the compositor took it
	Fate           // what became of it
	Pace           // how BufferInterval compares with the cadence; also of a frame without a deadline
	BufferInterval // since the present of the buffer before
	FrameAt        // start of the producer's frame
	FrameTID       // its thread
	FrameToken     // its number on the frame timeline
	RenderAt       // start of the render frame that took the buffer, which has RenderToken

	end
)

var names = [end]string{
	Start: "ts",

	VsyncID:          "vsync_id",
	Token:            "token",
	TID:              "tid",
	Flag:             "flag",
	ExpectedAt:       "expected_ts",
	VsyncAt:          "vsync_ts",
	DeadlineAt:       "deadline_ts",
	DeadlineInferred: "deadline_inferred",
	Period:           "period_ms",
	Coalesced:        "coalesced",
	FirstDraw:        "first_draw",
	Overrun:          "overrun_ms",
	LongestStage:     "longest_stage",
	MainLate:         "main_late",
	GPULate:          "gpu_late",
	Empty:            "empty",
	EmptyUnknown:     "empty_unknown",
	Unfinished:       "unfinished",
	Misaligned:       "misaligned",

	Transactions: "transactions",
	SentAt:       "sent_ts",
	RenderToken:  "render_token",
	AlsoTakenBy:  "also_taken_by",
	JudgedBy:     "judged_by",

	Framework:    "framework",
	CPUTime:      "cpu_ms",
	DrawTID:      "draw_tid",
	DisplaySyncs: "display_syncs",
	EntryID:      "id",
	EntryType:    "type",

	Applications:     "applications",
	DrawAt:           "draw_ts",
	Draw:             "draw_ms",
	GPUAt:            "gpu_ts",
	GPU:              "gpu_ms",
	CommitAt:         "commit_ts",
	Commit:           "commit_ms",
	CommitEstimated:  "commit_estimated",
	PresentAt:        "present_ts",
	PresentEstimated: "present_estimated",

	Blame:      "blame",
	MadeForEnd: "made_for_end_ts",

	Waits:          "waits_ns",
	Cause:          "cause",
	Verdict:        "verdict",
	Confidence:     "confidence",
	Basis:          "compared_with",
	CauseWait:      "cause_wait",
	CauseStage:     "cause_stage",
	CauseSlice:     "cause_slice",
	CauseTime:      "cause_ms",
	CauseUsual:     "usual_ms",
	CauseShare:     "share_ms",
	CauseArguments: "cause_arguments",

	CauseFunction: "cause_function",
	CauseSamples:  "cause_samples",

	KnockOnOf: "knock_on_of",
	Causes:    "causes",

	ShownLate:    "shown_late_ms",
	ShownCause:   "shown_late_cause",
	PickedUpLate: "picked_up_late_ms",
	PickUpReason: "picked_up_late_reason",
	PickUpCause:  "picked_up_late_cause",

	EntryTitle:          "title",
	EntryWait:           "wait",
	EntryStage:          "stage",
	EntrySlice:          "slice",
	EntryFunction:       "function",
	EntryValue:          "value_ns",
	EntryUsual:          "usual_ns",
	EntryShare:          "share_ns",
	EntryEarlierAt:      "earlier_ts",
	Culprit:             "culprit",
	CulpritPID:          "culprit_pid",
	CulpritTID:          "culprit_tid",
	CulpritWait:         "culprit_wait",
	CulpritSlice:        "culprit_slice",
	CulpritArguments:    "culprit_arguments",
	CulpritTime:         "culprit_ns",
	CulpritUnsure:       "culprit_unsure",
	Advice:              "advice",
	EntryGCReason:       "gc_reason",
	EntryArguments:      "arguments",
	EntryFrequency:      "frequency_khz",
	EntryUsualFrequency: "usual_frequency_khz",
	EntryCores:          "cores",
	EntryLimit:          "frequency_limit_khz",
	EntryHighest:        "highest_frequency_khz",
	EntryLimitReason:    "frequency_limit_reason",

	Report:  "report",
	Ranking: "ranking",
	Hitch:   "hitch",

	Interaction: "interaction",
	LaunchStage: "launch_stage",
	Hang:        "hang",

	Components:     "components",
	StateVariables: "state_variables",

	Layer:          "layer",
	LayerID:        "layer_id",
	Sequence:       "sequence",
	RequestAt:      "request_ts",
	Request:        "request_ms",
	QueuedAt:       "queued_ts",
	ReadyAt:        "ready_ts",
	AcquiredAt:     "acquired_ts",
	Fate:           "fate",
	Pace:           "pace",
	BufferInterval: "interval_ms",
	FrameAt:        "frame_ts",
	FrameTID:       "frame_tid",
	FrameToken:     "frame_token",
	RenderAt:       "render_ts",
}

// StageWait returns the name under which Waits has the time of a stage and wait:
// "layout/cpu wait". Perfetto replaces dots in names.
func StageWait(stage, wait string) string {
	return stage + "/" + strings.ReplaceAll(wait, ".", " ")
}

// String returns the annotation's name. Perfetto puts "debug." before it.
func (k Key) String() string { return names[k] }

// All returns all keys, in order.
func All() []Key {
	keys := make([]Key, 0, end-1)
	for k := range end - 1 {
		keys = append(keys, k+1)
	}
	return keys
}
