// Package stats computes measures of frames, and compares them.
//
//	Compute(timeline) ─▶ Report ─▶ Process ─┬─▶ Measures: every number of a process
//	                                        └─▶ Compare(base, new) ─▶ Comparison
//
// Measures use complete frames only: truncated ones are only counted. Unknown values are
// nil (null in JSON), never zero. Times are trace times in nanoseconds.
//
// The comment of a field is its meaning in documents and SQL. A number without a comment is explained by
// the measure at its path: in Measures, InteractionMeasures or LayerMeasures.
package stats
