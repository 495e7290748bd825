// Package place knows what the names of slices and kernel functions mean for a
// frame.
//
// Its input is the label of a slice, the caller of a sched_blocked_reason event, or
// the name of a thread. Its output is the key under which slices are counted, the
// stage of the frame and the class of work that a key stands for, the wait that a
// kernel function stands for, and the advice for a cause. The package has no state
// and does not know times.
//
//	label ──AppendKey──▶ key ──Lookup──▶ Place: stage, class, advice
//	caller ─BlockedBy──▶ Wait                 │
//	                      └───────Cause───────┴──▶ Advice
package place
