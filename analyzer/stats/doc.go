// Package stats computes measures of frames, and compares them.
//
//	Compute(timeline) ─▶ Report ─▶ Process ─┬─▶ Measures: every number of a process
//	                                        └─▶ Compare(base, new) ─▶ Comparison
//
// Measures use complete frames only: truncated ones are only counted. Unknown values are
// nil (null in JSON), never zero. Times are trace times in nanoseconds.
package stats
