package judge

import (
	"cmp"
	"math/bits"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/why/account"
	"ohframe/internal/why/functions"
)

// component is a way in which frames spend time: a wait in a stage.
type component struct {
	stage why.Stage
	wait  why.Wait
}

// amount is the time of a component and, where it ran at a known frequency, its
// cycles (kHz × ns).
type amount struct {
	time    trace.Duration
	cycles  int64
	clocked trace.Duration
}

func (a *amount) add(b amount) {
	a.time += b.time
	a.cycles += b.cycles
	a.clocked += b.clocked
}

// frequency returns the mean frequency in kHz; 0 if it is unknown.
func (a *amount) frequency() int64 { return a.cycles / max(int64(a.clocked), 1) }

// sums are the amounts of the components of a frame, in order of stage and wait.
type sums []sum

type sum struct {
	component
	amount
}

// of returns the amount of a component, zero for one that the frame does not have.
func (s sums) of(id component) amount {
	for i := range s {
		if s[i].component == id {
			return s[i].amount
		}
	}
	return amount{}
}

// components sums the cells of a frame by component. It uses the memory of s.
func (s sums) components(a *account.Account) sums {
	s = s[:0]
next:
	for c := range a.Cells() {
		id, v := component{c.Stage, c.Wait}, amount{c.Time, c.Cycles, c.Clocked}
		for i := range s {
			if s[i].component == id {
				s[i].add(v)
				continue next
			}
		}
		s = append(s, sum{id, v})
	}
	slices.SortFunc(s, func(a, b sum) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.wait, b.wait))
	})
	return s
}

const (
	enoughFrames = 8
	fewFrames    = 3
	// maxReferences bounds the frames that medians are computed of.
	maxReferences = 4096
)

// usual is the time that frames of one kind usually spend.
type usual struct {
	basis      why.Basis
	references []*account.Account
	medians    sums
	// spread is the interquartile range of a component.
	spread map[component]trace.Duration
	total  trace.Duration                  // of the medians
	cells  map[account.ID][]trace.Duration // of the references; nil until needed
	// functions are the times by function of the references that were sampled; nil until needed.
	functions *functions.Sum
	// onLow are the usual shares of time on the clusters with the lowest frequencies, as of
	// account.Book.UpToCluster; nil until needed.
	onLow []int64
}

// role is the frames that are compared with one another.
type role struct {
	process *analyzer.Process
	kind    analyzer.Kind
	main    bool
	// framework is what makes the frames: several can make those of a process.
	framework analyzer.Framework
}

func roleOf(f *analyzer.Frame) role {
	return role{f.Process, f.Kind, int32(f.TID) == int32(f.Process.PID), f.Framework}
}

// group is the frames of a role, and what is usual for them at each refresh rate.
type group struct {
	all    []*account.Account // by actual start
	usuals map[usualID]*usual
}

type usualID struct {
	period    trace.Duration
	placeOnly bool
}

// known reports whether at least 95 % of the span is known.
func known(a *account.Account) bool { return a.Unknown*20 <= a.Done().Sub(a.Start) }

func total(a *account.Account) trace.Duration { return a.Last().Sub(a.Start) }

// comparable returns whether a frame can be compared with others. Frames of which only the slices
// are known are compared with one another.
func (g *group) comparable(placeOnly bool) func(*account.Account) bool {
	// An empty frame has less to do.
	empty := !slices.ContainsFunc(g.all, func(b *account.Account) bool { return !b.Frame.Facts.Has(analyzer.Empty) })
	return func(b *account.Account) bool {
		return (empty || !b.Frame.Facts.Has(analyzer.Empty)) && (placeOnly && b.OnlySlices() || !placeOnly && known(b))
	}
}

func wasOnTime(a *account.Account) bool {
	return a.Deadline.Known() && a.Overrun() <= 0 || !a.Deadline.Known() && a.Frame.Judged()
}

// usualFor returns what is usual for frames like a.
func (g *group) usualFor(a *account.Account, v *values) *usual {
	id := usualID{roundPeriod(a.Frame.Period), a.OnlySlices()}
	if u := g.usuals[id]; u != nil {
		return u
	}
	comparable := g.comparable(id.placeOnly)
	var same, onTime, all []*account.Account
	for _, b := range g.all {
		if !comparable(b) {
			continue
		}
		all = append(all, b)
		if wasOnTime(b) {
			onTime = append(onTime, b)
			if (b.Frame.Period-id.period).Abs()*100 <= id.period*3 {
				same = append(same, b)
			}
		}
	}
	u := &usual{}
	switch {
	case len(same) >= enoughFrames:
		u.basis, u.references = why.SamePeriod, same
	case len(onTime) >= enoughFrames:
		u.basis, u.references = why.AnyPeriod, onTime
	case len(onTime) >= fewFrames:
		u.basis, u.references = why.FewFrames, onTime
	case len(all) >= 3*fewFrames:
		slices.SortStableFunc(all, func(a, b *account.Account) int { return cmp.Compare(total(a), total(b)) })
		u.basis, u.references = why.FastestFrames, all[:len(all)/3]
	default:
		u.basis = why.Budget
	}
	u.references = thinned(u.references, maxReferences)
	u.compute(v)
	g.usuals[id] = u
	return u
}

// thinned returns at most n elements of a list, evenly.
func thinned[T any](list []T, n int) []T {
	step := (len(list) + n - 1) / n
	if step <= 1 {
		return list
	}
	var some []T
	for i := 0; i < len(list); i += step {
		some = append(some, list[i])
	}
	return some
}

// roundPeriod rounds to 6 bits, by less than 1 %: periods that vary a little have one
// set of references.
func roundPeriod(d trace.Duration) trace.Duration {
	shift := max(bits.Len64(uint64(d))-6, 0)
	return (d + trace.Duration(1)<<shift/2) >> shift << shift
}

// values are the amounts of each component in several frames.
type values [why.StageCount][why.WaitCount][]amount

// compute sets the medians of all components of the references. A component that a
// frame does not have is zero there. It uses the memory of values.
func (u *usual) compute(values *values) {
	for stage := range values {
		for wait, list := range values[stage] {
			values[stage][wait] = list[:0]
		}
	}
	var of sums
	for _, a := range u.references {
		of = of.components(a)
		for i := range of {
			list := &values[of[i].stage][of[i].wait]
			*list = append(*list, of[i].amount)
		}
	}
	u.spread = map[component]trace.Duration{}
	n := len(u.references)
	var times []trace.Duration
	var cycles []int64
	for stage := range values {
		for wait, list := range values[stage] {
			if len(list) == 0 {
				continue
			}
			times, cycles = times[:0], cycles[:0]
			var clocked, ran trace.Duration
			for _, v := range list {
				times = append(times, v.time)
				cycles = append(cycles, v.cycles)
				clocked, ran = clocked+v.clocked, ran+v.time
			}
			m := amount{time: quantile(times, n, 1, 2)}
			if wellClocked(clocked, ran) {
				m.cycles, m.clocked = quantile(cycles, n, 1, 2), m.time
			}
			id := component{why.Stage(stage), why.Wait(wait)}
			u.medians = append(u.medians, sum{id, m})
			u.spread[id] = quantile(times, n, 3, 4) - quantile(times, n, 1, 4)
			u.total += m.time
		}
	}
}

// wellClocked reports whether the frequency is known for at least 90 % of the time.
func wellClocked(clocked, ran trace.Duration) bool { return ran > 0 && clocked*10 >= ran*9 }

// quantile returns the quantile a/b of n values. Values that are not listed are zero. For
// a quantile between two values it returns the lower one.
func quantile[T ~int64](values []T, n, a, b int) T {
	slices.Sort(values)
	i := (n-1)*a/b - (n - len(values))
	if i < 0 {
		return 0
	}
	return values[i]
}

// cell returns the usual time of a slice in a component.
func (u *usual) cell(id account.ID) trace.Duration {
	if u.cells == nil {
		u.cells = map[account.ID][]trace.Duration{}
		for _, a := range u.references {
			for c := range a.Cells() {
				u.cells[c.ID] = append(u.cells[c.ID], c.Time)
			}
		}
	}
	times := u.cells[id]
	if len(times) == 0 {
		return 0
	}
	return quantile(times, len(u.references), 1, 2)
}
