package reconstruct

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// knownID is what is known of a thread id: whether its thread has ended.
type knownID struct{ state idState }

type idState uint8

const (
	inUse idState = iota
	created
	exited // it still runs, but not its program
	dead   // it runs no more: the next thread with the id is another one
	freed
)

// knownIDs are what is known of thread ids that events of the kernel are about. Most events are of
// threads that live on: a bit for each id, by its lowest bits, sorts them out before the table.
type knownIDs struct {
	hitrace.Threads[knownID]
	bits [64]uint64
}

// mayHave reports whether something may be known of a thread id.
func (t *knownIDs) mayHave(tid trace.TID) bool {
	return t.bits[uint32(tid)/64%64]&(1<<(uint32(tid)%64)) != 0
}

// Get returns what is known of a thread id, nil for nothing.
func (t *knownIDs) Get(tid trace.TID) *knownID {
	if !t.mayHave(tid) {
		return nil
	}
	return t.Threads.Get(tid)
}

// Put adds what is known of a thread id.
func (t *knownIDs) Put(tid trace.TID, s *knownID) {
	t.bits[uint32(tid)/64%64] |= 1 << (uint32(tid) % 64)
	t.Threads.Put(tid, s)
}

// trackOwners follows to which threads ids belong.
func (b *builder) trackOwners(e *hitrace.Event) {
	if s := b.knownIDs.Get(e.TID); s != nil {
		switch {
		case s.state >= dead, s.state == exited && e.Kind == hitrace.MarkerEvent:
			b.startThread(e.TID, s, e)
		case s.state == created:
			s.state = inUse
		}
	}
	switch e.Kind {
	case hitrace.SwitchEvent:
		if s := e.Switch(); s != nil {
			b.mention(s.NextTID, e)
		}
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		if w := e.Wakeup(); w != nil {
			b.mention(w.TID, e)
		}
	case hitrace.NewThreadEvent:
		if w := e.Wakeup(); w != nil {
			b.create(w.TID, e)
		}
	case hitrace.CreateEvent:
		if t := e.Task(); t != nil {
			b.create(t.TID, e)
		}
	case hitrace.ExitEvent:
		if t := e.Task(); t != nil {
			b.exit(t.TID, exited, e.Time)
		}
	case hitrace.FreeEvent:
		t := e.Task()
		if t == nil || !b.exit(t.TID, freed, e.Time) {
			return
		}
		if list := b.frees[t.TID]; len(list) < maxOwners {
			b.frees[t.TID] = append(list, stampOf(e))
		}
	}
}

// exit notes how far a thread has ended, and reports whether that is new.
func (b *builder) exit(tid trace.TID, state idState, at trace.Time) bool {
	s := b.knownID(tid)
	if s == nil || s.state >= state {
		return false
	}
	if t := b.threads.Get(tid); t != nil && s.state < exited {
		b.openHang(t, at, analyzer.NoEdge)
		b.endThread(t, at)
	}
	s.state = state
	return true
}

// knownID returns the state of a thread id, nil for one more than the limit.
func (b *builder) knownID(tid trace.TID) *knownID {
	s := b.knownIDs.Get(tid)
	if s == nil && b.knownIDs.Len() < b.options.Limits.Threads {
		s = &knownID{}
		b.knownIDs.Put(tid, s)
	}
	return s
}

// mention notes that another thread's line is about a thread.
func (b *builder) mention(tid trace.TID, e *hitrace.Event) {
	if s := b.knownIDs.Get(tid); s != nil && s.state >= dead {
		b.startThread(tid, s, e)
	}
}

// create notes that a thread begins. Several lines in a row say so.
func (b *builder) create(tid trace.TID, e *hitrace.Event) {
	known := b.knownIDs.Get(tid) != nil || b.threads.Get(tid) != nil
	s := b.knownID(tid)
	if s == nil || s.state == created {
		return
	}
	if known {
		b.startThread(tid, s, e)
	}
	s.state = created
}

// startThread begins another thread with an id that had one before.
func (b *builder) startThread(tid trace.TID, s *knownID, e *hitrace.Event) {
	if t := b.threads.Get(tid); t != nil && s.state < exited {
		b.endThread(t, e.Time) // its end is not in the trace
	}
	s.state = inUse
	b.starts = append(b.starts, newOwner{tid, e.Number})
}

// endThread ends what a thread was doing.
func (b *builder) endThread(t *thread, at trace.Time) {
	if t.draft != nil {
		t.draft.frame.Facts |= analyzer.Truncated
		t.draft.receiveEnd, t.draft.handled = at, at
	}
	if d := t.bare; d != nil {
		d.frame.Facts |= analyzer.Truncated
		d.receiveEnd, d.handled = at, at
	}
	if d := t.framework(); d != nil {
		d.frame.Facts |= analyzer.Truncated
		d.handled = at
	}
	t.truncateWeb(at)
	b.settleOrphan(t)
	*t = thread{tid: t.tid, pid: t.pid, touched: t.touched, renders: t.renders, user: t.user}
}

// lives are the processes of the input by id, those of one id in order: mostly it is one.
type lives map[trace.PID][]*life

type life struct {
	*analyzer.Process
	// first is the first line of its main thread, after the last line of the process before it;
	// both are zero for the first process with the id.
	first, after stamp
}

// at returns the process that had an id at a line; nil without one.
func (l lives) at(pid trace.PID, line int) *analyzer.Process {
	return l.last(pid, func(x *life) bool { return x.first.line <= line })
}

// atTime returns the process that had an id at a time; nil without one.
func (l lives) atTime(pid trace.PID, at trace.Time) *analyzer.Process {
	return l.last(pid, func(x *life) bool { return x.after.at < at })
}

func (l lives) last(pid trace.PID, begun func(*life) bool) *analyzer.Process {
	list := l[pid]
	for i := len(list) - 1; i > 0; i-- {
		if begun(list[i]) {
			return list[i].Process
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[0].Process
}

// add adds a process without lines of its main thread if the id has none, and returns all.
func (l lives) add(pid trace.PID) []*life {
	if l[pid] == nil {
		l[pid] = []*life{{Process: &analyzer.Process{PID: pid}}}
	}
	return l[pid]
}

// list returns all processes by id.
func (l lives) list() []*analyzer.Process {
	list := make([]*analyzer.Process, 0, len(l))
	for _, pid := range slices.Sorted(maps.Keys(l)) {
		for _, x := range l[pid] {
			list = append(list, x.Process)
		}
	}
	return list
}

// findLives finds the processes of the input. An id is that of another process than before
//
//   - if the thread with the id was freed, or created anew, or wrote a marker after its exit
//   - if meanwhile it was the id of a thread of another process
//   - if its main thread has another name, and the transactions that are sent then do not follow those
//     before. A process that only gets another name, as an application that appspawn has
//     made, goes on counting.
func (in *input) findLives() lives {
	l := lives{}
	sent := in.sentByProcess()
	for tid, t := range in.named {
		t.dropDamaged()
		pid := trace.PID(tid)
		var names []*owner // of one process, or of several that only names tell apart
		last := -1
		flush := func() {
			for _, o := range splitByName(names, sent[pid]) {
				x := &life{Process: &analyzer.Process{PID: pid}}
				if n := len(l[pid]); n > 0 {
					x.first = o.first
				}
				l[pid] = append(l[pid], x)
			}
			names = nil
		}
		for i, o := range t.owners {
			if o.pid != pid {
				continue
			}
			if last >= 0 && (i > last+1 || o.starts) {
				flush()
			}
			names, last = append(names, o), i
		}
		flush()
		for _, x := range l[pid][min(1, len(l[pid])):] {
			for _, o := range t.owners {
				if o.lines > 0 && o.last.line < x.first.line {
					x.after = o.last
				}
			}
			for _, freed := range in.frees[tid] {
				if freed.line > x.after.line && freed.line < x.first.line {
					x.after = freed
				}
			}
		}
	}
	return l
}

// maxDamaged is up to how many lines of a thread between others of another process are damaged.
const maxDamaged = 8

// dropDamaged removes owners of a few lines that a damaged process column made.
func (t *threadName) dropDamaged() {
	for i := 1; i+1 < len(t.owners); i++ {
		before, o, after := t.owners[i-1], t.owners[i], t.owners[i+1]
		if before.pid == after.pid && o.pid != before.pid && o.lines <= maxDamaged && !o.starts && !after.starts {
			t.owners = slices.Delete(t.owners, i, i+1)
			i--
		}
	}
}

// sentBefore is a transaction that a thread sent.
type sentBefore struct {
	line  int
	tid   trace.TID
	index int64
}

// sentByProcess returns the transactions of the ids whose main threads have several names, by line.
func (in *input) sentByProcess() map[trace.PID][]sentBefore {
	wanted := map[trace.PID]bool{}
	for tid, t := range in.named {
		if len(t.owners) > 1 {
			wanted[trace.PID(tid)] = true
		}
	}
	list := map[trace.PID][]sentBefore{}
	if len(wanted) == 0 {
		return list
	}
	for _, b := range in.builders {
		for _, s := range b.sent {
			if pid := s.draft.pid; wanted[pid] {
				list[pid] = append(list[pid], sentBefore{s.line, s.tid, s.Index})
			}
		}
	}
	return list
}

// splitByName returns the first owner of each process among those of an id whose names differ.
func splitByName(names []*owner, sent []sentBefore) (firsts []*owner) {
	between := func(from, to int) []sentBefore { // lines
		i := sort.Search(len(sent), func(i int) bool { return sent[i].line >= from })
		j := sort.Search(len(sent), func(i int) bool { return sent[i].line >= to })
		return sent[i:max(i, j)]
	}
	for i, o := range names {
		if i == 0 {
			firsts = append(firsts, o)
			continue
		}
		var after []sentBefore
		for j := i + 1; len(after) == 0 && j <= len(names); j++ {
			end := math.MaxInt
			if j < len(names) {
				end = names[j].first.line
			}
			after = between(o.first.line, end)
		}
		if restarts(between(firsts[len(firsts)-1].first.line, o.first.line), after) {
			firsts = append(firsts, o)
		}
	}
	return firsts
}

// maxSkipped is how many transactions of a series the trace may lack.
const maxSkipped = 64

// restarts reports whether transactions are of another series than others before. A thread counts
// its own, or those of all threads of the process.
func restarts(before, after []sentBefore) bool {
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	follows := func(last, next int64) bool { return next > last && next-last <= maxSkipped }
	last := map[trace.TID]int64{}
	highest := before[0].index
	for _, s := range before {
		last[s.tid] = s.index
		highest = max(highest, s.index)
	}
	compared := false
	for _, s := range after {
		if x, ok := last[s.tid]; ok {
			if follows(x, s.index) {
				return false
			}
			compared = true
			delete(last, s.tid) // only the first one counts
		}
	}
	return compared || !follows(highest-maxSkipped/2, after[0].index)
}

// setThreads adds the threads to the processes, and names these.
func (in *input) setThreads() {
	dump := in.options.Dump
	for _, tid := range slices.Sorted(maps.Keys(in.named)) {
		name, dumped := dump.Thread(tid)
		owners := in.named[tid].owners
		for i, o := range owners {
			pid := o.pid
			if pid == trace.UnknownPID {
				pid = dumped
			}
			if pid == trace.UnknownPID {
				continue
			}
			thread := analyzer.Thread{TID: tid, Name: cmp.Or(o.own, o.scheduled, name)}
			if i > 0 && owners[i-1].pid != o.pid {
				thread.Since = o.first.at
			}
			list := in.lives.add(pid)
			for k, x := range list {
				began := o.lines == 0 || o.last.line >= x.first.line
				ended := o.lines > 0 && k+1 < len(list) && o.first.line >= list[k+1].first.line
				if began && !ended {
					x.addThread(thread)
				}
			}
		}
	}
	for _, b := range in.builders {
		for _, d := range slices.Concat(b.drafts, b.frameworks.natives) { // a thread may have been another process's before
			in.lives.add(d.pid)
		}
	}
	full := in.fullNames()
	for pid, list := range in.lives {
		// A process dump has full names; the kernel keeps 15 bytes of the main thread's.
		main, _ := dump.Thread(trace.TID(pid))
		for _, p := range list {
			dumped := dump.Process(pid)
			if len(list) > 1 && !strings.HasSuffix(dumped, p.Name) && !strings.HasPrefix(dumped, p.Name) {
				dumped = "" // of another one of them
			}
			p.Name = cmp.Or(dumped, in.bundleOf(pid, p.Name, full), main)
		}
	}
	in.diagnostics.addMany(analyzer.NamesOver, dump.Over())
}

// addThread adds a thread, or its last name. The main thread's is that of the process.
func (x *life) addThread(t analyzer.Thread) {
	if n := len(x.Threads); n > 0 && x.Threads[n-1].TID == t.TID {
		x.Threads[n-1].Name = cmp.Or(t.Name, x.Threads[n-1].Name)
	} else {
		x.Threads = append(x.Threads, t)
	}
	if int32(t.TID) == int32(x.PID) {
		x.Name = cmp.Or(t.Name, x.Name)
	}
}

// setAlive sets from when to when processes had their ids, if the trace has their ends or others with
// the same ids.
func (in *input) setAlive(t *analyzer.Timeline) {
	earliest := map[*analyzer.Process]trace.Time{}
	for _, f := range t.Frames {
		for _, at := range []trace.Time{f.Expected.Start, f.Actual.Start} {
			if first := earliest[f.Process]; at.Known() && (!first.Known() || at < first) {
				earliest[f.Process] = at
			}
		}
	}
	for _, i := range t.Interactions {
		if at, first := i.Span().Start, earliest[i.Process]; at.Known() && (!first.Known() || at < first) {
			earliest[i.Process] = at
		}
	}
	for tid, frees := range in.frees {
		list := in.lives[trace.PID(tid)]
		for _, freed := range frees {
			for k, x := range list {
				if x.first.line <= freed.line && (k+1 == len(list) || freed.line < list[k+1].first.line) {
					x.Alive.End = freed.at
				}
			}
		}
	}
	for _, list := range in.lives {
		for k, x := range list[1:] {
			if x.Alive.Start = list[k].Alive.End + 1; list[k].Alive.End == 0 {
				// A frame begins with its vsync. The end of the process before is between both.
				x.Alive.Start = x.first.at
				if first := earliest[x.Process]; first.Known() {
					x.Alive.Start = min(x.Alive.Start, first)
				}
				x.Alive.Start = max(x.Alive.Start, min(x.after.at+2, x.first.at))
			}
		}
	}
}
