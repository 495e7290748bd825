package reconstruct

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// setFacts derives the facts of all frames, and the deadlines that they rest on. It is
// the last pass: it needs links, GPU work and periods.
func (b *builder) setFacts() {
	b.setDeadlines()
	drawn := b.drawers()
	for _, d := range b.drafts {
		f := d.frame
		if f.Facts.Has(analyzer.Truncated) {
			f.CPUTime = 0
			if d.open && f.Leave(f.Actual.End) {
				if d.processed {
					f.Facts &^= analyzer.EmptyUnknown
				}
				if d.bare {
					f.Facts |= analyzer.DeadlineInferred
				}
			}
			continue // its end and its work are unknown
		}
		f.Judge()
		if f.Framework != analyzer.Platform {
			f.Facts |= d.emptyOwn(drawn)
		} else if isEmpty(f, d.processed) {
			f.Facts |= analyzer.Empty
		}
		if f.Framework == analyzer.Platform && isMisaligned(f) {
			f.Facts |= analyzer.Misaligned
			f.Render.Facts |= analyzer.Misaligned
		}
	}
	b.doubtEmpty()
	b.keepPictures()
	b.skipCommits()
	for _, d := range b.drafts {
		if f := d.frame; f.Facts.Has(analyzer.Truncated) { // it is not judged
			f.Facts &^= analyzer.DeadlineInferred
		}
	}
}

// keepPictures makes application frames without a transaction not empty if they made a picture
// nevertheless: by a buffer of their own, or in another frame of their thread and vsync (3.4).
func (b *builder) keepPictures() {
	type vsync struct {
		tid trace.TID
		id  int64
		at  trace.Time
	}
	of := func(f *analyzer.Frame) vsync { return vsync{f.TID, f.VsyncID, f.Vsync} }
	var empty []*draft
	sent := map[vsync]bool{} // of the empty frames: mostly there are few
	for _, d := range b.drafts {
		if f := d.frame; f.Kind == analyzer.ApplicationFrame && f.Framework == analyzer.Platform && f.Facts.Has(analyzer.Empty) {
			empty = append(empty, d)
			sent[of(f)] = false
		}
	}
	if len(empty) == 0 {
		return
	}
	for _, d := range b.drafts {
		f := d.frame
		if f.Kind != analyzer.ApplicationFrame || f.Framework != analyzer.Platform || len(f.Transactions) == 0 || f.VsyncID == 0 {
			continue
		}
		if _, ok := sent[of(f)]; ok {
			sent[of(f)] = true
		}
	}
	for _, d := range empty {
		if f := d.frame; d.queued || sent[of(f)] {
			f.Facts = f.Facts&^analyzer.Empty | analyzer.NoTransaction
		}
	}
}

// skipCommits makes empty the render frames that say that they commit nothing and have no commit:
// of several screens, some may have changed (3.4). The flag of a frame that applied no commands does
// not depend on it.
func (b *builder) skipCommits() {
	for _, d := range b.drafts {
		f := d.frame
		skipped := d.skipped && f.Kind == analyzer.RenderFrame || f.Facts.Has(analyzer.CommitSkipped)
		f.Facts &^= analyzer.CommitSkipped
		if d.unchanged && !f.Facts.Has(analyzer.Truncated) {
			f.Facts |= analyzer.Unchanged
		}
		if !skipped || f.Facts.Has(analyzer.Truncated) || f.Commit.Start.Known() || len(f.Screens) > 0 {
			continue
		}
		f.Facts |= analyzer.Unchanged
		if !f.Facts.Has(analyzer.Empty) {
			f.Facts = f.Facts&^analyzer.EmptyUnknown | analyzer.Empty | analyzer.CommitSkipped
		}
	}
}

// doubtEmpty makes unknown which frames of a kind are empty if all of them seem to be, but for those
// that say so: the trace has none of the markers of what frames sent or applied (3.4).
func (b *builder) doubtEmpty() {
	of := func(kind analyzer.Kind) (drafts []*draft) {
		for _, d := range b.drafts {
			if f := d.frame; f.Kind == kind && f.Framework == analyzer.Platform && !f.Facts.Has(analyzer.Truncated|analyzer.Unfinished) {
				drafts = append(drafts, d)
			}
		}
		return drafts
	}
	for _, kind := range []analyzer.Kind{analyzer.ApplicationFrame, analyzer.RenderFrame} {
		drafts := of(kind)
		if slices.ContainsFunc(drafts, func(d *draft) bool { return !d.frame.Facts.Has(analyzer.Empty) }) {
			continue
		}
		for _, d := range drafts {
			if !d.saysEmpty {
				d.frame.Facts = d.frame.Facts&^analyzer.Empty | analyzer.EmptyUnknown
			}
		}
	}
}

// setDeadlines sets each frame's deadline. A worker thread has no expected interval. It
// works for the vsync of its process's main thread, and gets the deadline and the period
// of that frame, which setPeriods has set.
func (b *builder) setDeadlines() {
	type key struct {
		process *analyzer.Process
		id      int64
	}
	type vsync struct {
		process *analyzer.Process
		at      trace.Time
	}
	mains := map[key]*analyzer.Frame{}
	byTime := map[vsync]*analyzer.Frame{}
	hidden := b.hidesWork()
	for _, d := range b.drafts {
		f := d.frame
		if f.Kind == analyzer.ApplicationFrame && hidden && f.Framework == analyzer.Platform || f.Deadline.Known() {
			continue
		}
		f.Deadline = f.Expected.End
		if d.bare && f.Deadline.Known() {
			f.Facts |= analyzer.DeadlineInferred
		}
		if f.Kind == analyzer.ApplicationFrame && f.Framework == analyzer.Platform && f.Deadline.Known() {
			mains[key{f.Process, f.VsyncID}] = f
			byTime[vsync{f.Process, f.Vsync}] = f
		}
	}
	for _, d := range b.drafts {
		f := d.frame
		if f.Kind != analyzer.ApplicationFrame || d.hasVsync || f.Framework != analyzer.Platform {
			continue
		}
		var main *analyzer.Frame
		if f.VsyncID != 0 {
			main = mains[key{f.Process, f.VsyncID}]
		} else if f.Vsync.Known() {
			main = byTime[vsync{f.Process, f.Vsync}]
		}
		if main != nil {
			f.VsyncID, f.Deadline, f.Period = main.VsyncID, main.Deadline, main.Period
			f.Facts |= main.Facts & analyzer.DeadlineInferred
		}
	}
}

// minHidden is the number of application frames without any work that show that work is
// missing. A trace with fewer may have none.
const minHidden = 10

// hidesWork reports whether what the application frames of the trace did is missing, because
// a tag is (3.9).
func (b *builder) hidesWork() bool {
	if b.diagnostics.seen[hitrace.OnVsyncEvent] {
		return false
	}
	frames, sent := 0, false
	for _, d := range b.drafts {
		if f := d.frame; f.Kind == analyzer.ApplicationFrame && f.Framework == analyzer.Platform && !f.Facts.Has(analyzer.Truncated) {
			frames++
			sent = sent || len(f.Transactions) > 0
		}
	}
	return frames >= minHidden && (!sent || b.diagnostics.Total(analyzer.UnmatchedEnd) > frames/10)
}

// drawer is a thread with frames of a framework.
type drawer struct {
	tid       trace.TID
	framework analyzer.Framework
}

// drawers returns the threads whose frames of frameworks are known to draw buffers, or that say when
// they draw nothing. Whether frames of others are empty is unknown.
func (b *builder) drawers() map[drawer]bool {
	known := map[drawer]bool{}
	for _, d := range b.drafts {
		if f := d.frame; f.Framework != analyzer.Platform && (len(f.Transactions) > 0 || f.Framework == analyzer.Web && d.drawsNothing) {
			known[drawer{f.TID, f.Framework}] = true
		}
	}
	return known
}

// emptyOwn returns whether a frame of a framework has no buffer (16.7). ArkWeb itself says so.
// Flutter may draw a frame when the trace has ended.
func (d *draft) emptyOwn(known map[drawer]bool) analyzer.Facts {
	f := d.frame
	switch {
	case len(f.Transactions) > 0:
		return 0
	case !known[drawer{f.TID, f.Framework}], f.Framework == analyzer.Flutter && !d.drawsNothing && !f.Draw.Known():
		return analyzer.EmptyUnknown
	case f.Framework == analyzer.Web && !d.drawsNothing:
		return 0
	}
	return analyzer.Empty
}
