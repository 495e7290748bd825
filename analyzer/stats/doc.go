// Package stats computes measures of frames: a Timeline in, a Report out. It neither
// prints reports nor reads traces.
//
//	Compute(timeline) ─▶ Report ─▶ Process ─┬─▶ Measures: every number of a process
//	                                        └─▶ Compare(base, new) ─▶ Comparison
//
// A report has one Process for each application and each render service with frames.
// Measures use complete frames only. Truncated frames, which begin or end outside the
// trace, are only counted.
//
// Unknown values are nil (null in JSON), never zero: without presents the number of
// hitches is unknown. No value is NaN or infinite. Times are trace times in
// nanoseconds.
//
// Measures is the table of all numbers. A new measure is a row in it and a function.
package stats
