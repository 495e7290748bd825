package judge

import (
	"cmp"
	"math/bits"
	"slices"

	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// portion is a part of what was lost: what took longer than usual, and its share.
type portion struct{ value, usual, excess, share trace.Duration }

func (p *portion) portioned() *portion { return p }

type portioned[T any] interface {
	*T
	portioned() *portion
}

// excessOf returns the sum of the excesses of portions.
func excessOf[T any, P portioned[T]](list []T) (sum trace.Duration) {
	for i := range list {
		sum += P(&list[i]).portioned().excess
	}
	return sum
}

// divide sets the shares of a time in proportion to the excesses.
func divide[T any, P portioned[T]](list []T, all trace.Duration) {
	if len(list) == 0 {
		return
	}
	excesses := make([]trace.Duration, len(list))
	for i := range list {
		excesses[i] = P(&list[i]).portioned().excess
	}
	for i, d := range why.Divide(all, excesses) {
		P(&list[i]).portioned().share = d
	}
}

// excess is a component of a late frame that took longer than usual.
type excess struct {
	functions.Component
	portion
	// small: the excess is below the noise floor. common: 5 % of the references take as long.
	small, common bool
	// frequency and usualFrequency are in kHz, of why.RunSlow, and slowed has a bit for each of its
	// stages.
	frequency, usualFrequency int64
	slowed                    uint32
	// atUsual is what the value would be at the usual frequency; 0 if the frequency is usual.
	atUsual trace.Duration
}

// noiseFloor is the least excess that counts for itself. Scheduling alone varies by
// as much.
const noiseFloor = 200 * trace.Microsecond

// shares distributes the overrun of a late frame over the components of its values that
// took longer than usual, in proportion to their excess (docs/why.md 3). The largest
// comes first. The sum of the shares is the overrun, and no share exceeds its excess.
func (u *usual) shares(values sums, usuals []expected, overrun trace.Duration) []excess {
	var list, small []excess
	slow := excess{Component: functions.Component{Stage: why.NoStage, Wait: why.RunSlow}}
	var ran, usualRan amount
	for _, s := range values {
		id, v := s.Component, s.amount
		m := expectedOf(usuals, id)
		x := excess{Component: id, portion: portion{value: v.time, usual: m.time, excess: v.time - max(m.time, m.fits)}, common: v.time <= m.most}
		if x.excess <= 0 {
			continue
		}
		if runs(id.Wait) {
			at := m.amount
			if at.cycles <= 0 { // frames on time do not have it
				at = allRun(usuals)
			}
			if part, atUsual := slowPart(v, m.amount, at, x.excess); part > 0 {
				x.atUsual = atUsual
				slow.value += v.time
				slow.usual += m.time
				slow.excess += part
				slow.slowed |= 1 << id.Stage
				x.excess -= part
				ran.add(v)
				usualRan.add(at)
			}
		}
		if x.excess == 0 {
			continue
		}
		if x.small = x.excess < max(noiseFloor, m.spread*3/2); x.small {
			small = append(small, x)
			continue
		}
		list = append(list, x)
	}
	slow.frequency, slow.usualFrequency = ran.frequency(), usualRan.frequency()
	list = together(list)
	if slow.excess > 0 {
		list = append(list, slow)
	}
	list = withSmall(list, small, overrun)
	divideLost(list, max(min(overrun, excessOf(list)), 0))
	return list
}

// divideLost divides what was lost among its causes by their excess, the largest first. Those with the greatest
// excess get what rounding leaves.
func divideLost(list []excess, lost trace.Duration) {
	all, left := excessOf(list), lost
	for i := range list {
		list[i].share = scale(lost, list[i].excess, all)
		left -= list[i].share
	}
	slices.SortFunc(list, func(a, b excess) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Stage, b.Stage))
	})
	for i := range list[:min(int(left), len(list))] {
		list[i].share++
	}
}

// leastEverywhere is the least number of components with a small excess that count together.
const leastEverywhere = 4

// withSmall adds components that took a little longer: as one if they are four or more, and none has more
// than a third of all that. Otherwise the largest is added by itself, until the rest does not matter. Then
// it is left out, unless the others do not explain the overrun.
func withSmall(list, small []excess, overrun trace.Duration) []excess {
	slices.SortStableFunc(small, func(a, b excess) int { return cmp.Compare(b.excess, a.excess) })
	rest, all := excessOf(small), excessOf(list)
	for len(small) > 0 && rest*10 >= all && (rest >= noiseFloor || rest*4 >= all) {
		if len(small) >= leastEverywhere && small[0].excess*3 <= rest {
			return append(list, merged(small))
		}
		rest, all = rest-small[0].excess, all+small[0].excess
		list, small = append(list, small[0]), small[1:]
	}
	if len(small) > 0 && all < overrun {
		list = append(list, merged(small))
	}
	return list
}

// merged returns components as one, of why.Variation.
func merged(list []excess) excess {
	all := excess{Component: functions.Component{Stage: why.NoStage, Wait: why.Variation}, small: true, portion: portion{excess: excessOf(list)}}
	for _, x := range list {
		all.value += x.usual + x.excess // without what a slower CPU has
		all.usual += x.usual
	}
	return all
}

// together merges the components of waits that do not depend on the thread's own work,
// because another thread had the processor. It leaves them apart if one stage has most of
// the excess.
func together(list []excess) []excess {
	for _, wait := range [...]why.Wait{why.WaitIRQ, why.CPUPreempted, why.CPUWait} {
		all := excess{Component: functions.Component{Stage: why.NoStage, Wait: wait}}
		most := trace.Duration(0)
		for _, x := range list {
			if x.Wait == wait {
				all.value += x.value
				all.usual += x.usual
				all.excess += x.excess
				most = max(most, x.excess)
			}
		}
		if most*5 >= all.excess*3 {
			continue
		}
		list = append(slices.DeleteFunc(list, func(x excess) bool { return x.Wait == wait }), all)
	}
	return list
}

// expected is what a component of a frame should have taken.
type expected struct {
	sum
	spread, most trace.Duration // of typical
	// fits, if it is more, is the part of what frames like it take that fits into the budget.
	fits trace.Duration
	// inSlices, if not 0, is what its slices usually take together, if time is less because the frame waited
	// for other threads there.
	inSlices trace.Duration
}

func expectedOf(list []expected, id functions.Component) *expected {
	for i := range list {
		if list[i].Component == id {
			return &list[i]
		}
	}
	return &expected{}
}

// within returns what is usual for each component of a frame with the given budget and
// values. The usual times, or what fits, add up to the budget at most. Over is set if the frame would
// have been late with usual times, too: they are scaled down.
func (u *usual) within(budget trace.Duration, values sums) (list []expected, over bool) {
	if u.basis == why.Budget {
		return withinBudget(values, budget), false
	}
	list = make([]expected, len(u.components))
	total := trace.Duration(0)
	for i := range u.components {
		t := &u.components[i]
		v := values.of(t.Component).time
		k, _ := t.cohortAt(v)
		list[i] = expected{sum: sum{t.Component, t.usual(v)}, spread: k.spread, most: t.most}
		total += list[i].time
	}
	if total <= budget {
		return list, false
	}
	// Frames on time do not combine these times. What is usual without looking at the frame counts,
	// and as much of the rest as fits.
	budget, total = max(budget, 0), 0
	more := trace.Duration(0)
	for i := range u.components {
		x, m := &list[i], u.components[i].median
		x.fits = x.time
		if v := values.of(x.Component).time; v < m.time {
			m = m.shortened(v, m.time)
			x.fits = v
		}
		x.amount = m
		total += m.time
		more += max(x.fits-m.time, 0)
	}
	for i := range list {
		x := &list[i]
		switch {
		case total > budget:
			x.amount, x.fits = x.shortened(budget, total), 0
		case x.fits > x.time:
			x.fits = x.time + scale(x.fits-x.time, min(budget-total, more), more)
		}
	}
	return list, total > budget
}

// shortened returns the amount × a / b.
func (v amount) shortened(a, b trace.Duration) amount {
	return amount{scale(v.time, a, b), int64(scale(trace.Duration(v.cycles), a, b)), scale(v.clocked, a, b)}
}

// withinBudget makes the time on a processor usual as far as the budget goes, each
// stage in proportion.
func withinBudget(values sums, budget trace.Duration) (list []expected) {
	ran := trace.Duration(0)
	for _, v := range values {
		if isWork(v.Wait) {
			ran += v.time
		}
	}
	for _, v := range values {
		if isWork(v.Wait) && budget > 0 {
			list = append(list, expected{sum: sum{v.Component, amount{time: scale(v.time, min(budget, ran), ran)}}})
		}
	}
	return list
}

// isWork reports whether the thread did something, as far as is known.
func isWork(w why.Wait) bool { return w == why.Run || w == why.GCRun || w == why.WaitUnknown }

// runs reports whether the frequency matters: the thread ran.
func runs(w why.Wait) bool { return w == why.Run || w == why.GCRun }

// allRun returns the sum of what is usual where the thread runs.
func allRun(usuals []expected) (all amount) {
	for i := range usuals {
		if x := &usuals[i]; runs(x.Wait) && x.cycles > 0 {
			all.add(x.amount)
		}
	}
	return all
}

// slowPart returns how much of an excess of time on a processor is due to a lower frequency than
// usual, that of at, and how long the cycles would have taken at the usual one.
func slowPart(v, m, at amount, over trace.Duration) (part, atUsual trace.Duration) {
	if !wellClocked(v.clocked, v.time) || !wellClocked(at.clocked, at.time) || at.cycles <= 0 || v.cycles <= 0 {
		return 0, 0
	}
	usualFrequency := float64(at.cycles) / float64(at.time)
	atUsual = trace.Duration(float64(v.cycles) / usualFrequency)
	slow, work := v.time-atUsual, atUsual-m.time
	switch {
	case slow <= 0:
		return 0, 0
	case work <= 0:
		return over, atUsual
	}
	return scale(over, slow, slow+work), atUsual
}

// scale returns d × a / b, rounded down. No argument is negative, and a is at most b,
// or b is zero.
func scale(d, a, b trace.Duration) trace.Duration {
	if b == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(d), uint64(a))
	q, _ := bits.Div64(high, low, uint64(b))
	return trace.Duration(q)
}
