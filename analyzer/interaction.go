package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

// InteractionKind is the kind of an interaction.
type InteractionKind uint8

const (
	// SceneInteraction is a scene that an application marks, such as a fling.
	SceneInteraction InteractionKind = iota
	// LaunchInteraction is the start of an application up to its first frame.
	LaunchInteraction
)

// String returns "scene" or "launch".
func (k InteractionKind) String() string {
	if k == LaunchInteraction {
		return "launch"
	}
	return "scene"
}

// Input is the movement of the finger from which the response of an interaction counts.
type Input uint8

const (
	NoInput   Input = iota // none is known
	FirstMove              // the finger begins to move
	LastUp                 // the finger leaves the screen
	LastDown               // the finger touches the screen
)

var inputNames = [...]string{NoInput: "", FirstMove: "first_move", LastUp: "last_up", LastDown: "last_down"}

// String returns "first_move", "last_up" or "last_down"; it is empty for NoInput.
func (i Input) String() string { return inputNames[i] }

// Launches by what existed before, in Interaction.Scene.
const (
	ColdLaunch = "cold" // neither the process nor the ability
	WarmLaunch = "warm" // the process
	HotLaunch  = "hot"  // the process and the ability
)

// Reasons is a set of reasons why something about an interaction is unknown or an estimate.
type Reasons uint16

const (
	// ReasonBeginCut: the trace begins within the interaction.
	ReasonBeginCut Reasons = 1 << iota
	// ReasonEndCut: the trace ends within the interaction.
	ReasonEndCut
	// ReasonBeginLost: the line of its begin is missing within the trace.
	ReasonBeginLost
	// ReasonEndLost: the line of its end is missing within the trace.
	ReasonEndLost
	// ReasonInputUnseen: the input that it counts from is not in the trace.
	ReasonInputUnseen
	// ReasonInputAstray: the time of its input is far from the line that states it, as with an
	// unknown clock offset.
	ReasonInputAstray
	// ReasonNoFences: the trace has no present times; those of the interaction are estimates.
	ReasonNoFences
	// ReasonNotShown: no frame of it has a present time.
	ReasonNotShown
	// ReasonProcessUnseen: the trace has no line of the launched process.
	ReasonProcessUnseen
	// ReasonDeviceContradicts: the device reports two values of one figure, which is left out.
	ReasonDeviceContradicts
	reasonsEnd
)

var reasonNames = [...]string{
	"begin_cut", "end_cut", "begin_lost", "end_lost", "input_unseen", "input_astray", "no_fences", "not_shown", "process_unseen", "device_contradicts",
}

// Names returns the names of the reasons, in order.
func (r Reasons) Names() []string {
	list := []string{}
	for i, name := range reasonNames {
		if r&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

// ReasonsEnd is above all sets of reasons.
const ReasonsEnd = int(reasonsEnd)

// Interaction is something that the user did, and what was shown of it (docs/frames.md 15).
// Times are trace times. Unknown values are zero.
type Interaction struct {
	// ID numbers the interactions of an input from 1, by begin.
	ID   int
	Kind InteractionKind
	// Scene is the name of a scene, for example APP_LIST_FLING; of a launch ColdLaunch,
	// WarmLaunch or HotLaunch.
	Scene string
	// Process is the application. It is never nil. If the trace has no line of it, its PID
	// is UnknownPID, and it is not among Timeline.Processes.
	Process *Process
	// Page is the page of the application that render_service names; empty if unknown.
	Page string
	// Input is what the response counts from, InputAt its time. Without an input the
	// response counts from Begin.
	Input   Input
	InputAt trace.Time
	// Begin and End are the ends of the scene's slice, as far as they are in the trace. A
	// launch begins with its first stage and ends when its first frame is shown.
	Begin, End trace.Time
	// Observed is from Begin to End, or to where the trace or the time limit of a scene
	// cuts it. It is unknown if ReasonBeginLost is among Reasons.
	Observed Interval
	// Explicit: the application draws every frame of the animation. Otherwise render_service
	// animates, and the application may send nothing.
	Explicit bool
	// Interrupted: the device reports that another interaction interrupted it.
	Interrupted bool
	// TimedOut: it has no end, and the device ends it after ten seconds.
	TimedOut bool
	// Tail is when the slow end of a fling began, in which the refresh rate falls; zero if
	// it has none.
	Tail trace.Time
	// Device are the device's own figures; nil if it reports none.
	Device *DeviceFigures
	// Stages are the stages of a launch, in order.
	Stages []LaunchStage
	// Reasons are why values are unknown or estimates.
	Reasons Reasons

	// ShowInteractions sets what follows.

	// First is the first frame that shows the interaction, Last the last one: an
	// application frame, or a render frame if the application sent none. They are nil if
	// unknown: First if the trace begins within the interaction, Last if it ends within it.
	First, Last *Frame
	// FirstShown and LastShown are their present times.
	FirstShown, LastShown trace.Time
	// SeenTo is the last present time of a frame of the interaction in the trace: that of
	// Last, or of an earlier one if Last is unknown; zero without any.
	SeenTo trace.Time
	// Estimated: one of these times is an estimate.
	Estimated bool
	// Frames are the frames of the interaction, by present time: application frames, or
	// render frames unless Explicit.
	Frames []*Frame
	// Steady is how many of Frames were shown before Tail; all of them without a Tail.
	Steady int
}

// LaunchStage is a stage of a launch. It lasts until the next one begins, the last one until
// the first frame is shown.
type LaunchStage struct {
	Name  string
	Begin trace.Time
	End   trace.Time // zero if unknown
}

// FingerUp is the stage from when the finger left the screen until the launcher gets the touch.
const FingerUp = "FingerUp"

// Names of the stages that are frames.
const (
	FirstFrameApplication = "First Frame, application"
	FirstFrameRender      = "First Frame, render"
)

// DeviceFigures are what the device itself reports of an interaction. Nil is unknown.
type DeviceFigures struct {
	ResponseMS   *float64 `json:"response_ms"`    // its response, to the millisecond
	CompletionMS *float64 `json:"completion_ms"`  // its completion, to the millisecond
	HitchRatio   *float64 `json:"hitch_ms_per_s"` // its hitch ratio
	MaxFrameMS   *float64 `json:"max_frame_ms"`   // its longest frame
	FPS          *float64 `json:"fps"`            // frames / its duration
}

// Hang is a slice of an application's main thread outside of frames that is at least MinHang
// long: events wait meanwhile. One that an edge of the trace cuts may be within a frame.
type Hang struct {
	Process *Process
	// Interval is the part in the trace. The hang is longer if an edge cuts it.
	Interval
	// Slice is the outermost slice; empty if that began before the trace.
	Slice string
	// BeginCut and EndCut are what the hang begins before and ends after.
	BeginCut, EndCut Edge
}

// Block is a slice of an application's main thread outside of frames, at least MinBlock and less than
// MinHang long.
type Block struct {
	Process *Process
	Interval
}

// AtLeast reports whether the hang is longer than its Duration.
func (h *Hang) AtLeast() bool { return h.BeginCut != NoEdge || h.EndCut != NoEdge }

// Edge is what cuts something.
type Edge uint8

const (
	NoEdge     Edge = iota // nothing
	TraceEdge              // the begin or the end of the trace
	WindowEdge             // that of the window that was asked for
)

// String returns "trace" or "window", and nothing for NoEdge.
func (e Edge) String() string { return [...]string{"", "trace", "window"}[e] }

// Limits of a hang: from MinHang on it is noticeable, from SevereHang on severe. Shorter ones, from
// MinBlock on, are only counted as time that is not idle.
const (
	MinBlock   = 100 * trace.Millisecond
	MinHang    = 250 * trace.Millisecond
	SevereHang = 500 * trace.Millisecond
)

// Launch reports whether the interaction is a launch.
func (i *Interaction) Launch() bool { return i.Kind == LaunchInteraction }

// Truncated reports whether an edge of the trace cuts the interaction.
func (i *Interaction) Truncated() bool { return i.Reasons&(ReasonBeginCut|ReasonEndCut) != 0 }

// Counted is the kind of Frames.
func (i *Interaction) Counted() Kind {
	if i.Explicit {
		return ApplicationFrame
	}
	return RenderFrame
}

// From returns the time from which response and completion count: that of the input, or the
// begin without one; zero if both are unknown.
func (i *Interaction) From() trace.Time { return cmp.Or(i.InputAt, i.Begin) }

// Span returns the known part of the interaction: from the input, or the begin without one, to
// when the last frame was shown. A launch without a shown frame ends where its last stage
// begins, because the length of that stage is unknown.
func (i *Interaction) Span() Interval {
	start, end := cmp.Or(i.From(), i.Observed.Start, i.End), cmp.Or(i.LastShown, i.Observed.End, i.End)
	if i.Reasons&ReasonEndCut != 0 { // the last frame is shown after that
		end = max(end, i.SeenTo)
	}
	if n := len(i.Stages); n > 0 && !i.Stages[n-1].End.Known() {
		end = i.Stages[n-1].Begin
	}
	return Interval{Start: start, End: max(start, end)}
}

// Response returns the time from the input to the first frame shown; ok is false if it is
// unknown.
func (i *Interaction) Response() (d trace.Duration, ok bool) { return between(i.From(), i.FirstShown) }

// Completion returns the time from the input to the last frame shown; ok is false if it is
// unknown.
func (i *Interaction) Completion() (d trace.Duration, ok bool) { return between(i.From(), i.LastShown) }

func between(from, to trace.Time) (trace.Duration, bool) {
	if !from.Known() || !to.Known() {
		return 0, false
	}
	return to.Sub(from), true
}

// IsScene reports whether a slice has the name of a scene: capital letters, digits and
// underscores, a letter first, at least two.
func IsScene(name string) bool {
	return len(name) > 1 && name[0] >= 'A' && name[0] <= 'Z' &&
		strings.IndexFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' }) < 0
}

// maxFirstFrame is the maximum time from the last stage of a launch to its first frame.
const maxFirstFrame = 10 * trace.Second

// ShowInteractions finds the frames of all interactions, by rules 15.5 to 15.8 of
// docs/frames.md. The frames must be complete; calling it again has the same result.
func (t *Timeline) ShowInteractions() {
	if len(t.Interactions) == 0 {
		return
	}
	s := newShows(t)
	for _, i := range t.Interactions {
		i.First, i.Last, i.FirstShown, i.LastShown, i.SeenTo, i.Estimated, i.Frames, i.Steady = nil, nil, 0, 0, 0, false, nil, 0
		i.Reasons &^= ReasonNoFences | ReasonNotShown
		if i.Launch() {
			s.launch(i)
		} else {
			if i.End.Known() || i.Reasons&ReasonEndLost != 0 { // only its last frame may be cut
				i.Reasons &^= ReasonEndCut
			}
			s.scene(i)
		}
		switch {
		case !i.SeenTo.Known():
			i.Reasons |= ReasonNotShown
		case s.estimates:
			i.Reasons |= ReasonNoFences
		}
	}
}

// shows are the frames that were shown.
type shows struct {
	apps      map[*Process]*showList
	render    showList
	estimates bool // no present time is known
	// sent: some application frame of the trace is not empty. Otherwise the trace does not
	// have what applications send.
	sent bool
	drew map[*Process]bool // processes with application frames
	// last is the start of the last render frame with a present time, unshown are the
	// application frames after it.
	last    trace.Time
	unshown map[*Process][]*Frame
}

// showList are frames by start, and by present time.
type showList struct {
	byStart, byPresent []show
	frames             []*Frame       // of byPresent
	longest            trace.Duration // of a frame
}

// show is a frame and when it was shown.
type show struct {
	frame     *Frame
	at        trace.Time
	estimated bool
}

func newShows(t *Timeline) *shows {
	s := &shows{apps: map[*Process]*showList{}, estimates: true, drew: map[*Process]bool{}}
	for f := range t.Complete() {
		if f.Kind == RenderFrame && f.Present.Known() {
			s.estimates = false
			break
		}
	}
	for f := range t.Complete() {
		if f.Kind == RenderFrame {
			s.render.add(f, s.present(f))
			continue
		}
		s.drew[f.Process] = true
		drew := f.Judgement().Empty == No
		s.sent = s.sent || drew
		if !drew || f.Render == nil || f.Render.Facts.Has(Truncated) {
			continue
		}
		list := s.apps[f.Process]
		if list == nil {
			list = &showList{}
			s.apps[f.Process] = list
		}
		list.add(f, s.present(f.Render))
	}
	s.render.sort()
	for _, list := range s.apps {
		list.sort()
	}
	s.findUnshown(t)
	return s
}

// findUnshown finds the application frames that the display shows after the end of the trace, if
// it shows them. A trace without the frames of render_service has no such frames.
func (s *shows) findUnshown(t *Timeline) {
	if len(s.render.byStart) == 0 {
		return
	}
	s.last = s.render.byStart[len(s.render.byStart)-1].frame.Actual.Start
	s.unshown = map[*Process][]*Frame{}
	for _, f := range t.Frames {
		taken := f.Actual.End
		if f.Render != nil {
			taken = f.Render.Actual.Start
		}
		if f.Kind == ApplicationFrame && taken > s.last && (f.Facts.Has(Truncated) || !f.Facts.Has(Empty)) {
			s.unshown[f.Process] = append(s.unshown[f.Process], f)
		}
	}
}

// present returns when a render frame was shown: in a trace without present times, on the
// first vsync after its commit.
func (s *shows) present(render *Frame) show {
	if !s.estimates {
		return show{at: render.Present, estimated: render.PresentEstimated}
	}
	end, vsync := render.Commit.End, cmp.Or(render.Vsync, render.Expected.Start)
	if !end.Known() || !vsync.Known() || render.Period <= 0 || end < vsync {
		return show{}
	}
	periods := (end.Sub(vsync) + render.Period - 1) / render.Period
	return show{at: vsync.Add(periods * render.Period), estimated: true}
}

func (l *showList) add(f *Frame, s show) {
	if s.at.Known() {
		s.frame = f
		l.byStart = append(l.byStart, s)
		l.longest = max(l.longest, f.Actual.Duration())
	}
}

func (l *showList) sort() {
	l.byPresent = slices.Clone(l.byStart)
	slices.SortStableFunc(l.byStart, func(a, b show) int { return cmp.Compare(a.frame.Actual.Start, b.frame.Actual.Start) })
	slices.SortStableFunc(l.byPresent, func(a, b show) int { return cmp.Compare(a.at, b.at) })
	for i := range l.byPresent {
		l.frames = append(l.frames, l.byPresent[i].frame)
	}
}

// firstEnding returns the first frame that ends and is shown after from and begins by to; nil if there is
// none.
func (l *showList) firstEnding(from, to trace.Time) *show {
	at, _ := slices.BinarySearchFunc(l.byStart, from.Add(-l.longest), func(s show, from trace.Time) int { return cmp.Compare(s.frame.Actual.Start, from) })
	for ; at < len(l.byStart) && l.byStart[at].frame.Actual.Start <= to; at++ {
		if s := &l.byStart[at]; s.frame.Actual.End > from && s.at > from {
			return s
		}
	}
	return nil
}

// firstBeginning returns the first frame that begins after from and by to.
func (l *showList) firstBeginning(from, to trace.Time) *show {
	at, _ := slices.BinarySearchFunc(l.byStart, from+1, func(s show, from trace.Time) int { return cmp.Compare(s.frame.Actual.Start, from) })
	if at < len(l.byStart) && l.byStart[at].frame.Actual.Start <= to {
		return &l.byStart[at]
	}
	return nil
}

// lastBeginning returns the last frame that begins by to.
func (l *showList) lastBeginning(to trace.Time) *show {
	at, _ := slices.BinarySearchFunc(l.byStart, to+1, func(s show, to trace.Time) int { return cmp.Compare(s.frame.Actual.Start, to) })
	if at == 0 {
		return nil
	}
	return &l.byStart[at-1]
}

// within returns the range of byPresent and frames that was shown from from to to.
func (l *showList) within(from, to trace.Time) (first, end int) {
	at := func(time trace.Time) int {
		i, _ := slices.BinarySearchFunc(l.byPresent, time, func(s show, time trace.Time) int { return cmp.Compare(s.at, time) })
		return i
	}
	first = at(from)
	return first, max(first, at(to+1))
}

// scene finds the frames of a scene.
func (s *shows) scene(i *Interaction) {
	from, to := i.Observed.Start, i.Observed.End
	if !i.Observed.Known() {
		return
	}
	apps := cmp.Or(s.apps[i.Process], &showList{})
	first := apps.firstEnding(from, to)
	if first == nil && !i.Explicit && (s.sent || !s.drew[i.Process]) {
		first = s.render.firstBeginning(from, to)
	}
	// An explicit scene may have frames up to its end that the trace does not show any more.
	if i.Explicit && slices.ContainsFunc(s.unshown[i.Process], func(f *Frame) bool { return f.Actual.Start <= to && f.Actual.End > from }) {
		i.Reasons |= ReasonEndCut
	}
	if first == nil {
		return
	}
	last := first
	if i.Explicit {
		if l := apps.lastBeginning(to); l != nil && l.at >= first.at {
			last = l
		}
	} else if from, end := s.render.within(first.at, to); from < end {
		last = &s.render.byPresent[end-1]
	}
	i.show(first, last)
	list := &s.render
	if i.Explicit {
		list = apps
	}
	n, end := list.within(from, last.at)
	i.Frames = list.frames[n:end:end] // no copy: scenes may overlap
	if i.Steady = len(i.Frames); i.Tail.Known() {
		_, end = list.within(from, min(i.Tail-1, last.at))
		i.Steady = max(0, end-n)
	}
}

// show sets the frames that show an interaction, as far as the trace has them.
func (i *Interaction) show(first, last *show) {
	i.SeenTo = last.at
	if i.Reasons&ReasonBeginCut == 0 || i.Launch() {
		i.First, i.FirstShown, i.Estimated = first.frame, first.at, first.estimated
	}
	if i.Reasons&ReasonEndCut == 0 || i.Launch() {
		i.Last, i.LastShown, i.Estimated = last.frame, last.at, i.Estimated || last.estimated
	}
}

// launch finds the first frame of a launch, which adds stages.
func (s *shows) launch(i *Interaction) {
	i.Stages = slices.DeleteFunc(i.Stages, func(s LaunchStage) bool {
		return s.Name == FirstFrameApplication || s.Name == FirstFrameRender
	})
	i.End = 0
	if n := len(i.Stages); n > 0 && i.Process.PID != trace.UnknownPID {
		last := i.Stages[n-1].Begin
		if list := s.apps[i.Process]; list != nil {
			if first := list.firstEnding(last, min(last.Add(maxFirstFrame), i.Observed.End)); first != nil {
				i.show(first, first)
				i.Frames, i.Steady = []*Frame{first.frame}, 1
				i.End = first.at
				i.Observed.End = first.at
				i.Reasons &^= ReasonEndCut
				begun := max(last, first.frame.Actual.Start)
				i.Stages = append(i.Stages, // the render frame may have begun before, and takes the transaction late
					LaunchStage{Name: FirstFrameApplication, Begin: begun},
					LaunchStage{Name: FirstFrameRender, Begin: max(begun, first.frame.Render.Actual.Start)})
			}
		}
	}
	for n := range i.Stages {
		if n+1 < len(i.Stages) {
			i.Stages[n].End = i.Stages[n+1].Begin
		} else {
			i.Stages[n].End = i.End
		}
	}
}

// cut limits the hang to times from from on and before to.
func (h *Hang) cut(from, to trace.Time) {
	if h.Start < from {
		h.Start, h.BeginCut = from, WindowEdge
	}
	if h.End >= to {
		h.End, h.EndCut = to, WindowEdge
	}
}

// cutInteractions limits the interactions to times from from on and before to.
func (t *Timeline) cutInteractions(from, to trace.Time) {
	t.Interactions = slices.DeleteFunc(t.Interactions, func(i *Interaction) bool {
		o := i.Observed
		if !o.Known() {
			at := cmp.Or(i.Begin, i.End)
			return at < from || at >= to
		}
		return o.Start >= to || o.End < from
	})
	for _, i := range t.Interactions {
		if !i.Observed.Known() {
			continue
		}
		if i.Observed.Start < from {
			i.Observed.Start = from
			i.Begin, i.Input, i.InputAt = 0, NoInput, 0
			i.Reasons = i.Reasons&^(ReasonInputUnseen|ReasonInputAstray) | ReasonBeginCut
			i.Stages = slices.DeleteFunc(i.Stages, func(s LaunchStage) bool { return s.Begin < from })
		}
		if i.Observed.End >= to {
			i.Observed.End = to - 1
			i.End = 0
			i.TimedOut = false
			i.Reasons = i.Reasons&^ReasonEndLost | ReasonEndCut
		}
	}
	for i := range t.Hangs {
		t.Hangs[i].cut(from, to)
	}
	t.Hangs = slices.DeleteFunc(t.Hangs, func(h Hang) bool { return h.Duration() < MinHang })
	t.Blocks = slices.DeleteFunc(t.Blocks, func(b Block) bool { return b.Start < from || b.End >= to })
	t.Builds = slices.DeleteFunc(t.Builds, func(b Build) bool { return b.Start < from || b.End >= to })
	t.StateChanges = slices.DeleteFunc(t.StateChanges, func(c StateChange) bool { return c.At < from || c.At >= to })
	t.ShowInteractions()
}
