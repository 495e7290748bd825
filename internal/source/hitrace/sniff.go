package hitrace

import "bytes"

// HasHeader reports whether an input that begins with head has a header of text
// traces.
func HasHeader(head []byte) bool {
	text := bytes.TrimSpace(head)
	for _, header := range []string{"# tracer", "TRACE:", "# TRACE:"} {
		if bytes.HasPrefix(text, []byte(header)) {
			return true
		}
	}
	return false
}
