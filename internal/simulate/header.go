package simulate

import (
	"fmt"
	"strings"
)

// counted reports whether the header states the number of lines, which is known
// only after the last one.
func (h Header) counted() bool {
	return h != HeaderNone && h != HeaderConverter && h != HeaderServo
}

const (
	narrowColumns = `#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
`
	wideColumns = `#                                          _-----=> irqs-off
#                                         / _----=> need-resched
#                                        | / _---=> hardirq/softirq
#                                        || / _--=> preempt-depth
#                                        ||| /     delay
#           TASK-PID       TGID    CPU#  ||||   TIMESTAMP  FUNCTION
#              | |           |       |   ||||      |         |
`
	fiveFlagColumns = `#                                          _-----=> irqs-off/BH-disabled
#                                         / _----=> need-resched
#                                        | / _---=> hardirq/softirq
#                                        || / _--=> preempt-depth
#                                        ||| / _-=> migrate-disable
#                                        |||| /     delay
#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION
#              | |           |       |   |||||     |         |
`
)

// write returns the header of a trace with that many lines and processors.
func (h Header) write(lines int64, cpus int, newline string) string {
	const title = "# tracer: nop\n"
	entries := func(format string, numbers ...any) string {
		return "#\n# entries-in-buffer/entries-written: " + fmt.Sprintf(format, numbers...) + "\n#\n"
	}
	counted := entries("%d/%d   #P:%d", lines, lines, cpus)
	var text string
	switch h {
	case HeaderNone:
	case HeaderNarrow:
		text = title + counted + narrowColumns
	case HeaderWide:
		text = title + counted + wideColumns
	case HeaderFiveFlags:
		text = title + counted + fiveFlagColumns
	case HeaderTrace:
		text = "TRACE:\n" + title + counted + narrowColumns
	case HeaderConverter:
		text = title + entries("%%lu/%%lu   #P:%%d") + narrowColumns
	case HeaderPadded:
		text = title + entries("%9d/%-9d #P:%3d", lines, lines, cpus) + narrowColumns
	case HeaderServo:
		text = title + wideColumns
	}
	return strings.ReplaceAll(text, "\n", newline)
}
