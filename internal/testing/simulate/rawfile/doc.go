// Package rawfile writes simulated text traces in the two binary formats of
// OpenHarmony: .sys, with the pages of either kernel, and the .htrace of hiprofiler.
//
//	text ─▶ Parse ─▶ events ─┬─▶ Sys ────▶ pages of the kernel, formats, names
//	                         └─▶ Htrace ─▶ protobuf messages
//
// It checks the reader of these formats independently, and must not import it. It
// writes what devices write, in all variants that are known, and what they write when
// something goes wrong.
package rawfile
