package surfaceflinger

import "bytes"

// Sniff reports whether the input that begins with head is a dump of latencies:
// a refresh period, and after it, if anything, a row. A kilobyte is enough.
func Sniff(head []byte) bool {
	period, zero, names := false, false, 0
	for line := range bytes.Lines(head) {
		whole := line[len(line)-1] == '\n'
		line = bytes.TrimSpace(line)
		numbers, ok := parse(line)
		switch {
		case len(line) == 0:
		case period && (ok && len(numbers) == 3 || !whole), zero && ok && len(numbers) == 3:
			return true
		case ok && len(numbers) == 1 && numbers[0] >= shortestPeriod && numbers[0] <= longestPeriod:
			period, zero, names = true, false, 0
		case ok && len(numbers) == 1 && numbers[0] == 0 && !zero && !period:
			zero, names = true, 0 // it is a period only if a row follows
		case ok || names == maxNames || !isText(line):
			return false
		default:
			names++
		}
	}
	return period
}

// maxNames is how many lines of text may stand before a dump: its layer's name,
// and the command that made it.
const maxNames = 2
