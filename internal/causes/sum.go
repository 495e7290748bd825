package causes

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// sum is the times of one frame as they are printed: in tenths of a millisecond, so that
// terms add up to their sum wherever they are shown.
type sum struct {
	// Before is the time from the frame's vsync to its actual start, Took the length of its
	// actual interval, Draw the time from there until another thread has drawn it, GPU the time
	// from there to the end of its GPU work.
	Before, Took, Draw, GPU trace.Duration
	// Length is Before + Took + Draw + GPU. It is also Budget + Overrun.
	Length, Budget, Overrun trace.Duration
	// Shares are those of Explanation.Shares. Their sum is Overrun.
	Shares []trace.Duration
}

// newSum rounds the times of a frame.
func newSum(e *why.Explanation) *sum {
	f := e.Frame
	s := &sum{
		Before: text.Tenths(f.Actual.Start.Sub(e.Start)), Took: text.Tenths(f.Actual.Duration()), Overrun: text.Tenths(e.Lost),
	}
	done := f.Actual.End
	if f.Kind == analyzer.ApplicationFrame && f.Draw.End > done {
		s.Draw = text.Tenths(f.Draw.End.Sub(done))
		done = f.Draw.End
	}
	s.GPU = text.Tenths(e.End.Sub(done))
	s.Length = s.Before + s.Took + s.Draw + s.GPU
	s.Budget = s.Length - s.Overrun
	s.Shares = round(e.Shares, s.Overrun)
	return s
}

// round rounds shares to tenths so that they add up to sum: those with the largest
// remainders are rounded up, unless they would be more than their printed excess.
func round(shares []why.Share, sum trace.Duration) []trace.Duration {
	rounded := make([]trace.Duration, len(shares))
	order := make([]int, len(shares))
	for i := range shares {
		order[i] = i
		rounded[i] = shares[i].Share / tenth * tenth
		sum -= rounded[i]
	}
	atMost := func(i int) int {
		if s := &shares[i]; rounded[i]+tenth <= text.Tenths(s.Value)-text.Tenths(s.Usual) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(atMost(a), atMost(b)), cmp.Compare(shares[b].Share%tenth, shares[a].Share%tenth))
	})
	for _, i := range order[:min(len(order), int(max(0, sum/tenth)))] {
		rounded[i] += tenth
	}
	return rounded
}

// span returns how the time from a frame's vsync to its end adds up. It is empty if the
// frame began with its vsync and has no GPU work after its end.
func (s *sum) span() string {
	if s.Length == s.Took {
		return ""
	}
	from, terms := "start", ""
	if s.Before > 0 {
		from, terms = "vsync", fmt.Sprintf("waited %s before it began + ", text.Milliseconds(s.Before))
	}
	terms += "took " + text.Milliseconds(s.Took)
	if s.Draw > 0 {
		terms += fmt.Sprintf(" + %s on the thread that draws", text.Milliseconds(s.Draw))
	}
	if s.GPU > 0 {
		terms += fmt.Sprintf(" + %s on the GPU after that", text.Milliseconds(s.GPU))
	}
	return fmt.Sprintf("%s ms from %s to end: %s", text.Milliseconds(s.Length), from, terms)
}

// waterfall returns how the budget and the shares add up to the time from the vsync to the
// end of a late frame. It is empty if the frame is not late.
func (s *sum) waterfall(e *why.Explanation) string {
	if e.Lost == 0 {
		return ""
	}
	terms := "budget " + text.Milliseconds(s.Budget)
	left := s.Overrun
	var names []string // of components, each with the shares of its slices
	costs := map[string]trace.Duration{}
	for i := range e.Shares {
		name := component(e.Shares[i].Stage, e.Shares[i].Wait)
		if e.Shares[i].Missing != why.NothingMissing {
			name = "unknown"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		costs[name] += s.Shares[i]
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(costs[b], costs[a]) })
	for i, name := range names {
		if i == maxTerms || costs[name] < tenth {
			break
		}
		left -= costs[name]
		terms += fmt.Sprintf(" + %s %s", name, text.Milliseconds(costs[name]))
	}
	if left > 0 {
		terms += " + other " + text.Milliseconds(left)
	}
	return terms + " = " + text.Milliseconds(s.Length) + " ms"
}

const (
	// maxTerms is the number of causes in a waterfall.
	maxTerms = 3
	// tenth is the smallest part of a millisecond that is printed. What rounds to
	// nothing is left out of the tables of one frame.
	tenth = trace.Millisecond / 10
)

// component names a wait in a stage.
func component(stage why.Stage, wait why.Wait) string {
	name := causetext.WaitTitle(wait)
	if stage != why.NoStage {
		name += " (" + causetext.Stage(stage) + ")"
	}
	return name
}

// thread is what a thread did while a frame's thread waited for it.
type thread struct {
	*why.Culprit
	// At is when the frame's thread first waited for it, since the frame's Start, and Time how long it did this meanwhile.
	At, Time trace.Duration
}

// longestThreads returns the n threads that a late frame waited for the longest, in order of
// time, and the number of the others.
func longestThreads(e *why.Explanation, n int) (list []*thread, others int) {
	type id struct {
		waited, wait why.Wait
		tid, other   trace.TID
		slice        string
	}
	at := map[id]*thread{}
	for i := range e.Pieces {
		p := &e.Pieces[i]
		if p.Wait == why.WaitVsync {
			continue
		}
		for j := range p.Others {
			a := &p.Others[j]
			k := id{waited: p.Wait, wait: a.Wait, tid: a.TID, slice: a.Slice}
			if a.For != nil {
				k.other = a.For.TID
			}
			switch {
			case at[k] == nil:
				c := a.Culprit
				if c.For != nil {
					other := *c.For
					c.For = &other
				}
				at[k] = &thread{Culprit: &c, At: a.Start.Sub(e.Start)}
				list = append(list, at[k])
			case a.For != nil:
				at[k].For.Time += a.For.Time
			}
			at[k].Time += a.End.Sub(a.Start)
		}
	}
	list = slices.DeleteFunc(list, func(t *thread) bool { return t.Time < tenth/2 })
	slices.SortStableFunc(list, func(a, b *thread) int { return cmp.Compare(b.Time, a.Time) })
	others = max(0, len(list)-n)
	list = list[:len(list)-others]
	slices.SortStableFunc(list, func(a, b *thread) int { return cmp.Compare(a.At, b.At) })
	return list, others
}

// number formats a time in milliseconds; nothing for what rounds to zero.
func number(d trace.Duration) string {
	if d < tenth/2 {
		return ""
	}
	return text.Milliseconds(d)
}

// percents returns the costs as shares of their sum, without decimals. Those with the largest
// remainders are rounded up, so that the shares add up to 100 %.
func percents(list []stagePart, sum trace.Duration) []string {
	shares := make([]why.Share, len(list))
	for i := range list {
		shares[i].Share = trace.Duration(100 * float64(tenth) * float64(list[i].Cost) / float64(max(sum, 1)))
	}
	var texts []string
	for i, p := range round(shares, 100*tenth) {
		part, whole := p/tenth, trace.Duration(100)
		if cost := list[i].Cost; part == 0 || part == whole {
			part, whole = cost, sum // Percent marks shares that only round to 0 or 100 %
		}
		texts = append(texts, text.Percent(part, whole))
	}
	return texts
}
