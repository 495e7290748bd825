// Package perfdata reads recordings of hiperf, and of simpleperf and Linux perf as far as they
// have the same records, and profiles of ArkTS. It yields their samples.
//
//	perf.data   file ─▶ events, features ──▶ symbols, deduplicated stacks
//	                └▶ records ─▶ mappings, names ─▶ addresses ─▶ frames ─▶ stacks, samples
//	HIPERF_PB_  file ─▶ messages ─▶ files, threads
//	                └▶ messages ─▶ frames ─▶ stacks, samples
//	stacks      text ─▶ calls ─▶ stacks, samples without times
//	ArkTS       messages of a trace ─▶ profiles ─▶ calls ─▶ stacks, samples
//
// Open and OpenScripts read what stands beside the samples. Next reads one sample at a time. Memory grows with
// the number of different stacks, and not with the number of samples.
//
// A sample has the addresses of a stack. They are looked up in the mappings of the process at
// this place of the file, and then in the symbols that hiperf stored: only those that samples hit.
// hiperf looks up addresses as they are, also return addresses, so the same is done here.
//
// hiperf's records have no time of their own: their order is that of the file. The records of
// Linux perf have one, and each processor has a buffer of its own. There, a mapping that the file
// has after a sample applies to it if its time is before that of the sample.
//
// The CPU profiler of ArkTS samples one thread at regular times, whether it runs or waits, and
// states the time of CLOCK_MONOTONIC. A sample outside of scripts has no stack; an idle one is no
// sample.
//
// Damage is never an error unless nothing can be read. It is counted and reported by Warnings.
//
// Source of the formats: openharmony/developtools_hiperf, perf_file_format.h,
// perf_event_record.cpp, unique_stack_table.h, symbols_file.cpp and report_sample.proto; AOSP,
// simpleperf, record_file_format.h and record_file.proto; Linux,
// perf_event.h and perf.data-file-format.txt.
package perfdata
