package reconstruct

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// interactions collects what the user did in one trace, and what the device reports of it.
type interactions struct {
	byPID    map[trace.PID]*userProcess
	scenes   []*scene
	reports  map[reportKey][]*report
	ordered  []*report
	launches launches
	bundles  bundles
	hangs    []hang

	interruptions []interruption
}

// userProcess is a process with markers of interactions.
type userProcess struct {
	inputs  [analyzer.LastDown + 1]userInput
	noInput trace.Time       // of the last NoInput marker that no scene has used
	byID    map[int64]*scene // by the unique id for render_service
	threads map[*thread]*userThread
}

// userThread is a thread with scenes. Which threads have a user interface is known only at the
// end.
type userThread struct {
	open map[string][]*scene // by name, the last one begun last
	last map[string]*scene   // the last one with the name
	tail *scene              // the last fling, which a Trailing marker ends

	// The last markers of a scene whose begin is not in the trace: its end follows.
	unseenName string
	unseenID   int64
	unseenTail trace.Time
}

func (p *userProcess) of(t *thread) *userThread {
	u := p.threads[t]
	if u == nil {
		u = &userThread{open: map[string][]*scene{}, last: map[string]*scene{}}
		p.threads[t] = u
	}
	return u
}

// userInput is an input of the user; its time is zero if there was none.
type userInput struct {
	at   trace.Monotonic
	line int
	seen trace.Time // of the line
}

// scene is a scene under construction.
type scene struct {
	*analyzer.Interaction
	pid    trace.PID
	thread *thread
	record userInput      // of the input that it counts from
	maxAge trace.Duration // of that input; zero for any
	next   *scene         // of the same name, which began before this one ended
}

// reportKey identifies a scene for render_service. id is zero before 4.1.
type reportKey struct {
	scene, bundle string
	id            int64
}

// report is what render_service reports of a scene.
type report struct {
	reportKey
	first       trace.Time // line
	input       int64      // milliseconds since 1970
	page        string
	animator    string
	figures     [hitrace.FigureCount]*float64
	contradicts bool
}

// hang is a long slice of a main thread.
type hang struct {
	analyzer.Hang
	thread *thread
	pid    trace.PID
}

func (b *builder) userProcess(pid trace.PID) *userProcess {
	p := b.interactions.byPID[pid]
	if p == nil {
		p = &userProcess{byID: map[int64]*scene{}, threads: map[*thread]*userThread{}}
		b.interactions.byPID[pid] = p
	}
	return p
}

// explicit are the scenes in which the application draws every frame, from IsDisplayAnimator
// in OpenHarmony's performance monitor. Since 4.1 render_service names the kind of a scene.
var explicit = map[string]bool{
	"APP_LIST_FLING": true, "APP_SWIPER_SCROLL": true, "SNAP_RECENT_ANI": true, "WINDOW_RECT_RESIZE": true, "WINDOW_RECT_MOVE": true,
	"META_BALLS_TURBO_CHARGING_ANIMATION": true, "ABILITY_OR_PAGE_SWITCH_INTERACTIVE": true, "SCROLLER_ANIMATION": true,
	"LAUNCHER_SPRINGBACK_SCROLL": true, "STATIC_CROP_DRAG": true, "MOVING_CROP_DRAG": true, "ADJUST_XMAGE": true,
}

// inputRule is the input that a scene counts from, if it is not older than maxAge. A maxAge of
// zero allows any age.
type inputRule struct {
	input  analyzer.Input
	maxAge trace.Duration
}

// recentInput is how old the input of a scene may be that need not have one.
const recentInput = 600 * trace.Millisecond

// inputOf returns the rule of a scene, from the calls in OpenHarmony's source.
func inputOf(name string) inputRule {
	switch name {
	case "APP_LIST_FLING", "APP_SWIPER_FLING", "APP_SWIPER_SCROLL", "SCROLLER_ANIMATION", "WEB_LIST_FLING", "ABILITY_OR_PAGE_SWITCH_INTERACTIVE":
		return inputRule{analyzer.FirstMove, 0}
	case "WINDOW_RECT_RESIZE":
		return inputRule{analyzer.LastDown, 0}
	case "SCREEN_ROTATION_ANI", "SHOW_INPUT_METHOD_ANIMATION", "HIDE_INPUT_METHOD_ANIMATION", "APP_TRANSITION_TO_OTHER_APP", "APP_TRANSITION_FROM_OTHER_APP":
		return inputRule{}
	case "APP_TAB_SWITCH":
		return inputRule{analyzer.LastUp, 0}
	}
	if strings.HasPrefix(name, "LAUNCHER_APP_LAUNCH_FROM_") {
		return inputRule{analyzer.LastUp, 0}
	}
	return inputRule{analyzer.LastUp, recentInput}
}

func (b *builder) beginInputRecord(t *thread, e *hitrace.Event) {
	input, at, ok := hitrace.ParseInputRecord(e.Marker.Label())
	if !ok {
		b.diagnostics.add(analyzer.DamagedField, e.Number)
		return
	}
	t.user = true
	p := b.userProcess(t.pid)
	p.inputs[input] = userInput{at, e.Number, e.Time}
}

func (b *builder) beginNoInput(t *thread, e *hitrace.Event) {
	t.user = true
	b.userProcess(t.pid).noInput = e.Time
}

// maxAgain is the maximum time from the end of a scene to one that goes on with the same input.
const maxAgain = 100 * trace.Millisecond

func (b *builder) beginSceneStart(t *thread, _ *hitrace.Event) { t.user = true }

// maxNoInput is the maximum time from a NoInput marker to the scene that it is about.
const maxNoInput = 5 * trace.Millisecond

// text returns the one string for the name of a scene, a page or a bundle, and false if there
// is no room for it.
func (b *builder) text(name []byte, e *hitrace.Event) (string, bool) {
	return b.intern(b.texts, name, e)
}

// maxDoubtful is how many begins and ends of scenes are kept of a thread before it is known to
// be one of a user interface. Others write slices with such names, too.
const maxDoubtful = 64

// sceneName returns the name of a scene, and false if it is not kept.
func (b *builder) sceneName(t *thread, e *hitrace.Event) (string, bool) {
	if !t.user {
		if t.doubtful >= maxDoubtful {
			return "", false
		}
		t.doubtful++
	}
	return b.text(e.Marker.Label(), e)
}

func (b *builder) beginScene(t *thread, e *hitrace.Event) {
	name, ok := b.sceneName(t, e)
	if !ok || !b.mayKeep(&b.kept.interactions, e) {
		return
	}
	p := b.userProcess(t.pid)
	u := p.of(t)
	s := &scene{pid: t.pid, thread: t, Interaction: &analyzer.Interaction{Scene: name, Begin: e.Time, Explicit: explicit[name]}}
	rule := inputOf(name)
	none := p.noInput.Known() && e.Time.Sub(p.noInput) <= maxNoInput
	p.noInput = 0
	if rule.input != analyzer.NoInput && !none {
		record := p.inputs[rule.input]
		if last := u.last[name]; rule.maxAge == 0 && last != nil && last.End.Known() && record.seen < last.Begin && e.Time.Sub(last.End) > maxAgain {
			record = userInput{} // it was that of the last scene, the line of this one's is lost
		}
		switch {
		case record.at != 0 && (rule.maxAge == 0 || e.Time.Sub(record.seen) <= rule.maxAge):
			s.Input, s.record, s.maxAge = rule.input, record, rule.maxAge
		case rule.maxAge == 0:
			s.Reasons |= analyzer.ReasonInputUnseen
		}
	}
	b.addScene(u, s)
	if n := len(u.open[name]); n > 0 && u.open[name][n-1].next == nil {
		u.open[name][n-1].next = s // one whose end is lost stays open below those after it
	}
	u.open[name] = append(u.open[name], s)
	if isFling(name) {
		u.tail, u.unseenTail = s, 0
	}
}

func isFling(name string) bool { return strings.HasSuffix(name, "_FLING") }

func (b *builder) endScene(t *thread, e *hitrace.Event) {
	name, ok := b.sceneName(t, e)
	if !ok {
		return
	}
	p := b.userProcess(t.pid)
	u := p.of(t)
	open := u.open[name]
	if n := len(open); n > 0 {
		// The device keeps one scene of a name. If two are open, the end of the earlier one
		// is lost, unless it has one, too.
		open[n-1].End = max(e.Time, open[n-1].Begin) // lines may be slightly out of order
		u.open[name] = open[:n-1]
		return
	}
	if !b.mayKeep(&b.kept.interactions, e) {
		return
	}
	s := &scene{pid: t.pid, thread: t, Interaction: &analyzer.Interaction{Scene: name, End: e.Time, Explicit: explicit[name]}}
	if last := u.last[name]; last != nil && last.End.Known() {
		s.Reasons |= analyzer.ReasonBeginLost // it began after that
	}
	if u.unseenID != 0 && u.unseenName == name {
		p.byID[u.unseenID] = s
	}
	if isFling(name) {
		s.Tail = u.unseenTail
	}
	u.unseenName, u.unseenID, u.unseenTail = "", 0, 0
	b.addScene(u, s)
}

func (b *builder) addScene(u *userThread, s *scene) {
	b.interactions.scenes = append(b.interactions.scenes, s)
	u.last[s.Scene] = s
}

func (b *builder) beginTrailing(t *thread, e *hitrace.Event) {
	u := b.userProcess(t.pid).of(t)
	switch s := u.tail; {
	case s == nil || s.End.Known() && s.End < e.Time:
		u.unseenTail = e.Time
	case !s.Tail.Known():
		s.Tail = e.Time
	}
}

func (b *builder) beginSceneReport(t *thread, e *hitrace.Event) {
	t.user = true
	name, id, ok := hitrace.ParseSceneReport(e.Marker.Label())
	if !ok {
		return
	}
	p := b.userProcess(t.pid)
	if p.byID[id] != nil {
		return
	}
	// Applications report while the scene is open.
	u := p.of(t)
	if open := u.open[string(name)]; len(open) > 0 {
		p.byID[id] = open[len(open)-1]
	} else if name, ok := b.text(name, e); ok {
		u.unseenName, u.unseenID = name, id
	}
}

// maxInputSkew is by how much two statements of one input's time may differ: the device
// converts it anew for each.
const maxInputSkew = 5

// report returns what has been reported of a scene, nil if there is no room for it.
func (b *builder) report(text []byte, e *hitrace.Event) *report {
	rendered, ok := hitrace.ParseRenderedScene(text)
	if !ok {
		return nil
	}
	i := b.interactions
	key := reportKey{string(rendered.Scene), string(rendered.Bundle), rendered.ID}
	for _, r := range slices.Backward(lastPending(i.reports[key])) {
		if key.id != 0 || max(r.input-rendered.Input, rendered.Input-r.input) <= maxInputSkew {
			return r
		}
	}
	scene, ok1 := b.text(rendered.Scene, e)
	bundle, ok2 := b.text(rendered.Bundle, e)
	page, ok3 := b.text(rendered.Page, e)
	if !ok1 || !ok2 || !ok3 || !b.mayKeep(&b.kept.interactions, e) {
		return nil
	}
	r := &report{reportKey: reportKey{scene, bundle, key.id}, first: e.Time, input: rendered.Input, page: page, animator: string(rendered.Animator)}
	i.reports[r.reportKey] = append(i.reports[r.reportKey], r)
	i.ordered = append(i.ordered, r)
	i.bundles.add(bundle)
	return r
}

func (b *builder) beginRenderScene(_ *thread, e *hitrace.Event) { b.report(e.Marker.Label(), e) }

func (b *builder) beginJankStats(_ *thread, e *hitrace.Event) {
	label := e.Marker.Label()
	if figure, value, scene, ok := hitrace.ParseFigure(label); ok {
		r := b.report(scene, e)
		if r == nil {
			return
		}
		if old := r.figures[figure]; old != nil && *old != value {
			r.contradicts = true
			r.figures[figure] = &contradicted
			return
		}
		r.figures[figure] = &value
		return
	}
	if scene, by := hitrace.ParseInterrupted(label); scene != nil {
		scene, ok1 := b.text(scene, e)
		by, ok2 := b.text(by, e)
		if ok1 && ok2 && b.mayKeep(&b.kept.interactions, e) {
			b.interactions.interruptions = append(b.interactions.interruptions, interruption{scene, by, e.Time})
		}
	}
}

// interruption is render_service's note that a scene interrupts another one.
type interruption struct {
	scene, by string
	at        trace.Time
}

// contradicted is the value of a figure that the device reports twice with different values.
var contradicted = -1.0

// maxScene is when the device ends a scene that does not end.
const maxScene = 10 * trace.Second

// beginTop remembers the outermost slice of a main thread.
func (t *thread) beginTop(e *hitrace.Event) {
	t.top, t.topDraft = e.Time, false
	label := e.Marker.Label()
	t.topName = append(t.topName[:0], label[:min(len(label), maxName)]...)
}

// beginTask makes a slice of a main thread that has just begun an outermost one. It is one that
// begins only when the thread has nothing else to do: a frame, or the dispatch of a touch.
func (t *thread) beginTask(e *hitrace.Event) {
	if depth := t.open.Depth(); depth != t.base+1 && t.isMain() {
		t.base = max(0, depth-1)
		t.beginTop(e)
	}
}

// endTop records the outermost slice of a main thread if it is a hang, or a shorter block. A slice
// around frames that ends has that depth, too.
func (b *builder) endTop(t *thread, depth int, e *hitrace.Event) {
	if depth <= t.base {
		t.base = depth - 1
		return
	}
	if !t.topDraft && e.Time.Sub(t.top) >= minTask/2 {
		t.addTask(e.Time)
	}
	if t.base == 0 && !t.topDraft && e.Time.Sub(t.top) >= analyzer.MinBlock && t.top.Known() {
		b.hang(t, analyzer.Hang{Interval: analyzer.Interval{Start: t.top, End: e.Time}}, t.topName, e.Number)
	}
}

// isHeld reports whether a main thread was in a hang when the trace began.
func (t *thread) isHeld(complete analyzer.Interval) bool {
	return t.heldTo.Known() && t.heldTo.Sub(complete.Start) >= analyzer.MinHang
}

// dropHeldHangs removes the hangs within those that cutHang records from the begin of the trace.
func (b *builder) dropHeldHangs(complete analyzer.Interval) {
	b.interactions.hangs = slices.DeleteFunc(b.interactions.hangs, func(h hang) bool { return h.thread.isHeld(complete) && h.End <= h.thread.heldTo })
}

// cutHang records what a main thread was in from the begin of the trace, or up to its end, if that
// is a hang (15.14). complete is the part of the trace that lacks no lines.
func (b *builder) cutHang(t *thread, complete analyzer.Interval) {
	if t.isHeld(complete) {
		b.hang(t, analyzer.Hang{Interval: analyzer.Interval{Start: complete.Start, End: t.heldTo}, BeginCut: analyzer.TraceEdge}, nil, 0)
	}
	b.openHang(t, complete.End, analyzer.TraceEdge)
}

// openHang records what a main thread is in, if that is a hang: the trace ends, or the thread.
func (b *builder) openHang(t *thread, end trace.Time, cut analyzer.Edge) {
	h := analyzer.Hang{Interval: analyzer.Interval{Start: t.top, End: end}, EndCut: cut}
	if b.isOpen(t) && h.Duration() >= analyzer.MinHang {
		b.hang(t, h, t.topName, 0)
	}
}

// isOpen reports whether a main thread is in an outermost slice at the end of the trace, or when the
// thread ended. A frame that has handled its vsyncs ends at once: if it has not, an end is lost. So
// may those be that follow a loss of events.
func (b *builder) isOpen(t *thread) bool {
	switch d := cmp.Or(t.frame(), t.framework()); {
	case !t.isMain() || !t.top.Known() || t.open.Depth() <= t.base || b.running.unknown > t.last:
		return false
	case t.topDraft:
		return d != nil && (d.bare || d.frame.Actual.Start == t.top && !(d.handled.Known() && t.open.Depth() == t.base+1))
	}
	return true
}

// openDraft returns the frame that a thread makes at the end of the trace, nil if it makes none, or may
// have made it before.
func (b *builder) openDraft(t *thread) *draft {
	d := cmp.Or(t.frame(), t.framework())
	if d == nil || b.running.unknown > t.last || t.isMain() && !(b.isOpen(t) && t.topDraft) {
		return nil
	}
	return d
}

// hang keeps a hang, if there is room for it. A thread that waits for a vsync has nothing to do.
func (b *builder) hang(t *thread, h analyzer.Hang, name []byte, line int) {
	if waitsForVsync(name) {
		return
	}
	if t.topDraft { // the rest of it is about the vsync
		if end := bytes.IndexAny(name, " ,["); end > 0 {
			name = name[:end]
		}
	}
	at := &hitrace.Event{Number: line}
	if text, ok := b.text(name, at); ok && b.mayKeep(&b.kept.interactions, at) {
		h.Slice = text
		b.interactions.hangs = append(b.interactions.hangs, hang{h, t, t.pid})
	}
}

func waitsForVsync(slice []byte) bool {
	lower := bytes.ToLower(slice)
	return bytes.Contains(lower, []byte("wait")) && bytes.Contains(lower, []byte("vsync"))
}

// settleInteractions leaves out what no thread of a user interface wrote. It needs the threads
// as they are at the end of the trace.
func (b *builder) settleInteractions() {
	i := b.interactions
	i.scenes = slices.DeleteFunc(i.scenes, func(s *scene) bool { return !s.thread.user })
	if !b.diagnostics.ofApplication() { // the main thread of an application has a user interface
		i.hangs = slices.DeleteFunc(i.hangs, func(h hang) bool { return !h.thread.user })
	}
}

// maxInputLag is the maximum time from an input to the line that has its time.
const maxInputLag = 10 * trace.Second

// setInteractions adds the interactions and hangs of the trace to the timeline. The processes
// must have their names.
func (b *builder) setInteractions(t *analyzer.Timeline, parts []analyzer.Part, clock func(line int) *analyzer.ClockOffset) {
	i := b.interactions
	i.scenes = slices.DeleteFunc(i.scenes, func(s *scene) bool {
		s.Process = b.lives.atTime(s.pid, cmp.Or(s.Begin, s.End))
		return s.Process == nil
	})
	for _, s := range i.scenes {
		b.observe(s)
		if s.Input == analyzer.NoInput {
			continue
		}
		s.InputAt = clock(s.record.line).Trace(s.record.at)
		if lag := s.record.seen.Sub(s.InputAt); lag > maxInputLag || lag < -trace.Millisecond || !s.InputAt.Known() {
			s.Input, s.InputAt = analyzer.NoInput, 0
			s.Reasons |= analyzer.ReasonInputAstray
		} else if s.maxAge != 0 && s.Begin.Sub(s.InputAt) > s.maxAge { // it is older than its line
			s.Input, s.InputAt = analyzer.NoInput, 0
		}
	}
	b.assignReports()
	for _, s := range i.scenes {
		t.Interactions = append(t.Interactions, s.Interaction)
	}
	b.setLaunches(t)
	b.components.set(t, b.lives)
	for _, h := range i.hangs {
		slept := slices.ContainsFunc(parts, func(p analyzer.Part) bool { return h.Start < p.Span.Start && p.Span.Start <= h.End })
		if h.Process = b.lives.atTime(h.pid, h.Start); h.Process == nil || slept { // how long it took is unknown
			continue
		}
		if h.Duration() >= analyzer.MinHang {
			t.Hangs = append(t.Hangs, h.Hang)
		} else {
			t.Blocks = append(t.Blocks, analyzer.Block{Process: h.Process, Interval: h.Interval})
		}
	}
}

// observe decides from when to when the trace shows a scene.
func (b *builder) observe(s *scene) {
	s.Observed = analyzer.Interval{Start: s.Begin, End: s.End}
	if !s.Begin.Known() {
		s.Observed.Start = b.span.Start
		if s.Reasons&analyzer.ReasonBeginLost != 0 || s.End.Sub(b.span.Start) > maxScene {
			s.Observed, s.Reasons = analyzer.Interval{}, s.Reasons|analyzer.ReasonBeginLost
			return
		}
		s.Reasons |= analyzer.ReasonBeginCut
	}
	if s.End.Known() {
		return
	}
	if s.next != nil {
		if s.Observed.End = max(s.Begin, s.next.Begin); s.Observed.End.Sub(s.Begin) <= maxScene { // lines may be slightly out of order
			s.Reasons |= analyzer.ReasonEndLost
			return
		}
	}
	s.Observed.End = b.span.End
	if limit := s.Begin.Add(maxScene); limit <= b.span.End {
		s.Observed.End, s.TimedOut = limit, true
		s.Reasons |= analyzer.ReasonEndLost
		return
	}
	s.Reasons |= analyzer.ReasonEndCut
}

// assignReports gives each scene what render_service reports of it: by the unique id if the
// application wrote one, else to the last one of the name that began before.
func (b *builder) assignReports() {
	i := b.interactions
	byName := map[string][]*scene{}
	for _, s := range i.scenes {
		byName[s.Scene] = append(byName[s.Scene], s)
	}
	begin := func(s *scene) trace.Time { return cmp.Or(s.Observed.Start, s.End) }
	for _, list := range byName {
		slices.SortStableFunc(list, func(x, y *scene) int { return cmp.Compare(begin(x), begin(y)) })
	}
	byID := map[int64][]*scene{}
	for _, pid := range slices.Sorted(maps.Keys(i.byPID)) {
		for id, s := range i.byPID[pid].byID {
			byID[id] = append(byID[id], s)
		}
	}
	reported := map[*scene]bool{}
	assign := func(r *report, list []*scene) bool {
		for _, s := range slices.Backward(lastPending(list)) {
			if !reported[s] && s.Scene == r.scene && s.Process != nil && isBundle(s.Process.Name, r.bundle) && r.first.Sub(begin(s)) <= 2*maxScene {
				reported[s] = true
				s.report(r)
				return true
			}
		}
		return false
	}
	before := func(name string, at trace.Time) []*scene {
		list := byName[name]
		n, _ := slices.BinarySearchFunc(list, at+1, func(s *scene, to trace.Time) int { return cmp.Compare(begin(s), to) })
		return lastPending(list[:n])
	}
	for _, r := range i.ordered {
		if r.id != 0 && assign(r, byID[r.id]) {
			continue
		}
		assign(r, before(r.scene, r.first))
	}
	for _, x := range i.interruptions {
		var by *scene
		if list := before(x.by, x.at); len(list) > 0 {
			by = list[len(list)-1]
		}
		if s := x.interrupted(before(x.scene, x.at), by); s != nil {
			s.Interrupted = true
		}
	}
}

// minInterrupted is how long after the first vsync of a scene the input of another one
// interrupts it.
const minInterrupted = 100 * trace.Millisecond

// interrupted returns the scene that an interruption is about, of those of its name that began
// before it: rather one that runs, then one that is old enough, then the last one. Each
// interruption is about another scene. by is the one that interrupts; nil if unknown.
func (x interruption) interrupted(list []*scene, by *scene) (best *scene) {
	most := -1
	for _, s := range slices.Backward(list) {
		fit := 0
		if end := cmp.Or(s.Observed.End, s.End); end >= x.at {
			fit += 2
		} else if x.at.Sub(end) > maxScene {
			continue
		}
		if by == nil || !s.Begin.Known() || by.From().Sub(s.Begin) > minInterrupted {
			fit++
		}
		if s != by && !s.Interrupted && fit > most {
			best, most = s, fit
		}
	}
	return best
}

// report adds what render_service reports of the scene.
func (s *scene) report(r *report) {
	s.Page = r.page
	switch r.animator {
	case "EXPLICIT_ANIMATOR":
		s.Explicit = true
	case "IMPLICIT_ANIMATOR":
		s.Explicit = false
	}
	if r.contradicts {
		s.Reasons |= analyzer.ReasonDeviceContradicts
	}
	d := &analyzer.DeviceFigures{}
	for figure, to := range map[hitrace.Figure]**float64{
		hitrace.ResponseFigure: &d.ResponseMS, hitrace.CompletionFigure: &d.CompletionMS, hitrace.MaxFrameFigure: &d.MaxFrameMS,
		hitrace.HitchRatioFigure: &d.HitchRatio, hitrace.FPSFigure: &d.FPS,
	} {
		if v := r.figures[figure]; v != nil && v != &contradicted {
			*to = v
			s.Device = d
		}
	}
}

// isBundle reports whether a process may be one of a bundle: its name is that of the bundle,
// the end of it that kernels keep, or unknown.
func isBundle(name, bundle string) bool {
	return name == "" || name == bundle || len(name) == analyzer.KernelName && strings.HasSuffix(bundle, name) ||
		strings.HasPrefix(name, bundle+":")
}

// numberInteractions orders the interactions of all traces of an input and finds their frames.
func numberInteractions(t *analyzer.Timeline) {
	begin := func(i *analyzer.Interaction) trace.Time { return cmp.Or(i.Observed.Start, i.Begin, i.End) }
	slices.SortStableFunc(t.Interactions, func(x, y *analyzer.Interaction) int { return cmp.Compare(begin(x), begin(y)) })
	for n, i := range t.Interactions {
		i.ID = n + 1
	}
	slices.SortStableFunc(t.Builds, func(x, y analyzer.Build) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End)) })
	slices.SortStableFunc(t.StateChanges, func(x, y analyzer.StateChange) int { return cmp.Compare(x.At, y.At) })
	slices.SortStableFunc(t.Hangs, func(x, y analyzer.Hang) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Process.PID, y.Process.PID))
	})
	slices.SortStableFunc(t.Blocks, func(x, y analyzer.Block) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Process.PID, y.Process.PID))
	})
	t.ShowInteractions()
}
