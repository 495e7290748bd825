package analyzer

import "ohframe/analyzer/trace"

// Coverage is what a text trace shows and what it lacks (docs/trouble.md).
type Coverage struct {
	// Gaps are intervals without any line in which lines are missing, Silent intervals
	// without a line of a CPU on which threads were woken meanwhile.
	Gaps, Silent Missing
	// SilentCPU is the CPU of the first of them.
	SilentCPU trace.CPU
	// Stopped are the times from the last line of a CPU to the end of a trace that goes on
	// as before. Its lines are missing, or it is idle.
	Stopped    Missing
	StoppedCPU trace.CPU
	// CPUs is the number of CPUs that have lines.
	CPUs int
	// Switches and Frequencies report whether there are lines about the threads and the
	// frequencies of CPUs.
	Switches, Frequencies bool
}

// Missing counts intervals in which lines are missing.
type Missing struct {
	Count int
	Total trace.Duration
	At    trace.Time // where the first begins; zero without one
}
