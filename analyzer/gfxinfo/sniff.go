package gfxinfo

import "bytes"

// Sniff reports whether the input that begins with head is a dump of gfxinfo.
// A dump begins at once with what tells it, but may be a part of a longer one, of
// which some kilobytes may be needed.
func Sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if bytes.Equal(line, tableMark) || bytes.HasPrefix(line, processMark) || bytes.HasPrefix(line, headMark) {
			return true
		}
	}
	return false
}
