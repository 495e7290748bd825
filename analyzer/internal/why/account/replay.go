package account

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// maxWaiting is the maximum number of frames that wait for their thread at the same
// time.
const maxWaiting = 16

// Distribute distributes the time of accounts of one thread over waits and places: every
// nanosecond of every span to one cell. It sorts them by their actual start.
func (b *Book) Distribute(tid trace.TID, list []*Account) { b.distribute(tid, list, nil) }

// distribute also fills stretches, which frames may overlap.
func (b *Book) distribute(tid trace.TID, list, stretches []*Account) {
	slices.SortStableFunc(list, func(a, b *Account) int { return cmp.Compare(a.Actual, b.Actual) })
	var watches []*Account
	for i, a := range list {
		if late := a.Late(); late || a.details != nil {
			if a.details == nil {
				a.details = &details{}
			}
			d := a.details
			d.thread, d.index, d.late = list, i, late || d.explained
			since := trace.Time(0)
			if i > 0 {
				since = list[i-1].End
			}
			if (late || d.watched) && since < a.Actual && a.Start < a.Actual {
				watches = append(watches, &Account{Frame: a.Frame, Span: Span{Start: since, Actual: a.Actual, End: a.Actual}, from: since, watches: a})
			}
		}
		a.from = a.Start
		if i < maxWaiting || list[i-maxWaiting].Actual <= a.from {
			continue
		}
		a.from = list[i-maxWaiting].Actual
		a.Unknown = a.from.Sub(a.Start)
		b.open(a).add(newID(why.StageStart, why.WaitUnknown, 0), a.Unknown, 0)
	}
	for _, a := range stretches {
		a.from = a.Start
	}
	b.replay(tid, list, slices.Concat(list, stretches, watches))
}

// replay distributes the time of accounts of a thread whose frames are list.
func (b *Book) replay(tid trace.TID, list, all []*Account) {
	f := replay{book: b, record: b.record, list: list, byStart: all, bounds: make([]trace.Time, 0, 3*len(all))}
	slices.SortStableFunc(f.byStart, func(a, b *Account) int { return cmp.Compare(a.from, b.from) })
	for _, a := range all {
		f.bounds = append(f.bounds, a.from, a.Actual, a.End)
	}
	f.pid = all[0].Frame.Process.PID
	if t := b.functions.Thread(tid); t != nil {
		f.sampler = &sampler{Thread: t}
	}
	slices.Sort(f.bounds)
	f.bounds = slices.Compact(f.bounds)
	for _, l := range b.record.Logs(tid) {
		f.log(l)
	}
	if len(f.bounds) > 0 {
		f.until(f.bounds[len(f.bounds)-1])
	}
	for _, a := range all {
		b.closeAccount(a)
	}
}

// Again returns accounts of the same frames for which Waits is known, too. That of frames on time
// is not.
func (b *Book) Again(accounts []*Account) []*Account {
	type work struct {
		tid   trace.TID
		draws bool
	}
	lists := map[work][]*Account{}
	again := func(a *Account) *Account {
		c := &Account{Frame: a.Frame, Span: a.Span, draws: a.draws, tid: a.tid, from: a.from, details: &details{part: true}}
		lists[work{a.tid, a.draws}] = append(lists[work{a.tid, a.draws}], c)
		return c
	}
	list := make([]*Account, len(accounts))
	for i, a := range accounts {
		if a.details != nil {
			list[i] = a
			continue
		}
		list[i] = again(a)
		if a.draw != nil {
			list[i].draw = again(a.draw)
		}
	}
	for w, list := range lists {
		frames := b.Threads[w.tid]
		if w.draws {
			frames = b.draws[w.tid]
		}
		b.replay(w.tid, frames, list)
	}
	return list
}

// replay goes through the logs of a thread.
type replay struct {
	book    *Book
	record  *threads.Record
	list    []*Account // by actual start
	byStart []*Account // these and stretches, by start
	pid     trace.PID  // of the thread
	bounds  []trace.Time
	bound   int // the first bound after at
	started int // the first in byStart that has not started
	open    []*Account
	steps   []*Account // of open, for which each step counts
	inside  int        // the last in list with actual <= at, plus one

	at        trace.Time
	state     threads.State
	wait      uint32 // the number of the wait, 0 if the thread runs
	interrupt bool
	kHz       uint32
	cpu       uint8
	stack     []level
	pushed    uint32         // slices that began
	doubts    []threads.Hole // times, in order, in which state is unknown because events were lost
	sampler   *sampler       // nil if the thread has no samples
}

// level is an open slice and the place that the path to it makes.
type level struct {
	place.Place
	key      threads.NameKey
	start    trace.Time
	gcReason threads.NameKey // of the garbage collection that it is part of; 0 if unknown
	number   uint32          // of the slice, in order of begin, from 1
	// waits in which the slice counts as a call of a cell
	counted uint32
}

// Level.counted has a bit for each wait.
const _ = uint(32 - why.WaitCount)

func (f *replay) log(l *threads.Log) {
	f.state, f.stack = threads.Unknown, f.stack[:0]
	for e := range l.Entries() {
		f.until(e.At)
		switch e.Kind {
		case threads.StateEntry:
			f.state, f.wait, f.interrupt, f.doubts = e.State, e.Value, false, f.record.Doubts(e)
			if e.State == threads.Running {
				f.kHz, f.cpu = 0, e.CPU
			}
			if e.State == threads.Blocked && f.sampler != nil {
				f.sampler.wait(e.At)
			}
		case threads.BeginEntry:
			f.push(threads.NameKey(e.Value), e.At)
		case threads.EndEntry:
			if n := len(f.stack); n > 0 {
				f.stack = f.stack[:n-1]
			}
		case threads.ReasonEntry:
			if n := len(f.stack); n > 0 {
				f.stack[n-1].gcReason = threads.NameKey(e.Value)
			}
		case threads.ArgumentEntry:
			if n := len(f.stack); n > 0 {
				f.addInstance(Instance{Interval: analyzer.Interval{Start: f.stack[n-1].start, End: e.At}, key: f.stack[n-1].key, argument: e.Value})
			}
		case threads.InterruptEntry:
			f.interrupt = e.Value != 0
		case threads.FrequencyEntry:
			f.kHz = e.Value
		}
	}
	f.until(l.End())
	f.state, f.doubts = threads.Unknown, nil
}

func (f *replay) push(key threads.NameKey, at trace.Time) {
	f.pushed++
	l := level{Place: f.record.Place(key), key: key, start: at, number: f.pushed}
	if n := len(f.stack); n > 0 {
		outer := &f.stack[n-1]
		l.Place, l.gcReason = l.Inside(outer.Place), outer.gcReason
	}
	f.stack = append(f.stack, l)
}

// until adds the time from f.at to t, in which nothing is logged, to the frames.
func (f *replay) until(t trace.Time) {
	state, wait := f.state, f.wait
	for len(f.doubts) > 0 && f.doubts[0].From < t {
		f.advance(f.doubts[0].From)
		f.state, f.wait = threads.Unknown, 0
		f.advance(min(f.doubts[0].To, t))
		f.state, f.wait = state, wait
		if f.doubts[0].To > t {
			break
		}
		f.doubts = f.doubts[1:]
	}
	f.advance(t)
}

// advance adds the time from f.at to t, in which nothing changes, to the frames.
func (f *replay) advance(t trace.Time) {
	for f.at < t {
		// Skip what is before the next frame.
		if len(f.open) == 0 {
			if f.started == len(f.byStart) {
				f.at = t
				return
			}
			if next := f.byStart[f.started].from; f.at < next {
				f.at = min(next, t)
			}
		}
		next := f.bound < len(f.bounds) && f.bounds[f.bound] <= f.at
		if next {
			for f.bound < len(f.bounds) && f.bounds[f.bound] <= f.at {
				f.bound++
			}
			for f.started < len(f.byStart) && f.byStart[f.started].from <= f.at {
				f.open = append(f.open, f.byStart[f.started])
				f.started++
			}
			f.open = slices.DeleteFunc(f.open, f.ended)
		}
		for f.inside < len(f.list) && f.list[f.inside].Actual <= f.at {
			f.inside++
		}
		if next {
			f.waiting()
		}
		to := t
		if f.bound < len(f.bounds) {
			to = min(to, f.bounds[f.bound])
		}
		if to > f.at {
			f.addTime(to)
			f.at = to
		}
	}
}

// earlier returns the number of the frame that the thread is working on, or -1.
func (f *replay) earlier() int {
	if n := f.inside - 1; n >= 0 && f.at < f.list[n].End {
		return n
	}
	return -1
}

// waiting finds the frames for which each step until the next bound counts. Those that wait for an earlier frame, which may
// be many at once, get the time until there now: it does not matter for them what the thread does meanwhile.
func (f *replay) waiting() {
	f.steps = append(f.steps[:0], f.open...)
	earlier := f.earlier()
	if len(f.open) == 0 || earlier < 0 || f.book.observe != nil {
		return
	}
	to := f.bounds[f.bound]
	if f.list[earlier].End < to || f.inside < len(f.list) && f.list[f.inside].Actual < to {
		return // list has frames whose bounds are not those of the replay
	}
	f.steps = slices.DeleteFunc(f.steps, func(a *Account) bool {
		if a.watches != nil {
			return true
		}
		if a.Actual <= f.at || a.details != nil && a.details.idles {
			return false
		}
		d, into := to.Sub(f.at), f.book.open(a)
		id := f.startCell(a, earlier)
		if a.draws {
			id.Stage = why.StageHandOver
		}
		if into.stage != why.NoStage {
			id.Stage = into.stage
		}
		a.Earlier += d
		into.add(id, d, 0)
		into.addPiece(piece{start: f.at, end: to, id: id})
		return true
	})
}

// addTime adds the time from f.at to to, within which no frame begins or ends.
func (f *replay) addTime(to trace.Time) {
	if len(f.steps) == 0 {
		return
	}
	earlier := f.earlier()
	d := to.Sub(f.at)
	if f.sampler != nil {
		f.sampler.until(f.at, to)
	}
	counted := uint32(0)
	for _, a := range f.steps {
		if a.watches != nil {
			if earlier < 0 {
				f.addTask(a, to)
			}
			continue
		}
		var id ID
		inside := f.at >= a.Actual
		if inside {
			id = f.frameCell()
		} else {
			id = f.startCell(a, earlier)
		}
		if a.draws {
			id.Stage = why.StageDraw
			if f.at < a.Actual {
				id.Stage = why.StageHandOver
			}
		}
		switch id.Wait {
		case why.WaitUnknown:
			a.Unknown += d
		case why.EarlierFrame, why.EarlierWork:
			a.Earlier += d
		}
		into := f.book.open(a)
		if into.paths != nil {
			into.paths.add(f.stack, d)
		}
		if into.stage != why.NoStage {
			id.Stage = into.stage
		}
		if into.idles && f.state == threads.Blocked && len(f.stack) == 0 {
			into.idle += d
			continue
		}
		kHz := f.kHz
		if f.state != threads.Running || f.interrupt {
			kHz = 0
		} else if !into.part && id.Wait == why.Run && f.book.perCPU {
			into.ranOn(f.cpu, d)
		}
		if f.sampler != nil && !into.part {
			f.sample(a, into, id, d)
		}
		c := into.add(id, d, kHz)
		if inside && id.Key != 0 {
			// A slice goes on in its cell after those inside it, which may have the same name.
			l := &f.stack[len(f.stack)-1]
			if l.number > c.last || l.counted>>id.Wait&1 == 0 {
				c.Calls, c.last = c.Calls+1, max(c.last, l.number)
			}
			counted = 1 << id.Wait
		}
		if f.book.observe != nil && !into.part {
			f.book.observe(f, a, id, d)
		}
		if !into.late && !into.part {
			continue // nobody asks for more
		}
		if n := len(f.stack); n > 0 && !c.collects && (id.Wait == why.GCRun || id.Wait == why.WaitGC) {
			c.collects, c.collection, c.gcReason = true, f.stack[n-1].Place, f.stack[n-1].gcReason
		}
		into.addPiece(piece{start: f.at, end: to, id: id, wait: f.wait})
		f.addWait(into, id, to)
	}
	if counted != 0 {
		f.stack[len(f.stack)-1].counted |= counted
	}
}

// addWait adds the wait of the thread until to, if it does not run.
func (f *replay) addWait(into *details, id ID, to trace.Time) {
	if f.wait == 0 || f.state == threads.Running {
		return
	}
	if n := len(into.waits); n > 0 && into.waits[n-1].wait == f.wait && into.waits[n-1].id == id {
		into.waits[n-1].end = to
		return
	}
	into.waits = append(into.waits, frameWait{f.at, to, f.wait, f.innermost(), id})
}

// addTask adds the time until to to a task of the frame that w watches. Tasks that end before the frame
// should have started do not delay it.
func (f *replay) addTask(w *Account, to trace.Time) {
	a, outer := w.watches, f.task(w.watches.draws)
	reached := f.at >= a.Start
	if (outer == nil || outer.number != w.task) && (!reached || !w.reached) {
		a.tasks = a.tasks[:0] // for the next one
	}
	w.reached = reached
	if outer == nil {
		return
	}
	w.task = outer.number
	i := slices.IndexFunc(a.tasks, func(t *Task) bool { return t.Key == outer.key })
	if i < 0 {
		if i = len(a.tasks); i < cap(a.tasks) && a.tasks[:i+1][i] != nil {
			a.tasks = a.tasks[:i+1]
			t := a.tasks[i]
			t.Key, *t.details = outer.key, details{part: true, filling: t.details.emptied()}
		} else {
			a.tasks = append(a.tasks, &Task{outer.key, &Account{Frame: a.Frame, details: &details{part: true}}})
		}
	}
	l, into := &f.stack[len(f.stack)-1], a.tasks[i].details
	id := newID(why.StageStart, f.waitIn(l.Class), l.key)
	c := into.add(id, to.Sub(f.at), 0)
	if l.number > c.last {
		c.Calls, c.last = c.Calls+1, l.number
	}
	f.addWait(into, id, to)
}

// task returns the outermost slice that does not belong to a frame; nil without one.
func (f *replay) task(draws bool) *level {
	for i := range f.stack {
		if stage := f.record.Place(f.stack[i].key).Stage; stage != why.StageFrame && !(draws && stage == why.StageDraw) {
			return &f.stack[i]
		}
	}
	return nil
}

// innermost returns the number of the innermost open slice, 0 outside of all.
func (f *replay) innermost() uint32 {
	if n := len(f.stack); n > 0 {
		return f.stack[n-1].number
	}
	return 0
}

// ended closes an account that has ended.
func (f *replay) ended(a *Account) bool {
	if a.End > f.at {
		return false
	}
	f.book.closeAccount(a)
	return true
}

// frameCell returns where time belongs that lies within the frame.
func (f *replay) frameCell() ID {
	var l level
	if n := len(f.stack); n > 0 {
		l = f.stack[n-1]
	}
	if l.Stage == why.NoStage {
		l.Stage = why.StageFrame
	}
	return newID(l.Stage, f.waitIn(l.Class), l.key)
}

// startCell returns where time belongs that lies before the frame of a. Earlier is the
// number of the frame that the thread was working on, or -1.
func (f *replay) startCell(a *Account, earlier int) ID {
	// Frames and slices show what the thread was busy with even if its state is unknown.
	if earlier >= 0 {
		return newID(why.StageStart, why.EarlierFrame, threads.NameKey(earlier))
	}
	if l := f.task(a.draws); l != nil {
		return newID(why.StageStart, why.EarlierWork, l.key)
	}
	if f.state == threads.Unknown || f.state == threads.Dead {
		return newID(why.StageStart, why.WaitUnknown, 0)
	}
	wait := f.waitIn(place.ClassWork)
	switch wait {
	case why.WaitOwnThread:
		// Android's messages have no slices. A vsync comes from another process.
		if a.Frame.Framework == analyzer.Choreographer || a.Frame.Android != nil && a.Frame.Kind == analyzer.ApplicationFrame {
			break
		}
		fallthrough
	case why.WaitOtherProcess, why.WaitNet, why.WaitTimer, why.WaitKernel, why.WaitInterrupt, why.WaitSleep:
		if !a.draws && f.waited().Letter == 'S' { // a thread that draws has no vsync
			wait = why.WaitVsync
		}
	}
	return newID(why.StageStart, wait, 0)
}

// waitIn returns what the thread does in a slice of a class.
func (f *replay) waitIn(class place.Class) why.Wait {
	switch f.state {
	case threads.Running:
		switch {
		case f.interrupt:
			return why.WaitIRQ
		case class == place.ClassGC:
			return why.GCRun
		}
		return why.Run
	case threads.Preempted, threads.Woken:
		if f.waited().ForInterrupt {
			return why.WaitIRQ
		}
		if f.state == threads.Woken {
			return why.CPUWait
		}
		return why.CPUPreempted
	case threads.Blocked:
		w := f.waited()
		return w.Classify(f.pid, f.book.wakerPID(w, f.at), class)
	}
	return why.WaitUnknown
}

// waited returns the wait that the thread is in.
func (f *replay) waited() *threads.WaitFacts { return f.record.Wait(f.wait) }
