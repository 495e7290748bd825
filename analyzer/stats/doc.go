// Package stats measures frames: a Timeline in, a Report out. It knows neither
// how a report is printed nor how a trace is read.
//
//	Compute(timeline) ─▶ Report ─▶ Process ─┬─▶ Measures: every number of a process
//	                                        └─▶ Compare(base, new) ─▶ Comparison
//
// A report has one Process for each application and each render service that has
// frames. Its measures count complete frames only; of truncated frames, which begin
// or end outside the trace, it has the number.
//
// Unknown values are nil, null in JSON, and never zero: a trace without presents
// has unknown hitches, not none. No value is NaN or infinite. Times are trace times
// in nanoseconds, the numbers that a timeline shows.
//
// Measures is the table of all numbers: a new measure is a row of it and a function.
package stats
