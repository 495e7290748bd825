package simulate

import (
	"cmp"
	"math"
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

	// Counted is whose frames Frames are: application or render. The measures are theirs.
	Counted          string
	Frames           []*Frame
	Late             int
	JankRate         float64
	MissedVsyncs     int
	LongestMissedRun int
	FPS              *float64
	Cadence          *CadenceTruth
	Hitch            *float64 // ms/s
	P50, P95         trace.Duration
	Grade            string
	WorstFrame       int64
	Device           DeviceTruth
	Stages           []StageTruth

	endCut bool // the trace ends within it

	explicit bool // as render_service's lines say
	kind     bool // which they do
	touch    *inputTruth
	tail     trace.Time
	stages   []StageTruth // with those outside the trace
	notes    []note
}

// CadenceTruth is how often frames are shown, most often: Every refreshes at Refresh hertz, in a
// Share of the gaps between them.
type CadenceTruth struct {
	Every, Refresh int
	Share          float64
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
	t, at, kind := r.truth, s.now, s.era.since("4.1")
	s.names(r.app.Bundle)
	t.note(at, func(t *InteractionTruth) { t.Page, t.kind = r.Page, t.kind || kind })
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
			t.Process = lastBytes(t.Process, commBytes)
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
	counted = slices.DeleteFunc(slices.Clone(counted), func(f shownFrame) bool { return f.at < begin || f.at > last.at })
	s.measure(t, counted)
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
	counts    trace.Time // when it was shown, for the rate of frames
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
		shown := shownFrame{f, render.Present, render.PresentEstimated, render, render.Present}
		if s.era.presentTracker == "" || s.NoFences {
			shown.at, shown.estimated, shown.counts = 0, true, render.Commit
			if render.Commit.Known() && s.era.commitThread != "" {
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
		t.Completion, t.Grade = last.at.Sub(from), grade(t)
	}
}

// grade is the class of a response by the published limits.
func grade(t *InteractionTruth) string {
	limits := map[Input][3]int64{FirstMove: {80, 120, 180}, LastUp: {100, 150, 250}}[t.Input]
	switch {
	case t.Kind == "launch" && t.Scene == string(Cold):
		limits = [3]int64{680, 680, 680}
	case t.Kind == "launch", limits[0] == 0:
		return ""
	}
	for i, limit := range limits {
		if t.Response <= trace.Duration(limit)*trace.Millisecond {
			return [...]string{"S", "A", "B"}[i]
		}
	}
	return "below"
}

// measure sets the measures of the counted frames.
func (s *sim) measure(t *InteractionTruth, counted []shownFrame) {
	var lengths []trace.Duration
	deadlines, worst := 0, trace.Duration(-1)
	for _, f := range counted {
		t.Frames = append(t.Frames, f.Frame)
		lengths = append(lengths, f.End.Sub(f.Start))
		if f.Deadline.Known() {
			deadlines++
		}
		if !f.Late {
			continue
		}
		t.Late++
		done := f.End
		for _, work := range f.GPU {
			done = max(done, work[1])
		}
		if over := done.Sub(f.Deadline); over > worst {
			worst, t.WorstFrame = over, f.Vsync
		}
	}
	if deadlines > 0 {
		t.JankRate = float64(t.Late) / float64(deadlines)
	}
	slices.Sort(lengths)
	percentile := func(p int) trace.Duration { return lengths[(p*len(lengths)+99)/100-1] }
	if len(lengths) > 0 {
		t.P50 = percentile(50)
	}
	if len(lengths) >= 20 {
		t.P95 = percentile(95)
	}
	gaps := t.gaps(counted)
	var hitch trace.Duration
	for _, g := range gaps {
		if counted[0].counts != counted[0].at {
			break // estimates say nothing about hitches
		}
		if g.late*10 < 7*g.period {
			continue
		}
		hitch += g.late
		lost := int((g.late*10 + 3*g.period) / (10 * g.period))
		t.MissedVsyncs += lost
		t.LongestMissedRun = max(t.LongestMissedRun, lost)
	}
	if fps, active, _ := rate(gaps); fps != nil && counted[0].counts == counted[0].at {
		ratio := 1000 * float64(hitch) / float64(active)
		t.Hitch = &ratio
	}
	if t.tail.Known() {
		counted = slices.DeleteFunc(counted, func(f shownFrame) bool { return f.at >= t.tail })
	}
	t.FPS, _, t.Cadence = rate(t.gaps(counted))
}

// gaps returns the gaps between the pictures of an interaction. Nothing is idle in an animation.
// Of one without a begin or an end, it is unknown how long it lasts.
func (t *InteractionTruth) gaps(counted []shownFrame) []gap {
	gaps := gapsOf(counted)
	for i := range gaps {
		if g := &gaps[i]; !t.whole() && g.unasked+g.period >= max(100*trace.Millisecond, 6*g.period)+g.period/2 {
			g.idle = min(g.unasked, g.length-g.period)
		}
	}
	return gaps
}

// whole reports whether the trace has the begin and the end of a scene.
func (t *InteractionTruth) whole() bool { return t.Begin.Known() && t.End.Known() }

// rate returns the frames per second of the time that is not idle, that time, and the cadence.
// The rate is nil if all gaps have idle time.
func rate(gaps []gap) (fps *float64, active trace.Duration, cadence *CadenceTruth) {
	counts := map[CadenceTruth]int{}
	all := 0
	for _, g := range gaps {
		active += g.length - g.idle
		if g.idle > 0 {
			continue
		}
		all++
		counts[CadenceTruth{max(1, int(math.Round(float64(g.length)/float64(g.period)))), int(math.Round(1e9 / float64(g.period))), 0}]++
	}
	if all == 0 {
		return nil, active, nil
	}
	for c, n := range counts {
		c.Share = float64(n) / float64(all)
		if cadence == nil || c.Share > cadence.Share || c.Share == cadence.Share && c.Refresh*cadence.Every > cadence.Refresh*c.Every {
			cadence = &c
		}
	}
	hz := float64(len(gaps)) * float64(trace.Second) / float64(active)
	return &hz, active, cadence
}

// gap is the time between the presents of two render frames.
type gap struct {
	length, period trace.Duration
	undue          trace.Duration // until the second was due
	unasked        trace.Duration // until it was begun
	idle           trace.Duration
	late           trace.Duration // by which it was too long
	from, to       *Frame         // render frames
}

// gapsOf returns the gaps between the render frames that showed some frames.
func gapsOf(frames []shownFrame) (gaps []gap) {
	type picture struct {
		*Frame
		at, due, asked trace.Time
	}
	var list []picture
	index := map[*Frame]int{}
	for _, f := range frames {
		r := f.render
		i, ok := index[r]
		if !ok {
			i = len(list)
			index[r] = i
			due := r.ExpectedStart.Add(-trace.Duration(r.Coalesced) * r.Period)
			list = append(list, picture{r, f.counts, due, due})
		}
		asked := []*Frame{f.Frame}
		if f.Kind == RenderFrame {
			asked = r.takes
		}
		for _, a := range asked {
			earlier := -trace.Duration(a.Coalesced) * a.Period
			list[i].due = min(list[i].due, a.Deadline.Add(earlier))
			list[i].asked = min(list[i].asked, list[i].due, a.ExpectedStart.Add(earlier+r.Period))
		}
	}
	slices.SortFunc(list, func(a, b picture) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		g := gap{length: b.at.Sub(a.at), period: max(a.Period, b.Period), from: a.Frame, to: b.Frame}
		g.undue = b.due.Sub(a.ExpectedStart.Add(g.period))
		if 2*g.undue < g.period {
			g.undue = 0
		}
		g.unasked = max(0, b.asked.Sub(a.ExpectedStart.Add(g.period)))
		g.late = g.length - g.period - g.undue
		gaps = append(gaps, g)
	}
	return gaps
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
		s.measure(t, apps[at:at+1])
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
