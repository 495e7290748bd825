// Package faults holds the tests of what becomes of damaged traces. It has no
// code of its own.
//
// A case is a trace, a kind of damage and a number, which together decide every
// byte. What comes out of the damaged trace is held against what came out of the
// whole one:
//
//	trace ──────────────────────────▶ timeline ─┬─▶ frames ──▶ untouched ones
//	  │                                         │                  ║ are equal
//	  └─▶ damage ──▶ damaged trace ─▶ timeline ─┴─▶ frames ──▶ the same ones
//	        │                             │
//	        └─ which lines of which       └─▶ Perfetto trace ──▶ read back, the engine's gate
//	           threads are not as
//	           they were
//
// A frame is untouched if no line that may say anything of it is damaged, by the
// rules of how frames are made. A damaged line may cost the frames that it speaks of,
// and no others.
package faults
