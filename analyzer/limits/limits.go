// Package limits limits the resources that an input can use. Each limit is far above
// what devices record. When a limit is reached, the summary reports it, or the
// command fails with the limit's name. docs/limits.md lists the limits.
//
//	input ──▶ inflated, ratio ──▶ line ──▶ threads, nesting, async ──▶ frames, records ──▶ examples
//	          decompression       reader   open slices                 timeline            messages
package limits

// Limits are the limits for reading one input. A value of 0 or less means the
// default.
type Limits struct {
	// Line is the maximum length of a line in bytes. A kernel prints at most 4 KiB.
	Line int
	// Traces is the maximum number of traces in one input.
	Traces int
	// Threads is the maximum number of threads, and so of their names, processes and
	// states. A kernel has at most 4 million, and 32768 by default.
	Threads int
	// Strings is the maximum number of other distinct names: of kernel functions, for
	// each worker, and of fences.
	Strings int
	// Nesting is the maximum number of open slices on a thread. Perfetto allows 512.
	Nesting int
	// Async is the maximum number of open asynchronous slices in the trace.
	Async int
	// Frames is the maximum number of frames of a timeline.
	Frames int
	// Records is the maximum number of records of each kind that are stored until
	// frames are assembled: transactions, commits, fences, GPU work, refresh periods.
	Records int
	// States is the maximum number of changes of state and slices that are stored of
	// threads that make frames, to find causes.
	States int
	// Examples is the maximum number of line numbers that are kept for each problem.
	Examples int
	// Inflated is the maximum size of a compressed input after decompression, in
	// bytes.
	Inflated int
	// Ratio is the maximum ratio of decompressed to compressed size. It applies from
	// MinInflated on.
	Ratio int
}

// MinInflated is the decompressed size, in bytes, up to which any ratio is allowed.
const MinInflated = 64 << 20

// Limit describes a limit.
type Limit struct {
	Name    string
	Default int
	Unit    string // what is counted
	Over    string // what happens beyond the limit
	Most    int    // maximum value; 0 for no maximum
	field   func(*Limits) *int
}

// All are the limits, in the order in which they apply to an input.
var All = []Limit{
	{"inflated", 64 << 30, "bytes of a compressed input after decompression", "an error", 0, func(l *Limits) *int { return &l.Inflated }},
	{"ratio", 200, "ratio of decompressed to compressed size, from 64 MiB on", "an error", 0, func(l *Limits) *int { return &l.Ratio }},
	{"line", 64 << 10, "bytes of a line", "skipped and counted", 0, func(l *Limits) *int { return &l.Line }},
	{"traces", 1 << 10, "traces in one input", "their lines are skipped and counted", 0, func(l *Limits) *int { return &l.Traces }},
	{"threads", 1 << 18, "threads of a trace, and so processes and their names", "their events are counted, but make no frames or slices", 0, func(l *Limits) *int { return &l.Threads }},
	{"strings", 1 << 14, "other distinct names: of kernel functions, for each worker; of fences", "functions: the table starts anew; fences: skipped and counted", 0, func(l *Limits) *int { return &l.Strings }},
	{"nesting", 512, "slices open on one thread; at most 512, as in Perfetto", "skipped and counted", 512, func(l *Limits) *int { return &l.Nesting }},
	{"async", 1 << 20, "asynchronous slices open at once", "skipped and counted", 0, func(l *Limits) *int { return &l.Async }},
	{"frames", 1 << 20, "frames of a trace", "skipped and counted", 0, func(l *Limits) *int { return &l.Frames }},
	{"records", 1 << 20, "transactions, commits, fences and pieces of GPU work, each", "skipped and counted", 0, func(l *Limits) *int { return &l.Records }},
	{"states", 1 << 23, "changes of state and slices of threads that make frames", "causes of later frames are unknown", 0, func(l *Limits) *int { return &l.States }},
	{"examples", 3, "line numbers kept for each problem", "counted without line numbers", 0, func(l *Limits) *int { return &l.Examples }},
}

// Default returns the default limits.
func Default() Limits { return Limits{}.WithDefaults() }

// WithDefaults returns a copy of the limits with defaults for unset fields.
func (l Limits) WithDefaults() Limits {
	for _, limit := range All {
		if value := limit.field(&l); *value <= 0 {
			*value = limit.Default
		}
	}
	return l
}
