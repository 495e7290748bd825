package gfxinfo

import "bytes"

// Sniff reports whether the input that begins with head is a dump of gfxinfo.
// A dump begins at once with what tells it, but may be a part of a longer one, of
// which some kilobytes may be needed.
func Sniff(head []byte) bool {
	for _, mark := range [][]byte{[]byte("Applications Graphics Acceleration Info:"), processMark, tableMark} {
		if i := bytes.Index(head, mark); i >= 0 && len(bytes.TrimSpace(head[lineStart(head, i):i])) == 0 {
			return true
		}
	}
	return false
}

// lineStart returns where the line begins that holds the byte at i.
func lineStart(b []byte, i int) int { return bytes.LastIndexByte(b[:i], '\n') + 1 }
