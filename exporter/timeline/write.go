// Package timeline writes the frames of a Timeline as packets: Perfetto's frame
// timeline, and tracks that show what it has no room for. The packets are a pure
// function of the Timeline.
package timeline

import (
	"ohframe/analyzer"
	"ohframe/exporter/packet"
)

// Options decide what is written beside the frame timeline.
type Options struct {
	// NoTracks leaves out the tracks.
	NoTracks bool
	// AndroidCompat adds slices that are named as Android's.
	AndroidCompat bool
}

// Write writes the frames of t, whose tokens NewTokens returned.
func Write(w *packet.Writer, t *analyzer.Timeline, tokens Tokens, options Options) {
	writeFrames(w, t, tokens)
	tracks := &trackWriter{packets: w}
	if !options.NoTracks {
		writeTracks(tracks, t, tokens)
	}
	if options.AndroidCompat {
		writeCompatSlices(tracks, t, tokens)
	}
}
