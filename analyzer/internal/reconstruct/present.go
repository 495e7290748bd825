package reconstruct

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// draw is a slice of render_service's render thread.
type draw struct {
	pid trace.PID
	analyzer.Interval
}

// skip is a drawing of which nothing is committed, or a moment in it.
type skip struct {
	pid trace.PID
	at  trace.Time
}

// commit is layers on their way to the display.
type commit struct {
	pid trace.PID
	analyzer.Interval
	hitrace.Committed
	line  int
	fence *fence
	// screen is the id of the screen, noScreen if nothing states it.
	screen int64
}

// noScreen is the screen of commits of which it is not stated: systems before 6.1 do not.
const noScreen = -1

// fence is the present fence that a commit names.
type fence struct {
	tracker  string
	number   int64
	at       trace.Time
	signaled bool // when the commit looked, the display had shown the frame
	waited   trace.Time
}

// wait is the waiting for a present fence, which ends when the display shows
// the frame.
type wait struct {
	tracker string
	number  int64
	analyzer.Interval
	line int
}

func (b *builder) beginCommit(t *thread, e *hitrace.Event) {
	if !b.mayKeep(&b.kept.commits, e) {
		return
	}
	c := &commit{pid: t.pid, Committed: hitrace.ParseCommit(e.Marker.Label()), line: e.Number, screen: screenOf(e)}
	c.Start = e.Time
	b.commits = append(b.commits, c)
	b.push(t, e)
	t.lastOpen().commit = c
}

// screenOf returns the screen that a commit states in its label, or else in the name of its thread.
// Kernels cut names after 15 bytes, and so the number.
func screenOf(e *hitrace.Event) int64 {
	id, ok := hitrace.CommitScreen(e.Marker.Label())
	if !ok && len(e.Comm) < analyzer.KernelName {
		id, ok = hitrace.NumberedScreen(e.Comm, "CompThread_")
	}
	if !ok {
		return noScreen
	}
	return id
}

func (b *builder) endCommit(_ *thread, s *openSlice, e *hitrace.Event) { s.commit.End = e.Time }

func (b *builder) beginPresentFence(t *thread, e *hitrace.Event) {
	f, tracker, ok := b.fence(e)
	if !ok {
		return
	}
	for i := range t.open.Len() {
		if c := t.open.At(i).commit; c != nil && c.fence == nil {
			c.fence = &fence{tracker: tracker, number: f.Number, at: e.Time, signaled: f.Signaled}
			if id, ok := hitrace.NumberedScreen(f.Tracker, "PresentFence_"); ok && c.screen == noScreen {
				c.screen = id
			}
		}
	}
}

func (b *builder) beginPresentFenceWait(t *thread, e *hitrace.Event) {
	f, tracker, ok := b.fence(e)
	if ok {
		b.pushWait(t, e, tracker, f.Number)
	}
}

// pushWait adds the waiting for a fence, which ends with the slice that begins.
func (b *builder) pushWait(t *thread, e *hitrace.Event, tracker string, number int64) {
	if !b.mayKeep(&b.kept.waits, e) {
		return
	}
	w := &wait{tracker: tracker, number: number, line: e.Number}
	w.Start = e.Time
	b.waits = append(b.waits, w)
	b.push(t, e)
	t.lastOpen().wait = w
}

func (b *builder) endFenceWait(_ *thread, s *openSlice, e *hitrace.Event) { s.wait.End = e.Time }

// fence parses the fence of a marker. It returns the one string for the fence's name, and
// false if there is no room for it.
func (b *builder) fence(e *hitrace.Event) (f hitrace.Fence, tracker string, ok bool) {
	if f, ok = hitrace.ParseFence(e.Marker.Label()); !ok {
		return f, "", false
	}
	tracker, ok = b.intern(b.trackers, f.Tracker, e)
	return f, tracker, ok
}

// intern returns the one string for a name, and false if there is no room for it.
func (b *builder) intern(texts map[string]string, name []byte, e *hitrace.Event) (text string, ok bool) {
	name = name[:min(len(name), maxName)]
	if text, ok = texts[string(name)]; ok {
		return text, true
	}
	if len(texts) >= b.options.Limits.Strings {
		b.diagnostics.add(analyzer.StringsOver, e.Number)
		return "", false
	}
	text = strings.ToValidUTF8(string(name), "\uFFFD")
	texts[text] = text
	return text, true
}

// matchFences finds the wait for each fence of a commit or a buffer. The wait's end is when the fence
// was signaled. Waits are in the order of the fences. Their numbers agree, too, unless
// fences that were already signaled came between them: then only the order decides. This
// pass needs no other.
func (b *builder) matchFences() {
	byTracker := map[string][]*wait{}
	for _, w := range b.waits {
		byTracker[w.tracker] = append(byTracker[w.tracker], w)
	}
	pending := map[string][]*fence{}
	signaled := map[string][]*fence{}
	for _, f := range b.allFences() {
		switch {
		case f.signaled:
			signaled[f.tracker] = append(signaled[f.tracker], f)
		default:
			pending[f.tracker] = append(pending[f.tracker], f)
		}
	}
	for _, tracker := range slices.Sorted(maps.Keys(byTracker)) {
		queue, waits, done := pending[tracker], byTracker[tracker], signaled[tracker]
		slices.SortStableFunc(queue, func(a, b *fence) int { return cmp.Compare(a.at, b.at) })
		slices.SortStableFunc(waits, func(a, b *wait) int { return cmp.Compare(a.Start, b.Start) })
		// Signaled fences before the trace leave it without a number that agrees.
		slices.SortStableFunc(done, func(a, b *fence) int { return cmp.Compare(a.at, b.at) })
		drift := len(done) > 0 || !anyAgrees(queue, waits)
		ahead := usuallyAhead(queue, waits) // then, by how much the last one was
		for _, w := range waits {
			find := func(is func(f *fence) bool) int {
				return slices.IndexFunc(queue[:min(len(queue), maxInFlight)], func(f *fence) bool { return f.at <= w.Start && is(f) })
			}
			numbered := func(n int64) int { return find(func(f *fence) bool { return f.number == n }) }
			i := find(func(f *fence) bool { return f.number+overtaking(done, f, w.Start) == w.number })
			if i < 0 {
				i = numbered(w.number)
			}
			if i < 0 && drift && len(queue) > 0 && queue[0].at <= w.Start && queue[0].number < w.number {
				i = max(0, numbered(w.number-ahead)) // the wait for the one before it may be lost
			}
			if i < 0 {
				if !strings.HasPrefix(tracker, acquirePrefix) { // which queues without markers have, too
					b.diagnostics.add(analyzer.FenceUnmatched, w.line)
				}
				continue
			}
			ahead = w.number - queue[i].number
			queue[i].waited = w.End
			queue = queue[i+1:]
		}
	}
}

// overtaking returns how many of the fences that were already signaled came after one and before
// a time. The number of a wait counts them, too. They are in order of time.
func overtaking(signaled []*fence, f *fence, before trace.Time) int64 {
	from, _ := slices.BinarySearchFunc(signaled, f.at, func(s *fence, at trace.Time) int { return cmp.Compare(s.at, at) })
	to, _ := slices.BinarySearchFunc(signaled, before+1, func(s *fence, at trace.Time) int { return cmp.Compare(s.at, at) })
	return int64(max(0, to-from))
}

// usuallyAhead returns by how much the number of a wait is most often ahead of that
// of the fence named last before it. Both are in order of time.
func usuallyAhead(fences []*fence, waits []*wait) (ahead int64) {
	counts := map[int64]int{}
	named := 0
	for _, w := range waits {
		for named < len(fences) && fences[named].at <= w.Start {
			named++
		}
		if named > 0 {
			d := w.number - fences[named-1].number
			if counts[d]++; counts[d] > counts[ahead] {
				ahead = d
			}
		}
	}
	return ahead
}

// maxInFlight is how many commits may wait for the display at a time, at the most.
const maxInFlight = 64

// anyAgrees reports whether some fence and some wait have the same number.
func anyAgrees(fences []*fence, waits []*wait) bool {
	numbers := map[int64]bool{}
	for _, f := range fences {
		numbers[f.number] = true
	}
	return slices.ContainsFunc(waits, func(w *wait) bool { return numbers[w.number] })
}

// assignDraws assigns each drawing to the render frame that it follows, and what says that
// nothing is committed. It needs the render frames' intervals, which place sets.
func (b *builder) assignDraws(frames framesByProcess) {
	for _, d := range b.draws {
		if d.End < d.Start {
			continue // one of its lines is out of place
		}
		if f := lastStarted(frames[d.pid], d.Start); f != nil && !f.Draw.Known() && d.Start.Sub(f.Actual.End) < maxAstray {
			f.Draw = d.Interval
		}
	}
	for _, s := range b.skips {
		if f := lastStarted(frames[s.pid], s.at); f != nil && s.at.Sub(f.Actual.End) < maxAstray {
			f.Facts |= analyzer.CommitSkipped
		}
	}
}

// assignCommits assigns each commit to its render frame, and sets the frame's present
// time. Commits have the vsync of their frame, except on 4.0, where they are matched by
// time. It needs the drawings of assignDraws and the fences of matchFences.
func (b *builder) assignCommits(frames []*draft) {
	committed := newVsyncs(frames)
	var drawn drawnFrames
	for _, d := range frames {
		drawn = append(drawn, d.frame)
	}
	slices.SortStableFunc(drawn, func(a, b *analyzer.Frame) int { return cmp.Compare(drawing(a).End, drawing(b).End) })
	screens := screens{}
	for _, c := range b.commits {
		f := committed.of(c)
		if c.Now == 0 {
			if f = drawn.committedAt(c.Start); f != nil && c.Start.Sub(drawing(f).End) > maxAstray {
				f = nil
			}
		}
		if f == nil || c.VsyncID != 0 && f.VsyncID != 0 && c.VsyncID != f.VsyncID {
			b.diagnostics.add(analyzer.CommitUnknown, c.line)
			continue
		}
		screens.add(f, c)
	}
	for _, d := range frames {
		screens.set(d.frame)
	}
}

// vsyncs are render frames by the time of their vsync.
type vsyncs struct {
	frames   map[trace.Monotonic][]*draft
	screens  map[int64]bool              // those with a render process of their own
	rendered map[*analyzer.Process]int64 // the screen that a render process is for; noScreen if its name has none
}

func newVsyncs(frames []*draft) vsyncs {
	v := vsyncs{map[trace.Monotonic][]*draft{}, map[int64]bool{}, map[*analyzer.Process]int64{}}
	for _, d := range frames {
		p := d.frame.Process
		if _, known := v.rendered[p]; !known {
			id := renderedScreen(p)
			v.rendered[p], v.screens[id] = id, id != noScreen
		}
		if d.now != 0 {
			v.frames[d.now] = append(v.frames[d.now], d)
		}
	}
	return v
}

// of returns the frame of the vsync that a commit names: the last one of its own process that began before
// it or else, if another one commits, that of the process for the commit's screen, or the only one.
func (v vsyncs) of(c *commit) *analyzer.Frame {
	if c.Now == 0 {
		return nil
	}
	var own *analyzer.Frame
	var found []*analyzer.Frame
	for _, d := range v.frames[c.Now] {
		switch f := d.frame; {
		case f.Actual.Start > c.Start: // another trace has that time, too
		case d.pid == c.pid:
			own = f
		case c.VsyncID != 0 && f.VsyncID != 0 && c.VsyncID != f.VsyncID:
		case v.screens[c.screen] && v.rendered[f.Process] != c.screen:
		default:
			found = append(found, f)
		}
	}
	if own == nil && len(found) == 1 {
		return found[0]
	}
	return own
}

// renderedScreen returns the screen that a render process is for, noScreen if its name has none.
func renderedScreen(p *analyzer.Process) int64 {
	names := []string{p.Name}
	if main := p.Thread(trace.TID(p.PID)); main != nil {
		names = []string{main.Name, p.Name}
	}
	for _, name := range names {
		if id, ok := hitrace.NumberedScreen([]byte(name), "rs_process:"); ok {
			return id
		}
	}
	return noScreen
}

// screens are the commits of each render process.
type screens map[*analyzer.Process]*processScreens

type processScreens struct {
	ids     []int64                       // of its screens, in order
	times   map[int64][]trace.Time        // of the commits to each, in order
	byFrame map[*analyzer.Frame][]*commit // the first to each screen
}

// maxScreens is above the number of screens of any device. Commits to more are damaged lines.
const maxScreens = 64

func (s screens) add(f *analyzer.Frame, c *commit) {
	p := s[f.Process]
	if p == nil {
		p = &processScreens{times: map[int64][]trace.Time{}, byFrame: map[*analyzer.Frame][]*commit{}}
		s[f.Process] = p
	}
	if i, ok := slices.BinarySearch(p.ids, c.screen); !ok && c.screen != noScreen {
		if len(p.ids) < maxScreens {
			p.ids = slices.Insert(p.ids, i, c.screen)
		} else {
			c.screen = noScreen
		}
	}
	p.times[c.screen] = append(p.times[c.screen], c.Start)
	if slices.ContainsFunc(p.byFrame[f], func(other *commit) bool { return other.screen == c.screen }) {
		return // a commit without a new frame, or on one of several screens that are not stated
	}
	p.byFrame[f] = append(p.byFrame[f], c)
	if !f.Commit.Start.Known() {
		f.Commit = c.Interval // until set: drawnFrames need to know that there is one
	}
}

// screenOff is for how long a screen that is on has no commit, at the most. The lowest refresh rate
// of a panel is 1 Hz.
const screenOff = trace.Second

func (p *processScreens) isOn(id int64, at trace.Time) bool {
	times := p.times[id]
	i, _ := slices.BinarySearch(times, at)
	from, to := at, at
	if i > 0 {
		from = times[i-1]
	}
	if i < len(times) {
		to = times[i]
	}
	return to.Sub(from) < screenOff
}

// set sets the frame's commits. The main screen is the lowest one that is on.
func (s screens) set(f *analyzer.Frame) {
	p := s[f.Process]
	if p == nil || len(p.byFrame[f]) == 0 {
		return
	}
	list := p.byFrame[f]
	slices.SortFunc(list, func(a, b *commit) int { return cmp.Compare(uint64(a.screen), uint64(b.screen)) }) // noScreen last
	main := list[0]
	f.Commit = analyzer.Interval{}
	if main.screen == noScreen || !slices.ContainsFunc(p.ids, func(id int64) bool { return id < main.screen && p.isOn(id, main.Start) }) {
		f.Commit, f.CommitEstimated = main.Interval, main.Now == 0
		f.Present, f.PresentEstimated = main.present()
	}
	if len(p.ids) < 2 {
		return
	}
	for _, c := range list {
		if c.screen != noScreen {
			screen := analyzer.Screen{ID: c.screen, Commit: c.Interval}
			screen.Present, screen.PresentEstimated = c.present()
			f.Screens = append(f.Screens, screen)
		}
	}
}

// present returns when the display showed what was committed, zero if unknown.
func (c *commit) present() (at trace.Time, estimated bool) {
	if c.fence == nil {
		return 0, false
	}
	if at = c.fence.waited; c.fence.signaled {
		at, estimated = c.fence.at, true
	}
	if at < c.Start { // the wait for another fence of that number
		return 0, false
	}
	return at, estimated
}

// drawnFrames are render frames in the order in which their drawing ends.
type drawnFrames []*analyzer.Frame

// drawing returns when a frame is drawn: without known times, while its main thread works.
func drawing(f *analyzer.Frame) analyzer.Interval {
	if f.Draw.Known() {
		return f.Draw
	}
	return f.Actual
}

// committedAt returns the likely frame of a commit that starts at the given time: the
// last one drawn before, or, if that has a commit already, the next one, whose commit may
// start before its drawing ends.
func (d drawnFrames) committedAt(at trace.Time) *analyzer.Frame {
	next := sort.Search(len(d), func(i int) bool { return drawing(d[i]).End > at })
	var last *analyzer.Frame
	if next > 0 {
		last = d[next-1]
	}
	if (last == nil || last.Commit.Start.Known()) && next < len(d) && drawing(d[next]).Start <= at {
		return d[next]
	}
	return last
}
