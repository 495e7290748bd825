package hitrace

import "ohframe/internal/pattern"

// logLine matches a line of hilog: date, time, process, thread, level. Such lines are between
// those of a trace if both went to one terminal or file:
//
//	08-05 17:12:33.444  1234  1256 I C03900/Ace: message
//	2024-08-05 17:12:33.444123 1234 1256 W A00001/com.example/Tag: …
var logLine = pattern.New(`^(\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,}[ \t]+\d+[ \t]+\d+[ \t]+[DIWEF] `)

func isLogLine(text []byte) bool { return len(text) > 0 && isDigit(text[0]) && logLine().Match(text) }
