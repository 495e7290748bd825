// Package timeline writes the frames of a Timeline as packets: Perfetto's frame timeline,
// and tracks with the facts that do not fit into it. The packets are a pure function of
// the Timeline.
package timeline

import (
	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/packet"
)

// Options decide what is written in addition to the frame timeline.
type Options struct {
	// NoTracks leaves out the tracks.
	NoTracks bool
	// AndroidCompat adds slices that are named as Android's.
	AndroidCompat bool
	// Causes are the causes of late frames, which are written on the tracks; nil if
	// they were not looked for.
	Causes *why.Causes
}

// Write writes the frames of t, whose tokens NewTokens returned.
func Write(w *packet.Writer, t *analyzer.Timeline, tokens Tokens, options Options) {
	writeFrames(w, t, tokens)
	tracks := &trackWriter{packets: w}
	if !options.NoTracks {
		writeTracks(tracks, t, tokens, options.Causes)
	}
	if options.AndroidCompat {
		writeCompatSlices(tracks, t, tokens)
	}
}
