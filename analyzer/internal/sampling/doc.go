// Package sampling relates the samples of a profiler to a trace of the same time.
//
//	perf.data ─▶ Read ─▶ sample.Recording ┐
//	events ─▶ Running: when threads ran   ┴─▶ Align ─▶ samples on the clock of the trace
//
// A profiler need not state which clock it used. Samples are taken while threads run, so the
// offset between the clocks is the one at which most samples are in running intervals of their
// threads. Samples that do not fit a trace are an error: their functions would be wrong.
package sampling
