package exporter

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reason is why we write something else than Perfetto imports of the text. The
// document describes them.
type reason string

// reasons counts the lines or rows that each explains.
type reasons map[reason]int

// Reasons to correct the text before Perfetto imports it.
const (
	suffixes      reason = "suffixes"
	oldNumbers    reason = "old numbers"
	bars          reason = "bars"
	addresses     reason = "addresses"
	cutCharacters reason = "cut characters"
	containers    reason = "containers"
	columns       reason = "columns"
	flags         reason = "flags"
	blanks        reason = "blanks"
	newestNames   reason = "newest names"
	wakeups       reason = "wakeups"
	strayTimes    reason = "stray times"
	callCodes     reason = "call codes"
)

var textReasons = []reason{
	suffixes, oldNumbers, bars, addresses, cutCharacters, containers, columns, flags, blanks, newestNames, wakeups, strayTimes, callCodes,
}

// Reasons to correct rows.
const (
	processNames reason = "process names"
	roundedTimes reason = "rounded times"
	frameTracks  reason = "frames"
	interrupts   reason = "interrupts"
)

var allReasons = append(slices.Clone(textReasons), processNames, roundedTimes, frameTracks, interrupts)

// oursAlone are the types of the tracks that the import of text does not make.
var oursAlone = map[string]reason{
	"android_expected_frame_timeline": frameTracks, "android_actual_frame_timeline": frameTracks,
	"cpu_irq": interrupts, "cpu_softirq": interrupts,
}

// round returns the time that Perfetto reads in text: it takes seconds for a
// floating point number, and cuts off what is left after the nanosecond.
func round(ns int64) int64 { return int64(float64(ns) / 1e9 * 1e9) }

// blank stands for a blank in a thread's name, as Perfetto splits words at blanks.
const blank = "\u00a0"

// parityLine is a line taken apart at the places where it may be corrected.
type parityLine struct {
	comm, tid, column, cpu, flags, time, event, args string
}

var (
	lineForm   = regexp.MustCompile(`^ *(.*?)-(\d+)\s+(?:\(\s*([\d-]+)\) )?(\[\d+\]) (?:(\S+) +)?(\d+\.\d+): ([^ :]+): ?(.*)$`)
	nameForm   = regexp.MustCompile(`comm=(.*?)( \w*pid=)(\d+)`)
	suffixForm = regexp.MustCompile(`^(.*)\|[DICM]\d\d(?:\d\d){0,2}(?:\|.*)?$`)
	numberForm = regexp.MustCompile(`^(.*[^-\d])(-?\d+)$`)
	codeForm   = regexp.MustCompile(` code=0x([0-9a-f])$`)
)

// correctText returns the text of which Perfetto makes what we make of the given
// one, and counts the lines that each reason explains. One reason may be left out.
func correctText(text string, explained reasons, leftOut reason) string {
	c := corrector{explained: explained, leftOut: leftOut, processes: map[string]string{}, names: map[string]string{}}
	var lines []parityLine
	for line := range strings.Lines(text) {
		if m := lineForm.FindStringSubmatch(strings.TrimRight(line, " \r\n")); m != nil {
			lines = append(lines, parityLine{m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]})
		}
	}
	c.learn(lines)
	out := []string{"# tracer: nop", "#"}
	for i := range lines {
		before, after := lines[max(0, i-1):i], lines[i+1:min(i+2, len(lines))]
		if apart(before, lines[i]) && apart(after, lines[i]) && c.for_(strayTimes) {
			continue
		}
		out = append(out, c.line(lines[i]))
	}
	return strings.Join(out, "\n") + "\n"
}

// apart reports whether a line's time is more than ten minutes from its
// neighbour's, if there is one.
func apart(neighbour []parityLine, l parityLine) bool {
	if len(neighbour) == 0 {
		return true
	}
	from, _ := strconv.ParseFloat(neighbour[0].time, 64)
	to, _ := strconv.ParseFloat(l.time, 64)
	return max(from, to)-min(from, to) > 600
}

type corrector struct {
	explained reasons
	leftOut   reason
	processes map[string]string // of threads
	names     map[string]string // of threads, as their own lines have them
	wakings   bool
}

// for_ counts a line for a reason and reports whether to correct it.
func (c *corrector) for_(r reason) bool {
	if r == c.leftOut {
		return false
	}
	c.explained[r]++
	return true
}

// learn takes note of what the whole text says of threads.
func (c *corrector) learn(lines []parityLine) {
	payload := map[string]string{}
	for _, l := range lines {
		if l.column != "" && l.column[0] != '-' {
			c.processes[l.tid] = l.column
		}
		if f := strings.SplitN(l.args, "|", 3); isMark(l.event) && len(f) > 1 && f[1] != "" {
			payload[l.tid] = f[1]
		}
		if l.comm != "" && l.comm[0] != '<' {
			c.names[l.tid] = l.comm
		}
		c.wakings = c.wakings || l.event == "sched_waking"
	}
	for tid, pid := range payload {
		if c.processes[tid] == "" {
			c.processes[tid] = pid
		}
	}
}

func isMark(event string) bool { return event == "print" || event == "tracing_mark_write" }

func (c *corrector) line(l parityLine) string {
	if len(l.flags) > 5 && c.for_(flags) {
		l.flags = l.flags[:4]
	}
	if pid := c.processes[l.tid]; pid != "" && pid != l.column && c.for_(columns) {
		l.column = pid
	}
	if l.comm == "<idle>" && c.for_(newestNames) {
		l.comm = "<...>" // which Perfetto does not take for a name
	}
	switch {
	case isMark(l.event):
		l.args = c.marker(l.args, c.processes[l.tid])
	case l.event == "binder_transaction":
		if codeForm.MatchString(l.args) && c.for_(callCodes) {
			l.args = codeForm.ReplaceAllString(l.args, " code=0x0$1")
		}
	case l.event == "sched_wakeup" && !c.wakings && c.for_(wakeups):
		l.event = "sched_waking"
	}
	if strings.HasPrefix(l.event, "sched_") {
		l.args = nameForm.ReplaceAllStringFunc(l.args, func(field string) string {
			m := nameForm.FindStringSubmatch(field)
			name := m[1]
			if newest := c.names[m[3]]; newest != "" && newest != name && c.for_(newestNames) {
				name = newest
			}
			if strings.Contains(name, " ") && c.for_(blanks) {
				name = strings.ReplaceAll(name, " ", blank)
			}
			return "comm=" + name + m[2] + m[3]
		})
	}
	if l.column != "" {
		l.column = "(" + l.column + ") "
	}
	return fmt.Sprintf(" %s-%s %s%s %s %s: %s: %s", l.comm, l.tid, l.column, l.cpu, l.flags, l.time, l.event, l.args)
}

// marker corrects the payload of a marker on a thread of the given process.
func (c *corrector) marker(payload, pid string) string {
	if strings.HasPrefix(payload, "0x") && c.for_(addresses) {
		_, payload, _ = strings.Cut(payload, ": ")
	}
	if !utf8.ValidString(payload) && c.for_(cutCharacters) {
		payload = strings.ToValidUTF8(payload, "\uFFFD")
	}
	f := strings.SplitN(payload, "|", 3)
	if len(f) < 2 || len(f[0]) != 1 {
		return payload
	}
	if pid != "" && f[1] != pid && c.for_(containers) {
		f[1] = pid
	}
	if len(f) < 3 {
		return strings.Join(f, "|")
	}
	switch body := c.body(f[0], f[2]); f[0] {
	case "E":
		return f[0] + "|" + f[1]
	default:
		return f[0] + "|" + f[1] + "|" + body
	}
}

// body corrects what follows "PHASE|PID|".
func (c *corrector) body(phase, body string) string {
	ours := strings.HasPrefix(body, "H:")
	if m := suffixForm.FindStringSubmatch(body); ours && m != nil && c.for_(suffixes) {
		body = m[1]
	}
	first := 1 // bars before the name, and it after it
	last := 0
	switch phase {
	case "S", "F", "C":
		first, last = 0, 1
		m := numberForm.FindStringSubmatch(body)
		if m == nil {
			return body // with a category, which Perfetto knows
		}
		if ours && strings.HasSuffix(m[1], " ") && c.for_(oldNumbers) {
			body = strings.TrimSuffix(m[1], " ") + "|" + m[2]
		}
	case "I":
		first = 0
	case "G":
		last = 1
	case "N":
	default:
		return body
	}
	f := strings.Split(body, "|")
	if first+1+last < len(f) && c.for_(bars) {
		name := strings.Join(f[first:len(f)-last], "¦")
		f = slices.Concat(f[:first], []string{name}, f[len(f)-last:])
	}
	return strings.Join(f, "|")
}
