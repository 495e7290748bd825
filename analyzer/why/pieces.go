package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Piece is a stretch of time in which the thread of a late frame did one thing.
type Piece struct {
	Start, End trace.Time
	Stage      place.Stage
	Wait       place.Wait
	// Slice is the innermost slice; empty outside of all slices. While the thread ran,
	// it is the one for the longest time without a change of slice.
	Slice string
	// Earlier is the frame that the thread was busy with, for place.EarlierFrame.
	Earlier *analyzer.Frame
	// Others are what the threads did that this one waited for, in order of time.
	// Of waits for a processor, the order and the times are not those of the trace.
	Others []Activity
}

// Activity is what another thread did while a frame's thread waited for it. Culprit.Time
// is the time from Start to End.
type Activity struct {
	Start, End trace.Time
	Culprit
}

// maxPieces bounds the pieces of a frame. Few frames have more.
const maxPieces = 200

// piece is a stretch of a frame's time with one cell, and one wait if it is one.
type piece struct {
	start, end trace.Time
	id         cellID
	record     uint32
	longest    trace.Duration // without a change of slice, which id has
}

// late reports whether the frame missed its deadline.
func (a *account) late() bool {
	return a.frame.Late() && a.span.deadline.Known() && a.span.overrun() > 0
}

// addPiece appends a piece, or makes the last one longer if it is the same. Only late
// frames have pieces.
func (a *account) addPiece(p piece) {
	if !a.late() {
		return
	}
	if p.id.wait == place.EarlierFrame || p.id.wait == place.EarlierWork {
		p.record = 0 // its culprits are the other work's, not the frame's
	}
	p.longest = p.end.Sub(p.start)
	if n := len(a.pieces); n > 0 {
		if last := &a.pieces[n-1]; last.joins(&p) {
			last.end = p.end
			if p.longest > last.longest {
				last.longest, last.id.key = p.longest, p.id.key
			}
			return
		}
	}
	a.pieces = append(a.pieces, p)
}

// joins reports whether p continues l. The thread's own track shows
// the slices in which it ran.
func (l *piece) joins(p *piece) bool {
	a, b := l.id, p.id
	if a.wait == place.Run {
		a.key, b.key = 0, 0
	}
	return l.end == p.start && a == b && l.record == p.record
}

// longest returns the maxPieces longest pieces, in order of time.
func (a *account) longest() []piece {
	if len(a.pieces) <= maxPieces {
		return a.pieces
	}
	list := slices.Clone(a.pieces)
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(b.end.Sub(b.start), a.end.Sub(a.start)) })
	list = list[:maxPieces]
	slices.SortFunc(list, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	return list
}

// pieces returns the pieces of a late frame.
func (r *Recorder) pieces(a *account, list []*account) []Piece {
	longest := a.longest()
	if len(longest) == 0 {
		return nil
	}
	pieces := make([]Piece, 0, len(longest))
	for _, p := range longest {
		piece := Piece{Start: p.start, End: p.end, Stage: p.id.stage, Wait: p.id.wait}
		if p.id.wait == place.EarlierFrame {
			piece.Earlier = list[p.id.key].frame
		} else {
			piece.Slice = r.keys.names[p.id.key]
		}
		if p.record != 0 {
			w := &r.waits[p.record-1]
			for _, l := range r.leaves[w.leaves:w.leavesEnd] {
				start, end := max(l.start, p.start), min(l.end, p.end)
				if start < end && l.tid != 0 {
					piece.Others = append(piece.Others, Activity{start, end, r.culprit(&l, end.Sub(start))})
				}
			}
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// culprit returns a thread that was waited for.
func (r *Recorder) culprit(l *leaf, d trace.Duration) Culprit {
	n := r.owners[l.tid]
	c := Culprit{PID: l.pid, TID: l.tid, Process: n.process, Thread: n.thread, Wait: l.wait, Slice: r.keys.names[l.key], Time: d}
	if c.PID == trace.UnknownPID {
		c.PID = n.pid
	}
	return c
}
