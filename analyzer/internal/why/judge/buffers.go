package judge

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// lateBuffer is a late buffer under examination.
type lateBuffer struct {
	*why.Explanation
	layer *bufferLayer
	// last is the buffer that was shown before, and previous the one that was queued before the wanted one.
	last, previous *analyzer.Buffer
	// replaced are the buffers that were dropped for last.
	replaced []*analyzer.Buffer
	// due is Buffer.Deadline, or as much later as its late frame explains; zero if the buffer was
	// taken until then.
	due  trace.Time
	work *account.Account // of the producer's thread from one to the other; nil if not examined
}

// bufferLayer is a layer with late buffers at one of its cadences.
type bufferLayer struct {
	*analyzer.Layer
	late []*lateBuffer
	// steady are even buffers at the same cadence, with the one queued before each, and usual the
	// medians of their steps.
	steady []pair
	usual  map[why.StepName]trace.Duration
	work   []*account.Account // of the producer's thread for the steady buffers
}

type pair struct{ previous, buffer *analyzer.Buffer }

// explainBuffers finds out why buffers of layers were shown late. It does nothing if none was.
func (j *judge) explainBuffers(t *analyzer.Timeline) {
	var layers []*bufferLayer
	paused := t.JudgePauses()
	for _, l := range lateBuffers(t) {
		layers = append(layers, bufferLayers(l[0].Layer, l)...)
	}
	if len(layers) == 0 {
		j.setPaused(paused, nil)
		return
	}
	j.causes.Buffers = map[*analyzer.Buffer]*why.Explanation{}
	renders := byStart(t)
	for _, l := range layers {
		for _, b := range l.late {
			b.judge(renders, j.causes.Of(b.Buffer.Render))
			j.causes.Buffers[b.Buffer] = b.Explanation
		}
	}
	j.explainProduction(layers)
	j.setPaused(paused, layers)
	j.explainTaking(layers, renders)
	for _, l := range layers {
		for _, b := range l.late {
			j.explainShowing(b)
		}
	}
}

// lateBuffers returns the late buffers, by layer, that no late frame explains entirely.
func lateBuffers(t *analyzer.Timeline) (layers [][]*analyzer.Buffer) {
	var all []*analyzer.Buffer
	for _, l := range t.Layers {
		for _, b := range l.Buffers {
			if why.ByFrame(b) < b.Overrun() {
				all = append(all, b)
			}
		}
	}
	if len(all) > why.MaxLateBuffers {
		slices.SortStableFunc(all, func(a, b *analyzer.Buffer) int {
			return cmp.Compare(b.Overrun()-why.ByFrame(b), a.Overrun()-why.ByFrame(a))
		})
		all = all[:why.MaxLateBuffers]
		slices.SortStableFunc(all, func(a, b *analyzer.Buffer) int { return cmp.Compare(a.Layer.ID, b.Layer.ID) })
	}
	for i, b := range all {
		if i == 0 || b.Layer != all[i-1].Layer {
			layers = append(layers, nil)
		}
		last := &layers[len(layers)-1]
		*last = append(*last, b)
	}
	return layers
}

// byStart returns the render frames by actual start.
func byStart(t *analyzer.Timeline) []*analyzer.Frame {
	var list []*analyzer.Frame
	for _, f := range t.Frames {
		if f.Kind == analyzer.RenderFrame {
			list = append(list, f)
		}
	}
	return list
}

// bufferLayers returns the late buffers of a layer by cadence: what is usual at one is not at another.
func bufferLayers(layer *analyzer.Layer, late []*analyzer.Buffer) (list []*bufferLayer) {
	by := map[trace.Duration]*bufferLayer{}
	isLate := map[*analyzer.Buffer]bool{}
	for _, b := range late {
		isLate[b] = true
		if cadence := layer.CadenceOf(b); by[cadence] == nil {
			by[cadence] = &bufferLayer{Layer: layer, usual: map[why.StepName]trace.Duration{}}
			list = append(list, by[cadence])
		}
	}
	at := make(map[*analyzer.Buffer]int, len(layer.Buffers))
	var shown []*analyzer.Buffer
	for i, b := range layer.Buffers {
		at[b] = i
		if b.Fate == analyzer.Shown && b.Present.Known() {
			shown = append(shown, b)
		}
	}
	slices.SortStableFunc(shown, func(a, b *analyzer.Buffer) int { return cmp.Compare(a.Present, b.Present) })
	previous := func(b *analyzer.Buffer) *analyzer.Buffer {
		if i := at[b] - 1; i >= 0 && layer.Buffers[i].Queued.Known() && layer.Buffers[i].Queued <= b.Queued {
			return layer.Buffers[i]
		}
		return nil
	}
	for i, b := range shown {
		l := by[layer.CadenceOf(b)]
		if l == nil {
			continue
		}
		if b.Pace == analyzer.Even {
			if p := previous(b); p != nil {
				l.steady = append(l.steady, pair{p, b})
			}
		}
		if !isLate[b] || i == 0 {
			continue
		}
		x := &lateBuffer{Explanation: &why.Explanation{Buffer: b, Lost: b.Overrun() - why.ByFrame(b)}, layer: l, last: shown[i-1], due: b.Deadline}
		if r := b.Render; b.Deadline.Known() && why.ByFrame(b) > 0 {
			if x.due = b.Deadline.Add(why.ByFrame(b)); x.due.Add(r.Period/2) > b.Acquired {
				x.due = 0
			}
		}
		for _, d := range layer.Buffers[min(at[x.last]+1, at[b]):at[b]] {
			if d.Fate == analyzer.Discarded && d.Queued.Known() {
				x.Dropped = d
				break
			}
		}
		x.previous = previous(x.Wanted())
		from := at[x.last]
		for from > 0 && layer.Buffers[from-1].Fate == analyzer.Discarded {
			from--
		}
		x.replaced = layer.Buffers[from:at[x.last]]
		l.late = append(l.late, x)
	}
	for _, l := range list {
		l.steady = thinned(l.steady, maxUsuals)
		times := map[why.StepName][]trace.Duration{}
		for _, p := range l.steady {
			for _, s := range lifeOf(p.previous, p.buffer, p.buffer) {
				times[s.Name] = append(times[s.Name], s.Time)
			}
		}
		for step, list := range times {
			l.usual[step] = quantile(list, len(l.steady), 1, 2)
		}
	}
	return list
}

// lifeOf divides the life of a buffer into steps: from when the buffer before it was queued,
// nil if that is unknown, until it or the one that replaced it was shown.
func lifeOf(previous, due, shown *analyzer.Buffer) (list []why.Step) {
	at := cmp.Or(due.Queued, shown.Acquired, shown.Present)
	if previous != nil && due.Queued.Known() {
		at = previous.Queued
	}
	add := func(name why.StepName, until trace.Time) {
		if until = min(until, shown.Present); until > at {
			list = append(list, why.Step{Name: name, Start: at, Time: until.Sub(at)})
			at = until
		}
	}
	if due.Queued.Known() {
		if r := due.Requested; r.Known() && r.End <= due.Queued {
			add(why.StepProduce, r.Start)
			add(why.StepRequest, r.End)
			add(why.StepFill, due.Queued)
		} else {
			add(why.StepProduce, due.Queued)
		}
	}
	taken := cmp.Or(shown.Acquired, shown.Present)
	if due.Ready <= taken {
		add(why.StepGPU, due.Ready)
	}
	add(why.StepQueue, taken)
	add(why.StepGPU, due.Ready) // render_service may take a buffer that is not ready
	if f := shown.Render; f != nil {
		way := marks(f, taken, min(max(f.Actual.Start, taken), shown.Present), shown.Present)
		for i, name := range why.ShownSteps[:4] {
			add(name, way[i+1])
		}
	}
	add(why.StepDisplay, shown.Present)
	return list
}

// judge finds the steps and the reason. e is the explanation of the frame that took the buffer.
func (b *lateBuffer) judge(renders []*analyzer.Frame, e *why.Explanation) {
	b.Steps = lifeOf(b.previous, b.Wanted(), b.Buffer)
	b.Start, b.End = b.Buffer.Present, b.Buffer.Present
	if len(b.Steps) > 0 {
		b.Start = b.Steps[0].Start
	}
	for i := range b.Steps {
		b.Steps[i].Usual = b.layer.usual[b.Steps[i].Name]
	}
	due, deadline := b.Wanted(), b.deadline(renders)
	b.Due, b.Outcome = max(deadline, 0), why.NotKnown
	switch {
	case !b.Buffer.Acquired.Known() || !b.last.Acquired.Known():
	case !b.due.Known():
		b.Outcome = why.ShownLate
		waited := e.ShownLate() && e.Shown.Shares[0].Waited == b.Buffer
		if waited || due.Ready > b.Buffer.Acquired && b.excess(why.StepGPU) >= max(leastShare, b.Lost/2) {
			b.Outcome = why.DrawnLate
		}
	case !due.Queued.Known():
	case due.Queued > deadline:
		b.Outcome = why.QueuedLate
		if b.early() {
			b.Outcome = why.DroppedBuffer
		} else if over := b.excess(why.StepRequest); over >= leastShare && over*2 >= b.excess(why.StepProduce)+over+b.excess(why.StepFill) {
			b.Outcome = why.NoFreeBuffer
		}
	case due.Ready > deadline:
		b.Outcome = why.DrawnLate
	default:
		b.Outcome = why.TakenLate
	}
}

// early reports whether the producer kept its cadence on the whole, but queued the buffer that was shown
// before in the same vsync as others, which that one replaced (docs/frames.md 16.9).
func (b *lateBuffer) early() bool {
	if len(b.replaced) == 0 || b.Dropped != nil || b.Buffer.Render == nil {
		return false
	}
	first, c, period := b.replaced[0], b.layer.StretchOf(b.Buffer), b.Buffer.Render.Period
	return c != nil && c.Buffers == 1 && c.Every >= period && first.Queued.Known() && b.last.Acquired.Sub(first.Queued) <= period &&
		b.Buffer.Queued.Sub(first.Queued) <= trace.Duration(len(b.replaced)+1)*c.Every+period/2
}

// excess returns by how much a step was longer than usual.
func (b *lateBuffer) excess(name why.StepName) trace.Duration {
	s := b.Step(name)
	return max(s.Time-s.Usual, 0)
}

// deadline returns until when the wanted buffer had to be ready: the time at which the frame that should
// have taken it did so, if render_service had one, or else would have done so.
func (b *lateBuffer) deadline(renders []*analyzer.Frame) trace.Time {
	deadline := b.due
	if passed := b.passed(renders); passed != nil {
		deadline = min(deadline, passed.Actual.Start.Add(b.Buffer.Acquired.Sub(b.Buffer.Render.Actual.Start)))
	}
	return deadline
}

// begun returns when the frame should have begun that should have taken the buffer.
func (b *lateBuffer) begun() trace.Time {
	r := b.Buffer.Render
	begin := r.Actual.Start
	if r.Expected.Start.Known() {
		begin = min(begin, r.Expected.Start)
	}
	return begin.Add(-b.Buffer.Acquired.Sub(b.due))
}

// passed returns the frame of render_service that should have taken the buffer, nil if there
// was none then.
func (b *lateBuffer) passed(renders []*analyzer.Frame) *analyzer.Frame {
	r := b.Buffer.Render
	if r == nil || !b.due.Known() || r.Period <= 0 {
		return nil
	}
	begun := b.begun()
	i, _ := slices.BinarySearchFunc(renders, begun.Add(-r.Period/2), func(f *analyzer.Frame, at trace.Time) int { return cmp.Compare(f.Actual.Start, at) })
	for ; i < len(renders) && renders[i].Actual.Start < begun.Add(r.Period/2); i++ {
		f := renders[i]
		early := b.layer.Framework == analyzer.OutsideFrames && b.Buffer.Queued <= b.due && f.Actual.Start < b.Buffer.Queued // sent on time, and after it
		if f != r && f.Process == r.Process && !early {
			return f
		}
	}
	return nil
}

// explainProduction finds out what the threads of producers did that queued buffers late.
func (j *judge) explainProduction(layers []*bufferLayer) {
	work := map[trace.TID][]*account.Account{}
	examine := func(p pair) *account.Account {
		tid := p.buffer.TID
		if tid <= 0 || p.previous.Queued >= p.buffer.Queued {
			return nil
		}
		if p.buffer.Layer.Framework == analyzer.OutsideFrames && p.previous.TID != tid {
			return nil // several threads send in turn
		}
		if r := p.buffer.Render; r != nil && j.book.Thread(trace.UnknownPID, tid, p.buffer.Queued).PID == r.Process.PID {
			return nil // it served a call, and the caller is unknown
		}
		process := p.buffer.Layer.Process
		if process == nil {
			process = &analyzer.Process{PID: j.record.PID(tid)}
		}
		a := account.PartOfWay(&analyzer.Frame{Process: process, TID: tid}, p.previous.Queued, p.previous.Queued, p.buffer.Queued, why.StageProduce)
		work[tid] = append(work[tid], a)
		return a
	}
	for _, l := range layers {
		late := false
		for _, b := range l.late {
			if b.Outcome == why.QueuedLate && b.previous != nil {
				b.work = examine(pair{b.previous, b.Wanted()})
				late = late || b.work != nil
			}
		}
		if !late {
			continue
		}
		for _, p := range l.steady {
			if a := examine(p); a != nil {
				l.work = append(l.work, a)
			}
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(work)) {
		j.book.Distribute(tid, bounded(work[tid]))
	}
	for _, l := range layers {
		if l.work = slices.DeleteFunc(l.work, func(a *account.Account) bool { return !filled(a) || !known(a) }); len(l.work) < fewFrames {
			continue
		}
		usual := &usual{references: l.work}
		usual.compute(&j.values)
		for _, b := range l.late {
			if a := b.work; a != nil && filled(a) {
				b.Shares = b.withoutVsync(j.bufferShares(a, usual, b.Lost))
			}
		}
	}
}

// setPaused finds the late buffers that came after a pause. Some came so late that this is a pause
// unless it is known what their producer did.
func (j *judge) setPaused(long []*analyzer.Buffer, layers []*bufferLayer) {
	known := map[*analyzer.Buffer]bool{}
	for _, b := range long {
		known[b] = why.ByFrame(b) >= b.Overrun()
	}
	for _, l := range layers {
		l.late = slices.DeleteFunc(l.late, func(b *lateBuffer) bool {
			_, isLong := known[b.Buffer]
			if !b.paused() && (!isLong || b.caused()) {
				known[b.Buffer] = true
				return false
			}
			delete(j.causes.Buffers, b.Buffer)
			b.Buffer.SetPaused()
			return true
		})
	}
	for _, b := range long {
		if !known[b] {
			b.SetPaused()
		}
	}
}

// caused reports whether it is known what the producer did in place of the buffer, and that this is not
// what it mostly does while it has nothing to do. One that catches up had something to do.
func (b *lateBuffer) caused() bool {
	if b.Outcome != why.QueuedLate || len(b.Shares) == 0 || b.Shares[0].Wait == why.WaitUnknown {
		return false
	}
	s, cadence := &b.Shares[0], b.layer.CadenceOf(b.Buffer)
	if s.Wait == why.Run || s.Usual*4 < cadence {
		return true
	}
	i := slices.Index(b.layer.Buffers, b.Wanted())
	return i+1 < len(b.layer.Buffers) && b.layer.Buffers[i+1].Queued.Sub(b.layer.Buffers[i].Queued)*4 < cadence*3
}

// paused reports whether the producer did nothing but what it does between any two buffers: it
// slept, and nothing else is known to have ended that (docs/why.md 10).
func (b *lateBuffer) paused() bool {
	if b.work == nil || b.work.End.Sub(b.work.Start) < why.LeastPause || b.Buffer.Interval < why.LeastPause || len(b.Shares) == 0 {
		return false
	}
	if f := b.Buffer.Frame; f != nil && f.Pace == analyzer.Late {
		return false // its frame is late
	}
	s := &b.Shares[0]
	sleeps := s.Wait == why.WaitTimer || s.Wait == why.WaitSleep || s.Wait == why.WaitInterrupt && s.Interrupt == ""
	return sleeps && s.Share*10 >= b.Lost*9 && s.Usual*4 >= b.layer.CadenceOf(b.Buffer)
}

// filled reports whether all the time of an account is known to be in its cells.
func filled(a *account.Account) bool {
	sum := trace.Duration(0)
	for c := range a.Cells() {
		sum += c.Time
	}
	return sum == a.End.Sub(a.Start)
}

// bufferShares distributes the overrun of a buffer over what its producer's thread did longer
// than usual. The overrun is a number of refreshes, and may be longer than all of that.
func (j *judge) bufferShares(a *account.Account, u *usual, overrun trace.Duration) []why.Share {
	values := sums(nil).components(a)
	usuals, _ := u.within(math.MaxInt64, values)
	list := u.shares(values, usuals, 0)
	divideLost(list, overrun)
	return j.allDetails(&judged{Account: a, of: u, values: values, usuals: usuals, late: overrun}, list)
}

// withoutVsync leaves out waits for the next vsync, if the producer missed one because of something else:
// those of a refresh period at most.
func (b *lateBuffer) withoutVsync(list []why.Share) []why.Share {
	waited := trace.Duration(0)
	for i := range list {
		s := &list[i]
		if c := s.Culprit; c != nil && (s.Wait == why.WaitOtherProcess || s.Wait == why.WaitOwnThread && c.Wait != why.Run) && place.IsVsync(c.Thread) {
			s.Wait, s.Advice = why.WaitVsync, why.NoAdvice
			waited += s.Value - s.Usual
		}
	}
	isVsync := func(s why.Share) bool { return s.Wait == why.WaitVsync }
	others := slices.DeleteFunc(slices.Clone(list), isVsync)
	if r := b.Buffer.Render; waited == 0 || !slices.ContainsFunc(others, func(s why.Share) bool { return s.Share > 0 }) || r == nil || waited > r.Period {
		return list
	}
	divideAgain(others, b.Lost)
	return others
}

// divideAgain divides a time among causes in proportion to their shares.
func divideAgain(list []why.Share, lost trace.Duration) {
	var shares []trace.Duration
	for i := range list {
		shares = append(shares, list[i].Share)
	}
	for i, d := range why.Divide(lost, shares) {
		list[i].Share = d
	}
}

// explainTaking finds out why render_service took buffers late that were ready.
func (j *judge) explainTaking(layers []*bufferLayer, renders []*analyzer.Frame) {
	type wait struct {
		tid      trace.TID
		from, to trace.Time
	}
	waits := map[trace.TID][]*account.Account{}
	pickUps := map[*account.Account]*why.Explanation{}
	known := map[wait]*why.Explanation{} // layers that waited for the same
	for _, l := range layers {
		for _, b := range l.late {
			r := b.Buffer.Render
			if b.Outcome != why.TakenLate || r == nil {
				continue
			}
			w := wait{r.TID, b.begun(), r.Actual.Start}
			if p := known[w]; p != nil {
				b.PickUp = p
				continue
			}
			b.PickUp = &why.Explanation{Start: b.due, End: b.Buffer.Acquired, Lost: b.Buffer.Acquired.Sub(b.due), Passed: b.passed(renders), Outcome: why.NotKnown}
			known[w] = b.PickUp
			if b.PickUp.Passed == nil && w.from < w.to {
				a := account.PartOfWay(r, w.from, w.to, w.to, why.NoStage)
				waits[w.tid] = append(waits[w.tid], a)
				pickUps[a] = b.PickUp
			}
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(waits)) {
		j.delays(tid, waits[tid], pickUps)
	}
	for _, l := range layers {
		for _, b := range l.late {
			if b.PickUp != nil && len(b.PickUp.Shares) > 0 {
				root, _ := j.causes.RootCause(&b.PickUp.Shares[0], nil)
				share := *root
				share.Share = b.Lost
				b.Shares = []why.Share{share}
			}
		}
	}
}

// share returns a step as the only cause of a buffer.
func (b *lateBuffer) share(name why.StepName, stage why.Stage, wait why.Wait, advice why.Advice) why.Share {
	return why.Share{Stage: stage, Wait: wait, Value: b.Step(name).Time, Usual: b.layer.usual[name], Share: b.Lost, Advice: advice}
}

// explainShowing gives a buffer whose reason is a step, or that was shown late, the causes of
// that.
func (j *judge) explainShowing(b *lateBuffer) {
	switch b.Outcome {
	case why.NoFreeBuffer:
		b.Shares = []why.Share{b.share(why.StepRequest, why.StageProduce, why.WaitBuffer, why.AdviseBuffer)}
	case why.DrawnLate:
		b.Shares = []why.Share{b.share(why.StepGPU, why.StageDraw, why.WaitGPU, why.AdviseFence)}
	case why.ShownLate:
		if b.Shares = j.sharesOfShowing(b.Buffer.Render); b.Shares != nil {
			divideAgain(b.Shares, b.Lost)
		}
	case why.QueuedLate:
		j.divideShowing(b)
	}
}

// sharesOfShowing returns why a render frame was shown late; nil if it was not.
func (j *judge) sharesOfShowing(f *analyzer.Frame) []why.Share {
	e := j.causes.Frames[f]
	if !e.ShownLate() {
		return nil
	}
	if root := j.causes.Of(e.Shown.Root); root.ShownLate() {
		e = root
	}
	return slices.Clone(e.Shown.Shares)
}

// divideShowing gives the frame that showed a picture outside frames, which was sent late, the time by which it showed that
// later than the one before was shown. When a picture was sent is known exactly, so the rest is the producer's.
func (j *judge) divideShowing(b *lateBuffer) {
	r := b.Buffer.Render
	if b.layer.Framework != analyzer.OutsideFrames || r == nil {
		return
	}
	longer := b.Buffer.Present.Sub(b.last.Present) - b.Buffer.Acquired.Sub(b.last.Acquired)
	shown := j.sharesOfShowing(r)
	if shown == nil || longer <= r.Period/2 {
		return
	}
	longer = min(longer, b.Lost)
	divideAgain(shown, longer)
	if len(b.Shares) == 0 {
		work := b.Step(why.StepProduce).Time + b.Step(why.StepRequest).Time + b.Step(why.StepFill).Time
		b.Shares = []why.Share{{Stage: why.StageProduce, Value: work, Usual: b.layer.CadenceOf(b.Buffer), Share: b.Lost}}
	}
	divideAgain(b.Shares, b.Lost-longer)
	b.Shares = append(b.Shares, shown...)
	slices.SortStableFunc(b.Shares, func(x, y why.Share) int { return cmp.Compare(y.Share, x.Share) })
}
