// Package analyzer has the model of a trace's frames: a Timeline, and the rules that follow
// from the facts of its frames. docs/frames.md defines them.
//
// On OpenHarmony an application builds a frame on a vsync and sends a transaction to
// render_service, which picks it up on a vsync of its own and draws. Each is a Frame.
package analyzer
