package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Cost is a cause and the time that it cost over all late frames.
type Cost struct {
	Stage   place.Stage
	Wait    place.Wait
	Slice   string // empty if the cause lies outside of all slices
	Culprit *Culprit
	// Function is the kernel function of the worst frame.
	Function string
	// Frames are the late frames that have a share of it, in order.
	Frames []*analyzer.Frame
	// Lost is the sum of the shares: Direct those of the frames themselves, KnockOn
	// those of frames that began late because of it.
	Lost, Direct, KnockOn trace.Duration
	// Worst is the frame with the largest share.
	Worst  *analyzer.Frame
	Advice place.Advice
	most   trace.Duration
}

// Ranking is what late frames cost, by cause.
type Ranking struct {
	// Late is the number of late frames, and Lost the sum of their overruns.
	Late int
	Lost trace.Duration
	// Unknown is the part of Lost for which it is unknown what the thread did. Frames
	// without any known state do not count: their causes are slices.
	Unknown trace.Duration
	// Costs are the causes, the largest first. Their sum is Lost.
	Costs []*Cost
}

// Rank ranks the causes of the late frames among frames.
func (c *Causes) Rank(frames []*analyzer.Frame) *Ranking {
	type id struct {
		stage   place.Stage
		wait    place.Wait
		slice   string
		culprit trace.TID
	}
	r := &Ranking{}
	costs := map[id]*Cost{}
	for _, f := range frames {
		e := c.Of(f)
		if e == nil || e.Overrun == 0 {
			continue
		}
		r.Late++
		r.Lost += e.Overrun
		for i := range e.Shares {
			s := &e.Shares[i]
			cause, of, direct := s, e, true
			if s.Wait == place.EarlierFrame {
				cause, of = c.rootCause(s, e)
				direct = false
			}
			if cause.Wait == place.WaitUnknown && !of.PlacesOnly() {
				r.Unknown += s.Share
			}
			key := id{cause.Stage, cause.Wait, cause.Slice, 0}
			if cause.Culprit != nil {
				key.culprit = cause.Culprit.TID
			}
			cost := costs[key]
			if cost == nil {
				cost = &Cost{Stage: cause.Stage, Wait: cause.Wait, Slice: cause.Slice}
				costs[key] = cost
				r.Costs = append(r.Costs, cost)
			}
			cost.Lost += s.Share
			if direct {
				cost.Direct += s.Share
			} else {
				cost.KnockOn += s.Share
			}
			if n := len(cost.Frames); n == 0 || cost.Frames[n-1] != f {
				cost.Frames = append(cost.Frames, f)
			}
			if s.Share > cost.most || cost.Worst == nil {
				cost.most, cost.Worst = s.Share, f
				cost.Culprit, cost.Function, cost.Advice = cause.Culprit, cause.Function, cause.Advice
			}
		}
	}
	slices.SortStableFunc(r.Costs, func(a, b *Cost) int { return cmp.Compare(b.Lost, a.Lost) })
	return r
}

// rootCause returns the cause that a knock-on share of e comes from, and the frame
// that has it. It returns the share itself if the earlier frame has no cause.
func (c *Causes) rootCause(s *Share, e *Explanation) (*Share, *Explanation) {
	for range maxKnockOns {
		earlier := c.Of(s.Earlier)
		if earlier == nil || len(earlier.Shares) == 0 {
			break
		}
		s, e = &earlier.Shares[0], earlier
		if s.Wait != place.EarlierFrame {
			break
		}
	}
	return s, e
}

// PlacesOnly reports whether nothing is known of what the frame's thread did for it but its
// slices.
func (e *Explanation) PlacesOnly() bool {
	length := e.End.Sub(e.Start)
	for _, p := range e.Parts {
		switch p.Wait {
		case place.EarlierFrame, place.EarlierWork, place.GPU:
			length -= p.Time
		}
	}
	return e.Unknown > 0 && e.Unknown*20 >= length*19
}
