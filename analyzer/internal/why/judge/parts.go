package judge

import (
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// How a cause is divided (docs/why.md 3).
const (
	// smallest is the least part of an excess that counts for itself, one in so many.
	smallest = 20
	// leading is the least part of the largest of several culprits, one in so many. Below it, all of
	// them are one cause. What threads of a kind did is a cause for itself if it has as much.
	leading = 4
	// maxAgain is the number of frames on time that say how long a thread is usually waited for.
	maxAgain = 256
)

// causePart is what a part of an excess belongs to: slices, earlier frames, or threads that were waited
// for in them.
type causePart struct {
	name, gcReason string
	place.Place
	cell account.ID // with the greatest excess, which is most
	most trace.Duration
	// keys are those of the slices; nil for all that the frame has in the component.
	keys    []threads.NameKey
	waited  *account.WaitedFor // nil if it waited for nothing, or for several
	several *why.Several
	portion // of the component
	// calls is the number of slices, and usualCalls that of frames on time.
	calls, usualCalls int
}

// add adds what another part had.
func (p *causePart) add(o *causePart) {
	p.value += o.value
	p.usual += o.usual
	p.excess += o.excess
	p.share += o.share
}

// cellWait returns the wait of the cells of a cause.
func (x *judged) cellWait() why.Wait {
	if x.Wait == why.RunSlow {
		return why.Run
	}
	return x.Wait
}

// has reports whether an ID is one of the component.
func (x *judged) has(id account.ID) bool {
	return (id.Wait == x.cellWait() || x.Wait == why.RunSlow && runs(id.Wait)) && (x.Stage == why.NoStage || id.Stage == x.Stage) && (x.Wait != why.RunSlow || x.slowed&(1<<id.Stage) != 0)
}

// isOfFrame reports whether a wait does not depend on what the thread was doing.
func isOfFrame(w why.Wait) bool {
	return w == why.RunSlow || w == why.WaitIRQ || w == why.CPUPreempted || w == why.CPUWait
}

// divideBySlice returns the slices that had the excess of a cause, the largest first.
func (j *judge) divideBySlice(x *judged) []causePart {
	if x.Wait == why.EarlierFrame {
		return []causePart{earlierFrames(x)}
	}
	proportional := x.of.basis == why.Budget // no frame on time says which slice is longer than usual
	list, at := j.placed[:0], j.placedAt     // the memory of the last ones, which nobody has any more
	clear(at)
	for c := range x.Cells() {
		if !x.has(c.ID) {
			continue
		}
		name, in, reason := j.book.Slice(&c)
		n, ok := at[name]
		if !ok {
			n = len(list)
			at[name] = n
			list = append(list, causePart{name: name, most: -1})
		}
		usual, calls := trace.Duration(0), 0
		if !proportional {
			m := expectedOf(x.usuals, c.Component)
			usual, calls = x.of.cell(c.ID, x.values.of(c.Component).time, cmp.Or(m.inSlices, m.time))
		}
		to := &list[n]
		to.calls += int(c.Calls)
		to.usualCalls += calls
		to.value += c.Time
		to.usual += usual
		to.keys = append(to.keys, c.Key)
		if over := c.Time - usual; over > to.most {
			to.cell, to.Place, to.gcReason, to.most = c.ID, in, reason, over
		}
	}
	j.placed = list
	if proportional {
		for i := range list {
			list[i].usual = scale(list[i].value, min(x.usual, x.value), x.value)
		}
	}
	list = exceeding(list, x.value-x.usual)
	if x.atUsual > 0 {
		return atUsualFrequency(list, x)
	}
	return list
}

// atUsualFrequency leaves slices the excess that they would have at the usual frequency. The lower
// frequency has the rest.
func atUsualFrequency(list []causePart, x *judged) []causePart {
	var kept []causePart
	for _, p := range list {
		if p.excess = scale(p.value, x.atUsual, x.value) - p.usual; p.excess > 0 {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return list
	}
	sortParts(kept)
	return kept
}

// earlierFrames returns the earlier frames that a thread was busy with, as one part: what made one of
// them late made those after it late.
func earlierFrames(x *judged) causePart {
	p := causePart{portion: portion{value: x.value, usual: x.usual, excess: x.value - x.usual}}
	frames := 0
	for c := range x.Cells() {
		if x.has(c.ID) {
			if frames++; c.Time > p.most {
				p.cell, p.most = c.ID, c.Time
			}
		}
	}
	if frames > 1 {
		p.several = &why.Several{Frames: frames}
	}
	return p
}

// exceeding sets the excess of the parts of what is longer than usual by the given time, and
// returns those that have one, the largest first. If what is usual for the parts is more than that for
// all of them, it is scaled down.
func exceeding(list []causePart, over trace.Duration) []causePart {
	var value, usual, excess trace.Duration
	for i := range list {
		value += list[i].value
		usual += list[i].usual
		excess += max(list[i].value-list[i].usual, 0)
	}
	if excess < over {
		for i := range list {
			list[i].usual = scale(list[i].usual, max(min(value-over, usual), 0), usual)
		}
	}
	kept := list[:0]
	for _, p := range list {
		if p.excess = p.value - p.usual; p.excess > 0 {
			kept = append(kept, p)
		}
	}
	sortParts(kept)
	return kept
}

// sortParts sorts parts: the one with the greatest excess first. It moves each only once or twice: they are large.
func sortParts(list []causePart) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		if c := cmp.Compare(list[k].excess, list[i].excess); c != 0 {
			return c
		}
		return strings.Compare(list[i].name, list[k].name)
	})
	for i, k := range order {
		for k < i {
			k = order[k] // where it has been moved to
		}
		list[i], list[k] = list[k], list[i]
	}
}

// mostOrAll returns the part with 60 % of the excess and the others as one or, if none has that, all of
// them as one.
func mostOrAll(list []causePart) []causePart {
	if len(list) < 2 {
		return list
	}
	if list[0].excess*5 >= excessOf(list)*3 {
		return append(list[:1:1], joined(list[1:]))
	}
	all := joined(list)
	all.keys, all.several = nil, nil
	return []causePart{all}
}

// joined returns slices as one part.
func joined(list []causePart) causePart {
	all := list[0]
	if len(list) == 1 {
		return all
	}
	all.name, all.gcReason, all.keys = "", "", nil
	s := &why.Several{}
	for i := range list {
		p := &list[i]
		if i > 0 {
			all.add(p)
		}
		all.keys = append(all.keys, p.keys...)
		if p.name != "" {
			if s.Slices++; p.value > s.SliceTime {
				s.Slice, s.SliceTime = p.name, p.value
			}
		}
	}
	if s.Slices > 1 {
		all.several = s
	}
	return all
}

// splitSmall returns the parts that are large enough to count for themselves, and the others. These are
// left out if they do not matter together, unless the others do not explain the share.
func splitSmall(list []causePart, share trace.Duration) (large, small []causePart) {
	all := excessOf(list)
	isSmall := func(excess trace.Duration) bool { return excess < noiseFloor || excess*smallest < all }
	n := len(list)
	for n > 0 && isSmall(list[n-1].excess) {
		n--
	}
	large, small = list[:n:n], list[n:]
	if n > 0 && isSmall(excessOf(small)) && excessOf(large) >= share {
		small = nil
	}
	return large, small
}

// large returns the slices that are large enough to count for themselves, and the others as one.
func large(list []causePart, share trace.Duration) []causePart {
	large, small := splitSmall(list, share)
	if len(small) > 0 {
		large = append(large, joined(small))
	}
	return large
}

// divideByThreads divides a place among the threads that were waited for there, by kind. If none of several
// has a quarter of the excess, it stays one part. The result is valid until the next call.
func (j *judge) divideByThreads(x *judged, place *causePart) []causePart {
	if runs(x.cellWait()) || x.Wait == why.WaitUnknown || x.Wait == why.EarlierFrame {
		return j.undivided(place) // nothing was waited for, or it does not matter what the earlier frame waited for
	}
	m := account.Match{Component: functions.Component{Stage: x.Stage, Wait: x.cellWait()}, Keys: place.keys}
	waits := j.book.Waits(x.Account, m)
	// Several slices together are not those of other frames.
	comparable := place.usual > noiseFloor && len(x.of.references) > 0 && len(place.keys) < 2
	if left := place.value - timeOf(waits); len(waits) > 0 && left > 0 {
		if last := waits[len(waits)-1]; last.Culprit == nil {
			last.Time += left
		} else {
			waits = append(waits, &account.WaitedFor{Time: left})
		}
	}
	if x.Wait.Explains() {
		// It does not matter which thread said that the wait was over.
		place.setWaits(waits[:min(len(waits), 1)])
		return j.undivided(place)
	}
	if len(waits) < 2 {
		place.setWaits(waits)
		return j.divideByState(x, m, place, comparable)
	}
	list := j.waiting[:0] // the memory of the last one, which nobody has any more
	for _, w := range waits {
		one := *place
		one.value, one.waited = w.Time, w
		if comparable {
			one.usual = min(j.usualWait(x, m, waitedKind{threads: w.Culprit.Kind()}), place.usual)
		} else {
			one.usual = scale(w.Time, min(place.usual, place.value), place.value)
		}
		list = append(list, one)
	}
	j.waiting = list
	list = exceeding(list, place.excess)
	if list[0].excess*leading < excessOf(list) {
		place.setWaits(waitsOf(list))
		return j.undivided(place)
	}
	kinds, small := splitSmall(list, place.share)
	list = nil
	for i := range kinds {
		kinds[i].setWaits(waitsOf(kinds[i : i+1]))
		list = append(list, j.divideByState(x, m, &kinds[i], comparable)...)
	}
	if len(small) > 0 {
		others := *place
		others.value, others.usual, others.excess = 0, 0, 0
		for i := range small {
			others.add(&small[i])
		}
		others.setWaits(waitsOf(small))
		list = append(list, others)
	}
	return list
}

// undivided returns a part as a list. It is valid until the next call.
func (j *judge) undivided(p *causePart) []causePart {
	j.whole[0] = *p
	return j.whole[:]
}

// divideByState divides the wait for threads of a kind by what these did, if one of that has a quarter of the
// excess and is not what they did most of the time, or if several have a quarter.
func (j *judge) divideByState(x *judged, m account.Match, kind *causePart, comparable bool) (list []causePart) {
	w := kind.waited
	if w == nil {
		return j.undivided(kind)
	}
	type stateTime struct {
		account.KeyWait
		portion
	}
	var all []stateTime
	var most trace.Duration
	for state, d := range w.States() {
		all = append(all, stateTime{state, portion{value: d}})
		most = max(most, d)
	}
	if len(all) < 2 {
		return j.undivided(kind)
	}
	for i := range all {
		one := &all[i]
		if one.usual = scale(one.value, min(kind.usual, kind.value), kind.value); comparable {
			one.usual = min(j.usualWait(x, m, waitedKind{w.Culprit.Kind(), true, one.KeyWait}), kind.usual)
		}
		one.excess = max(one.value-one.usual, 0)
	}
	slices.SortFunc(all, func(a, b stateTime) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(b.value, a.value), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Key, b.Key))
	})
	n := 0
	for n < len(all) && all[n].excess >= noiseFloor && all[n].excess*leading >= kind.excess {
		n++
	}
	if n == 0 || n == 1 && all[0].value == most {
		return j.undivided(kind)
	}
	apart := map[account.KeyWait]bool{}
	for i := range all[:n] {
		one := *kind
		one.value, one.usual, one.excess = all[i].value, all[i].usual, all[i].excess
		one.several = kind.severalSlices()
		one.setWaits([]*account.WaitedFor{j.book.Restrict(w, func(s account.KeyWait) bool { return s == all[i].KeyWait })})
		apart[all[i].KeyWait] = true
		list = append(list, one)
	}
	rest := *kind
	for i := range list {
		rest.value -= list[i].value
		rest.usual = max(rest.usual-list[i].usual, 0)
	}
	if rest.value > 0 && n < len(all) {
		rest.several = kind.severalSlices()
		rest.setWaits([]*account.WaitedFor{j.book.Restrict(w, func(s account.KeyWait) bool { return !apart[s] })})
		list = append(list, rest)
	}
	list = exceeding(list, kind.excess)
	large, small := splitSmall(list, kind.share)
	return append(large, small...)
}

// severalSlices returns which slices a part has, without the threads that were waited for in them.
func (p *causePart) severalSlices() *why.Several {
	if p.several == nil || p.several.Slices == 0 {
		return nil
	}
	return &why.Several{Slices: p.several.Slices, Slice: p.several.Slice, SliceTime: p.several.SliceTime}
}

func waitsOf(list []causePart) (waits []*account.WaitedFor) {
	for i := range list {
		waits = append(waits, list[i].waited)
	}
	return waits
}

func timeOf(waits []*account.WaitedFor) (sum trace.Duration) {
	for i := range waits {
		sum += waits[i].Time
	}
	return sum
}

// setWaits sets whom a part waited for.
func (p *causePart) setWaits(waits []*account.WaitedFor) {
	if len(waits) == 0 {
		return
	}
	s := why.Several{}
	if p.several != nil {
		s = *p.several
	}
	if p.waited = nil; len(waits) == 1 {
		p.waited = waits[0]
	}
	var most *account.WaitedFor
	processes := map[trace.PID]bool{}
	for _, w := range waits {
		if w.Culprit == nil {
			continue
		}
		s.Threads += w.Threads
		pid := w.Culprit.PID
		if pid == trace.UnknownPID {
			pid = trace.PID(-w.Culprit.TID)
		}
		processes[pid] = true
		if most == nil || w.Culprit.Time > most.Culprit.Time {
			most = w
		}
	}
	if s.Threads < 2 {
		s.Threads, s.Culprit = 0, nil
	} else {
		s.Processes = len(processes)
	}
	switch {
	case p.waited != nil && p.waited.Culprit != nil:
		s.Culprit = nil // the share has it
	case s.Threads > 0 && most != nil && (s.Culprit == nil || most.Culprit.Time > s.Culprit.Time):
		if s.Culprit = most.Kept(); most.Label != "" {
			s.Culprit.Arguments = place.Arguments(most.Label)
		}
	}
	if s != (why.Several{}) {
		p.several = &s
	}
}

// setWaited sets what is known of whom a part waited for.
func (p *causePart) setWaited(s *why.Share) {
	s.GCReason = p.gcReason
	w := p.waited
	if w == nil {
		return
	}
	s.Culprit, s.Function, s.Interrupt, s.GCReason = w.Kept(), w.Function, w.Interrupt, cmp.Or(s.GCReason, w.GCReason)
	if s.Culprit != nil && w.Label != "" {
		s.Culprit.Arguments = place.Arguments(w.Label)
	}
}

// waitID is what frames are compared in by the threads that they waited for.
type waitID struct {
	functions.Component
	all bool // in all slices
	key threads.NameKey
}

// waits are what some frames on time waited for.
type waits struct {
	accounts []*account.Account
	// components are the times of the frames by component, and times those of each by the threads
	// that it waited for, in the same order.
	components []sums
	times      map[waitID][]map[waitedKind]trace.Duration
	medians    map[cohortWait]trace.Duration
}

// cohortWait says which times are added up: those that references of a cohort, as of cohortCell, wait for threads of a
// kind.
type cohortWait struct {
	waitID
	cohort int
	waited waitedKind
}

// waitedKind is threads of a kind, in a state or, if inState is false, in all of theirs.
type waitedKind struct {
	threads why.ThreadKind
	inState bool
	state   account.KeyWait
}

// usualWait returns for how long frames on time that are like one wait for threads of a kind, or for what
// they do, in one slice or in all of them.
func (j *judge) usualWait(x *judged, m account.Match, waited waitedKind) trace.Duration {
	w := x.of.waits
	if w == nil {
		w = &waits{accounts: j.book.Again(thinned(x.of.references, maxAgain)), times: map[waitID][]map[waitedKind]trace.Duration{}, medians: map[cohortWait]trace.Duration{}}
		for _, a := range w.accounts {
			w.components = append(w.components, sums(nil).components(a))
		}
		x.of.waits = w
	}
	id := cohortWait{waitID{Component: m.Component, all: m.Keys == nil}, allCohorts, waited}
	if !id.all {
		id.key = m.Keys[0]
	}
	t := x.of.typical(m.Component)
	if t != nil {
		id.cohort = t.cohortOf(x.value)
	}
	median, ok := w.medians[id]
	if ok {
		return median
	}
	of := w.times[id.waitID]
	if of == nil {
		for _, a := range w.accounts {
			times := map[waitedKind]trace.Duration{}
			for _, x := range j.book.Waits(a, m) {
				kind := x.Culprit.Kind()
				times[waitedKind{threads: kind}] += x.Time
				for state, d := range x.States() {
					times[waitedKind{kind, true, state}] += d
				}
			}
			of = append(of, times)
		}
		w.times[id.waitID] = of
	}
	var list []trace.Duration
	for i, times := range of {
		if t == nil || t.isOfCohort(w.components[i].of(t.Component).time, id.cohort) {
			list = append(list, times[waited])
		}
	}
	if len(list) > 0 {
		median = quantile(list, len(list), 1, 2)
	}
	w.medians[id] = median
	return median
}

// replaced lowers what is usual for waits in which the frame waited for others than frames on time do: what
// is longer is then what these threads had beyond their own usual time.
func (j *judge) replaced(a *account.Account, u *usual, values sums, usuals []expected) {
	if u.basis > why.FewFrames {
		return
	}
	for i := range usuals {
		m := &usuals[i]
		v := values.of(m.Component).time
		if !dependsOnThread(m.Wait) || m.time <= noiseFloor || v-m.time < noiseFloor {
			continue
		}
		x := &judged{Account: a, excess: excess{Component: m.Component, portion: portion{value: v}}, of: u}
		match := account.Match{Component: m.Component}
		own := trace.Duration(0)
		for _, w := range j.book.Waits(a, match) {
			if w.Culprit != nil {
				own += max(w.Time-j.usualWait(x, match, waitedKind{threads: w.Culprit.Kind()}), 0)
			}
		}
		if own = min(own, v); own-noiseFloor > v-m.time {
			m.inSlices, m.time, m.fits = m.time, v-own, 0
		}
	}
}

// dependsOnThread reports whether it matters for a wait which thread was waited for.
func dependsOnThread(w why.Wait) bool {
	switch w {
	case why.WaitBinder, why.WaitOwnThread, why.WaitOtherProcess, why.CPUPreempted, why.CPUWait:
		return true
	}
	return false
}
