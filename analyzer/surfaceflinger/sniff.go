package surfaceflinger

import "bytes"

// Sniff reports whether the input that begins with head is a dump of latencies:
// a refresh period, and after it, if anything, a row. Without a row, the period
// must be between 1 and 100 ms. A kilobyte is enough.
func Sniff(head []byte) bool {
	period, alone, zero, names := false, false, false, 0
	for line := range bytes.Lines(head) {
		whole := line[len(line)-1] == '\n'
		line = bytes.TrimSpace(line)
		numbers, ok := parse(line)
		switch {
		case len(line) == 0:
		case ok && len(numbers) == 3 && (period || zero), ok && alone && !whole:
			return true
		case ok && isPeriod(line, numbers) && numbers[0] > 0:
			period, zero, names = true, false, 0
			alone = alone || isAlone(numbers[0])
		case ok && isPeriod(line, numbers) && !zero && !period:
			zero, names = true, 0 // it is a period only if a row follows
		case ok || names == maxNames || !isText(line):
			return false
		default:
			names++
		}
	}
	return alone
}

// maxNames is how many lines of text may stand before a dump: its layer's name,
// and the command that made it.
const maxNames = 2
