// Package timeline writes the frames of a Timeline as packets: Perfetto's frame timeline,
// and tracks with the facts that do not fit into it. The packets are a pure function of
// the Timeline.
package timeline

import (
	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/packet"
)

// Write writes the frames of t, whose tokens NewTokens returned, and the tracks with causes:
// those of late frames, or nil if they were not looked for.
func Write(w *packet.Writer, t *analyzer.Timeline, tokens Tokens, causes *why.Causes) {
	writeFrames(w, t, tokens)
	writeTracks(&trackWriter{packets: w}, t, tokens, causes)
}
