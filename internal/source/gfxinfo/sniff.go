package gfxinfo

import "bytes"

// Sniff reports whether the input that begins with head is a dump of gfxinfo. The
// dump may be part of a longer one, so head should have some kilobytes.
func Sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		if identifies(bytes.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// identifies reports whether the line occurs only in dumps of gfxinfo, also partial
// ones: a marker, the header of a table, or the first lines of a summary.
func identifies(line []byte) bool {
	if bytes.Equal(line, tableMarker) || isHeader(line) {
		return true
	}
	for _, marker := range [][]byte{processMarker, headMarker, missingMarker} {
		if bytes.HasPrefix(line, marker) {
			return true
		}
	}
	for _, start := range [][]byte{[]byte("Total frames rendered:"), []byte("Janky frames:")} {
		if rest, ok := bytes.CutPrefix(line, start); ok {
			rest = bytes.TrimSpace(rest)
			return len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'
		}
	}
	return false
}
