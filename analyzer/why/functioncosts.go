package why

import (
	"cmp"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// FunctionCost is a function in which late frames were longer than frames on time.
type FunctionCost struct {
	Function
	// Wait is Run, GCRun, EarlierWork or WaitUnknown, or what the function waited for.
	Wait Wait `json:"wait"`
	// Stage is the one with the greatest excess.
	Stage Stage `json:"stage"`
	// Frames are the late frames with samples of the function, and Samples the samples of it in
	// them.
	Frames  int `json:"frames"`
	Samples int `json:"samples"`
	// Time is the mean of the late frames, and Usual that of the frames on time of the processes.
	Time  trace.Duration `json:"ns"`
	Usual trace.Duration `json:"usual_ns"`
	// Total is the excess of all late frames.
	Total trace.Duration `json:"total_excess_ns"`
}

// Excess returns how much longer a late frame is in the function than a frame on time.
func (f *FunctionCost) Excess() trace.Duration { return f.Time - f.Usual }

// functionTotal is the time of late frames in a function in a stage, and what frames on time would
// have spent there.
type functionTotal struct {
	FunctionID
	late, usual FunctionSum
	frames      []*analyzer.Frame // in order
	// variance is that of the difference, as the numbers of samples vary, in ns².
	variance float64
}

// FunctionCosts returns the functions in which the late frames among frames were longer than
// frames on time of their processes, not by chance, with the largest total first. Each needs
// LeastSamples samples.
func (c *Causes) FunctionCosts(frames []*analyzer.Frame) []FunctionCost {
	if c == nil || len(c.Sampled) == 0 {
		return nil
	}
	totals, late := c.functionTotals(frames)
	type id struct {
		Function
		wait Wait
	}
	var list []FunctionCost
	at := map[id]int{}
	variances, most := []float64{}, []trace.Duration{}
	named := []map[*analyzer.Frame]bool{}
	for _, t := range totals {
		key := id{t.Function, t.Wait}
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, FunctionCost{Function: t.Function, Wait: t.Wait})
			variances, most, named = append(variances, 0), append(most, math.MinInt64), append(named, map[*analyzer.Frame]bool{})
		}
		f := &list[n]
		f.Samples += t.late.Samples
		f.Time += t.late.Time
		f.Usual += t.usual.Time
		variances[n] += t.variance
		for _, frame := range t.frames {
			named[n][frame] = true
		}
		if excess := t.late.Time - t.usual.Time; excess > most[n] {
			most[n], f.Stage = excess, t.Stage
		}
	}
	kept := list[:0]
	for n, f := range list {
		f.Total, f.Frames = f.Time-f.Usual, len(named[n])
		if f.Samples < LeastSamples || float64(f.Total) <= 2*math.Sqrt(variances[n]) {
			continue
		}
		f.Time /= trace.Duration(late)
		f.Usual /= trace.Duration(late)
		kept = append(kept, f)
	}
	slices.SortStableFunc(kept, func(a, b FunctionCost) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), compareFunctions(&a.Function, &b.Function), cmp.Compare(a.Wait, b.Wait))
	})
	return kept
}

func compareFunctions(a, b *Function) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module))
}

// functionTotals returns the totals of late frames by process, kind, stage, wait and function, and
// the number of these frames. Time of running without samples is divided as that with samples is.
func (c *Causes) functionTotals(frames []*analyzer.Frame) (totals []*functionTotal, late int) {
	type group struct {
		process *analyzer.Process
		kind    analyzer.Kind
	}
	type stage struct {
		group
		stage Stage
		wait  Wait
	}
	type times struct{ sampled, all trace.Duration }
	counts, stages := map[group]int{}, map[stage]times{}
	by := map[FunctionID]*functionTotal{}
	for _, f := range frames {
		e := c.Of(f)
		if e == nil || e.Lost == 0 || len(e.Sampled) == 0 {
			continue
		}
		late++
		g := group{f.Process, f.Kind}
		counts[g]++
		for i := range e.Sampled {
			p := &e.Sampled[i]
			of := stage{g, p.Stage, p.Wait}
			sum := stages[of]
			sum.all += p.Time
			if p.Samples > 0 {
				sum.sampled += p.Time
			}
			stages[of] = sum
			if p.Function == (Function{}) {
				continue
			}
			id := FunctionID{f.Process, f.Kind, p.Stage, p.Wait, p.Function}
			t := by[id]
			if t == nil {
				t = &functionTotal{FunctionID: id}
				by[id] = t
				totals = append(totals, t)
			}
			t.late.Samples += p.Samples
			t.late.Time += p.Time
			t.frames = append(t.frames, f)
		}
	}
	for _, t := range totals {
		if sum := stages[stage{group{t.Process, t.Kind}, t.Stage, t.Wait}]; t.Wait.Runs() && sum.sampled > 0 {
			t.late.Time = trace.Duration(float64(t.late.Time) * (float64(sum.all) / float64(sum.sampled)))
		}
		t.variance = t.late.variance(1)
	}
	onTime := map[group]int{}
	for _, s := range c.Sampled {
		onTime[group{s.Process, s.Kind}] += s.OnTime
	}
	for i := range c.Uses {
		u := &c.Uses[i]
		g := group{u.Process, u.Kind}
		if n := onTime[g]; n > 0 && by[u.FunctionID] != nil {
			t, times := by[u.FunctionID], float64(counts[g])/float64(n)
			t.usual = FunctionSum{u.OnTime.Samples, trace.Duration(float64(u.OnTime.Time) * times)}
			t.variance += u.OnTime.variance(times)
		}
	}
	// Without a frame on time, or with too many functions, what is usual is unknown.
	known := map[FunctionID]bool{}
	for i := range c.Uses {
		known[c.Uses[i].FunctionID] = true
	}
	return slices.DeleteFunc(totals, func(t *functionTotal) bool {
		return !known[t.FunctionID] || onTime[group{t.Process, t.Kind}] == 0
	}), late
}

// variance returns that of a time of so many samples, multiplied by a factor: a number of samples
// varies by its square root.
func (s *FunctionSum) variance(factor float64) float64 {
	t := float64(s.Time) * factor
	return t * t / float64(max(s.Samples, 1))
}
