// Package why has the causes of late frames, and sums them over many frames. The packages
// in internal/why find them. docs/why.md defines the terms and has the rules.
//
//	events ───▶ record ─▶ what threads did
//	                           │
//	Timeline ─▶ account ◀──────┘
//	               │ the time of each frame by stage, wait and slice
//	               ▼
//	            judge ─▶ Causes: an Explanation for each complete frame, with the Shares of
//	                     its overrun if it was late
//
// Rank returns what the late frames of a list cost, by cause. ohframe.Trace.Why puts a
// cause into words.
package why
