package causes

import (
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// documentVersion is that of the fields. It grows when one changes its meaning or disappears.
const documentVersion = 1

// document says why frames were late: the format json has all of it, evidence what matters most (package
// brief). What is unknown or empty is left out. Lists have the worst first, unless their elements follow
// each other. The comments of fields are their meanings in testdata/api/why.md.
type document struct {
	Version  int    `json:"version"`                 // 1; it grows when a field disappears or changes its meaning
	Question string `json:"question"`                // "trace", "traces", "stacks" of a file of them, or what was selected
	Answer   string `json:"answer" brief:"sentence"` // the headline of the text
	// the sentences below it: what else was late, and whether it was the application or the system
	Sentences []string `json:"sentences,omitempty" brief:"sentence"`
	// what is wrong with the data of the inputs
	Against []string        `json:"against,omitempty" brief:"sentence,least=1"`
	Record  []brief.Record  `json:"record,omitempty" brief:"least=1"` // what the inputs do not say
	Inputs  []documentInput `json:"inputs,omitempty" brief:"least=1"` // the input
	Ranking *Overall        `json:"ranking,omitempty"`                // of several traces or a dataset: the causes by users (6); then there is nothing else
	// processes with frames; in evidence those with late frames, and those asked for
	Processes []text.Lazy[documentProcess] `json:"processes,omitempty" brief:"fewer=2"`
	OnTime    *documentOnTime              `json:"on_time,omitempty"` // the processes without late frames
	// interactions (9), those that lost the most time first; with "--interaction" only that one
	Interactions []text.Lazy[documentInteraction] `json:"interactions,omitempty"`
	// layers (10), those that lost the most time first; absent with "--frame" or "--interaction"
	Layers []text.Lazy[documentLayer] `json:"layers,omitempty"`
	// hangs, the longest first; absent with "--frame", "--interaction" or "--layer"
	Hangs  []text.Lazy[documentHang] `json:"hangs,omitempty"`
	Stacks []documentStacks          `json:"stacks,omitempty"` // stacks of main threads without times, of "--perf" or a file of them
}

type documentInput struct {
	Name   string     `json:"name"`              // name of the input
	Start  trace.Time `json:"start_ns,omitzero"` // its first line
	Length float64    `json:"seconds,omitzero"`  // from there to the last
	// data quality, as in a report (docs/trouble.md); evidence has "verdict", "reasons", "clock_source" and "clock_accuracy_ns" of it
	Quality *quality.Quality `json:"quality,omitzero" brief:"only=verdict reasons clock_source clock_accuracy_ns"`
	// whether it has "sched_switch", wakeups, "sched_blocked_reason", samples of functions
	Scheduled      bool   `json:"scheduled"`
	Woken          bool   `json:"woken"`
	BlockedReasons bool   `json:"blocked_reasons"`
	Sampled        bool   `json:"sampled"`
	Missing        string `json:"missing,omitzero" brief:"-"` // what to record in order to know more causes
}

type documentProcess struct {
	Name   string     `json:"name,omitzero"` // its name
	PID    trace.PID  `json:"pid"`           // its id
	Kind   stats.Kind `json:"kind"`          // its kind, as in reports
	Frames int        `json:"frames"`        // its complete frames, those known to be late or on time, and the late ones
	Judged int        `json:"judged"`
	Late   int        `json:"late"`
	// part of the judged frames that is late
	JankRate *float64 `json:"jank_rate,omitzero"`
	// sum of the overruns; absent if by how much frames were late is unknown
	Lost *trace.Duration `json:"lost_ns,omitzero"`
	Causes
	// set for "render_service" with "--process": only the frames that show the application
	Pictures bool `json:"pictures,omitzero"`
	// by how much the pictures of an application came late to the display (6)
	Delay   *lateness       `json:"pictures_late,omitzero"`
	Refresh []stats.Refresh `json:"refresh,omitempty" brief:"5"`  // refresh rates, as in reports
	Why     string          `json:"why,omitzero" brief:"command"` // the command that explains it
	// how many elements are not in the lists of this object, in evidence
	LeftOut brief.LeftOut `json:"left_out,omitzero"`
}

// Causes is why frames of a process were late, for text.WriteJSON.
type Causes struct {
	Unknown trace.Duration  `json:"unknown_ns"`                                 // part of the lost time whose cause is unknown
	Against []string        `json:"against,omitempty" brief:"sentence,least=1"` // what speaks against the causes, or limits them
	Ranking []documentCause `json:"causes,omitempty" brief:"least=1"`           // causes of late frames, by "lost_ns", the largest first
	// causes of render frames that were shown late; "lost_ns" are sums of their "late_ns"
	Shown      []documentCause `json:"shown_causes,omitempty" brief:"least=1"`
	LateFrames []lazyLate      `json:"late_frames,omitempty" brief:"5"` // the late frames, the latest first; with `why --frame` that frame, late or not
	// render frames shown late, those that made others late first; application frames on time and picked up late
	ShownLate    []lazyLate `json:"shown_late,omitempty" brief:"5"`
	PickedUpLate []lazyLate `json:"picked_up_late,omitempty" brief:"5"`
	NotBegun     []lazyLate `json:"after_not_begun,omitempty" brief:"5"` // frames before which others never began
	// functions in which late frames took longer than frames on time (docs/why.md 11), by "total_excess_ns"
	Functions []why.FunctionCost `json:"functions,omitempty" brief:"5"`
}

type lazyLate = text.Lazy[documentLate]

type documentOnTime struct {
	Processes int `json:"processes"` // their number, their frames, and those known to be on time
	Frames    int `json:"frames"`
	Judged    int `json:"judged"`
}

// documentCause is a cause of late frames, of frames that were shown late, or of late buffers.
type documentCause struct {
	Title  string      `json:"title" brief:"sentence"` // the cause in a few words, for people
	Reason why.Outcome `json:"reason,omitzero"`        // of buffers: code of the reason (10)
	Wait   string      `json:"wait,omitzero"`          // code of the wait
	Stage  string      `json:"stage,omitzero"`         // stage in which the most time was lost; "none" for all stages
	// stages in which time was lost, the one with the most first
	Stages []why.StageCost `json:"stages,omitempty" brief:"-"`
	Slice  string          `json:"slice,omitzero"` // slice of the frame's thread
	// slices that have time of the cause, in all frames; absent outside of all slices, in several, and for waits that do not depend on what the thread was doing
	Calls      int          `json:"calls,omitzero"`
	UsualCalls *int         `json:"usual_calls,omitzero"` // how many frames on time have; absent if there is no such frame
	Function   string       `json:"function,omitzero"`    // kernel function of the wait in the worst frame
	Interrupt  string       `json:"interrupt,omitzero"`   // interrupt that ended the wait in the worst frame
	Culprit    *why.Culprit `json:"culprit,omitzero"`     // thread that was waited for in the worst frame
	// what the trace lacks for the cause: its code; absent if the cause is known
	Missing why.Missing `json:"missing,omitzero"`
	Frames  int         `json:"frames,omitzero"`  // frames with the cause
	Buffers int         `json:"buffers,omitzero"` // buffers with the cause
	// sum of their shares; absent if by how much they were late is unknown
	Lost  *trace.Duration `json:"lost_ns,omitzero"`
	Share *float64        `json:"share,omitzero"` // "lost_ns" / "lost_ns" of the process or layer
	// by how much less the frames would be late together if only this had taken its usual time
	Gain *trace.Duration `json:"gain_ns,omitzero"`
	// part of "lost_ns" of frames that had the cause themselves
	Direct *trace.Duration `json:"direct_ns,omitzero" brief:"-"`
	// part of "lost_ns" of frames that an earlier frame with the cause delayed
	KnockOn trace.Duration `json:"knock_on_ns,omitzero"`
	// frames that lost more to it because of an earlier frame than by themselves
	KnockOns  int          `json:"knock_on_frames,omitzero"`
	Arguments []why.Repeat `json:"arguments,omitempty"` // arguments (12) that several slices of the cause have, those with the most time first
	// the frame or buffer that lost the most to it, with what later frames lost because of that frame; its sentence and commands are at the first of its causes
	Worst   *documentLate `json:"worst,omitzero"`
	Advice  string        `json:"advice,omitzero" brief:"sentence"`           // what to do about it
	Against []string      `json:"against,omitempty" brief:"sentence,least=1"` // what speaks against the cause
}

// documentLate is a frame or a buffer that was late, shown late or picked up late, and why.
type documentLate struct {
	Vsync    int64      `json:"vsync_id,omitzero"`              // vsync of a frame
	TID      trace.TID  `json:"tid,omitzero"`                   // its thread
	Render   int64      `json:"render_vsync_id,omitzero"`       // vsync of the render frame that picked it up late
	Sequence int64      `json:"sequence,omitzero"`              // number of a buffer
	Queued   trace.Time `json:"queued_ns,omitzero" brief:"-"`   // when the buffer was queued
	Start    trace.Time `json:"start_ns,omitzero"`              // begin of the frame's actual interval
	End      trace.Time `json:"end_ns,omitzero" brief:"-"`      // end of the frame's actual interval
	Deadline trace.Time `json:"deadline_ns,omitzero" brief:"-"` // its deadline
	// when the display would have shown a usual frame; a longer "delay_ns" than usual makes it later
	Due     trace.Time `json:"due_ns,omitzero" brief:"-"`
	Present trace.Time `json:"present_ns,omitzero"` // when the display showed it, of frames shown late and of buffers
	// by how much it was late; absent if that is unknown
	Late    *trace.Duration `json:"late_ns,omitzero"`
	AtLeast bool            `json:"at_least,omitzero"` // the trace ends within the frame: it was late by more
	// of buffers: the part of "late_ns" that its frame does not explain
	Lost    trace.Duration `json:"lost_ns,omitzero"`
	Dropped bool           `json:"dropped,omitzero" brief:"-"`  // a buffer before it was dropped
	Delay   trace.Duration `json:"delay_ns,omitzero" brief:"-"` // time by which "render_service" delayed the commit on purpose
	// what is known of the cause (4); of frames picked up late the reason (8), of buffers that of (10)
	Verdict    why.Outcome `json:"verdict,omitzero"`
	Confidence string      `json:"confidence,omitzero"`  // "high", "medium" or "low"
	KnockOnOf  int64       `json:"knock_on_of,omitzero"` // vsync of the frame that it was late because of
	// of a worst frame: time of the cause, and that of frames on time; "usual_ns" is absent without frames to compare with, or if they take longer than the budget
	Value            *trace.Duration   `json:"value_ns,omitzero"`
	Usual            *trace.Duration   `json:"usual_ns,omitzero"`
	Sampled          *why.FunctionTime `json:"sampled,omitzero"`                 // of a worst frame: function that its samples name
	Cause            string            `json:"cause,omitzero" brief:"sentence"`  // why it was late, in a sentence
	Shares           []why.Share       `json:"shares,omitempty" brief:"least=1"` // its causes, the largest first; in evidence those of the frame asked for, and the first one of frames shown late
	Steps            []why.Step        `json:"steps,omitempty" brief:"-"`        // steps of a buffer, or of a frame from its start to the display, in order of time
	*documentDetails `json:",omitzero"`
	Why              string `json:"why,omitzero" brief:"command"` // the commands that explain it and show it in Perfetto
	Open             string `json:"open,omitzero" brief:"command"`
}

// documentDetails are of frames in late_frames; evidence has them of the frame that was asked for.
type documentDetails struct {
	From trace.Time `json:"from_ns" brief:"-"` // of "late_frames": the frame's span (1)
	To   trace.Time `json:"to_ns" brief:"-"`
	// of "late_frames": part of the span for which the state of its thread is known; in evidence of the frame asked for
	KnownShare float64 `json:"known_share"`
	// frames usually take longer than its budget, and what is usual is what fits into it (3)
	OverBudget bool `json:"over_budget,omitzero"`
	// refresh period before, if the frame is late because the display runs at a higher rate since
	PeriodBefore trace.Duration `json:"period_before_ns,omitzero"`
	// how many times as long as usual its slices ran, if nearly all did so about as many times and the trace has no CPU frequencies: a slower CPU may be why (3)
	Slowdown float64 `json:"slowdown,omitzero"`
	// sums of times that add up to its length, with "--frame"
	Span   string `json:"span,omitzero" brief:"sentence"`
	Budget string `json:"budget,omitzero" brief:"sentence"`
	// by how much it was shown or picked up late, and why, with "--frame"
	Shown     string             `json:"shown_late,omitzero" brief:"sentence"`
	PickedUp  string             `json:"picked_up_late,omitzero" brief:"sentence"`
	Waits     []why.Part         `json:"waits,omitempty" brief:"-"`     // where its time went, adding up to "to_ns" − "from_ns"
	Threads   []why.Culprit      `json:"waited_for,omitempty"`          // threads that it waited for, the longest first, with "--frame"
	Functions []why.FunctionTime `json:"functions,omitempty" brief:"5"` // functions that the thread was in, by its samples, the largest excess first
	Slices    []why.SliceTime    `json:"slices,omitempty" brief:"5"`    // time in each slice, the longest first, with "--frame"
	// its flame graph, a caller before what it called: of the worst frame of the process, and with "--frame"
	Calls   why.Calls     `json:"calls,omitempty" brief:"-"`
	LeftOut brief.LeftOut `json:"left_out,omitzero"` // as of processes
}

// documentStep is a step of a response.
type documentStep struct {
	Step    why.StepName    `json:"step"`                          // code of the step (9)
	Stage   string          `json:"stage,omitzero"`                // stage of a launch
	Start   trace.Time      `json:"start_ns,omitzero"`             // when it begins
	Time    trace.Duration  `json:"ns"`                            // its length
	Usual   *trace.Duration `json:"usual_ns,omitzero"`             // median of the step in the other interactions of the scene
	Open    bool            `json:"open,omitzero"`                 // it has no known end
	Did     string          `json:"did,omitzero" brief:"sentence"` // what its threads mostly did
	Threads []why.Work      `json:"threads,omitempty" brief:"-"`   // what threads did in it
}

type documentInteraction struct {
	ID       int             `json:"id"`                   // its number, as in reports
	Kind     string          `json:"kind"`                 // its kind, as in reports
	Name     string          `json:"name"`                 // the scene in words
	Scene    string          `json:"scene" brief:"-"`      // its name, as in reports
	Process  string          `json:"process,omitzero"`     // name of the application
	PID      trace.PID       `json:"pid" brief:"-"`        // its process id
	Start    trace.Time      `json:"start_ns,omitzero"`    // when it begins
	Response *trace.Duration `json:"response_ns,omitzero"` // length of the response
	Grade    stats.Grade     `json:"grade,omitzero"`       // its grade: "S", "A", "B" or "below"
	Frames   int             `json:"frames"`               // its frames, and the late ones
	Late     int             `json:"late"`
	Lost     trace.Duration  `json:"lost_ns"` // sum of their overruns
	// hitch time per second, as in reports; flings are judged by it (docs/ci.md)
	Hitch  *float64 `json:"hitch_ms_per_s,omitzero"`
	Missed *int     `json:"longest_missed_run,omitzero"`      // the most refreshes missed in a row, as in reports
	Cause  string   `json:"cause,omitzero" brief:"sentence"`  // what it lost the most time to
	Advice string   `json:"advice,omitzero" brief:"sentence"` // for the longest step
	// time of the response in which its thread was still busy with earlier late frames, and vsync of the frame that caused the longest of it
	KnockOn   trace.Duration `json:"knock_on_ns,omitzero"`
	KnockOnOf int64          `json:"knock_on_of,omitzero"`
	// what the response was spent on, the longest first; in evidence with "--interaction"
	Steps     []documentStep     `json:"steps,omitempty" brief:"least=1"`
	Against   []string           `json:"against,omitempty" brief:"sentence"` // what is unknown, and why
	Ranking   []documentCause    `json:"causes,omitempty" brief:"-"`         // causes of its late frames
	Functions []why.FunctionCost `json:"functions,omitempty" brief:"-"`      // functions in which its late frames took longer
	Why       string             `json:"why,omitzero" brief:"command"`       // the commands that explain it and show it in Perfetto
	Open      string             `json:"open,omitzero" brief:"command"`
}

type documentHang struct {
	Process  string         `json:"process,omitzero"`   // name of the application
	PID      trace.PID      `json:"pid"`                // its process id
	Slice    string         `json:"slice"`              // the slice that is the hang
	Start    trace.Time     `json:"start_ns"`           // when it begins
	Duration trace.Duration `json:"duration_ns"`        // its length
	BeginCut bool           `json:"begin_cut,omitzero"` // it began before, or ends after, what the trace has
	EndCut   bool           `json:"end_cut,omitzero"`
	Severe   bool           `json:"severe"`                           // 500 ms or more
	Cause    string         `json:"cause,omitzero" brief:"sentence"`  // what most of it was spent on
	Advice   string         `json:"advice,omitzero" brief:"sentence"` // what to do about that
	Culprit  *why.Culprit   `json:"culprit,omitzero"`                 // thread that was waited for in that
	// the slice, and inside each those with half of its time
	Path   []why.NamedSlices `json:"path,omitempty" brief:"16"`
	Slices []why.SliceTime   `json:"slices,omitempty"` // slices of its thread, the longest first; in evidence of the only hang
	// what its thread did, the longest first, as "threads[].waits" of a step
	Waits  []why.WaitTime `json:"waits,omitempty" brief:"-"`
	Idle   trace.Duration `json:"idle_ns,omitzero" brief:"-"`   // time in which the thread had nothing to do
	TID    trace.TID      `json:"tid,omitzero" brief:"-"`       // id of the thread
	Thread string         `json:"thread,omitzero" brief:"-"`    // its name
	Why    string         `json:"why,omitzero" brief:"command"` // the command that shows its slices
}

type documentLayer struct {
	ID      int            `json:"id"`                          // its number, as in reports
	Name    string         `json:"name,omitzero"`               // its name
	Queue   int64          `json:"queue_id,omitzero" brief:"-"` // id of its queue of buffers
	Process string         `json:"process,omitzero"`            // name of its producer
	PID     *trace.PID     `json:"pid,omitzero"`                // process id of its producer
	Judged  int            `json:"judged"`                      // buffers that were compared with the cadence, and the late ones
	Late    int            `json:"late"`
	Lost    trace.Duration `json:"lost_ns"` // sum of what their intervals exceed the cadence by
	// buffers of late frames, and what these explain
	OfFrames int             `json:"of_frames,omitzero"`
	ByFrames trace.Duration  `json:"of_frames_lost_ns,omitzero"`
	Drops    []documentDrops `json:"drops,omitempty" brief:"least=1"` // why buffers were dropped, as in reports
	// its cadences in order of time, as in reports
	Cadences []stats.LayerCadence `json:"cadences,omitempty"`
	Ranking  []documentCause      `json:"causes,omitempty" brief:"least=1"` // causes of the rest, the largest first
	Buffers  []lazyLate           `json:"buffers,omitempty" brief:"5"`      // late buffers, the latest first; in evidence with "--layer"
	Why      string               `json:"why,omitzero" brief:"command"`     // the command that explains it
}

type documentDrops struct {
	stats.LayerDrops
	Cause string `json:"cause" brief:"sentence"` // the reason in a sentence
}

// documentStacks are stacks of a main thread without times.
type documentStacks struct {
	why.Stacks
	LeftOut brief.LeftOut `json:"left_out,omitzero"` // as of processes
}
