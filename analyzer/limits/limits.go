// Package limits bounds what input can make the program hold and do. Whoever
// wrote an input decides what is in it; none of it may decide how much memory
// reading it takes. Each bound is far above what devices record, has an option,
// and is told of when it is reached: docs/limits.md lists them.
//
//	input ──▶ inflated, ratio ──▶ line ──▶ threads, nesting, async ──▶ frames, records ──▶ examples
//	          containers          reader   what is open                what is remembered   what is told
package limits

// Limits are the bounds of reading one input. Zero is the default of each.
type Limits struct {
	// Line is the longest line in bytes. A kernel prints 4 KiB at the most.
	Line int
	// Traces is how many traces may follow one another in one input.
	Traces int
	// Threads is how many threads are known at once, and so how many names,
	// processes and states. A kernel has no more than 4 million, and 32768 unless
	// it is told otherwise.
	Threads int
	// Strings is how many distinct names are remembered beside those of threads: of
	// kernel functions by each worker, of fences.
	Strings int
	// Nesting is how many slices are open on one thread. Perfetto takes no more
	// than 512.
	Nesting int
	// Async is how many asynchronous slices are open at once, in the whole trace.
	Async int
	// Frames is how many frames a timeline has.
	Frames int
	// Records is how much of each other kind is remembered until frames are put
	// together: transactions, commits, fences, GPU work, refresh periods.
	Records int
	// Examples is how many line numbers are kept of each thing that is wrong.
	Examples int
	// Inflated is how many bytes a compressed input may have once it is not
	// compressed any more.
	Inflated int
	// Ratio is how many times its size a compressed input may grow to; it counts
	// from MinInflated on.
	Ratio int
}

// MinInflated is how much may come of a compressed input whatever the ratio.
const MinInflated = 64 << 20

// Limit describes one bound.
type Limit struct {
	Name    string
	Default int
	Unit    string // what is counted
	Over    string // what happens to what is over it
	Most    int    // the greatest bound that there may be; 0 for any
	field   func(*Limits) *int
}

// All are the bounds, in the order in which an input meets them.
var All = []Limit{
	{"inflated", 64 << 30, "bytes that a compressed input inflates to", "an error", 0, func(l *Limits) *int { return &l.Inflated }},
	{"ratio", 200, "times its size that a compressed input inflates to, from 64 MiB on", "an error", 0, func(l *Limits) *int { return &l.Ratio }},
	{"line", 64 << 10, "bytes of a line", "passed over and counted", 0, func(l *Limits) *int { return &l.Line }},
	{"traces", 1 << 10, "traces that follow one another in one input", "their lines are not read, and counted", 0, func(l *Limits) *int { return &l.Traces }},
	{"threads", 1 << 18, "threads of a trace, and so processes, with their names", "their events make no frames and slices, and are counted", 0, func(l *Limits) *int { return &l.Threads }},
	{"strings", 1 << 14, "distinct names beside those of threads: of kernel functions, for each worker; of fences", "functions: forgotten, to be learnt again; fences: left out and counted", 0, func(l *Limits) *int { return &l.Strings }},
	{"nesting", 512, "slices open on one thread; 512 at the most, as Perfetto takes no more", "left out and counted", 512, func(l *Limits) *int { return &l.Nesting }},
	{"async", 1 << 20, "asynchronous slices open at once", "left out and counted", 0, func(l *Limits) *int { return &l.Async }},
	{"frames", 1 << 20, "frames of a trace", "left out and counted", 0, func(l *Limits) *int { return &l.Frames }},
	{"records", 1 << 20, "transactions, commits, fences, pieces of GPU work, each", "left out and counted", 0, func(l *Limits) *int { return &l.Records }},
	{"examples", 3, "line numbers kept of each thing that is wrong", "counted without their numbers", 0, func(l *Limits) *int { return &l.Examples }},
}

// Default returns the limits where nothing else is said.
func Default() Limits { return Limits{}.WithDefaults() }

// WithDefaults returns the limits with what is not set set to its default.
func (l Limits) WithDefaults() Limits {
	for _, limit := range All {
		if value := limit.field(&l); *value <= 0 {
			*value = limit.Default
		}
	}
	return l
}
