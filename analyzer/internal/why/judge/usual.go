package judge

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

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
	functions.Component
	amount
}

// of returns the amount of a component, zero for one that the frame does not have.
func (s sums) of(id functions.Component) amount {
	for i := range s {
		if s[i].Component == id {
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
		id, v := c.Component, amount{c.Time, c.Cycles, c.Clocked}
		for i := range s {
			if s[i].Component == id {
				s[i].add(v)
				continue next
			}
		}
		s = append(s, sum{id, v})
	}
	slices.SortFunc(s, func(a, b sum) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Wait, b.Wait))
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
	// prompt are the frames that say what is usual before a frame begins, if the references do not: those
	// that an earlier frame did not delay, for FastestFrames. It is nil for the references.
	prompt []*account.Account
	// longer are the frames on time with longer refresh periods, by actual start, and before is what
	// is usual for them; nil until needed.
	longer     []*account.Account
	before     *usual
	components []typical                  // in order of stage and wait
	cells      map[account.ID][]ofCell    // of the references; nil until needed
	medians    map[cohortCell]cellMedians // of those that late frames have
	// times are those of the references in some of the cells, in ascending order.
	times map[timesID][]trace.Duration
	// functions are the times by function of the references that were sampled; nil until needed.
	functions *functions.Sum
	// onLow are the usual shares of time on the clusters with the lowest frequencies, as of
	// account.Book.UpToCluster; nil until needed.
	onLow []int64
	// waits are what some of the references waited for; nil until needed.
	waits *waits
}

// typical is what a component usually takes.
type typical struct {
	functions.Component
	median  amount
	cohorts []cohort // one or more, the shortest first
	// most is what 95 % of the references take at most.
	most trace.Duration
}

// cohort is references that are alike in a component: with or without an item to build, say.
type cohort struct {
	from   trace.Duration // the least time of a frame that is compared with them
	count  int
	median amount
	spread trace.Duration // the interquartile range
}

// cohortAt returns the cohort that a time is compared with, and its index.
func (t *typical) cohortAt(time trace.Duration) (*cohort, int) {
	i := len(t.cohorts) - 1
	for i > 0 && time < t.cohorts[i].from {
		i--
	}
	return &t.cohorts[i], i
}

// usual returns what is usual for a frame with a time in the component: what is usual for frames
// like it, but no less than what half of all take.
func (t *typical) usual(time trace.Duration) amount {
	if k, _ := t.cohortAt(time); time > t.median.time {
		return k.median
	}
	return t.median
}

// ofCell is the time of a reference in a slice, and in its component.
type ofCell struct {
	time, component trace.Duration
	calls           uint32
	reference       int32 // index
}

// cohortCell says which times are added up: those in a slice of the references of a cohort; of all of them, if that is
// allCohorts.
type cohortCell struct {
	account.ID
	cohort int
}

const allCohorts = -1

// cellMedians are the medians of cells, in which references without the slice are zero.
type cellMedians struct {
	time  trace.Duration
	calls int
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

// own returns the time that a frame took without what its thread was still busy with before.
func own(a *account.Account) trace.Duration { return a.Last().Sub(a.Start) - a.Earlier }

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
	var same, longer, onTime, all []*account.Account
	for _, b := range g.all {
		if !comparable(b) {
			continue
		}
		all = append(all, b)
		if wasOnTime(b) {
			onTime = append(onTime, b)
			switch d := b.Frame.Period - id.period; {
			case d.Abs()*100 <= id.period*3:
				same = append(same, b)
			case d > 0 && id.period > 0:
				longer = append(longer, b)
			}
		}
	}
	u := &usual{longer: longer}
	switch {
	case len(same) >= enoughFrames:
		u.basis, u.references = why.SamePeriod, same
	case len(onTime) >= enoughFrames:
		u.basis, u.references = why.AnyPeriod, onTime
	case len(onTime) >= fewFrames:
		u.basis, u.references = why.FewFrames, onTime
	case len(all) >= 3*fewFrames:
		slices.SortStableFunc(all, func(a, b *account.Account) int { return cmp.Compare(own(a), own(b)) })
		u.basis, u.references = why.FastestFrames, all[:len(all)/3]
		u.prompt = thinned(slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.Earlier > 0 }), maxReferences)
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

// frames returns the frames that say what is usual: u.frames()[u.from(stage)] in a stage.
func (u *usual) frames() [2][]*account.Account {
	return [...][]*account.Account{u.references, u.prompt}
}

func (u *usual) from(s why.Stage) int {
	if s == why.StageStart && len(u.prompt) > 0 {
		return 1
	}
	return 0
}

// values are the amounts of each component in several frames.
type values [why.StageCount][why.WaitCount][]amount

// compute sets what is usual for all components of the references. A component that a
// frame does not have is zero there. It uses the memory of values.
func (u *usual) compute(values *values) {
	for stage := range values {
		for wait, list := range values[stage] {
			values[stage][wait] = list[:0]
		}
	}
	var of sums
	for k, frames := range u.frames() {
		for _, a := range frames {
			of = of.components(a)
			for i := range of {
				if u.from(of[i].Stage) == k {
					list := &values[of[i].Stage][of[i].Wait]
					*list = append(*list, of[i].amount)
				}
			}
		}
	}
	for stage := range values {
		n := len(u.frames()[u.from(why.Stage(stage))])
		for wait, list := range values[stage] {
			// Frames that are late themselves are no reason for others to begin late.
			if len(list) == 0 || u.basis == why.FastestFrames && why.Wait(wait) == why.EarlierFrame {
				continue
			}
			slices.SortFunc(list, func(a, b amount) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.cycles, b.cycles)) })
			t := typical{Component: functions.Component{Stage: why.Stage(stage), Wait: why.Wait(wait)}, median: median(list, n), most: at(list, n, 19, 20)}
			for k := range cohorts(list, n) {
				t.cohorts = append(t.cohorts, k)
			}
			u.components = append(u.components, t)
		}
	}
}

// wellClocked reports whether the frequency is known for at least 90 % of the time.
func wellClocked(clocked, ran trace.Duration) bool { return ran > 0 && clocked*10 >= ran*9 }

// median returns the median of the amounts of n frames, in order of time. Those that are not listed
// are zero.
func median(list []amount, n int) amount {
	var clocked, ran trace.Duration
	cycles := make([]int64, 0, len(list))
	for _, v := range list {
		cycles = append(cycles, v.cycles)
		clocked, ran = clocked+v.clocked, ran+v.time
	}
	m := amount{time: at(list, n, 1, 2)}
	if wellClocked(clocked, ran) {
		m.cycles, m.clocked = quantile(cycles, n, 1, 2), m.time
	}
	return m
}

// at is quantile for times in order.
func at(list []amount, n, a, b int) trace.Duration {
	if i := (n-1)*a/b - (n - len(list)); i >= 0 {
		return list[i].time
	}
	return 0
}

const (
	// leastOfCohort is the least number of frames of a cohort, which are at least 5 % of all.
	leastOfCohort = 5
	// leastGap is the least difference between frames of two cohorts.
	leastGap = 500 * trace.Microsecond
)

// cohorts divides the times of n frames, in order, where they are far apart: further than the
// middle half of the frames on either side. Those that are not listed are zero.
func cohorts(list []amount, n int) iter.Seq[cohort] {
	least := max(leastOfCohort, n/20)
	return func(yield func(cohort) bool) { split(list, n, least, 0, yield) }
}

func split(list []amount, n, least int, from trace.Duration, yield func(cohort) bool) bool {
	spread := func(list []amount, n int) trace.Duration { return at(list, n, 3, 4) - at(list, n, 1, 4) }
	best, most := -1, trace.Duration(leastGap-1)
	zeros := n - len(list)
	for i := max(0, least-zeros); i <= len(list)-least; i++ {
		below := trace.Duration(0)
		if i > 0 {
			below = list[i-1].time
		}
		gap := list[i].time - below
		if gap > most && gap > spread(list[:i], zeros+i) && gap > spread(list[i:], len(list)-i) {
			best, most = i, gap
		}
	}
	if best < 0 {
		return yield(cohort{from, n, median(list, n), spread(list, n)})
	}
	return split(list[:best], zeros+best, least, from, yield) && split(list[best:], len(list)-best, least, list[best].time-most/2, yield)
}

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

// periodBefore returns the refresh period of the last frame on time before a that had more time, if a
// is late for doing what such frames usually do, and would have been on time then; otherwise 0.
func (u *usual) periodBefore(a *account.Account, of sums, v *values) trace.Duration {
	i, _ := slices.BinarySearchFunc(u.longer, a.Actual, func(b *account.Account, at trace.Time) int { return cmp.Compare(b.Actual, at) })
	if i < enoughFrames || own(a) > u.longer[i-1].Budget() {
		return 0
	}
	if u.before == nil {
		u.before = &usual{references: thinned(u.longer, maxReferences)}
		u.before.compute(v)
	}
	usually, unusual := trace.Duration(0), trace.Duration(0)
	for i := range u.before.components {
		usually += u.before.components[i].median.time
	}
	for _, x := range of {
		unusual += x.time
		for i := range u.before.components {
			if t := &u.before.components[i]; t.Component == x.Component {
				unusual -= min(x.time, t.usual(x.time).time)
			}
		}
	}
	if usually <= a.Budget() || unusual*2 >= a.Overrun() {
		return 0
	}
	return u.longer[i-1].Frame.Period
}

// typical returns what a component usually takes; nil if no reference has it.
func (u *usual) typical(id functions.Component) *typical {
	for i := range u.components {
		if t := &u.components[i]; t.Component == id {
			return t
		}
	}
	return nil
}

// cohortOf returns the index of the cohort that a frame with a time is compared with, or allCohorts.
func (t *typical) cohortOf(time trace.Duration) int {
	if time <= t.median.time {
		return allCohorts
	}
	_, i := t.cohortAt(time)
	return i
}

// isOfCohort reports whether a reference with the given time belongs to a cohort.
func (t *typical) isOfCohort(time trace.Duration, cohort int) bool {
	_, of := t.cohortAt(time)
	return cohort == allCohorts || of == cohort
}

// cell returns the usual time of a slice, of a frame with a time in its component for which another is
// usual, and of how many slices it is. If that is less than what is usual for frames like it, the slice has its part of it.
func (u *usual) cell(id account.ID, value, usual trace.Duration) (time trace.Duration, calls int) {
	u.fillCells()
	t := u.typical(id.Component)
	if t == nil {
		return 0, 0
	}
	k := cohortCell{id, t.cohortOf(value)}
	m, ok := u.medians[k]
	if !ok {
		m = u.cellMedians(t, k)
		if u.medians == nil {
			u.medians = map[cohortCell]cellMedians{}
		}
		u.medians[k] = m
	}
	if all := t.usual(value).time; usual < all {
		m.time = scale(m.time, usual, all)
	}
	return m.time, m.calls
}

func (u *usual) cellMedians(t *typical, k cohortCell) cellMedians {
	var times []trace.Duration
	var calls []int64
	for _, c := range u.cells[k.ID] {
		if t.isOfCohort(c.component, k.cohort) {
			times, calls = append(times, c.time), append(calls, int64(c.calls))
		}
	}
	n := len(u.frames()[u.from(k.Stage)])
	if k.cohort != allCohorts {
		n = t.cohorts[k.cohort].count
	}
	return cellMedians{quantile(times, n, 1, 2), int(quantile(calls, n, 1, 2))}
}

// fillCells finds the cells of the references.
func (u *usual) fillCells() {
	if u.cells != nil {
		return
	}
	u.cells = map[account.ID][]ofCell{}
	var of sums
	for k, frames := range u.frames() {
		for i, a := range frames {
			of = of.components(a)
			for c := range a.Cells() {
				if u.from(c.Stage) == k {
					u.cells[c.ID] = append(u.cells[c.ID], ofCell{c.Time, of.of(c.Component).time, c.Calls, int32(i)})
				}
			}
		}
	}
}

// asLong returns how many frames on time have as much time in the slice of a part of a cause, or in all of its
// component, of how many. Both are 0 if nothing says that.
func (x *judged) asLong(p *causePart) (n, all int) {
	u := x.of
	if u.basis > why.FewFrames || len(u.references) == 0 || len(p.keys) > 1 {
		return 0, 0
	}
	id := timesID{ID: p.cell}
	if p.keys == nil {
		id = timesID{account.ID{Component: x.Component}, true, x.slowed}
	}
	times, ok := u.times[id]
	if !ok {
		times = u.timesIn(func(of account.ID) bool { return x.has(of) && (id.all || of == id.ID) })
		if u.times == nil {
			u.times = map[timesID][]trace.Duration{}
		}
		u.times[id] = times
	}
	n, _ = slices.BinarySearch(times, p.value)
	return len(times) - n, len(times)
}

// timesID is a slice, or with all, a component in all its slices.
type timesID struct {
	account.ID
	all    bool
	slowed uint32 // as of excess
}

// timesIn returns the times that the references have in cells, in ascending order.
func (u *usual) timesIn(has func(account.ID) bool) []trace.Duration {
	u.fillCells()
	times := make([]trace.Duration, len(u.references))
	for id, list := range u.cells {
		if has(id) {
			for _, c := range list {
				times[c.reference] += c.time
			}
		}
	}
	slices.Sort(times)
	return times
}
