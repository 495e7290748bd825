package why

// Stacks are the stacks of a main thread that did not respond, of a file that has no times: how
// often the thread was in which functions.
type Stacks struct {
	// PID is the process, 0 if the file does not state it. Samples is the number of stacks.
	PID     int32 `json:"pid,omitzero"`
	Samples int   `json:"stacks"`
	// Functions are those that the samples count for (docs/why.md 11), the most samples first; at
	// most MaxStackFunctions.
	Functions []StackCount `json:"functions"`
	// Path is the call with the most samples, from the outermost function inwards, as far as at least
	// half of the samples go.
	Path []StackCount `json:"path"`
}

// MaxStackFunctions bounds Stacks.Functions.
const MaxStackFunctions = 20

// StackCount is the number of samples in a function.
type StackCount struct {
	Function
	// Own: the function is a part of the application, and not of the system.
	Own     bool `json:"own"`
	Samples int  `json:"stacks"`
}
