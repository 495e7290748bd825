package simulate

import (
	"ohframe/analyzer/trace"
)

// InteractionTruth is an interaction as far as the text of the trace contains it. Zero, or
// nil, is unknown.
type InteractionTruth struct {
	Kind, Scene string // "scene" and its name, or "launch" and cold, warm or hot
	PID         trace.PID
	Process     string // the full name
	Page        string
	Input       Input
	InputTime   trace.Time
	Begin, End  trace.Time // of a launch, of its first stage, and when its first frame was shown
	// FirstShown and LastShown are when the first and the last frame were shown.
	FirstShown, LastShown trace.Time
	// Response and Completion are the times from the input to them, in ms.
	Response, Completion *float64
	Estimated            bool

	Truncated, Interrupted, TimedOut bool

	// Counted is whose frames Frames are: application or render.
	Counted string
	Frames  []*Frame
	Late    int
	Device  DeviceTruth
	Stages  []StageTruth

	explicit  bool
	silent    bool
	launch    bool
	tailAt    trace.Time
	drawsFrom trace.Time
	stages    []StageTruth
	notes     []note
}

// DeviceTruth is what render_service says of a scene, in its own units.
type DeviceTruth struct {
	Response, Completion, MaxFrame *int64 // ms
	Hitch, FPS                     *float64
}

// StageTruth is a stage of a launch, which lasts until the next one begins.
type StageTruth struct {
	Name     string
	Begin    trace.Time
	Duration trace.Duration
}

// HangTruth is a task of a main thread outside of frames that takes 250 ms or longer.
type HangTruth struct {
	PID      trace.PID
	Start    trace.Time
	Duration trace.Duration
	Name     string
}

// note is a fact that a line has, which may lie outside the trace.
type note struct {
	at  trace.Time
	set func(t *InteractionTruth)
}

func (t *InteractionTruth) note(at trace.Time, set func(t *InteractionTruth)) {
	t.notes = append(t.notes, note{at, set})
}

func (t *InteractionTruth) mark(field *trace.Time, at trace.Time) {
	t.note(at, func(*InteractionTruth) { *field = at })
}

// inputTruth is a touch and the line that names it.
type inputTruth struct {
	pid   trace.PID
	kind  Input
	touch trace.Time
	line  trace.Time
}

func (s *sim) newScene(r *openScene) *InteractionTruth {
	t := &InteractionTruth{
		Kind: "scene", Scene: r.Scene, PID: r.app.PID, Process: r.app.Bundle, explicit: r.explicit, silent: r.Silent,
	}
	s.truth.all = append(s.truth.all, t)
	return t
}
