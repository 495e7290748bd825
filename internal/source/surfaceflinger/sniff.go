package surfaceflinger

import "bytes"

// Sniff reports whether the input that begins with head is a dump of latencies: a
// refresh period that is followed by a row or, if it is between 1 and 100 ms, by
// nothing. A kilobyte is enough.
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
			zero, names = true, 0 // a period only if a row follows
		case ok || names == maxNames || !isName(line):
			return false
		default:
			names++
		}
	}
	return alone
}

// maxNames is the number of lines of text that may precede a dump: the name of the
// layer and the command.
const maxNames = 2
