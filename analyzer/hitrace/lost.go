package hitrace

import "bytes"

// lost counts events that were recorded and are not in the trace.
type lost struct {
	dropped     int // within the trace
	overwritten int // before its start
}

// maxLost bounds each count of a line, so that sums do not overflow.
const maxLost = 1 << 40

// add adds the events that a line without an event reports as lost. The kernel writes
//
//	# entries-in-buffer/entries-written: 2000/5000   #P:8
//	CPU:3 [LOST 17 EVENTS]
//
// The first means that 3000 events were overwritten. The second has no number if the
// kernel does not know it; then it counts as one.
func (l *lost) add(text []byte) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if isLoss(text) {
		n, _ := decimalAfter(text, []byte("[LOST "))
		l.dropped += max(1, n)
		return
	}
	kept, rest := decimalAfter(text, []byte("# entries-in-buffer/entries-written:"))
	written, end := decimalAfter(rest, []byte("/"))
	if len(rest) > len(end) && written > kept {
		l.overwritten += written - kept
	}
}

// isLoss reports whether the line is the kernel's note about lost events.
func isLoss(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("CPU:"))
	if !ok {
		return false
	}
	_, end, ok := digits(rest, 0)
	return ok && bytes.HasPrefix(rest[end:], []byte(" [LOST ")) && bytes.HasSuffix(bytes.TrimRight(rest, " \t"), []byte("EVENTS]"))
}

// decimalAfter returns the number behind a word, at most maxLost, and the text after it.
// It returns 0 and no text if the word is missing.
func decimalAfter(text, word []byte) (int, []byte) {
	at := bytes.Index(text, word)
	if at < 0 {
		return 0, nil
	}
	value, end := decimal(text, skipBlanks(text, at+len(word)))
	if end-at-len(word) > 18 {
		value = maxLost
	}
	return int(min(value, maxLost)), text[end:]
}
