package hitrace

// isLogLine reports whether text is a line of hilog. Such lines are between those of a
// trace if both went to one terminal or file:
//
//	08-05 17:12:33.444  1234  1256 I C03900/Ace: message
//	2024-08-05 17:12:33.444123 1234 1256 W A00001/com.example/Tag: …
//
// date, time, process, thread, level.
func isLogLine(text []byte) bool {
	for _, form := range []string{"##-## ##:##:##.###", "####-##-## ##:##:##.###"} {
		if rest, ok := afterForm(text, form); ok && isLogHead(rest) {
			return true
		}
	}
	return false
}

// afterForm returns the text after a form at the beginning of text, in which # matches
// any digit.
func afterForm(text []byte, form string) ([]byte, bool) {
	if len(text) < len(form) {
		return nil, false
	}
	for i := range len(form) {
		if form[i] == '#' && !isDigit(text[i]) || form[i] != '#' && text[i] != form[i] {
			return nil, false
		}
	}
	return text[len(form):], true
}

// isLogHead reports whether text continues a log line after the milliseconds: further
// digits or none, two ids and a level.
func isLogHead(text []byte) bool {
	_, i := decimal(text, 0)
	for range 2 {
		start := skipBlanks(text, i)
		_, end := decimal(text, start)
		if start == i || end == start {
			return false
		}
		i = end
	}
	level := skipBlanks(text, i)
	if level == i || level+1 >= len(text) || text[level+1] != ' ' {
		return false
	}
	switch text[level] {
	case 'D', 'I', 'W', 'E', 'F':
		return true
	}
	return false
}
