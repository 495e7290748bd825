package analyzer

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer/trace"
)

// Timeline puts the pieces together. The builder is of no use afterwards.
func (b *Builder) Timeline() *Timeline {
	b.endPart()
	t := &Timeline{Span: b.span, Wall: b.wall, Processes: b.processes()}
	for _, p := range b.parts {
		b.part = p
		b.assemble(t)
	}
	if len(b.parts) > 1 { // a frame's first line may come a little after others
		slices.SortStableFunc(t.Frames, func(x, y *Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
		b.truncateOverlaps(t)
	}
	t.Clock = t.Parts[0].Clock
	t.Diagnostics = b.diagnostics
	return t
}

// truncateOverlaps does to frames of different parts what checkOrder does to those
// of one: parts whose lines are out of order may overlap.
func (b *Builder) truncateOverlaps(t *Timeline) {
	byThread := map[trace.TID][]*Frame{}
	for f := range t.Complete() {
		byThread[f.TID] = append(byThread[f.TID], f)
	}
	for _, list := range byThread {
		var last *Frame
		for i, f := range list {
			over := i+2 < len(list) && f.Actual.End > list[i+2].Actual.Start
			if over || last != nil && f.Actual.Start < last.Actual.End {
				b.diagnostics.add(FrameAstray, 0)
				f.Facts, f.GPU = Truncated, nil
				continue
			}
			last = f
		}
	}
}

// endPart ends one of the traces that follow one another: its frames are put in
// order of start, those that are open are truncated, and those that were open when it
// began are taken in.
func (b *Builder) endPart() {
	for _, t := range b.touched {
		if t.draft != nil {
			t.draft.frame.Facts |= Truncated
			t.draft.received, t.draft.handled = b.part.span.End, b.part.span.End
		}
		b.settleOrphan(t)
		*t = thread{tid: t.tid, pid: t.pid, renders: t.renders}
	}
	b.touched = nil
	slices.SortFunc(b.drafts, func(x, y *draft) int {
		return cmp.Or(cmp.Compare(x.frame.Actual.Start, y.frame.Actual.Start), cmp.Compare(x.line, y.line))
	})
	if len(b.parts) == 0 || b.part.tells() {
		b.parts = append(b.parts, b.part)
	}
	if b.part.span.Start.Known() && (!b.span.Start.Known() || b.part.span.Start < b.span.Start) {
		b.span.Start = b.part.span.Start
	}
	b.span.End = max(b.span.End, b.part.span.End)
}

// assemble adds the part at hand to the timeline.
func (b *Builder) assemble(t *Timeline) {
	clock := b.clock.offset(b.options.ClockOffset)
	// Where no offset was inferred and no frame needs one, there is nothing to
	// contradict: the traces of other systems have clock lines, too.
	if apart, yes := b.clock.contradicted(clock.Offset); yes && (clock.Source != ClockUnknown || b.hasVsyncs()) {
		clock.Contradicted = apart
		b.diagnostics.add(ClockContradiction, 0)
	}
	t.Parts = append(t.Parts, Part{b.part.span, clock})
	b.place(t, &clock)

	render := b.ofKind(RenderFrame)
	frames := framesByProcess{}
	for _, d := range render {
		frames[d.frame.Process.PID] = append(frames[d.frame.Process.PID], d.frame)
	}
	b.assignTransactions()
	b.link()
	b.gpu.assign(frames, &b.diagnostics)
	b.assignDraws(frames)
	b.matchFences()
	b.assignCommits(render)
	b.setPeriods(render)
	b.setFacts()
	for _, d := range b.drafts {
		t.Frames = append(t.Frames, d.frame)
	}
}

// hasVsyncs reports whether some frame has a vsync time, which the clock offset moves.
func (b *Builder) hasVsyncs() bool {
	return slices.ContainsFunc(b.drafts, func(d *draft) bool { return d.now != 0 })
}

// place decides each frame's kind, end and process, and moves its vsync times
// to trace time.
func (b *Builder) place(t *Timeline, clock *ClockOffset) {
	byPID := map[trace.PID]*Process{}
	for _, p := range t.Processes {
		byPID[p.PID] = p
	}
	for _, d := range b.drafts {
		f := d.frame
		f.Process = byPID[d.pid]
		// A vsync on which render_service had nothing to compose is its frame
		// all the same.
		if d.composed || d.renderer || d.processed || d.thread.renders && d.receives && !d.receiver {
			f.Kind = RenderFrame
		}
		f.Actual.End = d.received
		if f.Kind == ApplicationFrame && d.handled.Known() {
			f.Actual.End = d.handled
		}
		f.Vsync = clock.Trace(d.now)
		if d.receives {
			f.Expected.Start = f.Vsync
		}
		if d.expectedEnd > d.now {
			f.Expected.End = clock.Trace(d.expectedEnd)
		}
		b.checkExpected(d, clock.Source)
	}
	b.checkOrder()
}

// maxAstray is how far a frame's expected interval may be from it. Even a thread
// that hangs takes its vsyncs within seconds; one interval astray, from a
// damaged line, would stretch the whole timeline.
const maxAstray = 10 * trace.Second

// checkExpected drops an expected interval that cannot be true. Of a clock offset
// that the user gave, only that it leads out of time is held against it.
func (b *Builder) checkExpected(d *draft, source ClockSource) {
	f := d.frame
	astray := func(at trace.Time) bool {
		return at != 0 && (at < 0 || source != ClockGiven && at.Sub(f.Actual.Start).Abs() > maxAstray)
	}
	if astray(f.Expected.Start) || astray(f.Expected.End) || f.Expected.Duration() > maxAstray {
		b.diagnostics.add(ExpectedAstray, d.line)
		f.Expected = Interval{}
	}
	if astray(f.Vsync) {
		f.Vsync = 0
	}
}

// checkOrder takes frames as truncated of which the lines' times make no sense: a
// thread makes one frame at a time. Of two that overlap the later is taken to be
// wrong, of one that reaches over several others that one.
func (b *Builder) checkOrder() {
	last := map[*thread]*draft{} // complete so far
	next := map[*draft]*draft{}
	byThread := map[*thread][]*draft{}
	for _, d := range b.drafts {
		byThread[d.thread] = append(byThread[d.thread], d)
	}
	for _, list := range byThread {
		for i := 0; i+2 < len(list); i++ {
			next[list[i]] = list[i+2]
		}
	}
	for _, d := range b.drafts {
		f := d.frame
		before := last[d.thread]
		over := next[d]
		astray := f.Actual.End < f.Actual.Start ||
			before != nil && f.Actual.Start < before.frame.Actual.End ||
			over != nil && f.Actual.End > over.frame.Actual.Start
		switch {
		case f.Facts.Has(Truncated):
		case astray:
			b.diagnostics.add(FrameAstray, d.line)
			f.Facts |= Truncated
		default:
			last[d.thread] = d
			continue
		}
		f.Actual.End = max(f.Actual.End, f.Actual.Start)
	}
}

// ofKind returns the drafts of one kind, in order of start.
func (b *Builder) ofKind(kind Kind) []*draft {
	var list []*draft
	for _, d := range b.drafts {
		if d.frame.Kind == kind {
			list = append(list, d)
		}
	}
	return list
}

// processes returns the processes and threads of the trace.
func (b *Builder) processes() []*Process {
	for _, t := range b.threads {
		// A marker's payload tells the process where no line's column does.
		n := b.named[t.tid]
		if n == nil {
			n = &threadName{pid: trace.UnknownPID}
			b.named[t.tid] = n
		}
		if n.pid == trace.UnknownPID || t.pid != trace.UnknownPID {
			n.pid = t.pid
		}
	}
	dump := b.options.Dump
	byPID := map[trace.PID]*Process{}
	for _, tid := range slices.Sorted(maps.Keys(b.named)) {
		t := b.named[tid]
		name, pid := dump.Thread(tid)
		if t.pid == trace.UnknownPID {
			t.pid = pid
		}
		if t.pid == trace.UnknownPID {
			continue
		}
		p := byPID[t.pid]
		if p == nil {
			p = &Process{PID: t.pid}
			byPID[t.pid] = p
		}
		name = cmp.Or(t.name(), name)
		p.Threads = append(p.Threads, Thread{tid, name})
		if int32(tid) == int32(t.pid) {
			p.Name = name
		}
	}
	for _, p := range b.parts {
		for _, d := range p.drafts { // a thread may have been another process's before
			if byPID[d.pid] == nil {
				byPID[d.pid] = &Process{PID: d.pid}
			}
		}
	}
	for _, p := range byPID {
		// A process's full name counts before its main thread's, of which the
		// kernel keeps 15 bytes.
		main, _ := dump.Thread(trace.TID(p.PID))
		p.Name = cmp.Or(dump.Process(p.PID), p.Name, main)
	}
	b.diagnostics.addMany(NamesOver, dump.Over())
	return slices.SortedFunc(maps.Values(byPID), func(x, y *Process) int { return cmp.Compare(x.PID, y.PID) })
}
