package account

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

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
	id         ID
	wait       uint32
	several    bool // as why.Piece.Several; id has no slice then
}

func (p *piece) time() trace.Duration { return p.end.Sub(p.start) }

// addPiece appends a piece, or makes the last one longer if it is the same. Only late
// frames have pieces.
func (d *details) addPiece(p piece) {
	if !d.late {
		return
	}
	if p.id.Wait == why.EarlierFrame || p.id.Wait == why.EarlierWork {
		p.wait = 0 // its culprits are the other work's, not the frame's
	}
	n := len(d.pieces)
	if n > 0 {
		if last := &d.pieces[n-1]; last.end == p.start && last.id == p.id && last.wait == p.wait && !last.several {
			last.end = p.end
			return
		}
	}
	if n >= joinAt && n&(n-1) == 0 {
		d.pieces = join(d.pieces)
	}
	d.pieces = append(d.pieces, p)
}

// join joins pieces of running, the shortest first, until maxPieces are left or all that
// follow one another in a stage are joined. It changes the list.
func join(list []piece) []piece {
	for limit := trace.Microsecond; len(list) > maxPieces && limit < maxJoined; limit *= 2 {
		joined := list[:0]
		for _, p := range list {
			if n := len(joined); n > 0 && joined[n-1].joins(&p, limit) {
				last := &joined[n-1]
				last.end, last.id.Key, last.several = p.end, 0, true
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
	return l.end == p.start && l.id.Stage == p.id.Stage && l.id.Wait == p.id.Wait && isRunning(p.id.Wait) &&
		l.time() < limit && p.time() < limit
}

func isRunning(w why.Wait) bool { return w == why.Run || w == why.GCRun }

// longest returns the maxPieces longest pieces, in order of time.
func (d *details) longest() []piece {
	list := join(d.pieces)
	if len(list) <= maxPieces {
		return list
	}
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(b.time(), a.time()) })
	list = list[:maxPieces]
	slices.SortFunc(list, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	return list
}

// joinPieces returns the longest pieces of a late frame, of all its threads.
func (a *Account) joinPieces() []piece {
	if a.draw != nil {
		a.details.pieces = append(a.details.pieces, a.draw.details.pieces...)
		a.draw.details.pieces = nil
	}
	a.details.pieces = a.details.longest()
	return a.details.pieces
}

// Stretches returns the stretches of a late frame's time that it spent with a wait in slices of a name, in a
// stage, or in any for why.NoStage.
func (b *Book) Stretches(a *Account, slice string, wait why.Wait, stage why.Stage) iter.Seq[analyzer.Interval] {
	return func(yield func(analyzer.Interval) bool) {
		for _, p := range a.joinPieces() {
			if p.id.Wait == wait && (stage == why.NoStage || p.id.Stage == stage) && b.record.Name(p.id.Key) == slice && !yield(analyzer.Interval{Start: p.start, End: p.end}) {
				return
			}
		}
	}
}

// ForgetPieces forgets the pieces of a late frame.
func (a *Account) ForgetPieces() { a.details.pieces = nil }

// Pieces returns the pieces of a late frame.
func (b *Book) Pieces(a *Account) []why.Piece {
	longest := a.joinPieces()
	if len(longest) == 0 {
		return nil
	}
	pieces := make([]why.Piece, 0, len(longest))
	for _, p := range longest {
		piece := why.Piece{Start: p.start, End: p.end, Stage: p.id.Stage, Wait: p.id.Wait, Several: p.several}
		if p.id.Wait == why.EarlierFrame {
			piece.Earlier = a.EarlierFrame(p.id)
		} else {
			piece.Slice = b.record.Name(p.id.Key)
		}
		if p.wait != 0 {
			piece.Others = b.during(stretch{p.wait, p.start, p.end})
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// stretch is a part of a wait.
type stretch struct {
	wait       uint32
	start, end trace.Time
}

// during returns what others did in a part of a wait. Frames of a thread that overlap
// share it.
func (b *Book) during(s stretch) []why.Activity {
	others, ok := b.others[s]
	if ok {
		return others
	}
	list := b.activities[:0]
	for l := range b.record.Leaves(b.record.Wait(s.wait)) {
		start, end := max(l.Start, s.start), min(l.End, s.end)
		if start < end && l.TID != 0 {
			list = append(list, why.Activity{Start: start, End: end, Culprit: b.culprit(&l, end.Sub(start))})
		}
	}
	b.activities = list
	if len(list) > 0 {
		others = mostOf(list)
	}
	if b.others == nil {
		b.others = map[stretch][]why.Activity{}
	}
	b.others[s] = others
	return others
}

// maxOthers bounds the activities of a piece.
const maxOthers = 8

// mostOf returns a copy of the activities with the most time, at most maxOthers, in order of time. It
// changes the list.
func mostOf(list []why.Activity) []why.Activity {
	if len(list) <= maxOthers {
		return slices.Clone(list)
	}
	slices.SortStableFunc(list, func(a, b why.Activity) int { return cmp.Compare(b.Time, a.Time) })
	list = slices.Clone(list[:maxOthers])
	slices.SortStableFunc(list, func(a, b why.Activity) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// SliceTimes returns the times of all slices of a frame, the longest first. Work for
// something else, before the frame, does not count.
func (b *Book) SliceTimes(a *Account) []why.SliceTime {
	times := b.times.emptied()
	for c := range a.Cells() {
		if c.Key == 0 || c.Wait == why.EarlierFrame || c.Wait == why.EarlierWork {
			continue
		}
		switch s := times.of(c.Key); {
		case isRunning(c.Wait):
			s.Running += c.Time
		case c.Wait == why.WaitUnknown:
			s.Unknown += c.Time
		default:
			s.Waiting += c.Time
		}
	}
	if b.times = times; len(times.list) == 0 {
		return nil
	}
	list := make([]why.SliceTime, len(times.list))
	for i, s := range times.list {
		list[i] = s.value
		list[i].Slice = b.record.Name(s.key)
	}
	slices.SortFunc(list, func(a, b why.SliceTime) int {
		return cmp.Or(cmp.Compare(b.Self(), a.Self()), cmp.Compare(a.Slice, b.Slice))
	})
	return list
}
