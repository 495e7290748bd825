package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// span is the time that a frame may use and the time that it did use (docs/why.md 1).
//
//	start          actual                 deadline      end
//	  │ start phase  │ frame                  │ overrun   │
type span struct {
	start    trace.Time // the earlier of expected and actual start
	actual   trace.Time
	end      trace.Time // of the work on the frame's thread
	deadline trace.Time // unknown if nothing says when the frame should have ended
	gpuEnd   trace.Time // of the work on the GPU if that ends later, else unknown
}

func (s *span) budget() trace.Duration { return s.deadline.Sub(s.start) }

// last returns the end of all work.
func (s *span) last() trace.Time { return max(s.end, s.gpuEnd) }

// overrun returns the time from the deadline to the end of all work; negative for a
// frame on time.
func (s *span) overrun() trace.Duration { return s.last().Sub(s.deadline) }

// cell is the time that a frame spent in one way in one slice.
type cell struct {
	stage place.Stage
	wait  place.Wait
	key   Key // the slice; of place.EarlierFrame the earlier frame's number on its thread
	time  trace.Duration
	// cycles is kHz × ns of the part of the time for which the frequency is known,
	// and clocked is that part.
	cycles  int64
	clocked trace.Duration
	// collection is the slice with its path, if it is part of a garbage collection.
	collection level
}

type cellID struct {
	stage place.Stage
	wait  place.Wait
	key   Key
}

// account is where the time of a frame went.
type account struct {
	frame *analyzer.Frame
	span  span
	index int // on its thread
	cells []cell
	lost  trace.Duration // of the span without knowledge of states
	// earlier is the part of the span in which the thread was busy with something else.
	earlier trace.Duration
	// clocked is the time at known frequencies. The log is replayed for the time after
	// from.
	clocked trace.Duration
	from    trace.Time
	by      map[cellID]int32 // of cells, nil if they are few
	// culprits are the waits with what others did meanwhile.
	culprits []culprit
	pieces   []piece
	// aside: the account is of a part of the frame's way to the display or to
	// render_service. stage, if it is not NoStage, is that of all its cells. In
	// place.CommitWait, idle is the time in which the thread had nothing to do.
	aside bool
	stage place.Stage
	idle  trace.Duration
	ran   []cpuTime // by processor
}

// culprit is a wait of the frame.
type culprit struct {
	start, end trace.Time
	record     uint32
	id         cellID
}

// maxClocked keeps cycles below 2^63.
const maxClocked = 1 << 38

// maxScanned is the number of cells up to which one is found by looking at them all.
// Most frames have fewer, and need no map.
const maxScanned = 32

// find returns the index of a cell. It adds the cell if the account lacks it.
func (a *account) find(id cellID) int32 {
	if a.by != nil {
		if i, ok := a.by[id]; ok {
			return i
		}
	} else {
		for i := range a.cells {
			if c := &a.cells[i]; c.key == id.key && c.wait == id.wait && c.stage == id.stage {
				return int32(i)
			}
		}
		if len(a.cells) == maxScanned {
			a.by = make(map[cellID]int32, 2*maxScanned)
			for i, c := range a.cells {
				a.by[cellID{c.stage, c.wait, c.key}] = int32(i)
			}
		}
	}
	i := int32(len(a.cells))
	if a.by != nil {
		a.by[id] = i
	}
	a.cells = append(a.cells, cell{stage: id.stage, wait: id.wait, key: id.key})
	return i
}

func (a *account) add(id cellID, d trace.Duration, kHz uint32) *cell {
	c := &a.cells[a.find(id)]
	c.time += d
	if kHz != 0 && a.clocked+d <= maxClocked {
		a.clocked += d
		c.cycles += int64(kHz) * int64(d)
		c.clocked += d
	}
	return c
}

// spans returns an account without cells for every frame that can have a cause, by
// thread and time.
func spans(t *analyzer.Timeline) map[trace.TID][]*account {
	type vsync struct {
		process *analyzer.Process
		id      int64
	}
	mains := map[vsync]*analyzer.Frame{}
	for f := range t.Complete() {
		if f.Expected.Start.Known() && f.VsyncID != 0 {
			mains[vsync{f.Process, f.VsyncID}] = f
		}
	}
	threads := map[trace.TID][]*account{}
	for f := range t.Complete() {
		if f.Android != nil || !f.Actual.Known() {
			continue
		}
		s := span{actual: f.Actual.Start, end: f.Actual.End, deadline: f.Deadline}
		s.start = s.actual
		expected := f.Expected.Start
		if main := mains[vsync{f.Process, f.VsyncID}]; !expected.Known() && main != nil && f.Deadline.Known() {
			expected = main.Expected.Start
		}
		if expected.Known() {
			s.start = min(expected, s.actual)
		}
		if s.deadline.Known() {
			s.start = min(s.start, s.deadline)
		}
		if end := f.End(); end > s.end {
			s.gpuEnd = end
		}
		threads[f.TID] = append(threads[f.TID], &account{frame: f, span: s})
	}
	for _, list := range threads {
		slices.SortStableFunc(list, func(a, b *account) int { return cmp.Compare(a.span.actual, b.span.actual) })
		for i, a := range list {
			a.index = i
		}
	}
	return threads
}

// maxWaiting is the maximum number of frames that wait for their thread at the same
// time.
const maxWaiting = 16

// fill distributes the time of frames of one thread over waits and places: every
// nanosecond of every span to one cell.
func (r *Recorder) fill(list []*account, logs []*log) {
	for i, a := range list {
		a.from = a.span.start
		if i < maxWaiting || list[i-maxWaiting].span.actual <= a.from {
			continue
		}
		a.from = list[i-maxWaiting].span.actual
		a.lost = a.from.Sub(a.span.start)
		a.add(cellID{place.Start, place.WaitUnknown, 0}, a.lost, 0)
	}
	f := folding{r: r, list: list, byStart: slices.Clone(list)}
	slices.SortStableFunc(f.byStart, func(a, b *account) int { return cmp.Compare(a.from, b.from) })
	for _, a := range list {
		f.bounds = append(f.bounds, a.from, a.span.actual, a.span.end)
	}
	logs = slices.DeleteFunc(logs, func(l *log) bool { return len(l.chunks) == 0 })
	slices.SortStableFunc(logs, func(a, b *log) int { return cmp.Compare(a.chunks[0][0].at, b.chunks[0][0].at) })
	slices.Sort(f.bounds)
	f.bounds = slices.Compact(f.bounds)
	for _, l := range logs {
		f.replay(l)
	}
	if len(f.bounds) > 0 {
		f.until(f.bounds[len(f.bounds)-1])
	}
	for _, a := range list {
		if a.span.gpuEnd.Known() {
			id := cellID{place.Draw, place.GPU, 0}
			a.add(id, a.span.gpuEnd.Sub(a.span.end), 0)
			a.addPiece(piece{start: a.span.end, end: a.span.gpuEnd, id: id})
		}
		a.by = nil
	}
}

// folding replays the log of a thread.
type folding struct {
	r       *Recorder
	list    []*account // by actual start
	byStart []*account // by start
	bounds  []trace.Time
	bound   int // the first bound after at
	started int // the first in byStart that has not started
	open    []*account
	inside  int // the last in list with actual <= at, plus one

	at        trace.Time
	state     state
	record    uint32
	interrupt bool
	kHz       uint32
	cpu       uint8
	stack     []level
	doubts    []hole // times, in order, in which state is unknown because events were lost
}

// level is an open slice and the place that the path to it makes.
type level struct {
	place.Place
	key    Key
	reason Key // of the garbage collection that it is part of; 0 if unknown
}

func (f *folding) replay(l *log) {
	f.state, f.stack = unknown, f.stack[:0]
	for _, chunk := range l.chunks {
		for i := range chunk {
			e := &chunk[i]
			f.until(e.at)
			switch e.kind {
			case stateEntry:
				f.state, f.record, f.interrupt, f.doubts = e.state, e.value, false, f.r.doubts(e)
				if e.state == running {
					f.kHz, f.cpu = 0, e.cpu
				}
			case beginEntry:
				f.push(Key(e.value))
			case endEntry:
				if n := len(f.stack); n > 0 {
					f.stack = f.stack[:n-1]
				}
			case reasonEntry:
				if n := len(f.stack); n > 0 {
					f.stack[n-1].reason = Key(e.value)
				}
			case interruptEntry:
				f.interrupt = e.value != 0
			case frequencyEntry:
				f.kHz = e.value
			}
		}
	}
	f.state, f.doubts = unknown, nil
}

func (f *folding) push(key Key) {
	l := level{Place: f.r.keys.places[key], key: key}
	if n := len(f.stack); n > 0 {
		outer := &f.stack[n-1]
		l.Place, l.reason = l.Inside(outer.Place), outer.reason
	}
	f.stack = append(f.stack, l)
}

// until adds the time from f.at to t, in which nothing is logged, to the frames.
func (f *folding) until(t trace.Time) {
	state, record := f.state, f.record
	for len(f.doubts) > 0 && f.doubts[0].from < t {
		f.advance(f.doubts[0].from)
		f.state, f.record = unknown, 0
		f.advance(min(f.doubts[0].to, t))
		f.state, f.record = state, record
		if f.doubts[0].to > t {
			break
		}
		f.doubts = f.doubts[1:]
	}
	f.advance(t)
}

// advance adds the time from f.at to t, in which nothing changes, to the frames.
func (f *folding) advance(t trace.Time) {
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
		for f.bound < len(f.bounds) && f.bounds[f.bound] <= f.at {
			f.bound++
		}
		for f.started < len(f.byStart) && f.byStart[f.started].from <= f.at {
			f.open = append(f.open, f.byStart[f.started])
			f.started++
		}
		f.open = slices.DeleteFunc(f.open, func(a *account) bool { return a.span.end <= f.at })
		for f.inside < len(f.list) && f.list[f.inside].span.actual <= f.at {
			f.inside++
		}
		to := t
		if f.bound < len(f.bounds) {
			to = min(to, f.bounds[f.bound])
		}
		if to > f.at {
			f.add(to)
			f.at = to
		}
	}
}

// add adds the time from f.at to to, within which no frame begins or ends.
func (f *folding) add(to trace.Time) {
	if len(f.open) == 0 {
		return
	}
	earlier := -1
	if n := f.inside - 1; n >= 0 && f.at < f.list[n].span.end {
		earlier = n
	}
	d := to.Sub(f.at)
	for _, a := range f.open {
		var id cellID
		if f.at >= a.span.actual {
			id = f.frameCell()
		} else {
			id = f.startCell(earlier)
		}
		switch id.wait {
		case place.WaitUnknown:
			a.lost += d
		case place.EarlierFrame, place.EarlierWork:
			a.earlier += d
		}
		if a.stage != place.NoStage {
			id.stage = a.stage
		}
		if a.stage == place.CommitWait && f.state == blocked && len(f.stack) == 0 {
			a.idle += d
			continue
		}
		kHz := f.kHz
		if f.state != running || f.interrupt {
			kHz = 0
		} else if !a.aside && id.wait == place.Run {
			a.ranOn(f.cpu, d)
		}
		c := a.add(id, d, kHz)
		if n := len(f.stack); n > 0 && c.collection.key == 0 && (id.wait == place.GCRun || id.wait == place.WaitGC) {
			c.collection = f.stack[n-1]
		}
		a.addPiece(piece{start: f.at, end: to, id: id, record: f.record})
		if f.r.observe != nil && !a.aside {
			f.r.observe(a.frame, f.thread(), id, d)
		}
		if f.record != 0 && f.state != running {
			if n := len(a.culprits); n > 0 && a.culprits[n-1].record == f.record && a.culprits[n-1].id == id {
				a.culprits[n-1].end = to
			} else {
				a.culprits = append(a.culprits, culprit{f.at, to, f.record, id})
			}
		}
	}
}

// thread returns what the thread does.
func (f *folding) thread() threadState {
	s := threadState{state: f.state}
	if f.record != 0 && f.state != running {
		s.letter = f.waitRecord().letter
	}
	if n := len(f.stack); n > 0 {
		s.slice = f.stack[n-1].key
	}
	return s
}

// frameCell returns where time belongs that lies within the frame.
func (f *folding) frameCell() cellID {
	var l level
	if n := len(f.stack); n > 0 {
		l = f.stack[n-1]
	}
	if l.Stage == place.NoStage {
		l.Stage = place.Frame
	}
	return cellID{l.Stage, f.wait(l.Class), l.key}
}

// startCell returns where time belongs that lies before the frame. Earlier is the
// number of the frame that the thread was working on, or -1.
func (f *folding) startCell(earlier int) cellID {
	// Frames and slices show what the thread was busy with even if its state is unknown.
	if earlier >= 0 {
		return cellID{place.Start, place.EarlierFrame, Key(earlier)}
	}
	for _, l := range f.stack { // the outermost slice that does not belong to a frame
		if f.r.keys.places[l.key].Stage != place.Frame {
			return cellID{place.Start, place.EarlierWork, l.key}
		}
	}
	if f.state == unknown || f.state == dead {
		return cellID{place.Start, place.WaitUnknown, 0}
	}
	wait := f.wait(place.ClassWork)
	switch wait {
	case place.WaitOwnThread, place.WaitOtherProcess, place.WaitTimer, place.WaitKernel, place.WaitSleep:
		if f.waitRecord().letter == 'S' {
			wait = place.WaitVsync
		}
	}
	return cellID{place.Start, wait, 0}
}

func (f *folding) wait(class place.Class) place.Wait {
	switch f.state {
	case running:
		switch {
		case f.interrupt:
			return place.WaitIRQ
		case class == place.ClassGC:
			return place.GCRun
		}
		return place.Run
	case preempted, woken:
		w := f.waitRecord()
		if leaves := f.r.leaves[w.leaves:w.leavesEnd]; len(leaves) > 0 && longest(leaves).wait == place.WaitIRQ {
			return place.WaitIRQ
		}
		if f.state == woken {
			return place.CPUWait
		}
		return place.CPUPreempted
	case blocked:
		return f.r.classify(trace.PID(f.list[0].frame.Process.PID), f.waitRecord(), class)
	}
	return place.WaitUnknown
}

func (f *folding) waitRecord() *wait { return &f.r.waits[f.record-1] }

// longest returns the leaf with the most time.
func longest(leaves []leaf) *leaf {
	best := &leaves[0]
	for i := range leaves {
		if l := &leaves[i]; l.end.Sub(l.start) > best.end.Sub(best.start) {
			best = l
		}
	}
	return best
}
