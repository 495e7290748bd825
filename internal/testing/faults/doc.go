// Package faults contains tests with damaged traces. It has no other code.
//
// A trace, a kind of damage and a seed determine a case. The test compares the
// frames of the damaged trace with those of the original:
//
//	trace ──────────────────────────▶ timeline ─┬─▶ frames ──▶ untouched ones
//	  │                                         │                  ║ are equal
//	  └─▶ damage ──▶ damaged trace ─▶ timeline ─┴─▶ frames ──▶ the same ones
//	        │                             │
//	        └─ which lines of which       └─▶ Perfetto trace ──▶ read back, the engine's gate
//	           threads are not as
//	           they were
//
// A frame is untouched if no line that can affect it, by the rules of docs/frames.md,
// is damaged. A damaged line may change only the frames that it can affect.
package faults
