package perfetto

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// restore overrides the frames' verdicts and inferred values with their notes. Frames
// without a note keep the values of the frame timeline. Impossible values of a note are
// ignored.
func (a *assembly) restore(n *notes) {
	for _, f := range a.frames {
		key := noteKey{f.Kind, f.Process.PID, f.TID, f.timeline.Token, f.Actual.Start}
		if f.Kind == analyzer.RenderFrame {
			key.tid = 0
		}
		note := n.list[key]
		if note == nil || f.Facts.Has(analyzer.Truncated) {
			continue
		}
		f.Android.Timeline = nil // the verdict was derived from the facts
		f.TID, f.VsyncID, f.Coalesced = note.tid, note.vsyncID, int(note.coalesced)
		f.Vsync, f.Deadline, f.Period = note.vsync, note.deadline, note.period
		if !f.Vsync.Known() {
			f.Vsync = note.expected
		}
		f.Expected = analyzer.Interval{}
		if note.expected.Known() && (!note.deadline.Known() || note.deadline > note.expected) {
			f.Expected = analyzer.Interval{Start: note.expected, End: note.deadline}
		}
		if f.Kind == analyzer.RenderFrame {
			f.Facts = note.facts
			restoreStages(f.Frame, note)
			a.explained = append(a.explained, explained{f.Frame, &note.cause})
			continue
		}
		if len(note.transactions) > 0 || f.Render == nil {
			a.restoreTransactions(f.Frame, note)
		}
		f.Android.Latency = note.layer
		f.Facts = note.facts &^ analyzer.Empty
		if len(f.Transactions) == 0 {
			f.Facts |= analyzer.Empty
		}
		a.explained = append(a.explained, explained{f.Frame, &note.cause})
	}
}

// restoreStages sets the stages of a render frame after the main thread. All GPU work is
// one interval, from the start of the first to the end of the last.
func restoreStages(f *analyzer.Frame, n *note) {
	f.Draw, f.Commit, f.CommitEstimated = n.draw.interval(), n.commit.interval(), n.commitEstimated
	f.Present, f.PresentEstimated = n.present, n.presentEstimated
	if f.Present < f.Commit.Start {
		f.Present, f.PresentEstimated = 0, false
	}
	if g := n.gpu.interval(); g.Known() && g.Start >= f.Actual.Start && g.Start <= f.Actual.End && g.End >= g.Start {
		f.GPU = []analyzer.Interval{g}
	}
}

// restoreTransactions sets the transactions of an application frame. All get the time at
// which the last was sent. The render frames that applied the earlier ones are known, but
// not which applied which: they are assigned to the first transactions.
func (a *assembly) restoreTransactions(f *analyzer.Frame, n *note) {
	at := n.sentAt
	if !at.Known() {
		at = f.Actual.End
	}
	f.Transactions = nil
	for _, index := range n.transactions {
		f.Transactions = append(f.Transactions, analyzer.Sent{Index: index, At: at})
	}
	last := len(f.Transactions) - 1
	if last < 0 {
		return
	}
	f.Transactions[last].AppliedBy = f.Render
	for i, token := range n.alsoTakenBy[:min(len(n.alsoTakenBy), last)] {
		f.Transactions[i].AppliedBy = renderAt(a.render[token], f.Actual.Start)
	}
}

// numberTransactions gives a transaction another index if an earlier one has the
// same process, index and time: frames of a process's threads share tokens. The new
// indexes are above all tokens.
func (a *assembly) numberTransactions() {
	type key struct {
		pid   trace.PID
		index int64
		at    trace.Time
	}
	var last int64
	for _, f := range a.frames {
		last = max(last, f.timeline.Token)
	}
	seen := map[key]bool{}
	for _, f := range a.frames {
		for i := range f.Transactions {
			t := &f.Transactions[i]
			for seen[key{f.Process.PID, t.Index, t.At}] {
				last++
				t.Index = last
			}
			seen[key{f.Process.PID, t.Index, t.At}] = true
		}
	}
}
