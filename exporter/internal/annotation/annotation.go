// Package annotation names the facts of a frame that are written to a Perfetto trace as
// debug annotations of the frame's slice, for people and SQL. ohframe does not read them:
// package internal/result stores the same facts.
//
// testdata/api/perfetto.md has the list with the comments of the keys, which "make docs" writes there, and the
// queries in internal/sql/ohos select annotations by name.
package annotation

import "strings"

// Key is an annotation. In the trace it is also the number of the interned name.
type Key uint8

var (
	names, on = []string{""}, []string{""} // by key
)

// key returns a new key. Its name is that of the annotation, and where are the slices that have it:
// those of application frames, render frames, whole frames, work on the GPU or buffers ("both" are
// application and render), those with measures, and entries for causes or display syncs.
func key(name, where string) Key {
	names, on = append(names, name), append(on, where)
	return Key(len(names) - 1)
}

// Names that end in _ts are times: nanoseconds of trace time, as the timestamps of
// slices. Names that end in _ms are durations in milliseconds: multiplied by 1e6
// and rounded, they are exact to the nanosecond. Names that end in _ns are durations in
// nanoseconds. A fact that is unknown or does not apply has no annotation.
var (
	// when the slice begins. In a trace that is merged with another one (docs/ci.md), slices may be
	// moved; the times in annotations are not, so a time is "debug.NAME_ts" - "debug.ts" + "slice.ts".
	// The SQL tables have moved times
	Start = key("ts", "all")

	VsyncID          = key("vsync_id", "both, measures")       // the vsync's number in the text
	Token            = key("token", "both")                    // the frame's number on the frame timeline, if it differs
	TID              = key("tid", "application, buffer")       // the thread, if it is not the main thread; the one that queued the buffer
	Flag             = key("flag", "both")                     // OpenHarmony's flag: 1 late, 2 empty, 3 misaligned
	ExpectedAt       = key("expected_ts", "both")              // when the work was expected to begin
	VsyncAt          = key("vsync_ts", "both")                 // when the vsync was due, if it is not the expected start
	DeadlineAt       = key("deadline_ts", "both, GPU, buffer") // when the work was expected to end; when a late buffer should have been taken
	DeadlineInferred = key("deadline_inferred", "application") // the trace does not state the deadline (docs/frames.md 3.11)
	Period           = key("period_ms", "both")                // the display's refresh period
	Coalesced        = key("coalesced", "both")                // how many vsyncs waited behind this one
	NotBegun         = key("not_begun", "application")         // how many frames before it never began (docs/frames.md 3.12)
	NotBegunCause    = key("not_begun_cause", "application")   // why, in a sentence
	FirstDraw        = key("first_draw", "application")        // the frame is the first that ArkUI draws of a window
	// by how much a late frame missed its deadline; by how much the interval of a buffer differs from the
	// layer's cadence
	Overrun      = key("overrun_ms", "both, GPU, buffer")
	LongestStage = key("longest_stage", "both") // the longest stage of a late frame that ends by the deadline
	MainLate     = key("main_late", "both")     // late on its thread
	GPULate      = key("gpu_late", "both")      // late on the GPU
	Empty        = key("empty", "both")         // sent or processed nothing
	EmptyUnknown = key("empty_unknown", "both") // the trace has no markers that say whether the frame is empty
	// the trace ends within the frame, which was late by then: its end and "overrun_ms" are the least that
	// they can be
	Unfinished = key("unfinished", "both")
	Misaligned = key("misaligned", "both") // picked up on another vsync than planned

	Transactions = key("transactions", "application")                // the indices of its transactions
	SentAt       = key("sent_ts", "application")                     // when it sent the last of them
	RenderToken  = key("render_token", "application, whole, buffer") // the number of the render frame that took it, or the last transaction
	AlsoTakenBy  = key("also_taken_by", "application")               // the numbers of the render frames that applied earlier transactions
	// of a frame of a worker: whether it has the deadline of the main thread's frame of the same vsync, or none, in a sentence
	JudgedBy = key("judged_by", "application")

	// what draws the frame: "choreographer", "surfaceflinger", "flutter", "web" or "nativevsync"
	Framework    = key("framework", "application")
	CPUTime      = key("cpu_ms", "application")        // how long the frame's thread ran
	DrawTID      = key("draw_tid", "application")      // the thread that draws
	DisplaySyncs = key("display_syncs", "application") // the requests for vsyncs that the frame served, with the entries of "sync"
	EntryID      = key("id", "sync")                   // the request's id
	EntryType    = key("type", "sync")                 // who made it: "callback", "animator" or "xcomponent"

	Applications    = key("applications", "render")       // the number of application frames that it picked up
	DrawAt          = key("draw_ts", "both")              // when the thread that draws began
	Draw            = key("draw_ms", "both")              // how long it drew
	GPUAt           = key("gpu_ts", "both")               // when the first work on the GPU began
	GPU             = key("gpu_ms", "both")               // from there to the end of the last
	CommitAt        = key("commit_ts", "render")          // when the commit of the layers to the display began
	Commit          = key("commit_ms", "render")          // how long it took
	CommitEstimated = key("commit_estimated", "render")   // it was found by its time, not by its vsync (docs/frames.md 6.3)
	PresentAt       = key("present_ts", "render, buffer") // when the display showed it
	// it had been shown already when the commit looked (docs/frames.md 6.6)
	PresentEstimated = key("present_estimated", "render, buffer")

	Blame      = key("blame", "application, whole") // the cause if the whole frame was late
	MadeForEnd = key("made_for_end_ts", "whole")    // the expected end without the late pick-up

	// where the time of a late frame went: entries "stage/wait", with blanks for the dots of wait codes
	Waits      = key("waits_ns", "both")
	Cause      = key("cause", "both, measures") // why a late frame was late, or what most of a hang was spent on, in a sentence
	Verdict    = key("verdict", "both")         // what is known of the cause (docs/why.md 4)
	Confidence = key("confidence", "both")      // how certain it is: "high", "medium" or "low"
	Basis      = key("compared_with", "both")   // "same_period", "any_period", "few_frames", "fastest_frames" or "budget"
	CauseWait  = key("cause_wait", "both")      // wait, stage and slice of the largest cause
	CauseStage = key("cause_stage", "both")
	CauseSlice = key("cause_slice", "both")
	CauseTime  = key("cause_ms", "both") // how long the frame spent on it
	CauseUsual = key("usual_ms", "both") // how long frames on time do
	CauseShare = key("share_ms", "both") // its part of the overrun
	// what the slice of it that took the longest says beside its name
	CauseArguments = key("cause_arguments", "both")
	// with samples of a profiler (docs/record.md), the function with most of the excess
	CauseFunction = key("cause_function", "both")
	CauseSamples  = key("cause_samples", "both") // its samples
	KnockOnOf     = key("knock_on_of", "both")   // vsync id of the frame that delayed this one
	Causes        = key("causes", "both")        // all causes, the largest first, with the entries of "cause"

	ShownLate    = key("shown_late_ms", "render")              // by how much the display showed the frame late (docs/why.md 7)
	ShownCause   = key("shown_late_cause", "render")           // why, in a sentence
	PickedUpLate = key("picked_up_late_ms", "application")     // by how much a frame on time was picked up late (docs/why.md 8)
	PickUpReason = key("picked_up_late_reason", "application") // the code of the reason
	PickUpCause  = key("picked_up_late_cause", "application")  // why, in a sentence

	EntryTitle       = key("title", "cause") // the cause in a few words
	EntryWait        = key("wait", "cause")  // as for the frame
	EntryStage       = key("stage", "cause")
	EntrySlice       = key("slice", "cause")
	EntryFunction    = key("function", "cause")      // the kernel function in which the thread waited the longest
	EntryValue       = key("value_ns", "cause")      // how long the frame spent on it
	EntryUsual       = key("usual_ns", "cause")      // how long frames on time do
	EntryShare       = key("share_ns", "cause")      // its part of the overrun
	EntryEarlierAt   = key("earlier_ts", "cause")    // start of the earlier frame that the thread was busy with
	Culprit          = key("culprit", "both, cause") // the thread that was waited for: "process:thread"
	CulpritPID       = key("culprit_pid", "cause")   // its ids
	CulpritTID       = key("culprit_tid", "cause")
	CulpritWait      = key("culprit_wait", "cause")           // what it did most of the time
	CulpritSlice     = key("culprit_slice", "cause")          // and in which slice
	CulpritArguments = key("culprit_arguments", "cause")      // what that slice says beside its name
	CulpritTime      = key("culprit_ns", "cause")             // for how long it was waited for
	CulpritUnsure    = key("culprit_unsure", "cause")         // it may only have been interrupted by what ended the wait
	Advice           = key("advice", "both, cause, measures") // what to do about the cause
	EntryGCReason    = key("gc_reason", "cause")              // the reason of a garbage collection, such as allocation limit
	// what the slice of the cause that took the longest says beside its name, such as the file of an image
	EntryArguments      = key("arguments", "cause")
	EntryFrequency      = key("frequency_khz", "cause")          // mean frequency of the CPUs on which the thread ran, if they were slower than usual
	EntryUsualFrequency = key("usual_frequency_khz", "cause")    // that on which it usually runs
	EntryCores          = key("cores", "cause")                  // the cores, if they are why the CPU was slower: little cores (CPU 0–3)
	EntryLimit          = key("frequency_limit_khz", "cause")    // the frequency to which the system limited the CPUs, if that is the reason
	EntryHighest        = key("highest_frequency_khz", "cause")  // the highest one in the trace
	EntryLimitReason    = key("frequency_limit_reason", "cause") // what the system says about that limit, such as thermal level 3

	// The names below these are those of JSON (testdata/api/report.md).

	Report         = key("report", "measures")          // on the track Report: the measures of the process
	Ranking        = key("ranking", "measures")         // on the track Report: what late frames cost by cause, the largest first
	Hitch          = key("hitch", "measures")           // on the track Hitches: a gap between two presents that was too long
	Interaction    = key("interaction", "measures")     // on the track Interactions: the measures of the interaction
	LaunchStage    = key("launch_stage", "measures")    // on a stage of a launch
	Hang           = key("hang", "measures")            // on the track Hangs: the slice of the main thread and its time
	RefreshRate    = key("refresh_rate", "measures")    // on the track Refresh rate: a rate of a display that had several, and whose vote decided it
	Components     = key("components", "measures")      // on the track Components: the components of the process
	Requesters     = key("requesters", "measures")      // on the track Vsyncs: the connections on which the process asks for vsyncs
	Callbacks      = key("callbacks", "measures")       // on the track Vsyncs: the display syncs of the process
	StateVariables = key("state_variables", "measures") // on the track Components: their state variables
	Layer          = key("layer", "measures")           // on the summary of a layer: its measures

	LayerID    = key("layer_id", "buffer")    // "layer.id" of its layer; only on the track Queue
	Sequence   = key("sequence", "buffer")    // the buffer's id, which is used again
	RequestAt  = key("request_ts", "buffer")  // when the producer asked for a free buffer
	Request    = key("request_ms", "buffer")  // how long it waited for one
	QueuedAt   = key("queued_ts", "buffer")   // when it handed the buffer over
	ReadyAt    = key("ready_ts", "buffer")    // when its GPU was done
	AcquiredAt = key("acquired_ts", "buffer") // when the compositor took it
	Fate       = key("fate", "buffer")        // "shown", "dropped" or "waiting"
	// "even", "early", "long" or "late"; of a framework's frame without another deadline that of its buffers
	Pace           = key("pace", "application, buffer")
	BufferInterval = key("interval_ms", "buffer") // since the present of the buffer before
	FrameAt        = key("frame_ts", "buffer")    // start, thread and number of the frame that drew it
	FrameTID       = key("frame_tid", "buffer")
	FrameToken     = key("frame_token", "buffer")
	RenderAt       = key("render_ts", "buffer") // start of the render frame that took it, which has "render_token"
)

// StageWait returns the name under which Waits has the time of a stage and wait:
// "layout/cpu wait". Perfetto replaces dots in names.
func StageWait(stage, wait string) string {
	return stage + "/" + strings.ReplaceAll(wait, ".", " ")
}

// String returns the annotation's name. Perfetto puts "debug." before it.
func (k Key) String() string { return names[k] }

// All returns all keys, in order.
func All() []Key {
	keys := make([]Key, len(names)-1)
	for i := range keys {
		keys[i] = Key(i + 1)
	}
	return keys
}
