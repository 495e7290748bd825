package why

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
