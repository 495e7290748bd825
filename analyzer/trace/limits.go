package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

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
	// each worker, and of fences, scenes, pages and bundles.
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
	// Samples is the maximum number of samples of a profiler.
	Samples int
	// Examples is the maximum number of line numbers that are kept for each problem.
	Examples int
	// Inflated is the maximum size of a compressed input after decompression, in
	// bytes.
	Inflated int
	// Ratio is the maximum ratio of decompressed to compressed size. It applies from
	// 64 MiB on.
	Ratio int
}

// Limit describes a limit.
type Limit struct {
	Name    string
	Default int
	Unit    string // what is counted
	Over    string // what happens beyond the limit
	Most    int    // maximum value; 0 for no maximum
	field   func(*Limits) *int
}

// AllLimits are the limits, in the order in which they apply to an input.
var AllLimits = []Limit{
	{"inflated", 64 << 30, "bytes of a compressed input after decompression", "an error", 0, func(l *Limits) *int { return &l.Inflated }},
	{"ratio", 200, "ratio of decompressed to compressed size, from 64 MiB on", "an error", 0, func(l *Limits) *int { return &l.Ratio }},
	{"line", 64 << 10, "bytes of a line", "skipped and counted", 0, func(l *Limits) *int { return &l.Line }},
	{"traces", 1 << 10, "traces in one input", "their lines are skipped and counted", 0, func(l *Limits) *int { return &l.Traces }},
	{"threads", 1 << 18, "threads of a trace, and so processes and their names", "their events are counted, but make no frames or slices", 0, func(l *Limits) *int { return &l.Threads }},
	{"strings", 1 << 14, "other distinct names: of kernel functions, for each worker; of fences, scenes, pages and bundles", "functions: the table starts anew; others: skipped and counted", 0, func(l *Limits) *int { return &l.Strings }},
	{"nesting", 512, "slices open on one thread; at most 512, as in Perfetto", "skipped and counted", 512, func(l *Limits) *int { return &l.Nesting }},
	{"async", 1 << 20, "asynchronous slices open at once", "skipped and counted", 0, func(l *Limits) *int { return &l.Async }},
	{"frames", 1 << 20, "frames of a trace", "skipped and counted", 0, func(l *Limits) *int { return &l.Frames }},
	{"records", 1 << 20, "transactions, commits, fences, pieces of GPU work, buffers and display syncs, each", "skipped and counted", 0, func(l *Limits) *int { return &l.Records }},
	{"states", 1 << 23, "changes of state and slices of threads that make frames; also events of the kernel in a Perfetto trace", "causes of later frames are unknown", 0, func(l *Limits) *int { return &l.States }},
	{"samples", 1 << 22, "samples of a profiler", "skipped and counted", 0, func(l *Limits) *int { return &l.Samples }},
	{"examples", 3, "line numbers kept for each problem", "counted without line numbers", 0, func(l *Limits) *int { return &l.Examples }},
}

// WithDefaults returns a copy of the limits with defaults for unset fields.
func (l Limits) WithDefaults() Limits {
	for _, limit := range AllLimits {
		if value := limit.field(&l); *value <= 0 {
			*value = limit.Default
		}
	}
	return l
}

// units are the suffixes of numbers.
var units = []struct {
	suffix string
	factor int
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"k", 1e3}, {"M", 1e6}, {"G", 1e9},
}

// Set sets limits from a text such as "frames=2M" or "frames=2M,line=128KiB".
func (l *Limits) Set(text string) error {
	for setting := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=NUMBER", setting)
		}
		limit := find(name)
		if limit == nil {
			return fmt.Errorf("%q is not a limit; the limits are %s", name, names())
		}
		number, err := parseNumber(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if limit.Most > 0 && number > limit.Most {
			return fmt.Errorf("%s: at most %d", name, limit.Most)
		}
		*limit.field(l) = number
	}
	return nil
}

func find(name string) *Limit {
	for i := range AllLimits {
		if AllLimits[i].Name == name {
			return &AllLimits[i]
		}
	}
	return nil
}

func names() string {
	var list []string
	for _, limit := range AllLimits {
		list = append(list, limit.Name)
	}
	return strings.Join(list, ", ")
}

// parseNumber parses a number of at least 1.
func parseNumber(text string) (int, error) {
	digits, factor := strings.TrimSuffix(text, "B"), 1
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(digits, unit.suffix); ok {
			digits, factor = rest, unit.factor
			break
		}
	}
	number, err := strconv.Atoi(digits)
	if err != nil || number < 1 || number > math.MaxInt/factor {
		return 0, fmt.Errorf("%q is not a number of at least 1, such as 3, 20k or 64MiB", text)
	}
	return number * factor, nil
}

// FormatLimit formats the value of a limit as Set parses it, such as 64Mi.
func FormatLimit(n int) string {
	for i := 2; i >= 0; i-- {
		if unit := units[i]; n%unit.factor == 0 {
			return strconv.Itoa(n/unit.factor) + unit.suffix
		}
	}
	return strconv.Itoa(n)
}
