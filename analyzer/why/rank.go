package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Cost is a cause and the time that it cost over all late frames: a wait, the slice, and
// the kind of thread that was waited for (docs/why.md 6).
type Cost struct {
	Wait  Wait
	Slice string // empty if the cause lies outside of all slices
	// Kind says which threads the frames waited for. It is zero if they waited for no thread,
	// or for an unknown one.
	Kind ThreadKind
	// Stages are those in which the time was lost, what lost the most first.
	Stages []StageCost
	// Culprit and Function, the kernel function, are those of the worst frame.
	Culprit  *Culprit
	Function string
	// Frames are the late frames that have a share of it, in order.
	Frames []*analyzer.Frame
	// Lost is the sum of the shares: Direct those of the frames themselves, KnockOn
	// those of frames that began late because of it.
	Lost, Direct, KnockOn trace.Duration
	// Worst is the frame with the largest share.
	Worst  *analyzer.Frame
	Advice Advice
	// Missing is what the trace lacks for the cause; nothing else is known of it then.
	Missing Missing
	// Repeats are the arguments that several instances of the cause have, or the slices of threads that
	// were waited for in several frames. Those with the most time come first; at most MaxInstances.
	Repeats []Repeat
	most    trace.Duration
	repeats repeats
}

// StageCost is the part of a cost that was lost in a stage.
type StageCost struct {
	Stage Stage
	Lost  trace.Duration
}

// LostKnown reports whether Lost is known: not if the trace has no deadline of the frames.
func (c *Cost) LostKnown() bool { return c.Lost > 0 || c.Missing == NothingMissing }

// Stage returns the stage that lost the most time.
func (c *Cost) Stage() Stage { return c.Stages[0].Stage }

// Ranking is what late frames cost, by cause.
type Ranking struct {
	// Late is the number of late frames, and Lost the sum of their overruns. Unmeasured is the
	// number of late frames whose overrun is unknown.
	Late, Unmeasured int
	Lost             trace.Duration
	// Unknown is the part of Lost for which it is unknown what the thread did. Frames
	// without any known state do not count: their causes are slices.
	Unknown trace.Duration
	// Costs are the causes, the largest first. Their sum is Lost.
	Costs []*Cost
}

// LostKnown reports whether Lost is known, at least of some of the late frames.
func (r *Ranking) LostKnown() bool { return r.Late == 0 || r.Unmeasured < r.Late }

// Rank ranks the causes of the late frames among frames.
func (c *Causes) Rank(frames []*analyzer.Frame) *Ranking {
	r := &Ranking{}
	costs := costs{}
	for _, f := range frames {
		j := f.Judgement()
		if j.Late != analyzer.Yes {
			continue
		}
		r.Late++
		r.Lost += j.Lost()
		if !j.OverrunKnown {
			r.Unmeasured++
		}
		e := c.Of(f)
		if e == nil {
			continue
		}
		for i := range e.Shares {
			s := &e.Shares[i]
			cause, of := s, e
			one := Cost{Lost: s.Share, Direct: s.Share, most: s.Share}
			if s.Wait == EarlierFrame {
				cause, of = c.RootCause(s, e)
				one.Direct, one.KnockOn = 0, s.Share
			}
			if cause.Missing != NothingMissing || cause.Wait == WaitUnknown && !of.PlacesOnly() {
				r.Unknown += s.Share
			}
			one.Wait, one.Slice, one.Kind = cause.Wait, cause.Slice, cause.Culprit.Kind()
			one.Stages = []StageCost{{cause.Stage, s.Share}}
			one.Culprit, one.Function, one.Advice, one.Missing = cause.Culprit, cause.Function, cause.Advice, cause.Missing
			one.Frames, one.Worst = []*analyzer.Frame{f}, f
			if cause == s {
				one.repeats = repeatsOf(f, s)
			}
			costs.add(&one)
		}
	}
	r.Costs = costs.sorted()
	return r
}

// Merge returns the ranking of all frames of several rankings, which have none in common.
func Merge(list []*Ranking) *Ranking {
	r := &Ranking{}
	costs := costs{}
	for _, x := range list {
		r.Late += x.Late
		r.Unmeasured += x.Unmeasured
		r.Lost += x.Lost
		r.Unknown += x.Unknown
		for _, c := range x.Costs {
			one := *c
			one.Stages, one.Frames = slices.Clone(c.Stages), slices.Clone(c.Frames)
			one.repeats = repeats{}
			one.repeats.merge(&c.repeats)
			costs.add(&one)
		}
	}
	r.Costs = costs.sorted()
	return r
}

// costID is what is one cause.
type costID struct {
	wait    Wait
	slice   string
	kind    ThreadKind
	missing Missing
}

// costs are costs by their ids, in the order in which they were added.
type costs struct {
	by   map[costID]*Cost
	list []*Cost
}

// add adds a cost, to one with the same id if there is one.
func (m *costs) add(one *Cost) {
	id := costID{one.Wait, one.Slice, one.Kind, one.Missing}
	c := m.by[id]
	if c == nil {
		if m.by == nil {
			m.by = map[costID]*Cost{}
		}
		m.by[id] = one
		m.list = append(m.list, one)
		return
	}
	c.Lost += one.Lost
	c.Direct += one.Direct
	c.KnockOn += one.KnockOn
	for _, s := range one.Stages {
		i := slices.IndexFunc(c.Stages, func(x StageCost) bool { return x.Stage == s.Stage })
		if i < 0 {
			c.Stages = append(c.Stages, s)
		} else {
			c.Stages[i].Lost += s.Lost
		}
	}
	c.repeats.merge(&one.repeats)
	if n := len(c.Frames); c.Frames[n-1] == one.Frames[0] {
		one.Frames = one.Frames[1:] // two shares of one frame
	}
	c.Frames = append(c.Frames, one.Frames...)
	if one.most > c.most {
		c.most, c.Worst = one.most, one.Worst
		c.Culprit, c.Function, c.Advice = one.Culprit, one.Function, one.Advice
	}
}

// sorted returns the costs, the largest first, with their stages in that order.
func (m *costs) sorted() []*Cost {
	for _, c := range m.list {
		c.Repeats = c.repeats.sorted()
		slices.SortStableFunc(c.Stages, func(a, b StageCost) int {
			return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Stage.String(), b.Stage.String()))
		})
	}
	slices.SortStableFunc(m.list, func(a, b *Cost) int { return cmp.Compare(b.Lost, a.Lost) })
	return m.list
}

// RootCause returns the cause that a knock-on share of e comes from, and the frame
// that has it. It returns the share itself if the earlier frame has no cause.
func (c *Causes) RootCause(s *Share, e *Explanation) (*Share, *Explanation) {
	for range maxKnockOns {
		earlier := c.Of(s.Earlier)
		if earlier == nil || len(earlier.Shares) == 0 {
			break
		}
		s, e = &earlier.Shares[0], earlier
		if s.Wait != EarlierFrame {
			break
		}
	}
	return s, e
}
