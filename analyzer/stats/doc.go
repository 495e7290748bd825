// Package stats computes measures of frames.
//
//	Compute(timeline) ─▶ Report ─▶ Process, Interaction, Layer ─▶ Measures: every number of a process
//
// ohframe.Trace.Stats calls Compute. A Process, an Interaction or a Layer is a line with its main measures when it is
// printed. Most begin with Process.Frames, FPS, JankRate and Hitches.
//
// Measures use complete frames only: truncated ones are only counted. Unknown values are
// nil (null in JSON), never zero. Times are trace times in nanoseconds.
//
// The comment of a field is its meaning in documents and SQL. A number without a comment is explained by
// the measure at its path: in Measures, InteractionMeasures or LayerMeasures.
package stats
