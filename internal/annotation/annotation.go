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
	// Frames of both kinds.
	VsyncID      Key = iota + 1 // as in the text; absent if the text has none
	Token                       // the number on the frame timeline, if it is not the vsync id
	TID                         // the thread, if it is not the main thread; only of application frames
	Flag                        // 1 late, 2 empty, 3 misaligned
	ExpectedAt                  // when the work was expected to begin
	VsyncAt                     // when the vsync was due, if it is not the expected start
	DeadlineAt                  // when the work was expected to end
	Period                      // the display's refresh period
	Coalesced                   // how many vsyncs waited behind this one
	Overrun                     // by how much a late frame missed its deadline
	LongestStage                // stats.LongestStage of a late frame
	MainLate                    // late on its thread
	GPULate                     // late on the GPU; only of render frames
	Empty                       // sent or processed nothing
	Misaligned                  // picked up on another vsync than planned

	// Application frames. Whole frames have the render token too.
	Transactions // the indices of those sent
	SentAt       // when the last of them was sent
	RenderToken  // the token of the render frame that applied the last of them
	AlsoTakenBy  // the tokens of other render frames that applied earlier ones
	JudgedBy     // whose deadline a frame without an expected interval has, in words

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
	Waits      // the times by stage and wait: StageWait
	Cause      // in a sentence
	Verdict    // why.Outcome
	Confidence // how sure it is
	Basis      // what the frame was compared with
	CauseWait  // the wait of the frame's cause
	CauseStage // its stage
	CauseSlice // its slice
	CauseTime  // how long the frame spent there
	CauseUsual // how long frames on time do
	CauseShare // its part of the overrun
	// The times in CauseSlice alone: CauseTime is that of the stage.
	CauseSliceTime
	CauseSliceUsual
	KnockOnOf // the vsync id of the frame that delayed this one
	Causes    // all causes, the largest first

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
	EntryFunction   // the kernel function in which the thread waited the longest
	EntryValue      // how long the frame spent in the stage and wait
	EntryUsual      // how long frames on time do
	EntryShare      // its part of the overrun
	EntrySliceValue // how long the frame spent in the slice alone
	EntrySliceUsual // how long frames on time do
	EntryEarlierAt  // the start of the frame that the thread was busy with
	Culprit         // the thread that was waited for; also of the frame's cause
	CulpritPID
	CulpritTID
	CulpritWait  // what it did most of the time
	CulpritSlice // and in which slice
	CulpritTime  // how long it was waited for
	CulpritUnsure
	Advice // also of the frame's cause
	// EntryGCReason is the reason of the garbage collection that the cause is.
	EntryGCReason
	EntryFrequency      // of the CPUs on which the thread ran, if they were slower than usual
	EntryUsualFrequency // on which it runs usually
	EntryCores          // the cores, if they are the reason

	// Processes and their hitches: names below these are those of JSON.
	Report  // stats.Process
	Ranking // what late frames cost, by cause: why.Ranking
	Hitch   // stats.Hitch

	end
)

// Frames is a set of kinds of slices that an annotation is written on.
type Frames uint8

// The kinds of slices.
const (
	Application Frames = 1 << iota // application frames, on a track "Frames"
	Render                         // render frames, on a track "Frames"
	Whole                          // on a track "Whole frame"
	Work                           // on a track "GPU"
	Measures                       // on the tracks "Report" and "Hitches"
	// Entry is no slice but an entry of Causes.
	Entry
)

// both are frames of both kinds, on the tracks "Frames".
const both = Application | Render

var table = [end]struct {
	name   string
	frames Frames
}{
	VsyncID:      {"vsync_id", both},
	Token:        {"token", both},
	TID:          {"tid", Application},
	Flag:         {"flag", both},
	ExpectedAt:   {"expected_ts", both},
	VsyncAt:      {"vsync_ts", both},
	DeadlineAt:   {"deadline_ts", both | Work},
	Period:       {"period_ms", both},
	Coalesced:    {"coalesced", both},
	Overrun:      {"overrun_ms", both | Work},
	LongestStage: {"longest_stage", both},
	MainLate:     {"main_late", both},
	GPULate:      {"gpu_late", Render},
	Empty:        {"empty", both},
	Misaligned:   {"misaligned", both},

	Transactions: {"transactions", Application},
	SentAt:       {"sent_ts", Application},
	RenderToken:  {"render_token", Application | Whole},
	AlsoTakenBy:  {"also_taken_by", Application},
	JudgedBy:     {"judged_by", Application},

	Applications:     {"applications", Render},
	DrawAt:           {"draw_ts", Render},
	Draw:             {"draw_ms", Render},
	GPUAt:            {"gpu_ts", Render},
	GPU:              {"gpu_ms", Render},
	CommitAt:         {"commit_ts", Render},
	Commit:           {"commit_ms", Render},
	CommitEstimated:  {"commit_estimated", Render},
	PresentAt:        {"present_ts", Render},
	PresentEstimated: {"present_estimated", Render},

	Blame:      {"blame", Application | Whole},
	MadeForEnd: {"made_for_end_ts", Whole},

	Waits:      {"waits_ns", both},
	Cause:      {"cause", both},
	Verdict:    {"verdict", both},
	Confidence: {"confidence", both},
	Basis:      {"compared_with", both},
	CauseWait:  {"cause_wait", both},
	CauseStage: {"cause_stage", both},
	CauseSlice: {"cause_slice", both},
	CauseTime:  {"cause_ms", both},
	CauseUsual: {"usual_ms", both},
	CauseShare: {"share_ms", both},

	CauseSliceTime:  {"slice_ms", both},
	CauseSliceUsual: {"slice_usual_ms", both},

	KnockOnOf: {"knock_on_of", both},
	Causes:    {"causes", both},

	ShownLate:    {"shown_late_ms", Render},
	ShownCause:   {"shown_late_cause", Render},
	PickedUpLate: {"picked_up_late_ms", Application},
	PickUpReason: {"picked_up_late_reason", Application},
	PickUpCause:  {"picked_up_late_cause", Application},

	EntryTitle:          {"title", Entry},
	EntryWait:           {"wait", Entry},
	EntryStage:          {"stage", Entry},
	EntrySlice:          {"slice", Entry},
	EntryFunction:       {"function", Entry},
	EntryValue:          {"value_ns", Entry},
	EntryUsual:          {"usual_ns", Entry},
	EntryShare:          {"share_ns", Entry},
	EntrySliceValue:     {"slice_value_ns", Entry},
	EntrySliceUsual:     {"slice_usual_ns", Entry},
	EntryEarlierAt:      {"earlier_ts", Entry},
	Culprit:             {"culprit", both | Entry},
	CulpritPID:          {"culprit_pid", Entry},
	CulpritTID:          {"culprit_tid", Entry},
	CulpritWait:         {"culprit_wait", Entry},
	CulpritSlice:        {"culprit_slice", Entry},
	CulpritTime:         {"culprit_ns", Entry},
	CulpritUnsure:       {"culprit_unsure", Entry},
	Advice:              {"advice", both | Entry},
	EntryGCReason:       {"gc_reason", Entry},
	EntryFrequency:      {"frequency_khz", Entry},
	EntryUsualFrequency: {"usual_frequency_khz", Entry},
	EntryCores:          {"cores", Entry},

	Report:  {"report", Measures},
	Ranking: {"ranking", Measures},
	Hitch:   {"hitch", Measures},
}

// StageWait returns the name under which Waits has the time of a stage and wait:
// "layout/cpu wait". Perfetto replaces dots in names.
func StageWait(stage, wait string) string {
	return stage + "/" + strings.ReplaceAll(wait, ".", " ")
}

// String returns the annotation's name. Perfetto puts "debug." before it.
func (k Key) String() string { return table[k].name }

// Frames returns the kinds of slices that the annotation is written on.
func (k Key) Frames() Frames { return table[k].frames }

// All returns all keys, in order.
func All() []Key {
	keys := make([]Key, 0, end-1)
	for k := range end - 1 {
		keys = append(keys, k+1)
	}
	return keys
}
