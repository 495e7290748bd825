package functions

import (
	"slices"
	"sort"
	"strings"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// ID is the number of a function. Zero is an unknown one.
type ID int32

// Table has the samples of the threads of a recording, and their functions.
type Table struct {
	samples  []sample.Sample
	profile  *sample.Profile
	from, to trace.Time
	threads  map[trace.TID]*Thread
	// of and leaf are the functions of stacks and of their innermost calls, plus one; zero if
	// they are not known yet.
	of, leaf []ID
	ids      map[why.Function]ID
	names    []why.Function // by ID
}

// Thread has the samples of a thread, as indexes into those of the recording, in order of time.
type Thread struct {
	*Table
	// Running are those that were taken while the thread ran, Switches those of its switches to
	// other threads.
	Running, Switches []int32
}

// New returns the table of a recording whose times are those of the trace; nil without samples.
// It has the samples of the threads for which needed returns true.
func New(rec *sample.Recording, needed func(trace.TID) bool) *Table {
	if rec == nil || len(rec.Samples) == 0 {
		return nil
	}
	t := &Table{
		samples: rec.Samples, profile: rec.Profile, threads: map[trace.TID]*Thread{},
		from: rec.Samples[0].Time, to: rec.Samples[len(rec.Samples)-1].Time,
		of: make([]ID, len(rec.Profile.Stacks)), leaf: make([]ID, len(rec.Profile.Stacks)),
		ids: map[why.Function]ID{{}: 0}, names: []why.Function{{}},
	}
	kinds, event := t.events()
	for i := range t.samples {
		s := &t.samples[i]
		kind := kinds[s.Event+1]
		if tid := trace.TID(s.TID); kind != other && needed(tid) {
			thread := t.threads[tid]
			if thread == nil {
				thread = &Thread{Table: t}
				t.threads[tid] = thread
			}
			switch {
			case kind == switches:
				thread.Switches = append(thread.Switches, int32(i))
			case s.Event == event:
				thread.Running = append(thread.Running, int32(i))
			}
		}
	}
	return t
}

// The kinds of events.
const (
	other = iota
	running
	switches
)

// events returns the kind of each event, shifted by one because the first is the unknown one, and
// the event of running threads. Periods of different events cannot be added up, so only the one
// with the most samples counts.
func (t *Table) events() (kinds []uint8, most int32) {
	kinds, counts := make([]uint8, len(t.profile.Events)+1), make([]int, len(t.profile.Events)+1)
	for i := range t.samples {
		counts[t.samples[i].Event+1]++
	}
	best := 0
	for i := range kinds {
		if i > 0 && strings.Contains(t.profile.Events[i-1].Name, "sched_switch") {
			kinds[i] = switches
		} else if counts[i] > best {
			best, most = counts[i], int32(i-1)
		}
	}
	if best > 0 {
		kinds[most+1] = running
	}
	return kinds, most
}

// Thread returns the samples of a thread, nil if it has none.
func (t *Table) Thread(tid trace.TID) *Thread {
	if t == nil {
		return nil
	}
	return t.threads[tid]
}

// Covers reports whether the recording lasted from one time to another.
func (t *Table) Covers(from, to trace.Time) bool { return from >= t.from && to <= t.to }

// Time returns the time of a sample.
func (t *Table) Time(index int32) trace.Time { return t.samples[index].Time }

// maxPeriod keeps sums of periods below 2^63.
const maxPeriod = 1 << 40

// weight returns the period of a sample.
func (t *Table) weight(index int32) uint64 { return min(max(t.samples[index].Period, 1), maxPeriod) }

// Weight returns the part that a sample has of all in its component, in any unit.
func (t *Table) Weight(index int32) float64 { return float64(t.weight(index)) }

// tolerance is how far the sample of a switch may be from the switch: the clocks of a profiler
// and of a trace may differ by as much, and the kernel writes one after the other.
const tolerance = 50 * trace.Microsecond

// At returns the sample of the switch at a time; false if there is none, or several.
func (t *Thread) At(at trace.Time) (int32, bool) {
	list := t.Switches
	n := sort.Search(len(list), func(i int) bool { return t.samples[list[i]].Time >= at.Add(-tolerance) })
	if n == len(list) || t.samples[list[n]].Time > at.Add(tolerance) ||
		n+1 < len(list) && t.samples[list[n+1]].Time <= at.Add(tolerance) {
		return 0, false
	}
	return list[n], true
}

// Name returns a function; empty for an unknown one.
func (t *Table) Name(id ID) why.Function { return t.names[id] }

// Function returns the function that a sample counts for.
func (t *Table) Function(index int32) ID {
	return t.cached(t.of, t.samples[index].Stack, func(stack int32) *sample.Frame {
		var user, first *sample.Frame
		for f := range t.profile.Calls(stack) {
			if f.Module == sample.Unknown && f.Function == sample.Unknown {
				continue // an address without a file: often no code at all
			}
			m := t.module(f)
			switch {
			case m != nil && m.Own():
				return f
			case user == nil && (m == nil || !m.Kernel):
				user = f
			case first == nil:
				first = f
			}
		}
		if user != nil {
			return user
		}
		return first
	})
}

// Innermost returns the function of the innermost call of a sample.
func (t *Table) Innermost(index int32) ID {
	return t.call(t.samples[index].Stack)
}

func (t *Table) call(stack int32) ID {
	return t.cached(t.leaf, stack, func(stack int32) *sample.Frame { return &t.profile.Frames[t.profile.Stacks[stack].Frame] })
}

// cached returns the function of the frame that find returns for a stack.
func (t *Table) cached(cache []ID, stack int32, find func(int32) *sample.Frame) ID {
	if stack == sample.Unknown {
		return 0
	}
	if cache[stack] == 0 {
		id := ID(0)
		if f := find(stack); f != nil {
			id = t.id(t.function(f))
		}
		cache[stack] = id + 1
	}
	return cache[stack] - 1
}

func (t *Table) module(f *sample.Frame) *sample.Module {
	m := f.Module
	if f.Function != sample.Unknown {
		m = t.profile.Functions[f.Function].Module
	}
	if m == sample.Unknown {
		return nil
	}
	return &t.profile.Modules[m]
}

// function returns the function of a frame. Code of a module without names is one function: most
// samples are at different addresses, which mean nothing to people.
func (t *Table) function(f *sample.Frame) why.Function {
	if f.Module == sample.Unknown && f.Function == sample.Unknown {
		return why.Function{Name: "[unknown]"}
	}
	var of why.Function
	if m := t.module(f); m != nil {
		of.Module = m.Name()
	}
	if f.Function != sample.Unknown {
		of.Name = t.profile.Functions[f.Function].Name
	}
	if of.Name == "" {
		of.Name = why.NoSymbols
	}
	return of
}

func (t *Table) id(f why.Function) ID {
	id, ok := t.ids[f]
	if !ok {
		id = ID(len(t.names))
		t.ids[f] = id
		t.names = append(t.names, f)
	}
	return id
}

// Path appends the functions of the calls of a sample to list, the outermost first.
func (t *Table) Path(list []ID, index int32) []ID {
	n, stack := len(list), t.samples[index].Stack
	for stack != sample.Unknown {
		list = append(list, t.call(stack))
		stack = t.profile.Stacks[stack].Parent
	}
	slices.Reverse(list[n:])
	return list
}
