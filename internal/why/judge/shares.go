package judge

import (
	"cmp"
	"math/bits"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// excess is a component of a late frame that took longer than usual.
type excess struct {
	component
	value, usual, excess, share trace.Duration
	// frequency and usualFrequency are in kHz, of why.RunSlow.
	frequency, usualFrequency int64
}

// noiseFloor is the least excess that counts for itself. Scheduling alone varies by
// as much.
const noiseFloor = 200 * trace.Microsecond

// shares distributes the overrun of a late frame over the components of its values that
// took longer than usual, in proportion to their excess (docs/why.md 3). The largest
// comes first. The sum of the shares is the overrun, and no share exceeds its excess.
func (u *usual) shares(values, usuals sums, overrun trace.Duration) []excess {
	var list []excess
	variation := excess{component: component{why.NoStage, why.Variation}}
	slow := excess{component: component{why.NoStage, why.RunSlow}}
	var ran, usualRan amount
	for _, component := range values {
		id, v, m := component.component, component.amount, usuals.of(component.component)
		x := excess{component: id, value: v.time, usual: m.time, excess: v.time - m.time}
		if x.excess <= 0 {
			continue
		}
		if id.wait == why.Run {
			if part := slowPart(v, m, x.excess); part > 0 {
				slow.value += v.time
				slow.usual += m.time
				slow.excess += part
				x.excess -= part
				ran.add(v)
				usualRan.add(m)
			}
		}
		if floor := max(noiseFloor, u.spread[id]*3/2); x.excess < floor {
			variation.value += x.usual + x.excess // without what slow has
			variation.usual += x.usual
			variation.excess += x.excess
			continue
		}
		list = append(list, x)
	}
	slow.frequency, slow.usualFrequency = ran.frequency(), usualRan.frequency()
	list = together(list)
	for _, x := range []excess{slow, variation} {
		if x.excess > 0 {
			list = append(list, x)
		}
	}
	distribute(list, overrun)
	slices.SortFunc(list, func(a, b excess) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.wait, b.wait), cmp.Compare(a.stage, b.stage))
	})
	return list
}

// together merges the components of waits that do not depend on the thread's own work,
// because another thread had the processor. It leaves them apart if one stage has most of
// the excess.
func together(list []excess) []excess {
	for _, wait := range [...]why.Wait{why.WaitIRQ, why.CPUPreempted, why.CPUWait} {
		all := excess{component: component{why.NoStage, wait}}
		most := trace.Duration(0)
		for _, x := range list {
			if x.wait == wait {
				all.value += x.value
				all.usual += x.usual
				all.excess += x.excess
				most = max(most, x.excess)
			}
		}
		if most*5 >= all.excess*3 {
			continue
		}
		list = append(slices.DeleteFunc(list, func(x excess) bool { return x.wait == wait }), all)
	}
	return list
}

// within returns what is usual for each component of a frame with the given budget and
// values. The usual times add up to the budget at most.
func (u *usual) within(budget trace.Duration, values sums) sums {
	if u.basis == why.Budget {
		return withinBudget(values, budget)
	}
	if u.total <= budget {
		return u.medians
	}
	usuals := slices.Clone(u.medians)
	for i := range usuals {
		m := &usuals[i]
		m.time = scale(m.time, budget, u.total)
		m.cycles = int64(scale(trace.Duration(m.cycles), budget, u.total))
		m.clocked = scale(m.clocked, budget, u.total)
	}
	return usuals
}

// withinBudget makes the time on a processor usual as far as the budget goes, each
// stage in proportion.
func withinBudget(values sums, budget trace.Duration) sums {
	var usuals sums
	ran := trace.Duration(0)
	for _, v := range values {
		if isWork(v.wait) {
			ran += v.time
		}
	}
	for _, v := range values {
		if isWork(v.wait) && budget > 0 {
			usuals = append(usuals, sum{v.component, amount{time: scale(v.time, min(budget, ran), ran)}})
		}
	}
	return usuals
}

// isWork reports whether the thread did something, as far as is known.
func isWork(w why.Wait) bool { return w == why.Run || w == why.GCRun || w == why.WaitUnknown }

// slowPart returns how much of an excess of time on a processor is due to a lower
// frequency than usual: what the cycles would have taken less at the usual one.
func slowPart(v, m amount, over trace.Duration) trace.Duration {
	if !wellClocked(v.clocked, v.time) || !wellClocked(m.clocked, m.time) || m.cycles <= 0 || v.cycles <= 0 {
		return 0
	}
	usualFrequency := float64(m.cycles) / float64(m.time)
	atUsual := trace.Duration(float64(v.cycles) / usualFrequency)
	slow, work := v.time-atUsual, atUsual-m.time
	switch {
	case slow <= 0:
		return 0
	case work <= 0:
		return over
	}
	return scale(over, slow, slow+work)
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

// distribute sets shares of the total in proportion to the excesses. What rounding
// leaves goes to the greatest excesses.
func distribute(list []excess, total trace.Duration) {
	sum := trace.Duration(0)
	for i := range list {
		sum += list[i].excess
	}
	if sum <= 0 || total <= 0 {
		return
	}
	left := total
	for i := range list {
		list[i].share = min(scale(list[i].excess, total, sum), list[i].excess)
		left -= list[i].share
	}
	slices.SortFunc(list, func(a, b excess) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(a.wait, b.wait), cmp.Compare(a.stage, b.stage))
	})
	for left > 0 {
		before := left
		for i := range list {
			if d := min(left, list[i].excess-list[i].share, 1+left/trace.Duration(len(list))); d > 0 {
				list[i].share += d
				left -= d
			}
		}
		if left == before {
			break
		}
	}
}
