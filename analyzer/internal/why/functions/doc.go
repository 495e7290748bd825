// Package functions adds up the samples of a profiler by function.
//
// The input is a sample.Recording on the clock of the trace. A Table has the samples of each
// thread, and the function that each counts for. Package account adds them to frames: the samples
// that were taken in each component of a frame, and the time that the thread ran there. From both follows the
// time in each function.
//
//	sample.Recording ─▶ Table   samples by thread, functions of stacks
//	a frame          ─▶ Times   samples and time by component and function
//	several frames   ─▶ Sum     their times in all
//
// A sample counts for one function (docs/why.md 11).
package functions
