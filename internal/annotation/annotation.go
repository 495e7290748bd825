// Package annotation names the facts of a frame that are stored in a Perfetto
// trace as debug annotations of the frame's slice.
//
//	analyzer.Frame ──▶ exporter ──▶ slice with annotations ──▶ analyzer/perfetto ──▶ analyzer.Frame
//
// The exporter writes the annotations, analyzer/perfetto reads those back that are
// not derived from others. docs/perfetto.md describes them for users, and the
// queries in sql/ohos select them by name.
package annotation

import "strings"

// MaxTruncated is the number of truncated frames that a trace's attribute
// ohframe.truncated lists. An undamaged trace has a few for each process.
const MaxTruncated = 1000

// MaxParts is the number of traces in one input that a trace's attribute "ohframe.parts"
// lists.
const MaxParts = 1000

// Key is an annotation. In the trace it is also the number of the interned name.
type Key uint8

// Names that end in _ts are times: nanoseconds of trace time, as the timestamps of
// slices. Names that end in _ms are durations in milliseconds: multiplied by 1e6
// and rounded, they are exact to the nanosecond. Names that end in _ns are durations in
// nanoseconds. A fact that is unknown or does not
// apply has no annotation.
const (
	// Frames of both kinds.
	VsyncID    Key = iota + 1 // as in the text; absent if the text has none
	Token                     // the number on the frame timeline, if it is not the vsync id
	TID                       // the thread, if it is not the main thread; only of application frames
	Flag                      // 1 late, 2 empty, 3 misaligned
	ExpectedAt                // when the work was expected to begin
	VsyncAt                   // when the vsync was due, if it is not the expected start
	DeadlineAt                // when the work was expected to end
	Period                    // the display's refresh period
	Coalesced                 // how many vsyncs waited behind this one
	Overrun                   // by how much a late frame missed its deadline
	MainLate                  // late on its thread
	GPULate                   // late on the GPU; only of render frames
	Empty                     // sent or processed nothing
	Misaligned                // picked up on another vsync than planned

	// Application frames. Whole frames have the render token too.
	Transactions  // the indices of those sent
	SentAt        // when the last of them was sent
	RenderToken   // the token of the render frame that applied the last of them
	AlsoTakenBy   // the tokens of other render frames that applied earlier ones
	JudgedBy      // whose deadline a frame without an expected interval has, in words
	WantedAt      // since when a layer of Android waited for the frame
	WantedUnknown // the frame is a layer's, and that time is unknown

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
	Blame      // the causes of a late one
	MadeForEnd // the expected end if it had been picked up on the vsync it was made for

	// Where the time of a frame went, if causes were looked for. The rest is of late
	// frames only.
	Waits      // the times by stage and wait: StageWait
	Cause      // in a sentence
	Verdict    // why.Outcome
	Confidence // how sure it is
	Basis      // what the frame was compared with
	CauseWait  // the wait of the cause that stands for the frame
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

	// Of frames that were late in another way (docs/why.md 7 and 8).
	ShownLate    // by how much the display showed a render frame late
	ShownCause   // why, in a sentence
	PickedUpLate // by how much an application frame that was on time was picked up late
	PickUpReason // why.PickUpReason
	PickUpCause  // in a sentence

	// Of each of Causes.
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
	Culprit         // the thread that was waited for; also of the cause that stands for the frame
	CulpritPID
	CulpritTID
	CulpritWait  // what it did most of the time
	CulpritSlice // and in which slice
	CulpritTime  // how long it was waited for
	CulpritUnsure
	Advice // also of the cause that stands for the frame
	// EntryGCReason is the reason of the garbage collection that the cause is.
	EntryGCReason
	EntryFrequency      // of the CPUs on which the thread ran, if they were slower than usual
	EntryUsualFrequency // on which it runs usually
	EntryCores          // the cores, if they are the reason

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
	// Entry is no slice but an entry of Causes.
	Entry
)

// both are frames of both kinds, on the tracks "Frames".
const both = Application | Render

var table = [end]struct {
	name    string
	frames  Frames
	derived bool
}{
	VsyncID:    {name: "vsync_id", frames: both},
	Token:      {name: "token", frames: both},
	TID:        {name: "tid", frames: Application},
	Flag:       {name: "flag", frames: both, derived: true},
	ExpectedAt: {name: "expected_ts", frames: both},
	VsyncAt:    {name: "vsync_ts", frames: both},
	DeadlineAt: {name: "deadline_ts", frames: both | Work},
	Period:     {name: "period_ms", frames: both},
	Coalesced:  {name: "coalesced", frames: both},
	Overrun:    {name: "overrun_ms", frames: both | Work, derived: true},
	MainLate:   {name: "main_late", frames: both},
	GPULate:    {name: "gpu_late", frames: Render},
	Empty:      {name: "empty", frames: both},
	Misaligned: {name: "misaligned", frames: both},

	Transactions:  {name: "transactions", frames: Application},
	SentAt:        {name: "sent_ts", frames: Application},
	RenderToken:   {name: "render_token", frames: Application | Whole, derived: true},
	AlsoTakenBy:   {name: "also_taken_by", frames: Application},
	JudgedBy:      {name: "judged_by", frames: Application, derived: true},
	WantedAt:      {name: "wanted_ts", frames: Application},
	WantedUnknown: {name: "wanted_unknown", frames: Application},

	Applications:     {name: "applications", frames: Render},
	DrawAt:           {name: "draw_ts", frames: Render},
	Draw:             {name: "draw_ms", frames: Render},
	GPUAt:            {name: "gpu_ts", frames: Render},
	GPU:              {name: "gpu_ms", frames: Render},
	CommitAt:         {name: "commit_ts", frames: Render},
	Commit:           {name: "commit_ms", frames: Render},
	CommitEstimated:  {name: "commit_estimated", frames: Render},
	PresentAt:        {name: "present_ts", frames: Render},
	PresentEstimated: {name: "present_estimated", frames: Render},

	Blame:      {name: "blame", frames: Whole, derived: true},
	MadeForEnd: {name: "made_for_end_ts", frames: Whole, derived: true},

	Waits:      {name: "waits_ns", frames: both},
	Cause:      {name: "cause", frames: both, derived: true},
	Verdict:    {name: "verdict", frames: both},
	Confidence: {name: "confidence", frames: both},
	Basis:      {name: "compared_with", frames: both},
	CauseWait:  {name: "cause_wait", frames: both, derived: true},
	CauseStage: {name: "cause_stage", frames: both, derived: true},
	CauseSlice: {name: "cause_slice", frames: both, derived: true},
	CauseTime:  {name: "cause_ms", frames: both, derived: true},
	CauseUsual: {name: "usual_ms", frames: both, derived: true},
	CauseShare: {name: "share_ms", frames: both, derived: true},

	CauseSliceTime:  {name: "slice_ms", frames: both, derived: true},
	CauseSliceUsual: {name: "slice_usual_ms", frames: both, derived: true},

	KnockOnOf: {name: "knock_on_of", frames: both, derived: true},
	Causes:    {name: "causes", frames: both},

	ShownLate:    {name: "shown_late_ms", frames: Render, derived: true},
	ShownCause:   {name: "shown_late_cause", frames: Render, derived: true},
	PickedUpLate: {name: "picked_up_late_ms", frames: Application, derived: true},
	PickUpReason: {name: "picked_up_late_reason", frames: Application, derived: true},
	PickUpCause:  {name: "picked_up_late_cause", frames: Application, derived: true},

	EntryTitle:          {name: "title", frames: Entry, derived: true},
	EntryWait:           {name: "wait", frames: Entry},
	EntryStage:          {name: "stage", frames: Entry},
	EntrySlice:          {name: "slice", frames: Entry},
	EntryFunction:       {name: "function", frames: Entry},
	EntryValue:          {name: "value_ns", frames: Entry},
	EntryUsual:          {name: "usual_ns", frames: Entry},
	EntryShare:          {name: "share_ns", frames: Entry},
	EntrySliceValue:     {name: "slice_value_ns", frames: Entry},
	EntrySliceUsual:     {name: "slice_usual_ns", frames: Entry},
	EntryEarlierAt:      {name: "earlier_ts", frames: Entry},
	Culprit:             {name: "culprit", frames: both | Entry, derived: true},
	CulpritPID:          {name: "culprit_pid", frames: Entry},
	CulpritTID:          {name: "culprit_tid", frames: Entry},
	CulpritWait:         {name: "culprit_wait", frames: Entry},
	CulpritSlice:        {name: "culprit_slice", frames: Entry},
	CulpritTime:         {name: "culprit_ns", frames: Entry},
	CulpritUnsure:       {name: "culprit_unsure", frames: Entry},
	Advice:              {name: "advice", frames: both | Entry},
	EntryGCReason:       {name: "gc_reason", frames: Entry},
	EntryFrequency:      {name: "frequency_khz", frames: Entry},
	EntryUsualFrequency: {name: "usual_frequency_khz", frames: Entry},
	EntryCores:          {name: "cores", frames: Entry},
}

// StageWait returns the name under which Waits has the time of a stage and wait:
// "layout/cpu wait". Perfetto replaces dots in names.
func StageWait(stage, wait string) string {
	return stage + "/" + strings.ReplaceAll(wait, ".", " ")
}

// ParseStageWait returns the codes of the stage and the wait in a name of StageWait.
func ParseStageWait(name string) (stage, wait string, ok bool) {
	stage, wait, ok = strings.Cut(name, "/")
	return stage, strings.ReplaceAll(wait, " ", "."), ok
}

// String returns the annotation's name. Perfetto puts "debug." before it.
func (k Key) String() string { return table[k].name }

// Frames returns the kinds of slices that the annotation is written on.
func (k Key) Frames() Frames { return table[k].frames }

// Derived reports whether the annotation follows from others or from the frame
// timeline, or is for people and SQL only. Only annotations that are not derived are read
// back.
func (k Key) Derived() bool { return table[k].derived }

// All returns all keys, in order.
func All() []Key {
	keys := make([]Key, 0, end-1)
	for k := range end - 1 {
		keys = append(keys, k+1)
	}
	return keys
}

// Named returns the key with the given name, zero if there is none.
func Named(name string) Key { return named[name] }

var named = func() map[string]Key {
	m := map[string]Key{}
	for _, k := range All() {
		m[k.String()] = k
	}
	return m
}()
