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
	// Slice is the innermost slice; empty outside of all slices, and if Several is set.
	Slice string
	// Several is set if the thread ran in several slices, each for a short time: a frame
	// with too many pieces has them in one.
	Several bool
	// Earlier is the frame that the thread was busy with, for place.EarlierFrame.
	Earlier *analyzer.Frame
	// Others are what the threads did that this one waited for, in order of time.
	// Of waits for a processor, the order and the times are not those of the trace.
	Others []Activity
}

// Longest returns what was waited for the longest, nil if nothing is known.
func (p *Piece) Longest() *Activity {
	var best *Activity
	for i := range p.Others {
		if o := &p.Others[i]; best == nil || o.Time > best.Time {
			best = o
		}
	}
	return best
}

// Activity is what another thread did while a frame's thread waited for it. Culprit.Time
// is the time from Start to End.
type Activity struct {
	Start, End trace.Time
	Culprit
}

const (
	// maxPieces bounds the pieces of a frame. Few frames have more.
	maxPieces = 200
	// joinAt is the number of pieces, a power of two, at which they are joined for the first
	// time.
	joinAt = 1 << 10
)

// piece is a stretch of a frame's time with one cell, and one wait if it is one.
type piece struct {
	start, end trace.Time
	id         cellID
	record     uint32
	several    bool // as Piece.Several; id has no slice then
}

func (p *piece) time() trace.Duration { return p.end.Sub(p.start) }

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
	n := len(a.pieces)
	if n > 0 {
		if last := &a.pieces[n-1]; last.end == p.start && last.id == p.id && last.record == p.record && !last.several {
			last.end = p.end
			return
		}
	}
	if n >= joinAt && n&(n-1) == 0 {
		a.pieces = join(a.pieces)
	}
	a.pieces = append(a.pieces, p)
}

// join joins pieces of running, the shortest first, until maxPieces are left or all that
// follow one another in a stage are joined. It changes the list.
func join(list []piece) []piece {
	for limit := trace.Microsecond; len(list) > maxPieces && limit < maxJoined; limit *= 2 {
		joined := list[:0]
		for _, p := range list {
			if n := len(joined); n > 0 && joined[n-1].joins(&p, limit) {
				last := &joined[n-1]
				last.end, last.id.key, last.several = p.end, 0, true
				continue
			}
			joined = append(joined, p)
		}
		list = joined
	}
	return list
}

// maxJoined is above the length of pieces that are joined.
const maxJoined = 1 << 40

// joins reports whether l and p can be joined: both are shorter than the limit.
func (l *piece) joins(p *piece, limit trace.Duration) bool {
	return l.end == p.start && l.id.stage == p.id.stage && l.id.wait == p.id.wait && isRunning(p.id.wait) &&
		l.time() < limit && p.time() < limit
}

func isRunning(w place.Wait) bool { return w == place.Run || w == place.GCRun }

// longest returns the maxPieces longest pieces, in order of time.
func (a *account) longest() []piece {
	list := join(a.pieces)
	if len(list) <= maxPieces {
		return list
	}
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(b.time(), a.time()) })
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
		piece := Piece{Start: p.start, End: p.end, Stage: p.id.stage, Wait: p.id.wait, Several: p.several}
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

// SliceTime is the time that the thread of a frame spent in slices of one name, without the
// slices inside of them.
type SliceTime struct {
	Slice                     string
	Running, Waiting, Unknown trace.Duration
}

// Self returns the sum.
func (s *SliceTime) Self() trace.Duration { return s.Running + s.Waiting + s.Unknown }

// sliceTimes returns the times of all slices of a frame, the longest first. Work for
// something else, before the frame, does not count.
func (r *Recorder) sliceTimes(a *account) []SliceTime {
	var list []SliceTime
	at := map[Key]int{}
	for i := range a.cells {
		c := &a.cells[i]
		if c.key == 0 || c.wait == place.EarlierFrame || c.wait == place.EarlierWork {
			continue
		}
		n, ok := at[c.key]
		if !ok {
			n = len(list)
			at[c.key] = n
			list = append(list, SliceTime{Slice: r.keys.names[c.key]})
		}
		switch s := &list[n]; {
		case isRunning(c.wait):
			s.Running += c.time
		case c.wait == place.WaitUnknown:
			s.Unknown += c.time
		default:
			s.Waiting += c.time
		}
	}
	slices.SortFunc(list, func(a, b SliceTime) int {
		return cmp.Or(cmp.Compare(b.Self(), a.Self()), cmp.Compare(a.Slice, b.Slice))
	})
	return list
}
