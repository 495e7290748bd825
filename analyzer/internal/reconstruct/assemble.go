package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// maxUnordered is the maximum time from the last line of a trace to the latest one.
const maxUnordered = 100 * trace.Millisecond

// finish ends the trace. It truncates the frames that are still open, adds those that
// were open when the trace began, and sorts all by start.
func (b *builder) finish() {
	slices.SortFunc(b.touched, func(x, y *thread) int { return cmp.Compare(x.tid, y.tid) }) // workers find them by block
	complete := b.coverage.complete(b.span, b.overwritten)
	if b.span.End.Sub(b.last) > maxUnordered { // what the last line is about was long before
		complete.End = 0
	}
	b.complete = complete
	b.dropHeldHangs(complete)
	for _, t := range b.touched {
		b.cutHang(t, complete)
		if d := b.openDraft(t); d != nil && complete.End == b.span.End {
			d.open = true
		}
	}
	b.adoptBare()
	b.settleInteractions()
	for _, t := range b.touched {
		b.endThread(t, b.span.End)
		t.touched = false
	}
	b.touched = nil
	b.sortDrafts()
}

func (b *builder) sortDrafts() {
	slices.SortFunc(b.drafts, func(x, y *draft) int {
		return cmp.Or(cmp.Compare(x.frame.Actual.Start, y.frame.Actual.Start), cmp.Compare(x.line, y.line))
	})
}

// assemble adds the trace to the timeline, in passes. The order matters, because a pass needs
// what others have set:
//
//	pass                needs                          sets
//	clocks              all samples                    the clock of each part
//	addNatives          processes                      frames of NativeVsync, Flutter's VsyncID and Period
//	place               clocks, processes              Kind, Process, Actual, Vsync, Expected, truncation
//	setPeriods          Kind, Actual, Expected         Period
//	assignTransactions  Kind, Vsync, Period            Transactions, the owner of each
//	link                the owners                     Render, Applications, AppliedBy
//	gpu.assign          render frames' Actual          GPU
//	assignDraws         render frames' Actual          Draw
//	matchFences         -                              when fences were signaled
//	assignCommits       Actual, Draw, fences           Commit, Present, Screens
//	endAtJumps          GPU, Draw, commits, presents   the same
//	assignLayers        Present, fences, Period        Layers, frameworks' Transactions and GPU
//	linkFrames          the same                       frameworks' Render, Applications
//	setFacts            all of the above               Deadline, worker frames' VsyncID and Period, Facts
//	setRequesters       Facts, Layers                  Requesters
//	setInteractions     clocks, names of processes     Interactions without their frames, Hangs
//	setDecisions        Interactions                   Decisions
//	setNotBegun         Facts, Period, Interactions    NotBegun, Held
func (b *builder) assemble(t *analyzer.Timeline) {
	parts, jumps, changes := b.clock.clocks(b.span, b.options.ClockOffset, b.options.Stated)
	clock := parts[0].Clock
	if clock.Overruled != 0 {
		b.diagnostics.add(analyzer.StatedClockWrong, 0)
	}
	// Without an inferred offset, and without a frame that needs one, a clock line
	// contradicts nothing. Traces of other systems have clock lines, too.
	hasVsync := func(d *draft) bool { return d.now != 0 }
	if apart, yes := b.clock.contradicted(clock.Offset); yes && (clock.Source != analyzer.ClockUnknown || slices.ContainsFunc(b.drafts, hasVsync)) {
		parts[0].Clock.Contradicted = apart
		b.diagnostics.add(analyzer.ClockContradiction, 0)
	}
	b.addNatives()
	b.place(parts, jumps)

	var render []*draft
	frames := framesByProcess{}
	for _, d := range b.drafts {
		if d.frame.Kind == analyzer.RenderFrame {
			render = append(render, d)
			frames[d.frame.Process.PID] = append(frames[d.frame.Process.PID], d.frame)
		}
	}
	b.setPeriods(render)
	b.assignTransactions()
	b.link()
	b.gpu.assign(frames, &b.diagnostics)
	b.assignDraws(frames)
	b.matchFences()
	b.assignCommits(render)
	b.endAtJumps(jumps)
	b.assignLayers(t, frames)
	b.linkFrames()
	b.setFacts()
	b.setRequesters(t)
	b.setInteractions(t, parts, func(line int) *analyzer.ClockOffset { return &parts[pieceOf(line, jumps)].Clock })
	b.setDecisions(t)
	b.setNotBegun(t, b.complete)
	t.Parts = append(t.Parts, parts...)
	t.ClockChanges = append(t.ClockChanges, changes...)
	mergeCoverage(&t.Coverage, b.coverage.finish(b.span))
	for _, d := range b.drafts {
		t.Frames = append(t.Frames, d.frame)
	}
}

// place sets each frame's kind, process and end, converts its vsync times to trace time,
// and truncates frames with impossible times. It is the first pass. The drafts must be
// complete and sorted by start.
func (b *builder) place(parts []analyzer.Part, jumps []*lineStep) {
	for _, d := range b.drafts {
		f := d.frame
		d.piece = pieceOf(d.line, jumps)
		clock := &parts[d.piece].Clock
		f.Process = b.lives.at(d.pid, d.line)
		// A vsync on which render_service composed nothing is still a render frame.
		if f.Framework == analyzer.Platform && (d.composed || d.receiverIsRS || d.processed || d.thread.renders && d.hasVsync && !d.namesReceiver) {
			f.Kind, f.DisplaySyncs = analyzer.RenderFrame, nil
		}
		end, ran := d.receiveEnd, d.receiveCPU
		if f.Kind == analyzer.ApplicationFrame && d.handled.Known() {
			end, ran = d.handled, d.handledCPU
		}
		f.Actual.End = end
		if f.Kind == analyzer.ApplicationFrame && b.coverage.Switches {
			f.CPUTime = min(ran, max(0, f.Actual.Duration()))
		}
		for i := range f.DisplaySyncs {
			if !b.coverage.Switches {
				f.DisplaySyncs[i].CPUTime = 0
			}
		}
		f.Vsync = clock.Trace(d.now)
		d.placeFramework()
		if d.hasVsync {
			f.Expected.Start = f.Vsync
		}
		if d.expectedEnd > d.now {
			f.Expected.End = clock.Trace(d.expectedEnd)
		}
		b.checkExpected(d, clock.Source)
		if jump := jumpAfter(d, jumps); jump != nil && f.Actual.End >= jump.to {
			f.Facts |= analyzer.Truncated
			d.open = false
		}
	}
	b.checkOrder()
}

// pieceOf returns the number of the piece of the trace that a line is in.
func pieceOf(line int, jumps []*lineStep) int {
	i, _ := slices.BinarySearchFunc(jumps[1:], line+1, func(j *lineStep, line int) int { return j.line - line })
	return i
}

// jumpAfter returns the jump of the clock that ends the piece of the trace in which the
// frame began, nil if none does.
func jumpAfter(d *draft, jumps []*lineStep) *lineStep {
	if d.piece+1 < len(jumps) {
		return jumps[d.piece+1]
	}
	return nil
}

// endAtJumps forgets what belongs to a frame and ends after a jump of the clock: how long it
// took is unknown.
func (b *builder) endAtJumps(jumps []*lineStep) {
	for _, d := range b.drafts {
		jump := jumpAfter(d, jumps)
		if jump == nil {
			continue
		}
		f := d.frame
		over := func(i analyzer.Interval) bool { return i.End >= jump.to }
		f.GPU = slices.DeleteFunc(f.GPU, over)
		if over(f.Draw) {
			f.Draw = analyzer.Interval{}
		}
		if over(f.Commit) {
			f.Commit, f.CommitEstimated = analyzer.Interval{}, false
		}
		if f.Present >= jump.to {
			f.Present, f.PresentEstimated = 0, false
		}
		f.CutScreens(jump.to)
	}
}

// maxAstray is the maximum distance of a frame's expected interval from the frame. Even a
// thread that hangs handles its vsyncs within seconds. A single wrong interval, from a
// damaged line, would stretch the whole timeline.
const maxAstray = 10 * trace.Second

// checkExpected drops an expected interval that is far from the frame, or beyond the times
// that are read. With a clock offset that the user gave it may be far.
func (b *builder) checkExpected(d *draft, source analyzer.ClockSource) {
	f := d.frame
	astray := func(at trace.Time) bool {
		return at != 0 && (at < 0 || at > trace.MaxTime || source != analyzer.ClockGiven && at.Sub(f.Actual.Start).Abs() > maxAstray)
	}
	if astray(f.Expected.Start) || astray(f.Expected.End) || f.Expected.Duration() > maxAstray {
		b.diagnostics.add(analyzer.ExpectedAstray, d.line)
		f.Expected = analyzer.Interval{}
	}
	if astray(f.Vsync) {
		f.Vsync = 0
	}
}

// checkOrder truncates frames with impossible times. Frames of one thread cannot
// overlap: if two do, the later one is truncated; if one spans several, that one is. A frame
// that is open when the trace ends is the last one of its thread, else its end was lost.
func (b *builder) checkOrder() {
	last := map[*thread]*draft{} // complete so far
	byThread := map[*thread][]*draft{}
	for _, d := range b.drafts {
		byThread[d.thread] = append(byThread[d.thread], d)
	}
	for _, d := range b.drafts {
		f := d.frame
		before := last[d.thread]
		after := byThread[d.thread][1:]
		byThread[d.thread] = after
		overlaps := before != nil && f.Actual.Start < before.frame.Actual.End
		d.open = d.open && !overlaps && len(after) == 0
		astray := f.Actual.End < f.Actual.Start || overlaps ||
			len(after) > 1 && f.Actual.End > after[1].frame.Actual.Start
		switch {
		case f.Facts.Has(analyzer.Truncated):
		case astray:
			b.diagnostics.add(analyzer.FrameAstray, d.line)
			f.Facts |= analyzer.Truncated
		default:
			last[d.thread] = d
			continue
		}
		f.Actual.End = max(f.Actual.End, f.Actual.Start)
	}
}
