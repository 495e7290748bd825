// Package faults contains tests with damaged traces. It has no other code.
//
// A trace, a kind of damage and a seed determine a case:
//
//	trace ──▶ damage ──▶ damaged trace ─┬─▶ timeline of 1 and of 3 workers ──▶ equal, valid
//	                                    └─▶ Perfetto trace ──▶ read back, the engine's gate
//
// Frames are compared with those of the undamaged trace by two simple rules: damage does
// not change frames that ended long before it, and one damaged line changes few frames.
package faults
