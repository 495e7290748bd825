package why

// Outcome is the kind of result for a late frame.
type Outcome uint8

// The outcomes. Their codes are those of the JSON.
const (
	// NotLate: the frame was on time, or it is unknown whether it was.
	NotLate Outcome = iota
	// OneCause: one cause has most of the overrun.
	OneCause
	// KnockOn: the thread was still busy with an earlier frame.
	KnockOn
	// Mixed: no cause has 40 % of the overrun.
	Mixed
	// PlaceOnly: the slice that took longer is known, but not whether the thread ran
	// or waited in it.
	PlaceOnly
	// JustMissed: the frame was late by less than 0.2 ms.
	JustMissed
	// NotKnown: too much of what the thread did is unknown, or all of it.
	NotKnown
)

var outcomes = [...]string{"", "cause", "knock_on", "mixed", "place_only", "just_missed", "unknown"}

// String returns the outcome's code; empty for NotLate.
func (o Outcome) String() string { return outcomes[o] }

// Confidence is how sure a cause is, from 0, high, to 3, low.
type Confidence uint8

// String returns "high", "medium" or "low".
func (c Confidence) String() string {
	switch c {
	case 0:
		return "high"
	case 1, 2:
		return "medium"
	}
	return "low"
}

// Basis is what a late frame is compared with (docs/why.md 3).
type Basis uint8

// The bases, from the best to the weakest.
const (
	// SamePeriod: the frames on time at the same refresh rate, at least 8.
	SamePeriod Basis = iota
	// AnyPeriod: the frames on time at any refresh rate, at least 8.
	AnyPeriod
	// FewFrames: the frames on time, at least 3.
	FewFrames
	// FastestFrames: the fastest third of at least 9 frames.
	FastestFrames
	// Budget: no other frame. Time on a processor is usual as far as the budget
	// goes, and nothing else is.
	Budget
)

var bases = [...]string{"same_period", "any_period", "few_frames", "fastest_frames", "budget"}

// String returns the basis's code.
func (b Basis) String() string { return bases[b] }
