package judge

import (
	"maps"
	"slices"
	"sync"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
)

// Thresholds of the outcomes.
const (
	justMissed = 200 * trace.Microsecond
	// leastShare is the least share of the cause of a frame.
	leastShare = 500 * trace.Microsecond
	// lowest is the lowest confidence.
	lowest = why.Confidence(3)
)

// judge explains the frames of one input.
type judge struct {
	record   *threads.Record
	book     *account.Book
	causes   *why.Causes
	limiters limiters
	pieces   bool // late frames have pieces and slices
	groups   map[role]*group
	sums     sums // of the current frame
	// values are for usual.compute, and explanations and parts for the next frames: allocated
	// together, as there is one for each frame.
	values       values
	placed       []causePart    // of the cause that is divided
	placedAt     map[string]int // by name
	waiting      []causePart    // of the place that is divided, by kinds of threads
	whole        [1]causePart   // the one part of what undivided returns
	shares       []why.Share    // of the last frame
	explanations []why.Explanation
	parts        []why.Part
}

// Explain returns why the frames of t took their time. The record must be that of the events
// of t. The samples and the events of the system may be nil. Late frames have Pieces and Slices if they are
// asked for. Several workers explain several frames at once.
func Explain(r *threads.Record, t *analyzer.Timeline, samples *sample.Recording, events []hitrace.SystemEvent, pieces bool, workers int) *why.Causes {
	c := &why.Causes{
		Frames: make(map[*analyzer.Frame]*why.Explanation, len(t.Frames)), Scheduled: r.Scheduled, Woken: r.Woken, BlockedReasons: r.BlockedReasons, Limited: r.Limited,
		TooDeep: r.TooDeep, Unlabeled: r.Unlabeled, Own: t.Diagnostics.Recorded.Own(),
	}
	nameRequests(r, t)
	responses, stretches := newResponses(r, t)
	hangs := newHangs(r, t, stretches)
	j := &judge{placedAt: map[string]int{}, record: r, book: account.New(r, t, stretches, samples, workers), causes: c, pieces: pieces, limiters: newLimiters(r, t, events), groups: map[role]*group{}}
	accounts := j.book.Threads
	var ordered []*group
	var late, others, prompt []*account.Account
	for _, tid := range slices.Sorted(maps.Keys(accounts)) {
		for _, a := range accounts[tid] {
			g := j.groups[roleOf(a.Frame)]
			if g == nil {
				g = &group{usuals: map[usualID]*usual{}}
				j.groups[roleOf(a.Frame)] = g
				ordered = append(ordered, g)
			}
			g.all = append(g.all, a)
			switch {
			case a.Late():
				late = append(late, a)
			case j.book.Table() != nil || a.Frame.Kind == analyzer.RenderFrame || a.Frame.Late() || a.Frame.NotBegun > 0 || pickedUpLate(a.Frame):
				others = append(others, a)
			default:
				prompt = append(prompt, a)
			}
		}
	}
	if j.book.Table() != nil {
		j.sumFunctions(ordered)
		workers = 1 // all of them would need the usual times by function
	}
	j.explainAll(late, min(workers, len(late)/fewestLate))
	j.explainAll(others, min(workers, len(others)/fewestOthers))
	j.explainRest(t)
	if j.book.Table() != nil {
		j.setCalls(ordered)
	}
	j.groups = nil // what is usual is of frames alone
	for _, list := range [][]*account.Account{late, others} {
		for _, a := range list {
			a.Forget()
		}
	}
	j.explainShown(t)
	j.explainPickUps(t)
	j.explainNotBegun(t)
	j.explainResponses(responses)
	j.explainHangs(hangs)
	j.explainBuffers(t)
	// The rest are most frames, and all that is needed of them are their accounts: the record is garbage before
	// they are explained.
	j = &judge{causes: c}
	j.explainAll(prompt, min(workers, len(prompt)/fewestOthers))
	for _, list := range accounts {
		for _, a := range list {
			c.FindRoot(c.Frames[a.Frame])
		}
	}
	return c
}

// A worker has at least so many frames to explain, as each computes by itself what is usual.
const (
	fewestLate   = 64
	fewestOthers = 1 << 10
)

func (j *judge) explainAll(list []*account.Account, workers int) {
	found := make([]*why.Explanation, len(list))
	explainRange := func(j *judge, from, to int) {
		for i := from; i < to; i++ {
			found[i] = j.explain(list[i], j.groups[roleOf(list[i].Frame)])
		}
	}
	var running sync.WaitGroup
	for n := 1; n < workers; n++ {
		running.Go(func() { explainRange(j.copy(), n*len(list)/workers, (n+1)*len(list)/workers) })
	}
	explainRange(j, 0, len(list)/max(workers, 1))
	running.Wait()
	for i, a := range list {
		j.causes.Frames[a.Frame] = found[i]
	}
}

// copy returns a judge with other memory, for another worker.
func (j *judge) copy() *judge {
	c := &judge{placedAt: map[string]int{}, record: j.record, causes: j.causes, pieces: j.pieces, limiters: j.limiters, groups: map[role]*group{}}
	if j.book != nil {
		c.book = j.book.Copy()
	}
	for role, g := range j.groups {
		c.groups[role] = &group{all: g.all, usuals: map[usualID]*usual{}}
	}
	return c
}

func (j *judge) explain(a *account.Account, g *group) *why.Explanation {
	j.sums = j.sums.components(a)
	values := j.sums
	if len(j.explanations) == 0 {
		j.explanations = make([]why.Explanation, 64)
	}
	e := &j.explanations[0]
	j.explanations = j.explanations[1:]
	*e = why.Explanation{Frame: a.Frame, Start: a.Start, End: a.Last(), Unknown: a.Unknown, Parts: j.partsOf(values)}
	if !a.Late() {
		return e
	}
	e.Lost = a.Overrun()
	if j.pieces {
		e.Pieces, e.Slices = j.book.Pieces(a), j.book.SliceTimes(a)
	}
	u := g.usualFor(a, &j.values)
	e.Basis = u.basis
	expected, over := u.within(a.Budget(), values)
	j.replaced(a, u, values, expected)
	usuals := make(sums, len(expected))
	for i := range expected {
		usuals[i] = expected[i].sum
	}
	e.Usual, e.OverBudget = j.partsOf(usuals), over
	e.PeriodBefore = u.periodBefore(a, values, &j.values)
	unknown, sum := trace.Duration(0), trace.Duration(0)
	list := u.shares(values, expected, e.Lost)
	for _, x := range list {
		sum += x.excess
		if x.Wait == why.WaitUnknown {
			unknown += x.excess
		}
	}
	x := &judged{Account: a, of: u, values: values, usuals: expected, late: e.Lost}
	e.Shares = j.allDetails(x, list)
	a.ForgetPieces()
	if !over && len(e.Shares) > 0 && e.Shares[0].Wait == why.Run {
		e.Slowdown = x.slowdown()
	}
	j.explainFunctions(a, u, usuals, e)
	e.Outcome = outcome(a, e, unknown, sum)
	e.Confidence = j.confidence(a, e, e.Cause(), list)
	if e.Outcome == why.NotKnown {
		e.Confidence = lowest
	}
	return e
}

// outcome returns the outcome of a late frame. sum is the excess of its components, and
// unknown the part for which it is unknown what the thread did.
func outcome(a *account.Account, e *why.Explanation, unknown, sum trace.Duration) why.Outcome {
	if len(e.Shares) == 0 {
		return why.NotKnown
	}
	first := &e.Shares[0]
	least := max(e.Lost*2/5, leastShare)
	if e.Lost < 2*leastShare {
		least = e.Lost / 2
	}
	switch {
	case e.Lost < justMissed:
		return why.JustMissed
	case a.OnlySlices() && first.Share >= least && first.Wait == why.WaitUnknown:
		return why.PlaceOnly
	case !a.OnlySlices() && unknown*2 > sum:
		return why.NotKnown
	case first.Share < least || first.Wait == why.WaitUnknown && !a.OnlySlices():
		return why.Mixed
	case first.Wait == why.EarlierFrame:
		return why.KnockOn
	}
	return why.OneCause
}

// confidence counts what makes a cause less sure (docs/why.md 4). The list has the components that had an
// excess, the largest first.
func (j *judge) confidence(a *account.Account, e *why.Explanation, cause *why.Share, list []excess) why.Confidence {
	steps := 0
	if !a.OnlySlices() && a.Unknown*100 > a.Done().Sub(a.Start) {
		steps++
	}
	if !a.OnlySlices() && a.Unknown > 0 && j.book.LostEvents(a) {
		steps += 2
	}
	if e.Basis >= why.AnyPeriod {
		steps++
	}
	if len(e.Shares) > 0 && e.Shares[0].Share*2 < e.Lost {
		steps++
	}
	if e.Basis == why.Budget {
		steps += 2
	}
	if e.Outcome == why.PlaceOnly {
		steps++ // whether the thread ran or waited is unknown
	}
	if e.Slowdown > 0 {
		steps++
	}
	if len(list) > 0 && (list[0].small || list[0].common) {
		steps++ // frames on time took as long
	}
	if s := cause; s != nil {
		switch {
		case s.Culprit != nil && (!s.Culprit.Sure || s.Culprit.Unfollowed()):
			steps++
		case s.Several != nil && s.Several.Culprit != nil:
			if !s.Several.Culprit.Sure {
				steps++
			}
		case s.Culprit == nil && s.Function == "" && s.Interrupt == "" && s.Wait >= why.WaitOwnThread && s.Wait <= why.WaitSleep:
			steps++
		}
	}
	return min(why.Confidence(steps), lowest)
}

// partsOf returns the components that have a time.
func (j *judge) partsOf(components sums) []why.Part {
	if cap(j.parts)-len(j.parts) < len(components) {
		j.parts = make([]why.Part, 0, max(1024, len(components)))
	}
	list := j.parts[len(j.parts):]
	for _, c := range components {
		if c.time > 0 {
			list = append(list, why.Part{Stage: c.Stage, Wait: c.Wait, Time: c.time})
		}
	}
	if len(list) == 0 {
		return nil
	}
	j.parts = j.parts[:len(j.parts)+len(list)]
	return list[:len(list):len(list)]
}
