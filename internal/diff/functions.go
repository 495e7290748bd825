package diff

import (
	"cmp"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// functionID is what frames spend time in: a function that runs, or waits.
type functionID struct {
	why.Function
	wait why.Wait
}

func compareFunctions(a, b functionID) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module), cmp.Compare(a.wait, b.wait))
}

// functionTimes are the times of functions in the frames of a process, in one run.
type functionTimes struct {
	frames int // those with samples
	times  map[functionID]why.FunctionSum
	all    why.FunctionSum
}

// newFunctionTimes returns the times of functions in frames; empty without samples.
func newFunctionTimes(c *why.Causes, frames []*analyzer.Frame) functionTimes {
	type kind struct {
		process *analyzer.Process
		kind    analyzer.Kind
	}
	kinds := map[kind]bool{}
	for _, f := range frames {
		kinds[kind{f.Process, f.Kind}] = true
	}
	k := functionTimes{times: map[functionID]why.FunctionSum{}}
	for _, s := range c.Sampled {
		if kinds[kind{s.Process, s.Kind}] {
			k.frames += s.Late + s.OnTime
		}
	}
	add := func(sum *why.FunctionSum, u *why.FunctionUse) {
		sum.Samples += u.Late.Samples + u.OnTime.Samples
		sum.Time += u.Late.Time + u.OnTime.Time
	}
	for i := range c.Uses {
		u := &c.Uses[i]
		if kinds[kind{u.Process, u.Kind}] {
			id := functionID{u.Function, u.Wait}
			sum := k.times[id]
			add(&sum, u)
			k.times[id] = sum
			add(&k.all, u)
		}
	}
	return k
}

// unit returns the mean time of a frame in a function, in milliseconds, and its variance: a number
// of samples varies by its square root.
func (k *functionTimes) unit(id functionID) significance.UnitValue {
	if k.frames == 0 || k.all.Samples == 0 {
		return unknownUnit
	}
	sum, frames := k.times[id], float64(k.frames)
	mean := sum.Time.Milliseconds() / frames
	one := k.all.Time.Milliseconds() / float64(k.all.Samples) / frames // of a sample
	if sum.Samples > 0 {
		one = mean / float64(sum.Samples)
	}
	return significance.UnitValue{Value: mean, Variance: one * one * float64(max(sum.Samples, 1))}
}

// functionChange is a change of the mean time of a frame in a function, in milliseconds.
type functionChange struct {
	Function string   `json:"function"` // its name, or "+" and its address in the module if that is unknown
	Module   optional `json:"module"`   // the file with its code
	Wait     string   `json:"wait"`     // "run", or the code of what it waited for
	*Values
	BaseSamples int `json:"base_samples"` // samples of all runs in it
	NewSamples  int `json:"new_samples"`

	measure   *Measure
	title     string  // for people
	deviation float64 // of the change, as numbers of samples vary
}

// shown reports whether tables have the change: it is more than numbers of samples vary by.
func (c *functionChange) shown() bool {
	return math.Abs(*c.Delta) >= max(leastShownFrame, 2*c.deviation) || c.Verdict.significant()
}

// title names the function for people.
func (f *functionID) title() string {
	title := causetext.Function(&f.Function)
	if f.wait != why.Run {
		title += ", " + causetext.Wait(f.wait)
	}
	return text.Printable(title)
}

// functionChanges are the changes of the functions of a pair.
type functionChanges struct {
	// List has the functions with why.LeastSamples samples on a side, and leastCost in a run, the
	// largest change first.
	List []functionChange
	// Unsampled is the only side without samples, "base" or "new"; empty if both sides have
	// some, or none.
	Unsampled string
}

// newFunctions computes the changes of a pair.
func (d *Diff) newFunctions(p *Pair) (c functionChanges) {
	runs := [2][]*Costs{costsOf(d.Base, p.base), costsOf(d.New, p.new)}
	least, samples, sampled := map[functionID]bool{}, [2]map[functionID]int{{}, {}}, [2]bool{}
	for side, list := range runs {
		for _, k := range list {
			if k == nil || k.functions.frames == 0 {
				continue
			}
			sampled[side] = true
			for id, sum := range k.functions.times {
				samples[side][id] += sum.Samples
				least[id] = least[id] || k.functions.unit(id).Value >= leastCost
			}
		}
	}
	switch {
	case !sampled[0] && sampled[1]:
		c.Unsampled = "base"
	case sampled[0] && !sampled[1]:
		c.Unsampled = "new"
	}
	if !sampled[0] || !sampled[1] {
		return c
	}
	all := map[functionID]int{}
	for id := range least {
		all[id] = samples[0][id] + samples[1][id]
		least[id] = least[id] && max(samples[0][id], samples[1][id]) >= why.LeastSamples
	}
	for _, id := range mostOf(least, all, compareFunctions) {
		base, new := samples[0][id], samples[1][id]
		var units [2][]significance.UnitValue
		variance := 0.0
		for side, list := range runs {
			sum := 0.0
			for _, k := range list {
				u := unknownUnit
				if k != nil {
					u = k.functions.unit(id)
				}
				if u.Known() {
					sum += u.Variance
				}
				units[side] = append(units[side], u)
			}
			n := float64(known(units[side]))
			variance += sum / (n * n)
		}
		m := d.measured(&stats.Measure{Unit: stats.Milliseconds, Better: stats.Lower}, units[0], units[1])
		if m.definition = nil; m.Delta == nil {
			continue // no run of a side is of a known unit
		}
		c.List = append(c.List, functionChange{
			Function: id.Name, Module: optional(id.Module), Wait: id.wait.String(), Values: &m.Values, BaseSamples: base, NewSamples: new,
			measure: m, title: id.title(), deviation: math.Sqrt(variance),
		})
	}
	return c
}

// testFunctions computes the changes of the functions of all pairs, and tests them as one more
// family. As causes do, they only explain changes of measures.
func (d *Diff) testFunctions(o Options) {
	var tested []*Measure
	for _, p := range d.Pairs {
		p.Functions = d.newFunctions(p)
		for _, c := range p.Functions.List {
			tested = append(tested, c.measure)
		}
	}
	judgeAll(tested, o.MinEffect)
	for _, p := range d.Pairs {
		for _, c := range p.Functions.List {
			p.explains(c.measure)
		}
		slices.SortStableFunc(p.Functions.List, func(a, b functionChange) int {
			return cmp.Compare(math.Abs(*b.Delta), math.Abs(*a.Delta))
		})
	}
}
