package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// InteractionTruth is an interaction as far as the text of the trace contains it. Zero, or
// nil, is unknown.
type InteractionTruth struct {
	Kind, Scene string // "scene" and its name, or "launch" and cold, warm or hot
	PID         trace.PID
	Process     string // the full name, or what the kernel keeps of it if no line has that
	Page        string
	Input       Input
	InputTime   trace.Time
	Begin, End  trace.Time // of a launch, of its first stage, and when its first frame was shown
	// FirstShown and LastShown are when the first and the last frame were shown. Estimated
	// reports whether one of these times is an estimate.
	FirstShown, LastShown trace.Time
	Estimated             bool
	// Seen is when the last frame in the trace was shown: LastShown, if that is known.
	Seen trace.Time
	// Response and Completion are the times from the input, or from the begin without one.
	Response, Completion trace.Duration

	Truncated, Interrupted, TimedOut bool

	// Counted is whose frames Frames are: application or render.
	Counted string
	Frames  []*Frame
	Device  DeviceTruth
	Stages  []StageTruth

	endCut bool // the trace ends within it

	explicit bool // as render_service's lines say
	kind     bool // which they do
	touch    *inputTruth
	stages   []StageTruth // with those outside the trace
	notes    []note
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

// HangTruth is a task of a main thread outside of frames that takes 250 ms or longer in the trace, or
// a frame that the trace cuts there.
type HangTruth struct {
	PID      trace.PID
	Start    trace.Time
	Duration trace.Duration
	Name     string // empty if it begins before the trace
	// BeginCut and EndCut: an edge of the trace cuts it.
	BeginCut, EndCut bool
}

const minHang = 250 * trace.Millisecond

// note is a fact that a line has. It is unknown if the line lies outside the trace.
type note struct {
	at  trace.Time
	set func(t *InteractionTruth)
}

func (t *InteractionTruth) note(at trace.Time, set func(t *InteractionTruth)) {
	t.notes = append(t.notes, note{at, set})
}

// inputTruth is a touch and the line that names it.
type inputTruth struct {
	pid         trace.PID
	kind        Input
	touch, line trace.Time
}

// describes notes a line of render_service that names a scene.
func (s *sim) describes(r *openScene) {
	s.names(r.app.Bundle)
	r.truth.note(s.now, func(t *InteractionTruth) { t.Page, t.kind = r.Page, true })
}

// names notes a line that has the full name of an application.
func (s *sim) names(bundle string) { s.named[bundle] = append(s.named[bundle], s.now) }

// sceneTimeout is when the framework drops a scene that does not end.
const sceneTimeout = 10 * trace.Second

// settleInteractions derives what is known of the interactions from the lines in [from, to)
// and from the frames, whose facts are settled.
func (s *sim) settleInteractions() {
	from, to := max(s.text.from, s.traceTime(firstVsync).Add(-lead)), s.text.last+1
	inside := func(t trace.Time) bool { return from <= t && t < to }
	for _, t := range s.truth.all {
		for _, n := range t.notes {
			if inside(n.at) {
				n.set(t)
			}
		}
	}
	for _, t := range s.truth.all {
		if t.Kind == "launch" {
			s.settleLaunch(t, inside)
		} else {
			s.settleScene(t, from, to)
		}
		if !slices.ContainsFunc(s.named[t.Process], inside) {
			t.Process = comm(t.Process)
		}
		if t.Begin.Known() || t.End.Known() {
			s.truth.Interactions = append(s.truth.Interactions, t)
		}
	}
	begin := func(t *InteractionTruth) trace.Time {
		if t.Begin == 0 && !t.Truncated {
			return t.End
		}
		return t.Begin
	}
	slices.SortStableFunc(s.truth.Interactions, func(a, b *InteractionTruth) int {
		order := cmp.Compare(begin(a), begin(b))
		if a.Begin == 0 && b.Begin == 0 {
			order = cmp.Or(order, cmp.Compare(a.End, b.End))
		}
		return order
	})
	s.settleHangs(inside)
}

// settleHangs limits the hangs to what the text has of them, and adds the frames that it cuts. Nothing
// is known of a hang that it has neither the begin nor the end of.
func (s *sim) settleHangs(inside func(trace.Time) bool) {
	for _, f := range s.record.frames {
		if begin, end := f.whole[0], f.whole[1]; begin != 0 && inside(begin) != inside(end) {
			s.truth.Hangs = append(s.truth.Hangs, HangTruth{PID: f.PID, Start: begin, Duration: end.Sub(begin), Name: "ReceiveVsync"})
		}
	}
	for i := range s.truth.Hangs {
		h := &s.truth.Hangs[i]
		end := h.Start.Add(h.Duration)
		switch h.BeginCut, h.EndCut = !inside(h.Start), !inside(end); {
		case h.BeginCut && h.EndCut:
			end = h.Start
		case h.BeginCut:
			h.Start, h.Name = s.text.first, ""
		case h.EndCut:
			end = s.text.last
		}
		h.Duration = end.Sub(h.Start)
	}
	s.truth.Hangs = slices.DeleteFunc(s.truth.Hangs, func(h HangTruth) bool { return h.Duration < minHang })
}

func (s *sim) settleScene(t *InteractionTruth, from, to trace.Time) {
	begin, end := cmp.Or(t.Begin, from), t.End
	if !t.kind {
		t.explicit = drawnByApp(t.Scene)
	}
	t.Counted = "render"
	if t.explicit {
		t.Counted = "application"
	}
	switch {
	case !t.Begin.Known() && !t.End.Known():
		return
	case end.Known():
	case s.begunAgain(t).Known():
		end = s.begunAgain(t)
	case to.Sub(begin) > sceneTimeout:
		t.TimedOut, end = true, begin.Add(sceneTimeout)
	default:
		t.Truncated, t.endCut, end = true, true, to-1
	}
	if !t.Begin.Known() {
		if s.endedBefore(t) || end.Sub(from) > sceneTimeout {
			return // it began somewhere within the trace
		}
		t.Truncated = true
	}
	if i := t.touch; i != nil && t.Begin.Known() && from <= i.line && i.line < to {
		t.Input, t.InputTime = i.kind, i.touch
	}
	apps, renders := s.shownFrames(t.PID)
	first := func(list []shownFrame, in func(f *Frame) bool) *shownFrame {
		for i := range list {
			if f := list[i].Frame; in(f) && f.Start <= end {
				return &list[i]
			}
		}
		return nil
	}
	shown := first(apps, func(f *Frame) bool { return f.End > begin })
	if shown == nil && !t.explicit {
		shown = first(renders, func(f *Frame) bool { return f.Start > begin })
	}
	if shown == nil {
		return
	}
	last, counted := *shown, apps
	if !t.explicit {
		counted = renders
	}
	for _, f := range counted {
		if t.explicit && f.Start <= end && f.at >= shown.at || !t.explicit && f.at <= end && f.at >= shown.at {
			last = f
		}
	}
	if t.explicit && s.unshown(t.PID, begin, end) {
		t.Truncated, t.endCut = true, true // the display shows its last frame after the trace
	}
	t.show(*shown, last)
	for _, f := range counted {
		if f.at >= begin && f.at <= last.at {
			t.Frames = append(t.Frames, f.Frame)
		}
	}
}

// unshown reports whether an application made a frame of a scene that the display shows after the
// end of the trace: after all frames that are known to be shown.
func (s *sim) unshown(pid trace.PID, begin, end trace.Time) bool {
	_, renders := s.shownFrames(pid)
	shown := renders[len(renders)-1].Start
	return slices.ContainsFunc(s.truth.Frames, func(f *Frame) bool {
		taken := f.End
		if f.TakenBy != nil {
			taken = f.TakenBy.Start
		}
		return f.Kind == AppFrame && f.PID == pid && (!f.Empty || f.Truncated) && f.Start <= end && (f.End == 0 || f.End > begin) && (taken == 0 || taken > shown)
	})
}

// begunAgain returns when the application began a scene of the same name, of which it has only
// one at a time: the end before that is lost.
func (s *sim) begunAgain(t *InteractionTruth) (at trace.Time) {
	for _, other := range s.truth.all {
		if other.Kind == t.Kind && other.PID == t.PID && other.Scene == t.Scene && other.Begin > t.Begin && (at == 0 || other.Begin < at) {
			at = other.Begin
		}
	}
	return at
}

// endedBefore reports whether the application ended another scene of the same name before.
func (s *sim) endedBefore(t *InteractionTruth) bool {
	return slices.ContainsFunc(s.truth.all, func(other *InteractionTruth) bool {
		return other.Kind == t.Kind && other.PID == t.PID && other.Scene == t.Scene && other.End.Known() && other.End < t.End
	})
}

// drawnByApp is what the name of a scene says where render_service says nothing.
func drawnByApp(scene string) bool {
	return slices.Contains([]string{"APP_LIST_FLING", "APP_SWIPER_SCROLL", "WINDOW_RECT_RESIZE", "SNAP_RECENT_ANI"}, scene)
}

// shownFrame is a frame and when it was shown.
type shownFrame struct {
	*Frame
	at        trace.Time
	estimated bool
	render    *Frame
}

// shownFrames returns the frames that were shown, of an application and of render_service.
func (s *sim) shownFrames(pid trace.PID) (apps, renders []shownFrame) {
	for _, f := range s.truth.Frames {
		render := f
		if f.Kind == AppFrame {
			render = f.TakenBy
		}
		if f.Truncated || f.Empty && f.Kind == AppFrame || render == nil || render.Truncated {
			continue
		}
		shown := shownFrame{f, render.Present, render.PresentEstimated, render}
		if s.NoFences {
			shown.at, shown.estimated = 0, true
			if render.Commit.Known() {
				shown.at = s.traceTime(s.grid.after(s.monotonicTime(render.committed)-1, 0).now)
			}
		}
		switch {
		case !shown.at.Known():
		case f.Kind == RenderFrame:
			renders = append(renders, shown)
		case f.PID == pid:
			apps = append(apps, shown)
		}
	}
	return apps, renders
}

// show sets what the first and the last frame say.
func (t *InteractionTruth) show(first, last shownFrame) {
	t.Seen = last.at
	from := cmp.Or(t.InputTime, t.Begin)
	if t.Begin.Known() {
		t.FirstShown, t.Response = first.at, first.at.Sub(from)
		t.Estimated = first.estimated
	}
	if !t.endCut {
		t.LastShown = last.at
		t.Estimated = t.Estimated || last.estimated
	}
	if t.Begin.Known() && !t.endCut {
		t.Completion = last.at.Sub(from)
	}
}

// settleLaunch derives what is known of a launch. It begins with its first stage, not with an
// input, and ends when its first frame is shown.
func (s *sim) settleLaunch(t *InteractionTruth, inside func(trace.Time) bool) {
	for _, stage := range t.stages {
		if inside(stage.Begin) {
			t.Stages = append(t.Stages, stage)
		}
	}
	if len(t.Stages) == 0 {
		return
	}
	t.Begin, t.Counted = t.Stages[0].Begin, "application"
	last := t.Stages[len(t.Stages)-1]
	apps, _ := s.shownFrames(t.PID)
	at := slices.IndexFunc(apps, func(f shownFrame) bool { return f.End > last.Begin })
	if at < 0 {
		t.Truncated = true
	} else {
		f := apps[at]
		t.show(f, f)
		t.End = f.at
		t.Stages = append(t.Stages, StageTruth{stageFrame, f.Start, 0}, StageTruth{stageRender, f.render.Start, 0})
		t.Frames = []*Frame{f.Frame}
	}
	for i := range t.Stages {
		switch {
		case i+1 < len(t.Stages):
			t.Stages[i].Duration = t.Stages[i+1].Begin.Sub(t.Stages[i].Begin)
		case t.End.Known():
			t.Stages[i].Duration = t.End.Sub(t.Stages[i].Begin)
		}
	}
}
