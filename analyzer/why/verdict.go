package why

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Outcome is the kind of result for a late frame.
type Outcome uint8

// The outcomes. Their codes are those of the JSON.
const (
	// NotLate: the frame was on time, or has no known deadline.
	NotLate Outcome = iota
	// OneCause: one cause has most of the overrun.
	OneCause
	// KnockOn: the thread was still busy with an earlier frame.
	KnockOn
	// Mixed: no cause has 40 % of the overrun.
	Mixed
	// PlaceOnly: the slice that took longer is known, but not whether the thread ran
	// or waited in it.
	PlaceOnly
	// JustMissed: the frame was late by less than 0.2 ms.
	JustMissed
	// NotKnown: too much of what the thread did is unknown.
	NotKnown
)

var outcomes = [...]string{"", "cause", "knock_on", "mixed", "place_only", "just_missed", "unknown"}

// String returns the outcome's code; empty for NotLate.
func (o Outcome) String() string { return outcomes[o] }

// Confidence is how sure a cause is, from 0, high, to 3, low.
type Confidence uint8

// String returns "high", "medium" or "low".
func (c Confidence) String() string {
	switch c {
	case 0:
		return "high"
	case 1, 2:
		return "medium"
	}
	return "low"
}

// Part is the time that a frame spent in one way in one stage.
type Part struct {
	Stage place.Stage
	Wait  place.Wait
	Time  trace.Duration
}

// Share is a cause, with its share of the overrun of a late frame.
type Share struct {
	Stage place.Stage
	Wait  place.Wait
	// Slice is the slice of the frame's thread in which most of the excess lies;
	// empty if it lies outside of all slices.
	Slice string
	// Value is the time of the frame in the stage and wait, Usual what frames on time
	// spend there, and Share the part of the overrun.
	Value, Usual, Share trace.Duration
	// SliceValue and SliceUsual are the same of the slice alone.
	SliceValue, SliceUsual trace.Duration
	// Culprit is the thread that the frame's thread waited for; nil if it did not wait, or
	// if that thread is unknown.
	Culprit *Culprit
	// Earlier is the frame that the thread was busy with, for place.EarlierFrame, or
	// that the render thread was still drawing, for place.WaitRender; nil if unknown.
	Earlier *analyzer.Frame
	// Function is the kernel function in which the thread waited the longest; empty
	// if unknown.
	Function string
	// Reason is why garbage was collected, on this thread or by the culprit, such as
	// "allocation limit"; empty if unknown or if the cause is not a collection.
	Reason string
	// Frequency and UsualFrequency are the mean frequencies of the CPUs on which the thread
	// ran and usually runs, in kHz, for place.RunSlow; 0 for other waits. Cores names the
	// cores, if they are the reason: "little cores (CPU 0–3)".
	Frequency, UsualFrequency int64
	Cores                     string
	Advice                    place.Advice
	place                     place.Place
}

// Explanation is why a frame took the time it took.
type Explanation struct {
	Frame *analyzer.Frame
	// Start is the earlier of the expected and the actual start. From here on the
	// frame's time counts.
	Start, End trace.Time
	// Overrun is the time from the deadline to the end of the frame; zero if the
	// frame was not late.
	Overrun trace.Duration
	// Unknown is the time for which the thread's state is unknown.
	Unknown trace.Duration
	// Parts are where all the time from Start to End went, by stage and wait. Their
	// sum is End − Start.
	Parts []Part
	// Pieces are the same in order of time, of a late frame. Of more than 200, short ones are
	// joined, and the shortest are left out if that is not enough.
	Pieces []Piece
	// Slices are the times in all slices of the thread of a late frame, the longest first.
	Slices []SliceTime
	// Usual is what frames on time spend instead, of a late frame. The sum is the time
	// from Start to the deadline at most.
	Usual []Part

	Outcome    Outcome
	Confidence Confidence
	Basis      Basis
	// Shares are the causes of a late frame, the largest first. Their sum is Overrun.
	Shares []Share
	// Root is the frame whose cause delayed this one; nil if none did.
	Root *analyzer.Frame
	// Shown is how a render frame got to the display; nil if that is unknown.
	Shown *Shown
	// PickUp is why an application frame was picked up late; nil unless it was, and the
	// frame itself was on time.
	PickUp *PickUp
}

// Cause returns the share that stands for the frame, nil if it was not late or no
// cause is known.
func (e *Explanation) Cause() *Share {
	if e.Outcome == OneCause || e.Outcome == KnockOn || e.Outcome == PlaceOnly {
		return &e.Shares[0]
	}
	return nil
}

// Causes are the explanations of all complete frames of an input.
type Causes struct {
	Frames map[*analyzer.Frame]*Explanation
	// Scheduled, Woken and Functions report what the input has: sched_switch,
	// wakeups, and sched_blocked_reason.
	Scheduled, Woken, Functions bool
	// Limited reports whether the limit on stored states was reached: causes of later
	// frames are unknown.
	Limited bool
	// TooDeep counts the slices that were nested beyond the limit: their time counts as that
	// of the slices around them.
	TooDeep int
}

// Of returns the explanation of a frame, nil for a frame without one.
func (c *Causes) Of(f *analyzer.Frame) *Explanation {
	if c == nil {
		return nil
	}
	return c.Frames[f]
}

// Thresholds of the outcomes.
const (
	justMissed = 200 * trace.Microsecond
	// leastShare is the least share of a cause that stands for a frame.
	leastShare = 500 * trace.Microsecond
)

// Explain returns why the frames of t took their time. The recorder must have seen
// all events of t, and must not be used afterwards.
func (r *Recorder) Explain(t *analyzer.Timeline) *Causes {
	r.vocabulary.release()
	r.vocabulary = nil
	c := &Causes{Frames: map[*analyzer.Frame]*Explanation{}, Scheduled: r.scheduled, Woken: r.woke, Functions: r.functions, Limited: r.limited(), TooDeep: r.tooDeep}
	r.owners = threadNames(t)
	r.clusters = r.findClusters()
	r.sortLost()
	threads := spans(t)
	logs := map[trace.TID][]*log{}
	for _, l := range r.logs {
		logs[l.tid] = append(logs[l.tid], l)
	}
	groups := map[role]*group{}
	for _, tid := range slices.Sorted(maps.Keys(threads)) {
		list := threads[tid]
		r.fill(list, logs[tid])
		for _, a := range list {
			g := groups[roleOf(a.frame)]
			if g == nil {
				g = &group{usuals: map[usualID]*usual{}}
				groups[roleOf(a.frame)] = g
			}
			g.all = append(g.all, a)
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(threads)) {
		list := threads[tid]
		for _, a := range list {
			c.Frames[a.frame] = r.explain(a, list, groups[roleOf(a.frame)])
		}
		for _, a := range list {
			c.findRoot(c.Frames[a.frame])
		}
	}
	for _, list := range threads {
		for _, a := range list { // what follows needs the memory
			a.cells, a.culprits, a.ran = nil, nil, nil
		}
	}
	r.explainShown(c, threads, logs)
	r.explainPickUps(c, t, threads, logs)
	return c
}

func (r *Recorder) explain(a *account, list []*account, g *group) *Explanation {
	values := a.components()
	e := &Explanation{Frame: a.frame, Start: a.span.start, End: a.span.last(), Unknown: a.lost, Parts: parts(values)}
	if !a.late() {
		return e
	}
	e.Overrun = a.span.overrun()
	e.Pieces, a.pieces = r.pieces(a, list), nil
	e.Slices = r.sliceTimes(a)
	u := g.usualFor(a)
	e.Basis = u.basis
	usuals := u.within(a.span.budget(), values)
	e.Usual = parts(usuals)
	unknown, sum := trace.Duration(0), trace.Duration(0)
	for _, x := range u.shares(values, usuals, e.Overrun) {
		sum += x.excess
		if x.wait == place.WaitUnknown {
			unknown += x.excess
		}
		e.Shares = append(e.Shares, r.detail(a, list, u, x))
	}
	e.decide(a, unknown, sum)
	e.Confidence = r.confidence(a, e)
	return e
}

// decide sets the outcome.
func (e *Explanation) decide(a *account, unknown, sum trace.Duration) {
	if len(e.Shares) == 0 {
		e.Outcome = NotKnown
		return
	}
	first := &e.Shares[0]
	least := max(e.Overrun*2/5, leastShare)
	if e.Overrun < 2*leastShare {
		least = e.Overrun / 2
	}
	switch {
	case e.Overrun < justMissed:
		e.Outcome = JustMissed
	case a.placeOnly() && first.Share >= least && first.Wait == place.WaitUnknown:
		e.Outcome = PlaceOnly
	case !a.placeOnly() && unknown*2 > sum:
		e.Outcome = NotKnown
	case first.Share < least || first.Wait == place.WaitUnknown && !a.placeOnly():
		e.Outcome = Mixed
	case first.Wait == place.EarlierFrame:
		e.Outcome = KnockOn
	default:
		e.Outcome = OneCause
	}
}

// confidence counts what makes a cause less sure (docs/why.md 4).
func (r *Recorder) confidence(a *account, e *Explanation) Confidence {
	steps := 0
	if !a.placeOnly() && a.lost*100 > a.span.end.Sub(a.span.start) {
		steps++
	}
	if !a.placeOnly() && a.lost > 0 && r.isLost(&a.span) {
		steps += 2
	}
	if e.Basis >= FewFrames {
		steps++
	}
	if e.Basis == Budget {
		steps += 2
	}
	if s := e.Cause(); s != nil {
		switch {
		case s.Culprit != nil && !s.Culprit.Sure:
			steps++
		case s.Culprit == nil && s.Function == "" && s.Wait >= place.WaitOwnThread && s.Wait <= place.WaitSleep:
			steps++
		}
	}
	return Confidence(min(steps, 3))
}

// parts returns the components with their times, in order of stage and wait.
func parts(components map[component]amount) []Part {
	var list []Part
	for id, v := range components {
		if v.time > 0 {
			list = append(list, Part{id.stage, id.wait, v.time})
		}
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Wait, b.Wait))
	})
	return list
}

// detail finds the slice and the culprit of a cause.
func (r *Recorder) detail(a *account, list []*account, u *usual, x excess) Share {
	s := Share{Stage: x.stage, Wait: x.wait, Value: x.value, Usual: x.usual, Share: x.share}
	wait := x.wait
	if wait == place.RunSlow {
		wait = place.Run
	}
	if wait == place.Variation {
		return s
	}
	if s.Wait == place.RunSlow {
		s.Frequency, s.UsualFrequency, s.Cores = x.frequency, x.usualFrequency, r.cores(a, u)
	}
	var best *cell
	most := trace.Duration(-1)
	for i := range a.cells {
		c := &a.cells[i]
		if c.wait != wait || x.stage != place.NoStage && c.stage != x.stage {
			continue
		}
		usual := trace.Duration(0)
		if wait != place.EarlierFrame {
			usual = u.cell(cellID{c.stage, c.wait, c.key})
		}
		if over := c.time - usual; over > most {
			best, most = c, over
			s.SliceValue, s.SliceUsual = c.time, usual
		}
	}
	if best == nil {
		return s
	}
	if wait == place.EarlierFrame {
		s.Earlier = list[best.key].frame
		return s
	}
	if s.Wait == place.RunSlow && most*5 < (x.value-x.usual)*3 {
		// The whole frame was slower. One slice would stand for time spent in others.
		s.SliceValue, s.SliceUsual = 0, 0
		s.Advice = r.advice(a, &s)
		return s
	}
	s.Slice, s.place = r.keys.names[best.key], r.keys.places[best.key]
	if best.collection.key != 0 {
		s.place, s.Reason = best.collection.Place, r.keys.names[best.collection.reason]
	}
	if s.Stage == place.NoStage {
		s.place.Stage = best.stage
	} else if s.place.Stage == place.NoStage {
		s.place.Stage = s.Stage
	}
	r.blame(a, &s, wait)
	if s.Stage == place.Display && wait == place.WaitFence {
		return s // nobody can do anything about the display
	}
	if wait == place.WaitRender {
		s.Earlier = a.drawn(list)
	}
	s.Advice = r.advice(a, &s)
	return s
}

// advice returns the advice for a cause of a frame.
func (r *Recorder) advice(a *account, s *Share) place.Advice {
	c := place.Cause{Wait: s.Wait, Place: s.place, Reason: s.Reason, Scheduled: !a.placeOnly(), OthersScheduled: r.scheduled}
	if s.Wait == place.WaitUnknown && r.limited() {
		return place.NoAdvice // the sentence says which limit to raise
	}
	if a.frame.Kind == analyzer.RenderFrame {
		c.Reader = place.System
	}
	if by := s.Culprit; by != nil {
		switch {
		case by.CollectsGarbage() && (s.Wait == place.WaitOwnThread || s.Wait == place.WaitGC):
			c.Wait = place.WaitGC
		case place.IsLogger(by.Process) || place.IsLogger(by.Thread):
			c.Rival = place.Logger
		case by.PID == a.frame.Process.PID:
			c.Rival = place.OwnThread
		default:
			c.Rival = place.OtherThread
		}
	}
	return c.Advice()
}

// drawn returns the earlier frame that the render thread was drawing for more than half
// of the time that a waited for that thread; nil if it drew no frame for so long.
func (a *account) drawn(list []*account) *analyzer.Frame {
	const recent = 4
	var waited trace.Duration
	for i := range a.culprits {
		if c := &a.culprits[i]; c.id.wait == place.WaitRender {
			waited += c.end.Sub(c.start)
		}
	}
	for _, b := range list[max(a.index-recent, 0):a.index] {
		draw, drew := b.frame.Draw, trace.Duration(0)
		if !draw.Known() {
			continue
		}
		for i := range a.culprits {
			if c := &a.culprits[i]; c.id.wait == place.WaitRender {
				drew += max(min(c.end, draw.End).Sub(max(c.start, draw.Start)), 0)
			}
		}
		if drew*2 > waited {
			return b.frame
		}
	}
	return nil
}

// blame sets the culprit of a cause: the thread and the slice with the most time during
// all waits of this kind.
func (r *Recorder) blame(a *account, s *Share, wait place.Wait) {
	type suspect struct {
		tid  trace.TID
		wait place.Wait
		key  Key
	}
	times := map[suspect]trace.Duration{}
	reasons := map[suspect]Key{}
	threads := map[trace.TID]trace.Duration{}
	functions := map[Key]trace.Duration{}
	pids := map[trace.TID]trace.PID{}
	idle := trace.Duration(0)
	sure := map[trace.TID]bool{}
	for i := range a.culprits {
		c := &a.culprits[i]
		if c.id.wait != wait || s.Stage != place.NoStage && c.id.stage != s.Stage {
			continue
		}
		w := &r.waits[c.record-1]
		if w.function != 0 {
			functions[w.function] += c.end.Sub(c.start)
		}
		for _, l := range r.leaves[w.leaves:w.leavesEnd] {
			d := min(l.end, c.end).Sub(max(l.start, c.start))
			if d <= 0 {
				continue
			}
			if l.tid == 0 {
				idle += d
				continue
			}
			times[suspect{l.tid, l.wait, l.key}] += d
			if l.reason != 0 {
				reasons[suspect{l.tid, l.wait, l.key}] = l.reason
			}
			threads[l.tid] += d
			pids[l.tid] = l.pid
			if l.pid == a.frame.Process.PID || w.calling || wait == place.CPUWait || wait == place.CPUPreempted || wait == place.WaitVsync {
				sure[l.tid] = true
			}
		}
	}
	s.Function = r.keys.names[largest(functions)]
	if len(threads) == 0 {
		return
	}
	tid := largest(threads)
	if idle > threads[tid] {
		return // nobody had the processor
	}
	c := r.culprit(&leaf{tid: tid, pid: pids[tid]}, threads[tid])
	c.Sure = sure[tid]
	most, reason := trace.Duration(-1), Key(0)
	for k, d := range times {
		if k.tid != tid {
			continue
		}
		if d > most || d == most && (k.wait < c.Wait || k.wait == c.Wait && r.keys.names[k.key] < c.Slice) {
			most, c.Wait, c.Slice, reason = d, k.wait, r.keys.names[k.key], reasons[k]
		}
	}
	if s.Reason == "" {
		s.Reason = r.keys.names[reason]
	}
	if t := r.thread(tid); c.Thread == "" && t != nil {
		c.Thread = t.comm
	}
	s.Culprit = &c
}

// largest returns the key with the largest value, the smallest one of several; zero
// for an empty map.
func largest[K cmp.Ordered](m map[K]trace.Duration) K {
	var best K
	for k, d := range m {
		if most, ok := m[best]; !ok || d > most || d == most && k < best {
			best = k
		}
	}
	return best
}

type named struct {
	pid             trace.PID
	process, thread string
}

func threadNames(t *analyzer.Timeline) map[trace.TID]named {
	names := map[trace.TID]named{}
	for _, p := range t.Processes {
		for _, th := range p.Threads {
			names[th.TID] = named{p.PID, p.Name, th.Name}
		}
	}
	return names
}

// maxKnockOns bounds the frames that a delay is followed through.
const maxKnockOns = 16

// findRoot follows the delay of a frame by earlier ones to the frame with its cause.
func (c *Causes) findRoot(e *Explanation) {
	root := e
	for range maxKnockOns {
		s := root.Cause()
		if s == nil || s.Earlier == nil {
			break
		}
		next := c.Frames[s.Earlier]
		if next == nil {
			break
		}
		root = next
		if !root.Frame.Late() {
			break
		}
	}
	if root != e {
		e.Root = root.Frame
	}
}
