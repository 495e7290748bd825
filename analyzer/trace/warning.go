package trace

// Warning is something about an input or an output that users should know. The output is
// valid nevertheless.
type Warning struct {
	Code WarningCode
	// Count is how often it occurred; 0 if it is not counted.
	Count int
	// Lines are the numbers of the first lines with it, counted from 1; nil if unknown.
	Lines []int
	// Text is the whole warning in words, with the count and the lines: lower case, without
	// a full stop.
	Text string
}

// String returns the text.
func (w Warning) String() string { return w.Text }

// WarningCode is the kind of a warning. New ones may be added.
type WarningCode uint8

// The kinds of warnings.
const (
	// WarnDamaged: the input is truncated or corrupt. What is intact is used.
	WarnDamaged WarningCode = iota
	// WarnNotUnderstood: lines or records could not be parsed.
	WarnNotUnderstood
	// WarnSkipped: lines or records have no use, such as those of unfinished frames.
	WarnSkipped
	// WarnOverLimit: something exceeds a limit and is left out. Text names the limit.
	WarnOverLimit
	// WarnLost: events were lost when the trace was recorded.
	WarnLost
	// WarnAnotherTrace: the input has several traces.
	WarnAnotherTrace
	// WarnClock: clocks of the input contradict each other.
	WarnClock
	// WarnMissing: the input lacks something, so that facts are unknown.
	WarnMissing
	// WarnInconsistent: markers of the trace contradict each other, or their counterparts
	// are missing.
	WarnInconsistent
	// WarnLeftOut: events are not in the output because ConvertOptions.Events leaves them out.
	WarnLeftOut
	// WarnNotExported: events are not in the output because Perfetto has no form for them.
	WarnNotExported
	// WarnChanged: something has another number in the output than in the input.
	WarnChanged
	// WarnSamples: samples of a profiler are not used, because they do not fit the trace.
	WarnSamples

	warningCodes // how many exist
)

var warningCodeNames = [warningCodes]string{
	"damaged", "not_understood", "skipped", "over_limit", "lost", "another_trace", "clock", "missing", "inconsistent",
	"left_out", "not_exported", "changed", "samples",
}

// WarningCodes is the number of codes.
const WarningCodes = int(warningCodes)

// String returns the code: lower case, words joined by underscores.
func (c WarningCode) String() string { return warningCodeNames[c] }
