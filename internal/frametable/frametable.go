// Package frametable writes a timeline as a table: one row for each frame, and for each
// buffer of a layer, in order of start, with the same columns in every format. Times are
// nanoseconds of trace time; unknown values are empty, or null in JSON.
package frametable

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/view"
)

// columns are the names of the columns, in order. New columns are added at the end.
var columns = view.RecordColumns[row]()

// row has the cells of a frame or a buffer. Null cells are nil pointers. "make docs" writes the
// comments into testdata/api/frames.md.
type row struct {
	Kind    string `json:"kind" parquet:"kind,dict"`       // "app" or "render" for a frame, "layer" for a buffer
	Process string `json:"process" parquet:"process,dict"` // whose frame it is, or the producer of the buffer
	PID     *int32 `json:"pid" parquet:"pid,optional"`     // its process id and thread; nil if the input does not have them
	TID     *int32 `json:"tid" parquet:"tid,optional"`
	// the vsync's number in the text; of a buffer that of the frame that drew it
	VsyncID *int64 `json:"vsync_id" parquet:"vsync_id,optional"`
	// the indices of the transactions that an application frame sent
	Transactions []int64 `json:"transactions" parquet:"transactions,list"`
	// the actual interval; of a buffer from when it was requested, or else queued, until it was shown, in
	// Android's frame timelines from the start of the surface frame
	ActualStart *int64 `json:"start_ns" parquet:"start_ns,optional"`
	ActualEnd   *int64 `json:"end_ns" parquet:"end_ns,optional"`
	// the expected interval
	ExpectedStart *int64 `json:"expected_start_ns" parquet:"expected_start_ns,optional"`
	ExpectedEnd   *int64 `json:"expected_end_ns" parquet:"expected_end_ns,optional"`
	// the refresh period, of a buffer that of the render frame that took it
	Period *int64 `json:"period_ns" parquet:"period_ns,optional"`
	// facts (docs/frames.md 3); nil for "late" of frames that are not judged, and for "empty" and "flag" where
	// it is unknown whether a frame is empty. A buffer is late if its pace is
	Late       *bool  `json:"late" parquet:"late,optional"`
	Empty      *bool  `json:"empty" parquet:"empty,optional"`
	Misaligned *bool  `json:"misaligned" parquet:"misaligned,optional"`
	Truncated  *bool  `json:"truncated" parquet:"truncated,optional"`
	Flag       *int32 `json:"flag" parquet:"flag,optional"` // the system's flag: 1 late, 2 empty, 3 misaligned
	// vsync id of the render frame that took it
	RenderVsyncID *int64 `json:"render_vsync_id" parquet:"render_vsync_id,optional"`
	// the work on the GPU
	GPUStart *int64 `json:"gpu_start_ns" parquet:"gpu_start_ns,optional"`
	GPUEnd   *int64 `json:"gpu_end_ns" parquet:"gpu_end_ns,optional"`
	// when the commit of a render frame began
	Commit *int64 `json:"commit_ns" parquet:"commit_ns,optional"`
	// when the display showed a render frame, or a buffer first
	Present *int64 `json:"present_ns" parquet:"present_ns,optional"`

	// the verdict in the words of Perfetto's frame timeline; for framestats the classes of hwui, for a buffer
	// Android's verdict on the surface frame
	JankType       *string `json:"jank_type" parquet:"jank_type,dict,optional"`
	JankSeverity   *string `json:"jank_severity" parquet:"jank_severity,dict,optional"`
	PresentType    *string `json:"present_type" parquet:"present_type,dict,optional"`
	PredictionType *string `json:"prediction_type" parquet:"prediction_type,dict,optional"`
	OnTimeFinish   *bool   `json:"on_time_finish" parquet:"on_time_finish,optional"` // the same
	// the layers that show the frame
	Layers []string `json:"layers" parquet:"layers,list"`

	// what is known of why it was late (docs/why.md 4); nil with "--no-causes"
	FrameOutcome *string `json:"verdict" parquet:"verdict,dict,optional"`
	// wait, stage and slice of the largest cause; nil from here to "culprit" for "just_missed" and "unknown"
	CauseWait  *string `json:"cause_wait" parquet:"cause_wait,dict,optional"`
	CauseStage *string `json:"cause_stage" parquet:"cause_stage,dict,optional"`
	CauseSlice *string `json:"cause_slice" parquet:"cause_slice,dict,optional"`
	// how long it took, how long it usually takes, and its part of the overrun
	CauseTime    *int64  `json:"cause_ns" parquet:"cause_ns,optional"`
	CauseUsual   *int64  `json:"cause_usual_ns" parquet:"cause_usual_ns,optional"`
	CauseShare   *int64  `json:"cause_share_ns" parquet:"cause_share_ns,optional"`
	CauseCulprit *string `json:"culprit" parquet:"culprit,dict,optional"`       // the thread that was waited for
	Confidence   *string `json:"confidence" parquet:"confidence,dict,optional"` // how certain it is: "high", "medium" or "low"

	// when it should have been done (docs/frames.md 3.1); of a late buffer when it should have been taken, nil
	// if it was taken in time
	Deadline *int64 `json:"deadline_ns" parquet:"deadline_ns,optional"`
	// from there to its end (docs/frames.md 3.8); of a buffer by how much the interval is longer than the cadence
	Overrun *int64 `json:"overrun_ns" parquet:"overrun_ns,optional"`
	// late on its thread, late on the GPU; nil for frames that are not judged
	MainLate *bool `json:"main_late" parquet:"main_late,optional"`
	GPULate  *bool `json:"gpu_late" parquet:"gpu_late,optional"`
	// vsyncs that waited because the thread was busy
	Coalesced *int32 `json:"coalesced" parquet:"coalesced,optional"`
	// whether "commit_ns" and "present_ns" are estimates
	CommitEstimated  *bool `json:"commit_estimated" parquet:"commit_estimated,optional"`
	PresentEstimated *bool `json:"present_estimated" parquet:"present_estimated,optional"`

	// the cause in a sentence; of a late buffer whose frame was late, the cause of that
	Cause *string `json:"cause" parquet:"cause,optional"`

	// the ids of the interactions (docs/frames.md 15) that count the frame
	Interactions []int64 `json:"interaction" parquet:"interaction,list"`

	// when it was shown: its present time, or that of the render frame that took it
	Shown *int64 `json:"shown_ns" parquet:"shown_ns,optional"`

	// what draws the frame or the layer, if it is not the platform: "choreographer", "surfaceflinger",
	// "flutter", "web", "nativevsync", or "outside_frames" of layers only
	Framework *string `json:"framework" parquet:"framework,dict,optional"`
	// how long the thread of an application frame ran in its actual interval
	CPUTime *int64 `json:"cpu_ns" parquet:"cpu_ns,optional"`
	// types and ids of the display syncs (docs/frames.md 16.8) that an application frame served
	DisplaySyncs []string `json:"display_syncs" parquet:"display_syncs,list"`

	Layer   *string `json:"layer" parquet:"layer,dict,optional"`  // name of the buffer's layer
	LayerID *int64  `json:"layer_id" parquet:"layer_id,optional"` // its id in the report
	// the ids of the queue and of the buffer in the trace
	Queue    *int64  `json:"queue_id" parquet:"queue_id,optional"`
	Sequence *int64  `json:"sequence" parquet:"sequence,optional"`
	Fate     *string `json:"fate" parquet:"fate,dict,optional"` // "shown", "dropped", or "waiting" if the trace ends before
	// while the producer asked for a free buffer
	RequestStart *int64 `json:"request_start_ns" parquet:"request_start_ns,optional"`
	RequestEnd   *int64 `json:"request_end_ns" parquet:"request_end_ns,optional"`
	Queued       *int64 `json:"queued_ns" parquet:"queued_ns,optional"`     // when the producer queued the buffer
	Ready        *int64 `json:"ready_ns" parquet:"ready_ns,optional"`       // when its GPU was done with it
	Acquired     *int64 `json:"acquired_ns" parquet:"acquired_ns,optional"` // when the compositor took it
	// the frame is the first that ArkUI draws of a window, which no animation waits for; otherwise nil
	FirstDraw *bool   `json:"first_draw" parquet:"first_draw,optional"`
	Interval  *int64  `json:"interval_ns" parquet:"interval_ns,optional"` // since the buffer before was shown
	Cadence   *int64  `json:"cadence_ns" parquet:"cadence_ns,optional"`   // the layer's own interval
	Pace      *string `json:"pace" parquet:"pace,dict,optional"`          // how these compare: "even", "early", "long" or "late"
	// why a late buffer was late (docs/why.md 10); nil if the frame that drew it was late
	BufferOutcome *string `json:"reason" parquet:"reason,dict,optional"`

	// the screens that a render frame was committed to, if there are several, each with its present time if that
	// is known: 0 1010000000 (docs/frames.md 6.10)
	Screens []string `json:"screens" parquet:"screens,list"`

	// the trace does not state the deadline (docs/frames.md 3.11); otherwise nil
	DeadlineInferred *bool `json:"deadline_inferred" parquet:"deadline_inferred,optional"`
	// the trace ends within a late frame: "end_ns" and "overrun_ns" are the least that they can be
	// (docs/frames.md 11.1)
	Unfinished *bool `json:"unfinished" parquet:"unfinished,optional"`
	// how many frames before it never began (docs/frames.md 3.12); nil if all did
	NotBegun *int32 `json:"not_begun" parquet:"not_begun,optional"`

	// the name of the input; nil if there is only one
	Input *string `json:"input" parquet:"input,dict,optional"`

	// explanation is not nil if Outcome is not, cost if BufferOutcome is not. The table has them in
	// words.
	explanation *why.Explanation
	cost        *why.Cost

	shownEstimated bool
}

func newRow(f *analyzer.Frame) row {
	j := f.Judgement()
	r := row{
		Kind: f.Kind.String(), Process: f.Process.Name,
		VsyncID: known(f.VsyncID), Transactions: []int64{}, Layers: []string{}, Interactions: []int64{},
		ActualStart: known(f.Actual.Start), ActualEnd: known(f.Actual.End),
		ExpectedStart: known(f.Expected.Start), ExpectedEnd: known(f.Expected.End), Period: known(f.Period),
		Late: answer(j.Late), Empty: answer(j.Empty), Misaligned: new(f.Facts.Has(analyzer.Misaligned)), Truncated: new(f.Facts.Has(analyzer.Truncated)),
		Unfinished: new(f.Facts.Has(analyzer.Unfinished)),
		Commit:     known(f.Commit.Start), Present: known(f.Present),
		Deadline: known(f.Deadline), Coalesced: new(int32(f.Coalesced)), Framework: optional(f.Framework.String()), CPUTime: known(int64(f.CPUTime)),
		DisplaySyncs: []string{}, Screens: []string{},
	}
	if f.Facts.Has(analyzer.FirstDraw) {
		r.FirstDraw = new(true)
	}
	if f.NotBegun > 0 {
		r.NotBegun = new(int32(f.NotBegun))
	}
	if f.Facts.Has(analyzer.DeadlineInferred) {
		r.DeadlineInferred = new(true)
	}
	if !f.Process.NoPID {
		r.PID, r.TID = new(int32(f.Process.PID)), new(int32(f.TID))
	}
	for _, t := range f.Transactions {
		r.Transactions = append(r.Transactions, t.Index)
	}
	for _, s := range f.DisplaySyncs {
		r.DisplaySyncs = append(r.DisplaySyncs, fmt.Sprintf("%s %d", s.Type, s.ID))
	}
	for _, s := range f.Screens {
		r.Screens = append(r.Screens, strings.TrimSuffix(fmt.Sprintf("%d %d", s.ID, s.Present), " 0"))
	}
	if n, ok := f.Flag(); ok {
		r.Flag = new(int32(n))
	}
	if j.Judged() {
		r.MainLate, r.GPULate = new(f.Facts.Has(analyzer.MainLate)), new(f.Facts.Has(analyzer.GPULate))
	}
	if j.OverrunKnown {
		r.Overrun = (*int64)(&j.Overrun)
	}
	if f.Commit.Start.Known() {
		r.CommitEstimated = &f.CommitEstimated
	}
	if f.Present.Known() {
		r.PresentEstimated = &f.PresentEstimated
	}
	r.setRender(f.Render, f.Facts.Has(analyzer.Dropped))
	if f.Kind == analyzer.RenderFrame {
		r.Shown, r.shownEstimated = r.Present, f.PresentEstimated
	}
	gpu := f.GPUSpan()
	r.GPUStart, r.GPUEnd = known(gpu.Start), known(gpu.End)
	a := f.Android
	if a != nil && a.Stats != nil {
		r.JankType = new(cmp.Or(a.Stats.Jank.String(), analyzer.JankNone.String()))
	}
	if a != nil && (a.Latency != nil || a.Stats != nil) {
		return r // a dump has neither verdicts nor several layers
	}
	r.Layers = append(r.Layers, f.LayerNames()...)
	if a != nil && a.Timeline != nil || !f.Facts.Has(analyzer.Truncated) {
		r.setJankType(f.Verdict()) // only SurfaceFlinger judges truncated frames
	}
	return r
}

// newBufferRow returns the row of a buffer of a layer.
func newBufferRow(b *analyzer.Buffer) row {
	l := b.Layer
	r := row{
		Kind: KindLayer, Framework: optional(l.Framework.String()), DisplaySyncs: []string{}, Layer: &l.Name, LayerID: known(l.ID), Queue: known(l.Queue),
		Sequence: known(b.Sequence), Fate: new(b.Fate.String()), Pace: optional(b.Pace.String()),
		Transactions: []int64{}, Layers: []string{}, Interactions: []int64{}, Screens: []string{},
		ActualStart: known(b.At()), ActualEnd: known(b.Last()), Deadline: known(b.Deadline),
		RequestStart: known(b.Requested.Start), RequestEnd: known(b.Requested.End),
		Queued: known(b.Queued), Ready: known(b.Ready), Acquired: known(b.Acquired),
		Interval: known(b.Interval), Cadence: known(l.CadenceOf(b)),
		Present: known(b.Present), Shown: known(b.Present), shownEstimated: b.PresentEstimated,
	}
	if p := l.Process; p != nil {
		r.Process = p.Name
		if !p.NoPID {
			r.PID = new(int32(p.PID))
		}
	}
	if b.TID != 0 {
		r.TID = new(int32(b.TID))
	}
	if b.Frame != nil {
		r.VsyncID = known(b.Frame.VsyncID)
	}
	if b.Render != nil {
		r.RenderVsyncID, r.Period = known(b.Render.VsyncID), known(b.Render.Period)
	}
	if b.Present.Known() {
		r.PresentEstimated = &b.PresentEstimated
	}
	if b.Pace != analyzer.Unpaced {
		r.Late, r.Overrun = new(b.Pace == analyzer.Late), new(int64(b.Excess()))
	}
	if b.Surface != nil {
		r.setJankType(b.Surface.Verdict)
	}
	return r
}

// setRender sets the render frame that took an application frame, nil if none did.
func (r *row) setRender(render *analyzer.Frame, dropped bool) {
	r.RenderVsyncID, r.Shown, r.shownEstimated = nil, nil, false
	if render == nil {
		return
	}
	r.RenderVsyncID = known(render.VsyncID)
	if !dropped {
		r.Shown, r.shownEstimated = known(render.Present), render.PresentEstimated
	}
}

func (r *row) setJankType(v analyzer.Verdict) {
	r.JankType, r.JankSeverity = new(v.Jank.String()), new(v.Severity.String())
	r.PresentType, r.PredictionType = new(v.Present.String()), new(v.Prediction.String())
	r.OnTimeFinish = answer(v.OnTimeFinish)
}

// setCause sets the largest cause of a late frame. A frame that just missed its deadline
// or whose cause is unknown has only that outcome.
func (r *row) setCause(c *why.Causes, e *why.Explanation) {
	if e == nil || e.Outcome == why.NotLate {
		return
	}
	r.explanation, r.FrameOutcome, r.Confidence = e, optional(e.Outcome.String()), optional(e.Confidence.String())
	r.Cause = optional(causetext.Sentence(c, e))
	if e.Outcome == why.JustMissed || e.Outcome == why.NotKnown {
		return
	}
	r.setShare(&e.Shares[0])
}

// setLateBuffer sets why a buffer was late that its frame does not explain.
func (r *row) setLateBuffer(c *why.Causes, l *why.Explanation) {
	if l == nil {
		return
	}
	cost := &why.Cost{Outcome: l.Outcome}
	if len(l.Shares) > 0 {
		cost.Share = &l.Shares[0]
		r.setShare(cost.Share)
	}
	r.BufferOutcome, r.Cause, r.cost = optional(l.Outcome.String()), optional(causetext.Buffer(c, l)), cost
}

// setShare sets the columns of a cause.
func (r *row) setShare(s *why.Share) {
	r.CauseWait, r.CauseStage, r.CauseSlice = optional(s.Wait.String()), optional(s.Stage.String()), optional(s.Slice)
	r.CauseTime, r.CauseUsual, r.CauseShare = new(int64(s.Value)), new(int64(s.Usual)), new(int64(s.Share))
	if s.Culprit != nil {
		r.CauseCulprit = optional(causetext.Culprit(s.Culprit))
	}
}

// interactionIDs returns the ids of the interactions of each frame, in order.
func interactionIDs(t *analyzer.Timeline) map[*analyzer.Frame][]int64 {
	ids := map[*analyzer.Frame][]int64{}
	for _, i := range t.Interactions {
		for _, f := range i.Frames {
			ids[f] = append(ids[f], int64(i.ID))
		}
	}
	return ids
}

// row returns the row of a frame.
func (in *Input) row(f *analyzer.Frame) row {
	r := newRow(f)
	r.setCause(in.Causes, in.Causes.Of(f))
	if ids := in.interactions[f]; ids != nil {
		r.Interactions = ids
	}
	return r
}

// bufferRow returns the row of a buffer. A late one has its reason, or the cause of its late
// frame. Each has the interactions of its frame and of the render frame that took it.
func (in *Input) bufferRow(b *analyzer.Buffer) row {
	r := newBufferRow(b)
	if late := in.Causes.LateBuffer(b); late != nil {
		r.setLateBuffer(in.Causes, late)
	} else if b.Pace == analyzer.Late && b.Frame != nil {
		r.setCause(in.Causes, in.Causes.Of(b.Frame))
	}
	if ids := in.interactionsOf(b); ids != nil {
		r.Interactions = ids
	}
	return r
}

// interactionsOf returns the ids of the interactions of a buffer's frames.
func (in *Input) interactionsOf(b *analyzer.Buffer) []int64 {
	ids := slices.Concat(in.interactions[b.Frame], in.interactions[b.Render])
	slices.Sort(ids)
	return slices.Compact(ids)
}

// known returns a pointer to v, or nil if v is zero, which stands for unknown.
func known[T ~int | ~int64](v T) *int64 {
	if v == 0 {
		return nil
	}
	return new(int64(v))
}

// answer returns a pointer to whether the answer is yes, or nil if it is not said.
func answer(a analyzer.Answer) *bool {
	if a == analyzer.NotSaid {
		return nil
	}
	return new(a == analyzer.Yes)
}

// optional returns a pointer to s, or nil if s is empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
