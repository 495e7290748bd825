// Package binarytrace reads the binary traces of OpenHarmony and HarmonyOS and
// yields them as text: the lines that hitrace's own converter writes, in order of
// time, with nanoseconds. Where a page says that events were lost before it, a line says
// so as the kernel's own text does: CPU:7 [LOST 8 EVENTS].
//
//	.sys     file ─▶ sections ─▶ pages ──────────┐
//	                    └▶ formats, names        ├─▶ events of each processor ─▶ merge ─▶ lines
//	.htrace  file ─▶ segments ─▶ detail messages ┘
//
// A .sys file has the kernel's ring buffer as it is: pages of 4096 bytes, beside the
// formats of the events in them. An .htrace file has protobuf messages, in which each
// event has a message of its own.
//
// Open reads the file once for an index of its pieces: pages or messages, 24 bytes
// each. Read decodes one piece of each processor at a time. Memory therefore grows
// with the number of pieces, and not with what is in them.
//
// Damage is never an error by default. It is counted and reported by Warnings.
//
// Source of the formats: openharmony/hiviewdfx_hitrace, trace_content.h and
// hitrace_converter.py; openharmony/developtools_profiler, trace_file_header.h and
// the protos of ftrace-plugin; Linux, ring_buffer.h and trace_output.c.
package binarytrace
