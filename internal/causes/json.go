package causes

import (
	"io"
	"iter"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

type document struct {
	Inputs []documentInput `json:"inputs"`
	// Processes are those with one name over all inputs.
	Processes []documentOverall `json:"processes"`
}

type documentOverall struct {
	Name      string                `json:"name"`
	Kind      stats.Kind            `json:"kind"`
	Inputs    []string              `json:"inputs"`
	Frames    int                   `json:"frames"`
	Judged    int                   `json:"judged"`
	Late      int                   `json:"late"`
	Lost      *trace.Duration       `json:"lost_ns"`
	Explained trace.Duration        `json:"explained_ns"`
	Unknown   trace.Duration        `json:"unknown_ns"`
	Ranking   iter.Seq[overallCost] `json:"ranking"`
}

type overallCost struct {
	jsonCost
	WorstInput string `json:"worst_input"`
}

type documentInput struct {
	Name string `json:"name"`
	// Quality is null if it is unknown.
	Quality *quality.Quality `json:"quality"`
	// What the trace has: sched_switch, wakeups, sched_blocked_reason.
	Scheduled      bool                      `json:"scheduled"`
	Woken          bool                      `json:"woken"`
	BlockedReasons bool                      `json:"blocked_reasons"`
	Missing        *string                   `json:"missing"`
	Interactions   iter.Seq[jsonInteraction] `json:"interactions"`
	Hangs          iter.Seq[jsonHang]        `json:"hangs"`
	Stacks         *jsonStacks               `json:"stacks"`
	Processes      iter.Seq[documentProcess] `json:"processes"`
	Layers         iter.Seq[jsonLayer]       `json:"layers"`
}

type jsonLayer struct {
	ID       int                      `json:"id"`
	Name     string                   `json:"name"`
	Queue    *int64                   `json:"queue_id"`
	PID      *trace.PID               `json:"pid"`
	Process  *string                  `json:"process"`
	Cadences []stats.LayerCadence     `json:"cadences"`
	Drops    []stats.LayerDrops       `json:"drops"`
	Judged   int                      `json:"judged"`
	Late     int                      `json:"late"`
	Lost     trace.Duration           `json:"lost_ns"`
	Ranking  iter.Seq[jsonBufferCost] `json:"ranking"`
	Buffers  iter.Seq[jsonLateBuffer] `json:"buffers"`
	// The late buffers whose late frames are explained.
	OfFrames     int            `json:"of_frames"`
	LostByFrames trace.Duration `json:"of_frames_lost_ns"`
}

type jsonBufferCost struct {
	Cause    string         `json:"title"`
	Reason   string         `json:"reason"`
	Wait     *string        `json:"wait"`
	Slice    *string        `json:"slice"`
	Function *string        `json:"function"`
	Culprit  *jsonCulprit   `json:"culprit"`
	Buffers  int            `json:"buffers"`
	Lost     trace.Duration `json:"lost_ns"`
	Share    float64        `json:"share"`
	Worst    trace.Time     `json:"worst_present_ns"`
	Advice   *string        `json:"advice"`
}

type jsonLateBuffer struct {
	Sequence *int64           `json:"sequence"`
	Queued   *trace.Time      `json:"queued_ns"`
	Present  trace.Time       `json:"present_ns"`
	Overrun  trace.Duration   `json:"overrun_ns"`
	Lost     trace.Duration   `json:"lost_ns"`
	Reason   string           `json:"reason"`
	Dropped  bool             `json:"dropped"`
	Steps    []jsonBufferStep `json:"steps"`
	Shares   []jsonShare      `json:"shares"`
	Text     string           `json:"cause"`
}

type jsonBufferStep struct {
	Step  string         `json:"step"`
	Start trace.Time     `json:"start_ns"`
	Time  trace.Duration `json:"ns"`
	Usual trace.Duration `json:"usual_ns"`
}

type jsonInteraction struct {
	ID        int                        `json:"id"`
	Kind      string                     `json:"kind"`
	Scene     string                     `json:"scene"`
	PID       trace.PID                  `json:"pid"`
	Process   string                     `json:"process"`
	Response  *trace.Duration            `json:"response_ns"`
	Grade     *stats.Grade               `json:"grade"`
	Frames    int                        `json:"frames"`
	Late      int                        `json:"late"`
	Lost      trace.Duration             `json:"lost_ns"`
	Ranking   iter.Seq[jsonCost]         `json:"ranking"`
	Functions iter.Seq[jsonFunctionCost] `json:"functions"`
	Steps     iter.Seq[jsonResponseStep] `json:"steps"`
}

type jsonResponseStep struct {
	Step    string          `json:"step"`
	Stage   *string         `json:"stage"`
	Start   trace.Time      `json:"start_ns"`
	Time    trace.Duration  `json:"ns"`
	Usual   *trace.Duration `json:"usual_ns"`
	Open    bool            `json:"open"`
	Threads []jsonWork      `json:"threads"`
}

type jsonWork struct {
	PID     *trace.PID     `json:"pid"`
	TID     *trace.TID     `json:"tid"`
	Process *string        `json:"process"`
	Thread  *string        `json:"thread"`
	Start   trace.Time     `json:"start_ns"`
	Time    trace.Duration `json:"ns"`
	Idle    trace.Duration `json:"idle_ns"`
	Waits   []jsonWorkWait `json:"waits"`
	Slices  []jsonSlice    `json:"slices"`
}

type jsonWorkWait struct {
	Wait      string          `json:"wait"`
	Time      trace.Duration  `json:"ns"`
	Slice     *string         `json:"slice"`
	SliceTime *trace.Duration `json:"slice_ns"`
	Calls     *int            `json:"calls"`
	Others    *int            `json:"other_slices"`
	Arguments []jsonArgument  `json:"arguments"`
	Function  *string         `json:"function"`
	Interrupt *string         `json:"interrupt"`
	Culprit   *jsonCulprit    `json:"culprit"`
	// OtherTime is that in the other slices.
	OtherTime *trace.Duration `json:"other_slices_ns"`
}

type documentProcess struct {
	PID    trace.PID  `json:"pid"`
	Name   string     `json:"name"`
	Kind   stats.Kind `json:"kind"`
	Frames int        `json:"frames"`
	Judged int        `json:"judged"`
	Late   int        `json:"late"`
	// Pictures is set if the frames are only those that show frames of the wanted applications.
	Pictures bool `json:"pictures"`
	// Delay is null for other processes than applications.
	Delay  *Delay `json:"pictures_late"`
	Causes *JSON  `json:"causes"`
}

// JSON is the causes of a process as docs/why.md describes them.
type JSON struct {
	// Lost is null if by how much the late frames were late is unknown.
	Lost      *trace.Duration            `json:"lost_ns"`
	Explained trace.Duration             `json:"explained_ns"`
	Unknown   trace.Duration             `json:"unknown_ns"`
	Ranking   iter.Seq[jsonCost]         `json:"ranking"`
	Functions iter.Seq[jsonFunctionCost] `json:"functions"`
	Frames    iter.Seq[jsonFrame]        `json:"frames"`
	Shown     iter.Seq[jsonCost]         `json:"shown_ranking"`
	ShownLate iter.Seq[jsonShown]        `json:"shown_late"`
	PickedUp  iter.Seq[jsonPickUp]       `json:"picked_up_late"`
}

type jsonCost struct {
	Cause    string       `json:"title"`
	Wait     string       `json:"wait"`
	Stage    string       `json:"stage"`
	Stages   []jsonStage  `json:"stages"`
	Slice    *string      `json:"slice"`
	Function *string      `json:"function"`
	Culprit  *jsonCulprit `json:"culprit"`
	// Missing is what the trace lacks for the cause; null if it is known.
	Missing  *string `json:"missing"`
	Frames   int     `json:"frames"`
	KnockOns int     `json:"knock_on_frames"`
	// These are null if by how much the frames were late is unknown.
	Lost    *trace.Duration `json:"lost_ns"`
	Direct  *trace.Duration `json:"direct_ns"`
	KnockOn *trace.Duration `json:"knock_on_ns"`
	Gain    *trace.Duration `json:"gain_ns"`
	Share   *float64        `json:"share"`
	Worst   int64           `json:"worst_vsync_id"`
	Advice  *string         `json:"advice"`
	// Calls is null without a slice, UsualCalls also if it is unknown.
	Calls      *int         `json:"calls"`
	UsualCalls *int         `json:"usual_calls"`
	Repeats    []jsonRepeat `json:"arguments"`
}

type jsonStage struct {
	Stage string         `json:"stage"`
	Lost  trace.Duration `json:"lost_ns"`
}

type jsonCulprit struct {
	PID       *trace.PID     `json:"pid"`
	TID       trace.TID      `json:"tid"`
	Process   *string        `json:"process"`
	Thread    *string        `json:"thread"`
	Wait      string         `json:"wait"`
	Slice     *string        `json:"slice"`
	Did       trace.Duration `json:"did_ns"`
	Time      trace.Duration `json:"ns"`
	Arguments []jsonArgument `json:"arguments"`
	Sure      bool           `json:"sure"`
	// Why the thread did not run; null if it did, or if that is unknown.
	Function  *string    `json:"function"`
	Interrupt *string    `json:"interrupt"`
	For       *jsonOther `json:"for"`
}

// jsonOther is the thread that had the CPU of a culprit, or for which that waited.
type jsonOther struct {
	PID     *trace.PID     `json:"pid"`
	TID     trace.TID      `json:"tid"`
	Process *string        `json:"process"`
	Thread  *string        `json:"thread"`
	Time    trace.Duration `json:"ns"`
}

type jsonFrame struct {
	Vsync int64     `json:"vsync_id"`
	TID   trace.TID `json:"tid"`
	// Start and End are the actual interval, From and To the time that is explained: from the
	// vsync to the end of the work on the GPU.
	Start    trace.Time  `json:"start_ns"`
	End      trace.Time  `json:"end_ns"`
	From     trace.Time  `json:"from_ns"`
	To       trace.Time  `json:"to_ns"`
	Deadline *trace.Time `json:"deadline_ns"`
	// Overrun is null if by how much the frame was late is unknown, 0 if it was not late.
	Overrun    *trace.Duration `json:"overrun_ns"`
	Unfinished bool            `json:"unfinished"`
	Verdict    *string         `json:"verdict"`
	Confidence *string         `json:"confidence"`
	KnownShare float64         `json:"known_share"`
	// OverBudget, PeriodBefore and Slowdown are as in why.Explanation.
	OverBudget   bool            `json:"over_budget"`
	PeriodBefore *trace.Duration `json:"period_before_ns"`
	Slowdown     *float64        `json:"slowdown"`
	Waits        []jsonWait      `json:"waits"`
	Shares       []jsonShare     `json:"shares"`
	// Slices are empty unless the frame was asked for.
	Slices    []jsonSlice    `json:"slices"`
	Functions []jsonFunction `json:"functions"`
	// Calls are empty unless the frame was asked for, or is the latest one of the process with calls.
	Calls     []jsonCall `json:"calls"`
	KnockOnOf *int64     `json:"knock_on_of"`
	Text      *string    `json:"cause"`
}

// jsonFunctionCost is a function in which late frames were longer.
type jsonFunctionCost struct {
	Function string         `json:"function"`
	Module   *string        `json:"module"`
	Wait     string         `json:"wait"`
	Stage    string         `json:"stage"`
	Time     trace.Duration `json:"ns"`
	Usual    trace.Duration `json:"usual_ns"`
	Total    trace.Duration `json:"total_excess_ns"`
	Frames   int            `json:"frames"`
	Samples  int            `json:"samples"`
}

type jsonFunction struct {
	Function        string         `json:"function"`
	Module          *string        `json:"module"`
	Stage           string         `json:"stage"`
	Wait            string         `json:"wait"`
	Innermost       string         `json:"innermost"`
	InnermostModule *string        `json:"innermost_module"`
	Time            trace.Duration `json:"ns"`
	Usual           trace.Duration `json:"usual_ns"`
	Samples         int            `json:"samples"`
	Of              int            `json:"of_samples"`
	Sure            bool           `json:"sure"`
}

type jsonCall struct {
	Function *string        `json:"function"`
	Module   *string        `json:"module"`
	Caller   *int32         `json:"caller"`
	Time     trace.Duration `json:"ns"`
	Samples  int            `json:"samples"`
}

type jsonShown struct {
	Vsync  int64          `json:"vsync_id"`
	Due    trace.Time     `json:"due_ns"`
	At     trace.Time     `json:"shown_ns"`
	Late   trace.Duration `json:"late_ns"`
	Delay  trace.Duration `json:"delay_ns"`
	Steps  []jsonStep     `json:"steps"`
	Shares []jsonShare    `json:"shares"`
	// KnockOnOf is the frame whose cause it was; null if the frame was shown late by itself.
	KnockOnOf  *int64 `json:"knock_on_of"`
	Confidence string `json:"confidence"`
	Text       string `json:"cause"`
}

type jsonStep struct {
	Step  string         `json:"step"`
	Time  trace.Duration `json:"ns"`
	Usual trace.Duration `json:"usual_ns"`
	After trace.Duration `json:"after_deadline_ns"`
}

type jsonPickUp struct {
	Vsync  int64          `json:"vsync_id"`
	Render int64          `json:"render_vsync_id"`
	Late   trace.Duration `json:"late_ns"`
	Reason string         `json:"reason"`
	Text   string         `json:"cause"`
}

type jsonWait struct {
	Wait  string         `json:"wait"`
	Stage string         `json:"stage"`
	Time  trace.Duration `json:"ns"`
}

type jsonSlice struct {
	Slice   string         `json:"slice"`
	Self    trace.Duration `json:"self_ns"`
	Running trace.Duration `json:"running_ns"`
	Waiting trace.Duration `json:"waiting_ns"`
	Unknown trace.Duration `json:"unknown_ns"`
}

type jsonShare struct {
	Wait     string  `json:"wait"`
	Stage    string  `json:"stage"`
	Slice    *string `json:"slice"`
	Function *string `json:"function"`
	// Interrupt is the one that ended most of a blocked wait.
	Interrupt *string        `json:"interrupt"`
	Culprit   *jsonCulprit   `json:"culprit"`
	Value     trace.Duration `json:"value_ns"`
	Usual     trace.Duration `json:"usual_ns"`
	Share     trace.Duration `json:"share_ns"`
	// Task is null unless the share is a part of what the thread was busy with before the frame.
	Task *jsonTask `json:"task"`
	// Gain is null if the cause is unknown, Several if it is one slice and one thread.
	Gain    *trace.Duration `json:"gain_ns"`
	Several *jsonSeveral    `json:"several"`
	// For garbage collections, and for slower CPUs.
	Reason         *string `json:"gc_reason"`
	Frequency      *int64  `json:"frequency_khz"`
	UsualFrequency *int64  `json:"usual_frequency_khz"`
	Cores          *string `json:"cores"`
	Limit          *int64  `json:"frequency_limit_khz"`
	Highest        *int64  `json:"highest_frequency_khz"`
	LimitReason    *string `json:"frequency_limit_reason"`
	// The number of slices, and the usual one; null as those of a ranking.
	Calls      *int `json:"calls"`
	UsualCalls *int `json:"usual_calls"`
	// The slices of the cause that have arguments.
	Instances []jsonInstance `json:"instances"`
	// Missing is what the trace lacks for the cause; null if it is known.
	Missing *string `json:"missing"`
}

// jsonTask is what the thread did in a part of its work before a frame, and by how much all of it delayed the frame.
type jsonTask struct {
	Wait  string         `json:"wait"`
	Slice *string        `json:"slice"`
	Delay trace.Duration `json:"delay_ns"`
	Usual trace.Duration `json:"usual_ns"`
}

// jsonSeveral is what a cause is the sum of.
type jsonSeveral struct {
	Slices    int             `json:"slices"`
	Slice     *string         `json:"slice"`
	SliceTime *trace.Duration `json:"slice_ns"`
	Threads   int             `json:"threads"`
	Processes int             `json:"processes"`
	Culprit   *jsonCulprit    `json:"culprit"`
	Frames    int             `json:"frames"`
}

type jsonInstance struct {
	Start     trace.Time     `json:"start_ns"`
	End       trace.Time     `json:"end_ns"`
	Time      trace.Duration `json:"ns"`
	Arguments []jsonArgument `json:"arguments"`
}

type jsonArgument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jsonRepeat struct {
	jsonArgument
	Instances int            `json:"instances"`
	Frames    int            `json:"frames"`
	Time      trace.Duration `json:"ns"`
	AtLeast   bool           `json:"at_least"`
}

func writeJSON(w io.Writer, inputs []Input) error {
	d := document{Inputs: make([]documentInput, 0, len(inputs)), Processes: []documentOverall{}}
	for _, in := range inputs {
		c := in.Causes
		input := documentInput{in.Name, in.Quality, c.Scheduled, c.Woken, c.BlockedReasons, nonEmpty(Missing(c, in.Processes, in.Quality)), each(in.Interactions, (*Interaction).json), each(in.Hangs, Hang.json), stacksJSON(in.Stacks), each(in.Processes, func(p *Process) documentProcess {
			return documentProcess{p.PID, p.Name, p.Kind, p.Frames.Complete, p.Frames.Judged, p.Frames.Late, p.Pictures, p.delay(), p.JSON()}
		}), each(in.Layers, (*Layer).json)}
		d.Inputs = append(d.Inputs, input)
	}
	for _, o := range overallOf(inputs) {
		r := o.Ranking
		d.Processes = append(d.Processes, documentOverall{o.Name, o.Kind, o.Inputs, o.Frames.Complete, o.Frames.Judged, o.Frames.Late, knownLost(r), r.Lost - r.Unknown, r.Unknown, each(r.Costs, func(c *why.Cost) overallCost {
			return overallCost{cost(r, c), o.input[c.Worst.Process]}
		})})
	}
	return text.WriteJSON(w, d)
}

// each returns a list for text.WriteJSON: the results of a function.
func each[T, J any](list []T, encode func(T) J) iter.Seq[J] {
	return func(yield func(J) bool) {
		for _, x := range list {
			if !yield(encode(x)) {
				return
			}
		}
	}
}

// knownLost returns nil if by how much late frames were late is unknown of all.
func knownLost(r *why.Ranking) *trace.Duration {
	if !r.LostKnown() {
		return nil
	}
	return &r.Lost
}

// knownOverrun returns nil if a frame is not known to be late, or by how much is unknown.
func knownOverrun(f *analyzer.Frame) *trace.Duration {
	j := f.Judgement()
	if j.Late != analyzer.Yes || !j.OverrunKnown {
		return nil
	}
	return &j.Overrun
}

// JSON returns the process's causes for text.WriteJSON; nil if they are unknown.
func (p *Process) JSON() *JSON {
	if p == nil {
		return nil
	}
	r, worst := p.Ranking, p.worstWithCalls()
	return &JSON{
		Lost: knownLost(r), Explained: r.Lost - r.Unknown, Unknown: r.Unknown,
		Ranking: each(r.Costs, func(c *why.Cost) jsonCost { return cost(r, c) }), Functions: each(p.Functions, functionCost), Frames: each(p.Late, func(e *why.Explanation) jsonFrame { return p.frame(e, e == worst) }), ShownLate: each(p.ShownLate, p.shown),
		Shown: each(p.Shown.Costs, func(c *why.Cost) jsonCost { return cost(p.Shown, c) }),
		PickedUp: each(p.PickedUpLate, func(e *why.Explanation) jsonPickUp {
			return jsonPickUp{e.Frame.VsyncID, e.Frame.Render.VsyncID, e.PickUp.Lost, e.PickUp.Outcome.String(), causetext.PickUp(p.all, e)}
		}),
	}
}

func functionCost(f why.FunctionCost) jsonFunctionCost {
	return jsonFunctionCost{f.Name, nonEmpty(f.Module), f.Wait.String(), f.Stage.String(), f.Time, f.Usual, f.Total, f.Frames, f.Samples}
}

func functions(list []why.FunctionTime) []jsonFunction {
	encoded := []jsonFunction{}
	for i := range list {
		f := &list[i]
		encoded = append(encoded, jsonFunction{f.Name, nonEmpty(f.Module), f.Stage.String(), f.Wait.String(), f.Innermost.Name, nonEmpty(f.Innermost.Module), f.Time, f.Usual, f.Samples, f.Of, f.Sure})
	}
	return encoded
}

func calls(list why.Calls) []jsonCall {
	encoded := []jsonCall{}
	for i := range list {
		c := &list[i]
		call := jsonCall{nonEmpty(c.Name), nonEmpty(c.Module), nil, c.Time, c.Samples}
		if i > 0 {
			call.Caller = &c.Parent
		}
		encoded = append(encoded, call)
	}
	return encoded
}

// callsOf returns numbers of slices, nil if they are unknown.
func callsOf(calls, usual int) (known, usually *int) {
	if calls > 0 {
		known = &calls
		if usual >= 0 {
			usually = &usual
		}
	}
	return known, usually
}

func cost(r *why.Ranking, c *why.Cost) jsonCost {
	var stages []jsonStage
	for _, s := range c.Stages {
		stages = append(stages, jsonStage{s.Stage.String(), s.Lost})
	}
	repeats := []jsonRepeat{}
	for _, x := range c.Repeats {
		repeats = append(repeats, jsonRepeat{jsonArgument{x.Name, x.Value}, x.Instances, x.Frames, x.Time, x.AtLeast})
	}
	calls, usual := callsOf(c.Calls, int(c.UsualCalls))
	j := jsonCost{
		Calls: calls, UsualCalls: usual, Cause: causetext.CostTitle(c), Wait: c.Wait.String(), Stage: c.Stage().String(), Stages: stages, Slice: nonEmpty(c.Slice), Function: nonEmpty(c.Function),
		Culprit: culprit(c.Culprit), Missing: nonEmpty(c.Missing.String()), Frames: len(c.Frames), KnockOns: c.KnockOns, Worst: c.Worst.VsyncID, Advice: nonEmpty(causetext.Advice(c.Advice)), Repeats: repeats,
	}
	if c.LostKnown() {
		share := float64(c.Lost) / float64(max(r.Lost, 1))
		j.Lost, j.Gain, j.Direct, j.KnockOn, j.Share = &c.Lost, &c.Gain, &c.Direct, &c.KnockOn, &share
	}
	return j
}

func (p *Process) shown(e *why.Explanation) jsonShown {
	s := e.Shown
	shown := jsonShown{e.Frame.VsyncID, s.Due, s.End, s.Lost, s.Delay, []jsonStep{}, shares(s.Shares), nil, s.Confidence.String(), causetext.Shown(p.all, e)}
	if s.Root != nil {
		shown.KnockOnOf = &s.Root.VsyncID
	}
	for _, step := range s.Steps {
		shown.Steps = append(shown.Steps, jsonStep{string(step.Name), step.Time, step.Usual, step.After(e.Frame.Deadline)})
	}
	return shown
}

// frame returns a frame, with its flame graph if that is wanted.
func (p *Process) frame(e *why.Explanation, graph bool) jsonFrame {
	span := e.End.Sub(e.Start)
	f := jsonFrame{
		Vsync: e.Frame.VsyncID, TID: e.Frame.TID, Start: e.Frame.Actual.Start, End: e.Frame.Actual.End, From: e.Start, To: e.End, Overrun: knownOverrun(e.Frame), Unfinished: unfinished(e.Frame),
		KnownShare: 1 - float64(e.Unknown)/float64(max(span, 1)), Waits: []jsonWait{}, Shares: shares(e.Shares), Slices: []jsonSlice{},
		Functions: functions(e.Functions), Calls: []jsonCall{}, OverBudget: e.OverBudget,
		Verdict: nonEmpty(e.Outcome.String()), Text: nonEmpty(causetext.Sentence(p.all, e)),
	}
	if !e.Late() {
		f.Overrun = &e.Lost
	}
	if e.Frame.Deadline.Known() {
		f.Deadline = &e.Frame.Deadline
	}
	if e.Outcome != why.NotLate {
		f.Confidence = nonEmpty(e.Confidence.String())
	}
	if e.PeriodBefore > 0 {
		f.PeriodBefore = &e.PeriodBefore
	}
	if e.Slowdown > 0 {
		f.Slowdown = &e.Slowdown
	}
	if e.Root != nil {
		f.KnockOnOf = &e.Root.VsyncID
	}
	for _, w := range e.Parts {
		f.Waits = append(f.Waits, jsonWait{w.Wait.String(), w.Stage.String(), w.Time})
	}
	if p.chosen {
		f.Slices = slicesOf(e.Slices)
	}
	if graph || p.chosen {
		f.Calls = calls(e.Calls)
	}
	return f
}

func shares(list []why.Share) []jsonShare {
	encoded := []jsonShare{}
	for i := range list {
		s := &list[i]
		var gain *trace.Duration
		if s.Missing == why.NothingMissing {
			gain = &s.Gain
		}
		calls, usual := callsOf(s.Calls, int(s.UsualCalls))
		encoded = append(encoded, jsonShare{
			s.Wait.String(), s.Stage.String(), nonEmpty(s.Slice), nonEmpty(s.Function), nonEmpty(s.Interrupt), culprit(s.Culprit), s.Value, s.Usual, s.Share, task(s.Task), gain, several(s.Several),
			nonEmpty(s.Reason), nonZero(s.Frequency), nonZero(s.UsualFrequency), nonEmpty(causetext.Cores(s.Cores)),
			nonZero(s.FrequencyLimit), nonZero(s.HighestFrequency), nonEmpty(s.LimitReason), calls, usual, instances(s.Instances), nonEmpty(s.Missing.String()),
		})
	}
	return encoded
}

func task(t *why.Task) *jsonTask {
	if t == nil {
		return nil
	}
	return &jsonTask{t.Wait.String(), nonEmpty(t.Slice), t.Delay, t.Usual}
}

func several(s *why.Several) *jsonSeveral {
	if s == nil {
		return nil
	}
	j := &jsonSeveral{Slices: s.Slices, Slice: nonEmpty(s.Slice), Threads: s.Threads, Processes: s.Processes, Culprit: culprit(s.Culprit), Frames: s.Frames}
	if s.Slices > 0 {
		j.SliceTime = &s.SliceTime
	}
	return j
}

func instances(list []why.Instance) []jsonInstance {
	encoded := []jsonInstance{}
	for _, i := range list {
		encoded = append(encoded, jsonInstance{i.Start, i.End, i.Time, arguments(i.Arguments)})
	}
	return encoded
}

func arguments(list []why.Argument) []jsonArgument {
	encoded := []jsonArgument{}
	for _, a := range list {
		encoded = append(encoded, jsonArgument{a.Name, a.Value})
	}
	return encoded
}

func (i *Interaction) json() jsonInteraction {
	j := jsonInteraction{
		ID: i.ID, Kind: i.Kind.String(), Scene: i.Scene, PID: i.Process.PID, Process: i.Process.Name, Frames: len(i.Frames), Late: i.Late, Lost: i.Lost,
		Ranking: func(yield func(jsonCost) bool) {
			r := i.Ranking()
			each(r.Costs, func(c *why.Cost) jsonCost { return cost(r, c) })(yield)
		},
		Functions: func(yield func(jsonFunctionCost) bool) {
			each(i.causes.FunctionCosts(i.Frames), functionCost)(yield)
		},
		Steps: each(nil, i.step),
	}
	if d, ok := i.Interaction.Response(); ok {
		j.Response = &d
	}
	j.Grade = i.Measures.Grade
	if i.Response != nil {
		j.Steps = each(i.Response.Steps, i.step)
	}
	return j
}

func (i *Interaction) step(s why.Step) jsonResponseStep {
	j := jsonResponseStep{Step: string(s.Name), Stage: nonEmpty(s.Stage), Start: s.Start, Time: s.Time, Open: s.Open, Threads: []jsonWork{}}
	if d, ok := i.usual(&s); ok {
		j.Usual = &d
	}
	for n := range s.Work {
		j.Threads = append(j.Threads, workOf(&s.Work[n]))
	}
	return j
}

func workOf(w *why.Work) jsonWork {
	work := jsonWork{Process: nonEmpty(w.Process), Thread: nonEmpty(w.Thread), Start: w.Start, Time: w.End.Sub(w.Start), Idle: w.Idle, Waits: []jsonWorkWait{}, Slices: slicesOf(w.Slices)}
	if w.PID != trace.UnknownPID {
		work.PID = &w.PID
	}
	if w.TID != 0 {
		work.TID = &w.TID
	}
	for k := range w.Waits {
		x := &w.Waits[k]
		wait := jsonWorkWait{x.Wait.String(), x.Value, nonEmpty(x.Slice), nil, nil, nil, arguments(x.Arguments), nonEmpty(x.Function), nonEmpty(x.Interrupt), culprit(x.Culprit), nil}
		if x.Slice != "" {
			wait.SliceTime, wait.Calls, wait.Others, wait.OtherTime = &x.SliceTime, &x.Calls, &x.OtherSlices, &x.OtherTime
		}
		work.Waits = append(work.Waits, wait)
	}
	return work
}

func (l *Layer) json() jsonLayer {
	j := jsonLayer{
		ID: l.ID, Name: l.Name, Queue: nonZero(l.Queue), Judged: l.Judged, Late: l.Late, Lost: l.Lost, OfFrames: l.OfFrames, LostByFrames: l.LostByFrames,
		Ranking: each(l.Costs, l.cost), Buffers: each(l.Buffers, l.buffer), Cadences: stats.LayerCadences(l.Layer), Drops: l.Drops,
	}
	if p := l.Process; p != nil {
		j.Process = nonEmpty(p.Name)
		if !p.NoPID {
			j.PID = &p.PID
		}
	}
	return j
}

func (l *Layer) cost(c *why.BufferCost) jsonBufferCost {
	j := jsonBufferCost{
		Cause: causetext.BufferTitle(c), Reason: c.Outcome.String(), Buffers: c.Buffers, Lost: c.Lost, Share: float64(c.Lost) / float64(max(l.Lost, 1)),
		Worst: c.Worst.Buffer.Present, Advice: nonEmpty(causetext.BufferAdvice(c)),
	}
	if s := c.Share; s != nil {
		j.Wait, j.Slice, j.Function, j.Culprit = nonEmpty(s.Wait.String()), nonEmpty(s.Slice), nonEmpty(s.Function), culprit(s.Culprit)
	}
	return j
}

func (l *Layer) buffer(x *why.Explanation) jsonLateBuffer {
	b := x.Buffer
	j := jsonLateBuffer{
		Sequence: nonZero(b.Sequence), Present: b.Present, Overrun: b.Overrun(), Lost: x.Lost, Reason: x.Outcome.String(), Dropped: x.Dropped != nil, Steps: []jsonBufferStep{},
		Shares: shares(x.Shares), Text: causetext.Buffer(l.causes, x),
	}
	if b.Queued.Known() {
		j.Queued = &b.Queued
	}
	for i := range x.Steps {
		s := &x.Steps[i]
		j.Steps = append(j.Steps, jsonBufferStep{string(s.Name), s.Start, s.Time, s.Usual})
	}
	return j
}

func slicesOf(list []why.SliceTime) []jsonSlice {
	encoded := []jsonSlice{}
	for _, s := range list {
		encoded = append(encoded, jsonSlice{s.Slice, s.Self(), s.Running, s.Waiting, s.Unknown})
	}
	return encoded
}

// nonZero returns nil, JSON's null, for an unknown number.
func nonZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func culprit(c *why.Culprit) *jsonCulprit {
	if c == nil {
		return nil
	}
	j := &jsonCulprit{TID: c.TID, Process: nonEmpty(c.Process), Thread: nonEmpty(c.Thread), Wait: c.Wait.String(), Slice: nonEmpty(c.Slice), Did: c.Did, Time: c.Time, Arguments: arguments(c.Arguments), Sure: c.Sure, Function: nonEmpty(c.Function), Interrupt: nonEmpty(c.Interrupt)}
	if c.PID != trace.UnknownPID {
		j.PID = &c.PID
	}
	if o := c.For; o != nil {
		j.For = &jsonOther{TID: o.TID, Process: nonEmpty(o.Process), Thread: nonEmpty(o.Thread), Time: o.Time}
		if o.PID != trace.UnknownPID {
			j.For.PID = &o.PID
		}
	}
	return j
}

// nonEmpty returns nil, JSON's null, for an unknown text.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
