package judge

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// The evidence that a frame was longer in a function (docs/why.md 11).
const (
	// leastOf is the least number of samples of the function, of why.LeastSamples in its stage and
	// wait. Two are often in one function by chance.
	leastOf = 3
	// fewSampled is the least number of frames for a mean.
	fewSampled = 3
)

// processKind names the frames of a kind of a process.
type processKind struct {
	process *analyzer.Process
	kind    analyzer.Kind
}

// sampledFrames are the times by function of frames of a kind of a process.
type sampledFrames struct {
	processKind
	late, onTime functions.Sum
}

// sumFunctions sets the times by function of all frames. The groups are in order.
func (j *judge) sumFunctions(groups []*group) {
	var list []*sampledFrames
	by := map[processKind]*sampledFrames{}
	for _, g := range groups {
		comparable := g.comparable(false)
		for _, a := range g.all {
			times, sampled := j.book.Functions(a)
			if !sampled {
				continue
			}
			of := processKind{a.Frame.Process, a.Frame.Kind}
			s := by[of]
			if s == nil {
				s = &sampledFrames{processKind: of}
				by[of] = s
				list = append(list, s)
			}
			switch {
			case a.Late():
				s.late.Add(times)
			case comparable(a) && wasOnTime(a):
				s.onTime.Add(times)
			}
		}
	}
	for _, s := range list {
		j.causes.Sampled = append(j.causes.Sampled, why.SampledFrames{Process: s.process, Kind: s.kind, Late: s.late.Frames, OnTime: s.onTime.Frames})
		j.causes.Uses = append(j.causes.Uses, j.functionUses(s)...)
	}
}

// functionUses returns the functions of frames, those with the most samples.
func (j *judge) functionUses(s *sampledFrames) []why.FunctionUse {
	by := map[functions.Key]*why.FunctionUse{}
	of := func(p functions.KeyTime) *why.FunctionUse {
		if by[p.Key] == nil {
			by[p.Key] = &why.FunctionUse{FunctionID: why.FunctionID{
				Process: s.process, Kind: s.kind, Stage: p.Stage, Wait: p.Wait, Function: j.book.Table().Name(p.Function),
			}}
		}
		return by[p.Key]
	}
	for p := range s.late.Functions() {
		of(p).Late = p.FunctionSum
	}
	for p := range s.onTime.Functions() {
		of(p).OnTime = p.FunctionSum
	}
	var list []why.FunctionUse
	for _, u := range by {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b why.FunctionUse) int {
		return cmp.Or(
			cmp.Compare(b.Late.Samples, a.Late.Samples), cmp.Compare(b.OnTime.Samples, a.OnTime.Samples), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module),
		)
	})
	return list[:min(len(list), why.MaxUses)]
}

// explainFunctions sets the functions of a late frame. The usual times of its components are those
// for its budget.
func (j *judge) explainFunctions(a *account.Account, u *usual, usuals sums, e *why.Explanation) {
	times, sampled := j.book.Functions(a)
	if !sampled {
		return
	}
	var frame functions.Sum
	frame.Add(times)
	table := j.book.Table()
	of := map[functions.Component]int{}
	for p := range times {
		of[p.Component] += p.Samples
	}
	inner := j.innermost(a)
	for p := range times {
		e.Sampled = append(e.Sampled, why.FunctionTime{Function: table.Name(p.Function), Stage: p.Stage, Wait: p.Wait, Samples: p.Samples, Time: p.Time})
		if p.Function == 0 || p.Runs() && of[p.Component] < why.LeastSamples {
			continue
		}
		f := why.FunctionTime{
			Function: table.Name(p.Function), Stage: p.Stage, Wait: p.Wait, Innermost: table.Name(inner[p.Key]),
			Samples: p.Samples, Of: of[p.Component], Time: p.Time,
		}
		stage := frame.ComponentTime(p.Component)
		var usualStage trace.Duration
		f.Usual, usualStage = j.usualFunction(u, usuals, &p, stage)
		excess, allExcess := f.Excess(), stage-usualStage
		f.Sure = sure(&p, excess, allExcess)
		e.Functions = append(e.Functions, f)
	}
	slices.SortFunc(e.Functions, func(a, b why.FunctionTime) int {
		return cmp.Or(
			cmp.Compare(b.Excess(), a.Excess()), cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Wait, b.Wait),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module),
		)
	})
	e.Functions = slices.Clip(e.Functions[:min(len(e.Functions), why.MaxFunctions)])
	e.Sampled = largestParts(e.Sampled)
}

// sure reports whether a frame was longer in a function, and not by chance: the excess of its stage and
// wait is mostly in it (docs/why.md 11).
func sure(p *functions.KeyTime, excess, allExcess trace.Duration) bool {
	if p.Runs() {
		return p.Samples >= leastOf && excess > 0 && excess*5 >= allExcess*2
	}
	return excess > 0 && excess*2 >= allExcess
}

// usualFunction returns how long frames on time are in a function in a stage and wait, in the mean,
// and in all functions there, where this frame was for the time in. If too few of them were sampled,
// the function has its part of what is usual there.
func (j *judge) usualFunction(u *usual, usuals sums, p *functions.KeyTime, in trace.Duration) (function, all trace.Duration) {
	if u.functions == nil {
		u.functions = &functions.Sum{}
		for _, b := range u.references {
			if times, sampled := j.book.Functions(b); sampled {
				u.functions.Add(times)
			}
		}
	}
	if n := trace.Duration(u.functions.Frames); n >= fewSampled {
		return u.functions.Of(p.Key).Time / n, u.functions.ComponentTime(p.Component) / n
	}
	all = min(usuals.of(p.Component).time, in)
	return scale(p.Time, all, in), all
}

// largestParts returns the parts with the most time, and the others without their functions.
func largestParts(list []why.FunctionTime) []why.FunctionTime {
	slices.SortFunc(list, func(a, b why.FunctionTime) int {
		return cmp.Or(
			cmp.Compare(b.Time, a.Time), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module),
			cmp.Compare(b.Samples, a.Samples),
		)
	})
	kept := list[:min(len(list), why.MaxParts)]
	for _, p := range list[len(kept):] {
		i := slices.IndexFunc(kept, func(k why.FunctionTime) bool {
			return k.Name == "" && k.Stage == p.Stage && k.Wait == p.Wait && (k.Samples > 0) == (p.Samples > 0)
		})
		if i < 0 {
			p.Function = why.Function{}
			kept = append(slices.Clip(kept), p)
			continue
		}
		kept[i].Samples += p.Samples
		kept[i].Time += p.Time
	}
	return slices.Clip(kept)
}

// innermost returns, of each function of a late frame, the innermost one of most of its samples.
func (j *judge) innermost(a *account.Account) map[functions.Key]functions.ID {
	type leaf struct {
		functions.Key
		leaf functions.ID
	}
	table := j.book.Table()
	counts, most, best := map[leaf]int{}, map[functions.Key]int{}, map[functions.Key]functions.ID{}
	for t := range a.Taken() {
		l := leaf{functions.Key{Component: t.Component, Function: table.Function(t.Index)}, table.Innermost(t.Index)}
		counts[l]++
		if counts[l] > most[l.Key] {
			most[l.Key], best[l.Key] = counts[l], l.leaf
		}
	}
	return best
}

// setCalls sets the flame graphs of the latest frames of each kind of a process.
func (j *judge) setCalls(groups []*group) {
	late := map[processKind][]*account.Account{}
	for _, g := range groups {
		for _, a := range g.all {
			if e := j.causes.Of(a.Frame); e.Lost > 0 && len(e.Sampled) > 0 {
				of := processKind{a.Frame.Process, a.Frame.Kind}
				late[of] = append(late[of], a)
			}
		}
	}
	for list := range maps.Values(late) {
		slices.SortStableFunc(list, func(a, b *account.Account) int { return cmp.Compare(b.Overrun(), a.Overrun()) })
		for _, a := range list[:min(len(list), why.MaxCalls)] {
			j.causes.Of(a.Frame).Calls = j.calls(a)
		}
	}
}

// calls returns the flame graph of a late frame, of the samples of its running threads.
func (j *judge) calls(a *account.Account) why.Calls {
	list, _ := j.book.Functions(a)
	times, weights := map[functions.Component]trace.Duration{}, map[functions.Component]float64{}
	for p := range list {
		times[p.Component] += p.Time
	}
	table := j.book.Table()
	for t := range a.Taken() {
		weights[t.Component] += table.Weight(t.Index)
	}
	tree := functions.NewTree(table)
	for t := range a.Taken() {
		if t.Runs() {
			tree.Add(t.Index, float64(times[t.Component])*table.Weight(t.Index)/weights[t.Component])
		}
	}
	return tree.Calls()
}
