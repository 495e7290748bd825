package analyzer

import "ohframe/analyzer/trace"

// Build is one time that ArkUI made an item of a component of the application, or reused one. The
// time of components inside it counts.
type Build struct {
	Process   *Process
	Component string // empty if the trace does not name it
	Interval
	Reused bool
}

// StateChange is a change of a state variable of a component. Only applications with ArkUI's debug
// parameters write them.
type StateChange struct {
	Process             *Process
	Component, Variable string
	At                  trace.Time
	// Nodes is the number of nodes that the change made dirty.
	Nodes int
}
