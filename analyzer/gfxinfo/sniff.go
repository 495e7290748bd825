package gfxinfo

import "bytes"

// Sniff reports whether the input that begins with head is a dump of gfxinfo.
// The dump may be part of a longer one, so that its first line may come late:
// head should have some kilobytes.
func Sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		if identifies(bytes.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// identifies reports whether only a dump of gfxinfo has such a line, even one of
// which only a part was copied: a mark, the header of a table, or the numbers of
// frames that a summary begins with.
func identifies(line []byte) bool {
	if bytes.Equal(line, tableMark) || isHeader(line) {
		return true
	}
	for _, mark := range [][]byte{processMark, headMark, missingMark} {
		if bytes.HasPrefix(line, mark) {
			return true
		}
	}
	var s Summary
	return s.parseLine(line) && (s.known[TotalFrames] || s.known[JankyFrames])
}
