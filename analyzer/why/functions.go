package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// NoSymbols is the name of all functions of a module whose names are unknown.
const NoSymbols = "[no symbols]"

// Function is a function of a module, as a profiler recorded it.
type Function struct {
	// Name is demangled. It is NoSymbols if it is unknown, and "[unknown]" outside of all modules.
	Name string `json:"function,omitzero"`
	// Module is the last element of the path of the file with its code, or "kernel".
	Module string `json:"module,omitzero"`
}

// FunctionTime is the time that a frame spent in a function, in one way in one stage, by the
// samples of a profiler. A sample counts for the innermost call in one of the application's own
// libraries, or for the innermost call if there is none (docs/why.md).
type FunctionTime struct {
	Function
	Stage Stage `json:"stage"`
	// Wait is Run, GCRun, EarlierWork or WaitUnknown, or what the function waited for.
	Wait Wait `json:"wait"`
	// Innermost is the function in which most of the samples were. It can be one that the
	// function called.
	Innermost Function `json:"innermost"`
	// Samples are those of the function, Of all in the stage and wait. Waits have one each.
	Samples int `json:"samples"`
	Of      int `json:"of_samples"`
	// Time is the part of the stage's exact time that the samples of the function are of all
	// its samples, by period. Usual is the mean of frames on time.
	Time  trace.Duration `json:"ns"`
	Usual trace.Duration `json:"usual_ns"`
	// Sure: the samples show that the frame was longer in the function, not by chance.
	Sure bool `json:"sure"`
}

// Waited reports whether the function waited.
func (f *FunctionTime) Waited() bool { return !f.Wait.Runs() }

// Excess returns how much longer the frame was in the function than frames on time are.
func (f *FunctionTime) Excess() trace.Duration { return f.Time - f.Usual }

// LeastSamples is the least number of samples in a stage for naming functions of a frame. Waits
// need only one: it is taken as the wait begins.
const LeastSamples = 5

// MaxFunctions is the maximum number of functions that are kept of a frame, MaxParts that of
// parts.
const (
	MaxFunctions = 16
	MaxParts     = 64
)

// MaxUses is the maximum number of functions that are kept of a kind of frames of a process,
// MaxCalls that of its late frames that have a flame graph.
const (
	MaxUses  = 256
	MaxCalls = 20
)

// Calls is a tree of calls: a flame graph. The first call is the root, and has no function.
type Calls []Call

// Call is a call of a function, with the samples in it and in what it called.
type Call struct {
	Function
	// Parent is the index of the caller, which is lower; -1 for the root.
	Parent  int32          `json:"caller"`
	Samples int            `json:"samples"`
	Time    trace.Duration `json:"ns"`
}

// FunctionUse is the time that all frames of a kind of a process spent in a function.
type FunctionUse struct {
	FunctionID
	Late, OnTime FunctionSum
}

// FunctionID says which samples are summed: of a function, in one stage and wait, in frames of one kind.
type FunctionID struct {
	Process *analyzer.Process
	Kind    analyzer.Kind
	Stage   Stage
	Wait    Wait
	Function
}

// FunctionSum is the time of several frames in a function.
type FunctionSum struct {
	Samples int
	Time    trace.Duration
}

// SampledFrames counts the frames of a kind of a process for which there are samples.
type SampledFrames struct {
	Process      *analyzer.Process
	Kind         analyzer.Kind
	Late, OnTime int
}

// FunctionOf returns the function in which most of the excess of a cause of a late frame lies: of
// the time that its thread ran, or of a wait. It is nil if there are too few samples, or if they do
// not agree.
func (e *Explanation) FunctionOf(s *Share) *FunctionTime {
	switch {
	case s == nil:
		return nil
	case s.Wait == RunSlow:
		return e.dominant()
	}
	for i := range e.Functions { // the largest excess comes first
		if f := &e.Functions[i]; f.Wait == s.Wait && f.Stage == s.Stage {
			if f.Sure {
				return f
			}
			return nil
		}
	}
	return nil
}

// dominant returns the function with 60 % of the time that a frame ran, in all stages, and of its
// samples; nil if no function has that.
func (e *Explanation) dominant() *FunctionTime {
	var all, best FunctionTime
	of := map[Function]FunctionTime{}
	for i := range e.Sampled {
		p := &e.Sampled[i]
		if p.Wait != Run {
			continue
		}
		all.Time, all.Samples = all.Time+p.Time, all.Samples+p.Samples
		if p.Function == (Function{}) {
			continue
		}
		f := of[p.Function]
		f.Function, f.Wait, f.Time, f.Samples = p.Function, Run, f.Time+p.Time, f.Samples+p.Samples
		if of[p.Function] = f; f.Time > best.Time {
			best = f
		}
	}
	if best.Of = all.Samples; best.Of < LeastSamples || best.Samples*5 < best.Of*3 || best.Time*5 < all.Time*3 {
		return nil
	}
	longest := trace.Duration(-1)
	for i := range e.Functions {
		if f := &e.Functions[i]; f.Function == best.Function && f.Wait == Run {
			best.Usual += f.Usual
			if f.Time > longest {
				longest, best.Innermost = f.Time, f.Innermost
			}
		}
	}
	best.Sure = true
	return &best
}

// Stacks are the stacks of a main thread that did not respond, of a file that has no times: how
// often the thread was in which functions.
type Stacks struct {
	PID     int32 `json:"pid,omitzero"` // process id; absent (0 in Go) if the file does not state it
	Samples int   `json:"stacks"`       // number of stacks
	// functions that the stacks count for (docs/why.md 11), those with the most first; at most 20
	Functions []StackCount `json:"functions"`
	// the call with the most stacks, from the outermost function inwards, as far as half of the stacks or more go
	Path []StackCount `json:"path"`
}

// MaxStackFunctions bounds Stacks.Functions.
const MaxStackFunctions = 20

// StackCount is the number of samples in a function.
type StackCount struct {
	Function
	Own     bool `json:"own"`    // whether the function is a part of the application, not of the system
	Samples int  `json:"stacks"` // number of stacks
}
