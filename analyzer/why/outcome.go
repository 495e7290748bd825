package why

// Outcome says what made something late: which causes a frame has, why it was picked up late, or which
// part of a buffer's life made that late.
type Outcome uint8

// The outcomes. Their codes are those of the JSON. Of frames:
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
	// NotKnown: too much of what the thread did is unknown, or all of it; or the trace does not show why
	// a frame was picked up late, or does not have the times of a buffer.
	NotKnown
)

// The outcomes of frames that were picked up late (docs/why.md 8).
const (
	// RenderBusy: render_service's main thread began its next frame too late.
	RenderBusy Outcome = iota + NotKnown + 1
	// NoVsync: render_service had no vsync then.
	NoVsync
	// Deferred: render_service had the transaction and left it for a later frame.
	Deferred
	// Unmarshalling: the transaction was not unmarshalled yet.
	Unmarshalling
	// NoCommands: render_service's frame applied no transactions at all.
	NoCommands
	// SentLate: the transaction was sent after render_service had applied transactions.
	SentLate
)

// The outcomes of late buffers, in the order of a buffer's life (docs/why.md 10).
const (
	// NoFreeBuffer: the producer waited for a free buffer.
	NoFreeBuffer Outcome = iota + SentLate + 1
	// QueuedLate: the producer queued the buffer too late.
	QueuedLate
	// DrawnLate: the producer's GPU was done too late.
	DrawnLate
	// DroppedBuffer: the one shown before came too early, and a buffer was dropped for it.
	DroppedBuffer
	// TakenLate: the buffer was ready, and render_service took it late, or a later one instead.
	TakenLate
	// ShownLate: render_service took it in time and showed it late.
	ShownLate
)

const (
	// NeverBegan: the thread was busy, and a frame did not begin on its vsync.
	NeverBegan Outcome = iota + ShownLate + 1

	outcomeEnd // stays last
)

// OutcomeCount is the number of outcomes.
const OutcomeCount = int(outcomeEnd)

var outcomes = [OutcomeCount]string{
	"", "cause", "knock_on", "mixed", "place_only", "just_missed", "unknown",
	"render_busy", "no_vsync", "deferred", "unmarshalling", "no_commands", "sent_late",
	"no_free_buffer", "queued_late", "gpu_late", "dropped", "taken_late", "shown_late", "not_begun",
}

// String returns the outcome's code; empty for NotLate.
func (o Outcome) String() string { return outcomes[o] }

// Confidence is how sure a cause is, from 0, high, to 3, low.
type Confidence uint8

// String returns "high", "medium" or "low".
func (c Confidence) String() string {
	switch {
	case c == 0:
		return "high"
	case c.isLow():
		return "low"
	}
	return "medium"
}

func (c Confidence) isLow() bool { return c > 2 }

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

// Missing is what the trace lacks, so that a late frame has no cause or only that of a part of its
// overrun.
type Missing uint8

// What is missing. The codes are those of the JSON.
const (
	// NothingMissing: the cause is known, or only what the thread did is not.
	NothingMissing Missing = iota
	// MissingSlices: those of the thread that made an application frame of Android.
	MissingSlices
	// MissingComposition: the slices of a frame of SurfaceFlinger.
	MissingComposition
	// MissingDeadline: the frame is known to be late, but not by how much.
	MissingDeadline
	// MissingWork: what the frame did after its deadline. Its threads were done before.
	MissingWork
	// MissingStates: the limit on stored states was reached.
	MissingStates

	// MissingCount is the number of values, NothingMissing included.
	MissingCount = int(MissingStates) + 1
)

// String returns the code; empty for NothingMissing.
func (m Missing) String() string {
	return [...]string{"", "slices", "composition", "deadline", "work", "states"}[m]
}
