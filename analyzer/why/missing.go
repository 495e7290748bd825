package why

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
