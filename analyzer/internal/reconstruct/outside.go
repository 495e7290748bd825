package reconstruct

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Transactions that an application sends outside frames, from a timer or a thread of its own, are
// a layer without a queue if they come at a rate (docs/frames.md 16.10). Work in the background,
// such as that of windows, sends some, too.

// outside is a thread that sends transactions outside frames at a rate.
type outside struct {
	process  *analyzer.Process
	thread   *thread
	sent     []*sent   // all
	all      int       // pictures
	pictures []picture // that come at a rate
}

// picture is made of one transaction or more. It begins a run if it does not follow others at a rate.
type picture struct {
	parts  []*sent
	begins bool
}

const (
	// oneOutside is the longest time between transactions of one picture: half a period of 240 Hz.
	oneOutside = trace.Second / 480
	// longestOutside is the longest interval of a rate: fewer than 10 pictures a second are no animation.
	longestOutside = 100 * trace.Millisecond
)

// runs are how many intervals in a row show a rate, if so many are even: within a quarter of the rate, or half
// a refresh. With loose, a whole refresh and half of the rate will do. With steady, most pictures must come at a
// rate: a few may seem to by chance.
var runs = []struct {
	intervals, even int
	loose, steady   bool
}{{20, 16, false, false}, {20, 18, true, true}, {10, 9, false, true}}

// services are processes of the system that send transactions for others, as for the cursor or for the animation of a
// window, by the end of their names.
var services = []string{renderService, "foundation", "multimodalinput", ".sceneboard"}

// findOutside finds the threads that send transactions outside frames at a rate. owner returns the frame
// that a transaction would belong to.
func (b *builder) findOutside(owner func(*sent) *draft) {
	type key struct {
		process *analyzer.Process
		thread  *thread
	}
	threads := map[key]*outside{}
	var all []*outside
	for _, s := range b.sent {
		if !s.outside || !b.isOutside(s, owner(s)) {
			continue
		}
		k := key{b.lives.at(s.draft.pid, s.line), s.draft.thread}
		o := threads[k]
		if o == nil {
			o = &outside{process: k.process, thread: k.thread}
			threads[k] = o
			all = append(all, o)
		}
		o.sent = append(o.sent, s)
	}
	if len(all) == 0 {
		return
	}
	frames := map[*thread][]*draft{}
	isService := map[*analyzer.Process]bool{nil: true}
	period := trace.Duration(0) // the shortest
	for _, d := range b.drafts {
		if f := d.frame; f.Kind == analyzer.RenderFrame {
			isService[f.Process] = true
			period = cmp.Or(min(period, f.Period), f.Period)
		} else if !d.orphan && !d.saysEmpty {
			frames[d.thread] = append(frames[d.thread], d)
		}
	}
	type pool struct {
		process *analyzer.Process
		steady  bool
	}
	pools := map[pool][]*outside{} // threads that may send in turn
	var pooled []pool
	for _, o := range all {
		p := o.process
		if isService[p] || slices.ContainsFunc(services, func(end string) bool { return strings.HasSuffix(p.Name, end) }) {
			continue
		}
		o.findRuns(frames[o.thread], period)
		if o.withFrames(frames) {
			continue
		}
		if int32(o.thread.tid) == int32(p.PID) || len(frames[o.thread]) > 0 {
			b.addOutside(o)
			continue
		}
		k := pool{p, o.steady()}
		if pools[k] == nil {
			pooled = append(pooled, k)
		}
		pools[k] = append(pools[k], o)
	}
	for _, k := range pooled {
		together := &outside{process: k.process}
		for _, o := range pools[k] {
			together.sent = append(together.sent, o.sent...)
		}
		slices.SortStableFunc(together.sent, func(x, y *sent) int { return cmp.Compare(x.line, y.line) })
		if n := len(pools[k]); n > 1 {
			together.findRuns(nil, period)
			if together.steady() && (!k.steady || together.inTurn(n)) {
				b.addOutside(together)
				continue
			}
		}
		for _, o := range pools[k] {
			b.addOutside(o)
		}
	}
}

// withFrames reports whether the thread sends one picture with each frame of another thread of its process: nine of ten
// intervals have the begin of one.
func (o *outside) withFrames(frames map[*thread][]*draft) bool {
	for t, list := range frames {
		if t == o.thread || list[0].frame.Process != o.process {
			continue
		}
		intervals, one := 0, 0
		for i := 1; i < len(o.pictures); i++ {
			if from, to := o.pictures[i-1].at(), o.pictures[i].at(); !o.pictures[i].begins {
				intervals++
				if begunIn(list, from, to) == 1 {
					one++
				}
			}
		}
		if intervals > 0 && 10*one >= 9*intervals {
			return true
		}
	}
	return false
}

// inTurn reports whether a number of threads that each send at a rate take turns: nine of ten pictures come from the
// thread that sent so many before, and are within a quarter of the median interval.
func (o *outside) inTurn(threads int) bool {
	var gaps []trace.Duration
	same := 0
	for i := threads; i < len(o.pictures); i++ {
		gaps = append(gaps, o.pictures[i].at().Sub(o.pictures[i-1].at()))
		own := o.pictures[i].parts[0].tid
		if own == o.pictures[i-threads].parts[0].tid && own != o.pictures[i-1].parts[0].tid {
			same++
		}
	}
	if len(gaps) == 0 {
		return false
	}
	even, sorted := 0, slices.Sorted(slices.Values(gaps))
	middle := sorted[len(sorted)/2]
	for _, d := range gaps {
		if (d - middle).Abs() <= middle/4 {
			even++
		}
	}
	return 10*same >= 9*len(gaps) && 10*even >= 9*len(gaps)
}

// at returns when the picture was sent.
func (p *picture) at() trace.Time { return p.parts[len(p.parts)-1].at }

// steady reports whether most pictures come at a rate.
func (o *outside) steady() bool { return 3*len(o.pictures) >= 2*o.all }

// addOutside adds what comes at a rate to the layers.
func (b *builder) addOutside(o *outside) {
	if len(o.pictures) == 0 {
		return
	}
	b.outsides = append(b.outsides, o)
	for _, p := range o.pictures {
		for _, s := range p.parts {
			s.inLayer = true
		}
	}
}

// isOutside reports whether a transaction that was sent while no frame was open on its thread belongs to
// none: threads go on naming the vsync of their last frame.
func (b *builder) isOutside(s *sent, owner *draft) bool {
	if owner == nil || owner.orphan {
		return true
	}
	f := owner.frame
	return f.Kind == analyzer.ApplicationFrame && s.at > f.Actual.End.Add(max(f.Period, trace.Second/60))
}

// findRuns finds the pictures that come at a rate. frames are those of the thread by start, period is that
// of the display.
func (o *outside) findRuns(frames []*draft, period trace.Duration) {
	for _, r := range runs {
		o.findRunsOf(r.intervals, r.even, r.loose, frames, period)
		if len(o.pictures) > 0 && (!r.steady || o.steady()) {
			return
		}
	}
	o.pictures = nil
}

func (o *outside) findRunsOf(run, least int, loose bool, frames []*draft, period trace.Duration) {
	var pictures [][]*sent
	var since []trace.Duration // the picture before; zero after a frame
	var last trace.Time
	for _, s := range o.sent {
		n, gap := len(pictures), s.at.Sub(last)
		if last = s.at; n > 0 && gap <= oneOutside {
			pictures[n-1] = append(pictures[n-1], s)
			continue
		}
		if n == 0 || begunIn(frames, s.at.Add(-gap), s.at) > 0 {
			gap = 0
		}
		pictures, since = append(pictures, []*sent{s}), append(since, gap)
	}
	kept := make([]bool, len(pictures)+1) // those that follow the one before at a rate
	sorted := make([]trace.Duration, run)
	for from := 1; from+run <= len(pictures); from++ {
		window := since[from : from+run]
		copy(sorted, window)
		slices.Sort(sorted)
		middle := (sorted[run/2-1] + sorted[run/2]) / 2
		if sorted[0] == 0 || middle > longestOutside {
			continue
		}
		slack, even, first, last := max(middle/4, period/2), 0, -1, 0
		if loose {
			slack = max(slack, min(middle/2, period))
		}
		for i, d := range window {
			if (d - middle).Abs() <= slack {
				even, last = even+1, from+i
				first = cmp.Or(max(first, 0), last)
			}
		}
		if even < least {
			continue
		}
		for i := first; i <= last; i++ {
			kept[i] = true
		}
	}
	o.pictures = nil
	for i, list := range pictures {
		if !kept[i] && !kept[i+1] {
			continue
		}
		o.pictures = append(o.pictures, picture{list, !kept[i]})
	}
	o.all = len(pictures)
}

// begunIn returns how many of the frames, by start, began from one time to another.
func begunIn(frames []*draft, from, to trace.Time) int {
	at := func(t trace.Time) int {
		i, _ := slices.BinarySearchFunc(frames, t, func(d *draft, at trace.Time) int { return cmp.Compare(d.frame.Actual.Start, at) })
		return i
	}
	return at(to+1) - at(from)
}

// name returns the name of the layer: what draws it.
func (o *outside) name() string {
	p := o.process
	name := cmp.Or(p.Name, "process "+strconv.Itoa(int(p.PID))) + " outside frames"
	switch {
	case o.thread == nil:
		return name + ", several threads"
	case int32(o.thread.tid) == int32(p.PID):
		return name
	}
	i := slices.IndexFunc(p.Threads, func(t analyzer.Thread) bool { return t.TID == o.thread.tid && t.Name != "" })
	if i < 0 {
		return name + ", thread " + strconv.Itoa(int(o.thread.tid))
	}
	return name + ", " + p.Threads[i].Name
}

// show adds the layer of the transactions to the timeline: each is taken by the render frame that applied
// it, and shown if that one was committed.
func (o *outside) show(t *analyzer.Timeline, renders framesByProcess) {
	i := slices.IndexFunc(t.Layers, func(l *analyzer.Layer) bool { // of an earlier trace of the input
		return l.Framework == analyzer.OutsideFrames && l.Process == o.process && l.Name == o.name()
	})
	if i < 0 {
		i = len(t.Layers)
		t.Layers = append(t.Layers, &analyzer.Layer{Name: o.name(), Process: o.process, Framework: analyzer.OutsideFrames})
	}
	l := t.Layers[i]
	unknown := true // whether what was before is unknown
	for _, p := range o.pictures {
		s := p.parts[len(p.parts)-1]
		n := &analyzer.Buffer{Layer: l, Sequence: s.Index, TID: s.tid, Queued: s.at, Begins: unknown || p.begins}
		if d := s.appliedBy; d != nil && d.frame.Kind == analyzer.RenderFrame {
			n.Acquired, n.Render = max(s.appliedAt, s.at), d.frame
			if !show(n, d.frame) && !slices.ContainsFunc(renders[d.frame.Process.PID], isCommitted) { // before 4.0
				n.Fate = analyzer.Shown
			}
		}
		unknown = n.Fate != analyzer.Shown
		l.Buffers = append(l.Buffers, n)
	}
}
