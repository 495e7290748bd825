package perfetto

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// restoreNotes gives frames what their notes say, which is more and more exact
// than what was found out without them. Whatever a note says that cannot be is
// left as it was.
func (a *assembly) restoreNotes(n *notes) {
	for _, f := range a.frames {
		key := noteKey{f.Kind, f.Process.PID, f.TID, f.said.Token, f.Actual.Start}
		if f.Kind == analyzer.RenderFrame {
			key.tid = 0
		}
		this := n.list[key]
		if this == nil || f.Facts.Has(analyzer.Truncated) {
			continue
		}
		f.TID, f.VsyncID, f.Coalesced = this.tid, this.vsyncID, int(this.coalesced)
		f.Vsync, f.Deadline, f.Period = this.vsync, this.deadline, this.period
		if !f.Vsync.Known() {
			f.Vsync = this.expected
		}
		f.Expected = analyzer.Interval{}
		if this.expected.Known() && (!this.deadline.Known() || this.deadline > this.expected) {
			f.Expected = analyzer.Interval{Start: this.expected, End: this.deadline}
		}
		if f.Kind == analyzer.RenderFrame {
			f.Facts = this.facts
			restoreStages(f.Frame, this)
			continue
		}
		if len(this.transactions) > 0 || f.Render == nil {
			a.restoreTransactions(f.Frame, this)
		}
		f.Android.Latency = this.layer
		f.Facts = this.facts &^ analyzer.Empty
		if len(f.Transactions) == 0 {
			f.Facts |= analyzer.Empty
		}
	}
}

// restoreStages gives a render frame what came after its main thread's work. Of
// the GPU's work it is known when the first began and the last ended.
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

// restoreTransactions gives an application frame what it sent: all is known to
// have been sent when the last was. Who took which of those before the last is
// not known; the first are said to be those that other render frames took.
func (a *assembly) restoreTransactions(f *analyzer.Frame, n *note) {
	at := n.sentAt
	if !at.Known() {
		at = f.Actual.End
	}
	for _, sent := range f.Transactions { // as they were guessed
		delete(a.sent, sentKey{f.Process.PID, sent.Index, sent.At})
	}
	f.Transactions = nil
	for _, index := range n.transactions {
		f.Transactions = append(f.Transactions, analyzer.Sent{Index: a.unique(f.Process.PID, index, at), At: at})
	}
	last := len(f.Transactions) - 1
	if last < 0 {
		return
	}
	f.Transactions[last].Taken = f.Render
	for i, token := range n.alsoTakenBy[:min(len(n.alsoTakenBy), last)] {
		f.Transactions[i].Taken = tookAt(a.render[token], f.Actual.Start)
	}
}

// sentKey is what no two transactions have in common.
type sentKey struct {
	pid   trace.PID
	index int64
	at    trace.Time
}

// unique returns the number of a transaction, or if there is such a one already,
// one above all tokens.
func (a *assembly) unique(pid trace.PID, index int64, at trace.Time) int64 {
	for a.sent[sentKey{pid, index, at}] {
		a.next++
		index = a.next
	}
	a.sent[sentKey{pid, index, at}] = true
	return index
}
