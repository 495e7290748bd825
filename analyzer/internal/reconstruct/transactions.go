package reconstruct

import (
	"cmp"
	"slices"
	"sort"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// appliedKey is a transaction that was applied.
type appliedKey struct {
	pid   trace.PID
	index int64
	at    trace.Time
}

// sent is a transaction on its way to render_service.
type sent struct {
	hitrace.Marsh
	at      trace.Time
	line    int
	tid     trace.TID // the thread that wrote the marker
	draft   *draft    // the frame open on that thread; nil if none was
	owner   *analyzer.Frame
	index   int // among the owner's transactions
	piece   int // of the owner's draft
	applied bool
	// outside: no frame was open on the thread, nor a vsync. appliedBy and appliedAt are of the render
	// frame that applied it.
	outside   bool
	inLayer   bool
	appliedBy *draft
	appliedAt trace.Time
}

func (b *builder) beginMarsh(t *thread, e *hitrace.Event) {
	m, ok := hitrace.ParseMarsh(e.Marker.Label())
	b.diagnostics.addIfDamaged(!ok || m.Damaged, e)
	if !ok || !b.mayKeep(&b.kept.sent, e) {
		return
	}
	outside := t.draft == nil && t.bare == nil && t.framework() == nil && t.indexOpen(hitrace.OnVsyncEvent) < 0
	b.sent = append(b.sent, &sent{Marsh: m, at: e.Time, line: e.Number, tid: t.tid, draft: t.draftOrOrphan(e), outside: outside})
}

// assignTransactions assigns each transaction to its application frame. If the marker
// names the thread and the vsync, they decide: it may be written after the frame has
// ended, or by another thread. Otherwise it belongs to the frame that was open on its
// thread. It needs the kinds that place sets.
func (b *builder) assignTransactions() {
	type key struct {
		tid trace.TID
		now trace.Monotonic
	}
	byVsync := map[key][]*draft{}
	for _, d := range b.drafts {
		if d.frame.Framework != analyzer.Platform {
			continue // it sends buffers
		}
		for _, vsync := range slices.Compact([]trace.Monotonic{d.now, d.task}) {
			if vsync != 0 {
				k := key{d.thread.tid, vsync}
				byVsync[k] = append(byVsync[k], d)
			}
		}
	}
	ownerOf := func(s *sent) *draft {
		owner := s.draft
		if owner.dropped {
			owner = nil
		}
		if s.Timestamp != 0 && (owner == nil || s.TID != 0) {
			named := lastBegun(byVsync[key{cmp.Or(s.TID, s.tid), s.Timestamp}], s.at)
			// A frame without a known vsync may be the named one.
			if named != nil || owner == nil || owner.now != 0 {
				owner = named
			}
		}
		return owner
	}
	b.findOutside(ownerOf)
	for _, s := range b.sent {
		if s.inLayer {
			continue
		}
		owner := ownerOf(s)
		if owner == nil || owner.frame.Kind == analyzer.RenderFrame {
			b.diagnostics.add(analyzer.TransactionOutside, s.line)
			continue
		}
		s.owner, s.index, s.piece = owner.frame, len(owner.frame.Transactions), owner.piece
		owner.frame.Transactions = append(owner.frame.Transactions, analyzer.Sent{Index: s.Index, At: s.at})
	}
}

// lastBegun returns the last of the drafts that had begun at the given time, or the first
// if none had; nil if drafts is empty. The drafts are sorted by start.
func lastBegun(drafts []*draft, at trace.Time) *draft {
	if len(drafts) == 0 {
		return nil
	}
	i := sort.Search(len(drafts), func(i int) bool { return drafts[i].frame.Actual.Start > at })
	return drafts[max(0, i-1)]
}

// link joins application frames to the render frames that applied their
// transactions. It needs the owners that assignTransactions sets.
func (b *builder) link() {
	byKey := map[hitrace.Transaction][]*sent{}
	applied := map[appliedKey]bool{}
	for _, s := range b.sent {
		byKey[s.Transaction] = append(byKey[s.Transaction], s)
	}
	for _, d := range b.drafts {
		for _, a := range d.applied {
			s := choose(byKey[a.Transaction], a.at)
			if s == nil {
				b.diagnostics.add(analyzer.AppliedUnknown, a.line)
				continue
			}
			s.applied, s.appliedBy, s.appliedAt = true, d, a.at
			f := s.owner
			if f == nil || s.piece != d.piece { // over a jump of the clock all times are unknown
				continue
			}
			key := appliedKey{f.Process.PID, s.Index, s.at}
			if applied[key] { // a repeated line
				continue
			}
			applied[key] = true
			f.Transactions[s.index].AppliedBy = d.frame
			if s.index == len(f.Transactions)-1 {
				f.Render = d.frame
				d.frame.Applications = append(d.frame.Applications, f)
			}
		}
	}
}

// maxAlike limits the search among transactions with the same key. Keys repeat when a
// process id is used again; no real device has this many.
const maxAlike = 64

// choose returns the transaction of list that was applied at the given time. A key is
// used again if a process id is, so it is the last one that was sent before and is not
// applied yet, or nil.
func choose(list []*sent, at trace.Time) *sent {
	if len(list) > maxAlike {
		i, _ := slices.BinarySearchFunc(list, at, func(s *sent, at trace.Time) int { return cmp.Compare(s.at, at) })
		list = list[max(0, i-maxAlike/2):min(len(list), i+maxAlike/2)]
	}
	var best *sent
	for _, s := range list {
		if !s.applied && (best == nil || s.at <= at) {
			best = s
		}
	}
	return best
}
