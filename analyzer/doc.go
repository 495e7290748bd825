// Package analyzer has the model of a trace's frames: a Timeline with Frames and
// processes, and the rules that follow from their facts. ohframe.Read returns one for
// every input.
//
// On OpenHarmony a frame has two halves, each a Frame. An application builds it on a vsync
// and sends a transaction to the process render_service. On a vsync of its own,
// render_service picks the transaction up, draws, and commits the layers to the display.
//
// The facts of a frame are independent of each other; the single Flag that the
// system's own tools show is derived from them. docs/frames.md has the rules.
package analyzer
