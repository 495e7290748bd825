package stats

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Interaction has the measures of an interaction (docs/frames.md 15). Unknown values are nil.
type Interaction struct {
	ID      int       `json:"id"`      // number, from 1, by begin
	Kind    string    `json:"kind"`    // "scene" or "launch"
	Scene   string    `json:"scene"`   // name of the scene; of a launch "cold", "warm" or "hot"
	PID     trace.PID `json:"pid"`     // process id of the application; nil if the trace has no line of it
	Process string    `json:"process"` // its name
	Page    *string   `json:"page"`    // page of the application, as render_service names it
	// what response and completion count from: "first_move", "last_up" or "last_down"; nil without an
	// input
	Input      *string     `json:"input"`
	InputAt    *trace.Time `json:"input_ns"`       // when the input was
	Begin      *trace.Time `json:"begin_ns"`       // when the scene's slice, or the first stage of a launch, began
	End        *trace.Time `json:"end_ns"`         // when the scene's slice ended, or the first frame of a launch was shown
	FirstShown *trace.Time `json:"first_shown_ns"` // when its first frame was shown
	LastShown  *trace.Time `json:"last_shown_ns"`  // when its last frame was shown
	Response   *float64    `json:"response_ms"`
	Completion *float64    `json:"completion_ms"`
	Estimated  bool        `json:"estimated"` // a present time is an estimate
	Truncated  bool        `json:"truncated"` // an edge of the trace cuts it
	// the device reports that another one interrupted it
	Interrupted      bool     `json:"interrupted"`
	TimedOut         bool     `json:"timed_out"` // it has no end, and the device ended it after 10 s
	Counted          string   `json:"counted"`   // "application" or "render": whose frames the following fields are about
	Frames           *int     `json:"frames"`    // frames by present time; nil if none was shown
	Late             *int     `json:"late"`
	JankRate         *float64 `json:"jank_rate"`
	MissedVsyncs     *int     `json:"missed_vsyncs"`
	LongestMissedRun *int     `json:"longest_missed_run"`
	FPS              *float64 `json:"fps"`
	Cadence          *Cadence `json:"cadence"` // how often its frames were shown, without the slow end of a fling
	HitchRatio       *float64 `json:"hitch_ms_per_s"`
	P50              *float64 `json:"p50_ms"`
	P95              *float64 `json:"p95_ms"`
	// "S", "A", "B" or "below": the response against the published limits; nil where none applies, and
	// if the trace cuts the interaction
	Grade      *Grade                  `json:"grade"`
	WorstFrame *int64                  `json:"worst_frame"` // vsync id of the frame with the largest overrun; nil if none is late
	Device     *analyzer.DeviceFigures `json:"device"`      // the device's own figures; nil if the trace has none
	Stages     []LaunchStage           `json:"stages"`      // stages of a launch
	// why values are unknown or estimates: "begin_cut", "end_cut", "begin_lost", "end_lost",
	// "input_unseen", "input_astray", "no_fences", "not_shown", "process_unseen", "device_contradicts"
	Reasons []string `json:"reasons"`

	// Source is the interaction itself; nil of interactions of several traces.
	Source *analyzer.Interaction `json:"-"`
	// Pool says which interactions are measured together; nil for one of a trace.
	Pool *Pool `json:"-"`

	parts parts
}

// LaunchStage is a stage of a launch.
type LaunchStage struct {
	Name  string     `json:"name"`     // name of the stage
	Begin trace.Time `json:"begin_ns"` // when it began
	// its duration, up to the next stage; nil if its end is unknown
	Duration *trace.Duration `json:"dur_ns"`
}

// String returns NAME=DURATION, with the duration in nanoseconds; nothing if it is unknown.
func (s LaunchStage) String() string {
	if s.Duration == nil {
		return s.Name + "="
	}
	return fmt.Sprintf("%s=%d", s.Name, *s.Duration)
}

// Grade is a class of the published limits on how long a response may take.
type Grade string

// The grades, the best first.
const (
	GradeS     Grade = "S"
	GradeA     Grade = "A"
	GradeB     Grade = "B"
	GradeBelow Grade = "below"
)

// Limit is a published limit on the response to an interaction.
type Limit struct {
	// S, A and B are the longest responses of each grade. A and B are zero if there is only
	// one grade.
	S, A, B trace.Duration
}

// The published limits, from "Application experience standards" of HarmonyOS.
var (
	ClickLimit = Limit{100 * trace.Millisecond, 150 * trace.Millisecond, 250 * trace.Millisecond}
	FlingLimit = Limit{80 * trace.Millisecond, 120 * trace.Millisecond, 180 * trace.Millisecond}
	ColdLimit  = Limit{S: 680 * trace.Millisecond}
)

// LimitOf returns the limit on the response to an interaction, nil if none applies.
func LimitOf(i *analyzer.Interaction) *Limit {
	switch {
	case i.Launch() && i.Scene == analyzer.ColdLaunch:
		return &ColdLimit
	case i.Launch():
		return nil
	case i.Input == analyzer.FirstMove:
		return &FlingLimit
	case i.Input == analyzer.LastUp:
		return &ClickLimit
	}
	return nil
}

// Grade returns the grade of a response.
func (l *Limit) Grade(response trace.Duration) Grade {
	switch {
	case response <= l.S:
		return GradeS
	case response <= l.A:
		return GradeA
	case response <= l.B:
		return GradeB
	}
	return GradeBelow
}

// ResponseGrade returns the grade of the response, also of an interaction that the trace cuts,
// which as a whole has none; empty if the response is unknown or no limit applies.
func (s *Interaction) ResponseGrade() Grade {
	if s.Grade != nil {
		return *s.Grade
	}
	d, ok := s.Source.Response()
	limit := LimitOf(s.Source)
	if !ok || limit == nil {
		return ""
	}
	return limit.Grade(d)
}

// Interactions measures the interactions of a timeline, as Compute does.
func Interactions(t *analyzer.Timeline, o Options) []*Interaction {
	list, parts := []*Interaction{}, newParts(t)
	for _, i := range t.Interactions {
		if o.Process == nil || o.Process(i.Process) {
			list = append(list, newInteraction(i, parts))
		}
	}
	return list
}

func newInteraction(i *analyzer.Interaction, parts parts) *Interaction {
	s := &Interaction{
		ID: i.ID, Kind: i.Kind.String(), Scene: i.Scene, PID: i.Process.PID, Process: i.Process.Name,
		Page: optionalText(i.Page), Input: optionalText(i.Input.String()),
		InputAt: optionalTime(i.InputAt), Begin: optionalTime(i.Begin), End: optionalTime(i.End),
		FirstShown: optionalTime(i.FirstShown), LastShown: optionalTime(i.LastShown),
		Estimated: i.Estimated, Truncated: i.Truncated(), Interrupted: i.Interrupted, TimedOut: i.TimedOut,
		Counted: "application", Device: i.Device, Stages: []LaunchStage{}, Reasons: i.Reasons.Names(), Source: i,
	}
	if i.Counted() == analyzer.RenderFrame {
		s.Counted = "render"
	}
	if d, ok := i.Response(); ok {
		s.Response = number(d.Milliseconds())
		if limit := LimitOf(i); limit != nil && !i.Truncated() {
			grade := limit.Grade(d)
			s.Grade = &grade
		}
	}
	if d, ok := i.Completion(); ok {
		s.Completion = number(d.Milliseconds())
	}
	for _, stage := range i.Stages {
		l := LaunchStage{Name: stage.Name, Begin: stage.Begin}
		if stage.End.Known() {
			d := stage.End.Sub(stage.Begin)
			l.Duration = &d
		}
		s.Stages = append(s.Stages, l)
	}
	if i.SeenTo.Known() {
		s.measure(parts)
	}
	return s
}

// IsFling reports whether the limits of a fling apply: the finger moves, or the scene is named
// so. A fling at the start of a trace has no input there.
func (s *Interaction) IsFling() bool {
	return s.Kind == analyzer.SceneInteraction.String() &&
		(s.Input != nil && *s.Input == analyzer.FirstMove.String() || strings.HasSuffix(s.Scene, "_FLING"))
}

// measure measures the frames, as those of a process.
func (s *Interaction) measure(parts parts) {
	s.parts = parts
	p := s.MeasureFrames()
	s.setFrames(p)
	if h := p.Hitches; h != nil {
		longest := 0
		for _, hitch := range h.List {
			longest = max(longest, hitch.LostFrames)
		}
		s.LongestMissedRun = &longest
	}
	if len(p.Worst) > 0 {
		s.WorstFrame = clone(p.Worst[0].VsyncID)
	}
	if f := p.FPS; f != nil {
		s.Cadence = f.Cadence
	}
}

// setFrames sets what is measured of the frames as those of a process.
func (s *Interaction) setFrames(p *Process) {
	// Copies: a pointer into p would keep all of it.
	s.Frames, s.Late = clone(p.Frames.Complete), clone(p.Frames.Late)
	for i := range InteractionMeasures {
		m := &InteractionMeasures[i]
		if of := Measures.find(m.Same); of != nil {
			m.put(s, of.Value(p))
		}
	}
	if h := p.Hitches; h != nil {
		s.MissedVsyncs = clone(h.LostFrames)
	}
}

func clone[T any](v T) *T { return &v }

// MeasureFrames measures the frames of an interaction as those of a process. Its FPS is
// without the slow end of a fling. It needs Source.
func (s *Interaction) MeasureFrames() *Process {
	i := s.Source
	p := s.measureFrames(i.Frames)
	if i.Steady < len(i.Frames) {
		p.FPS = s.measureFrames(i.Frames[:i.Steady]).FPS
	}
	return p
}

// measureFrames measures some frames of the interaction, which are of one kind, as those of a
// process.
func (s *Interaction) measureFrames(frames []*analyzer.Frame) *Process {
	p := &Process{}
	p.records.parts, p.records.animation = s.parts, animated(s.Source)
	for _, f := range frames {
		p.Kind = kindOf(f)
		p.records.addFrame(f)
	}
	p.measure()
	p.records = records{}
	return p
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func optionalTime(t trace.Time) *trace.Time {
	if !t.Known() {
		return nil
	}
	return &t
}
