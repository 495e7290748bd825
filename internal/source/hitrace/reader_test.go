package hitrace_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// drain returns the numbers of the lines that are events inside the window.
func drain(r io.Reader, options hitrace.Options) (numbers []int, totals *hitrace.Totals, err error) {
	events, totals, err := tracetest.ReadEvents(r, options)
	for _, e := range events {
		numbers = append(numbers, e.Number)
	}
	return numbers, totals, err
}

func TestReaderEvents(t *testing.T) {
	const text = "# tracer: nop\n" +
		"#\n" +
		" demo.app-200   (  200) [001] ....     1.000001: print: B|200|H:OnVsyncEvent now:5|I39\n" +
		" demo.app-200   (  200) [001] ....     1.000002: tracing_mark_write: E|200|I39\n" +
		" demo.app-200   (  200) [001] ....     1.000003: sched_waking: comm=print pid=1\n" +
		" demo.app-200   (  200) [001] ....     1.000004: printk: B|200|H:OnVsyncEvent\n" +
		" demo.app-200   (  200) [001] ....     1.000005: print: trace_event_clock_sync: parent_ts=1.0\n"
	got := readAll(t, strings.NewReader(text))
	want := []event{
		{3, 1_000001000, "demo.app print B|200|H:OnVsyncEvent now:5|I39",
			payload{'B', 200, "H:OnVsyncEvent now:5", "OnVsyncEvent now:5", "", 0}, hitrace.OnVsyncEvent},
		{4, 1_000002000, "demo.app tracing_mark_write E|200|I39", payload{phase: 'E', pid: 200}, hitrace.Other},
		{5, 1_000003000, "demo.app sched_waking comm=print pid=1", payload{}, hitrace.Other},
		{6, 1_000004000, "demo.app printk B|200|H:OnVsyncEvent", payload{}, hitrace.Other},
		{7, 1_000005000, "demo.app print trace_event_clock_sync: parent_ts=1.0", payload{phase: '#', pid: noPID, name: " parent_ts=1.0"}, hitrace.Other},
	}
	must.EqualSlices(t, got, want)
}

func TestReaderEnds(t *testing.T) {
	const line = " demo.app-200 (  200) [001] ....     1.000001: print: E|200|"
	for _, test := range []struct {
		name   string
		text   string
		lines  int
		events []int
	}{
		{"nothing", "", 0, nil},
		{"an empty line", "\n", 1, nil},
		{"headers", "TRACE:\n# tracer: nop\n#", 3, nil},
		{"a line without end", line, 1, []int{1}},
		{"a line with end", line + "\n", 1, []int{1}},
		{"a line with CR", line + "\r", 1, []int{1}},
		{"lines with CR LF", "\r\n" + line + "\r\n" + line + "\r\n", 3, []int{2, 3}},
		{"last line without end", "\n" + line + "\n" + line, 3, []int{2, 3}},
		{"cut last line", line + "\n" + line[:20], 2, []int{1}},
	} {
		events, totals, err := drain(strings.NewReader(test.text), hitrace.Options{})
		must.NoError(t, err, "%s", test.name)
		if totals.Lines != test.lines || !slices.Equal(events, test.events) || totals.Events != len(test.events) {
			t.Errorf("%s: %d lines, %d events %v, want %d lines, events %v", test.name, totals.Lines, totals.Events, events, test.lines, test.events)
		}
	}
}

// White space at the end of a line is no part of a payload: the engine's text
// importer and trace_streamer cut it off too.
func TestReaderTrailingSpace(t *testing.T) {
	const head = " a-1 (1) [000] .... 1.000000: print: "
	for _, end := range []string{"", " ", "\t", "  \t ", "\r", "\r\r", " \r\r", "\r \r"} {
		for payload, want := range map[string]string{
			"B|1|H:UV_TRACE": "B H:UV_TRACE 0", "B|1|H:two  words|M62": "B H:two  words 0", "E|1|": "E  0", "E": "E  0",
			"C|1|name|5": "C name 5", "S|1|name|-7": "S name -7", "I|1|name": "I name 0", "H|1|track|9": "H  9",
		} {
			events, totals, err := tracetest.ReadEvents(strings.NewReader("\r\n"+head+payload+end+"\n"), hitrace.Options{})
			if err != nil || len(events) != 1 || totals.Problems.Lost() > 0 {
				t.Errorf("%q%q: %d events, %v", payload, end, len(events), err)
				continue
			}
			e := &events[0]
			if got := fmt.Sprintf("%c %s %d", e.Marker.Phase, e.Marker.Name, e.Marker.Value); got != want || string(e.Args) != payload {
				t.Errorf("%q%q is %s of %q, want %s", payload, end, got, e.Args, want)
			}
		}
	}
}

const goodLine = " a-1 (1) [000] .... 1.000000: print: E\n"

// badLines are a line for each problem.
var badLines = []struct {
	problem hitrace.Problem
	line    string
}{
	{hitrace.NotALine, "not a line of a trace\n"},
	{hitrace.BadThread, " a (1) [000] .... 1.000000: print: E\n"},
	{hitrace.BadTime, " a-1 (1) [000] .... 1: print: E\n"},
	{hitrace.TimeTooLarge, " a-1 (1) [000] .... 2305843010.000000: print: E\n"},
	{hitrace.NoEvent, " a-1 (1) [000] .... 1.000000:\n"},
	{hitrace.LineTooLong, " a-1 (1) [000] .... 1.000000: print: B|1|H:" + strings.Repeat("x", trace.Limits{}.WithDefaults().Line) + "\n"},
	{hitrace.NoPhase, " a-1 (1) [000] .... 1.000000: print: 0x0: 15|name\n"},
	{hitrace.BadMarkerPID, " a-1 (1) [000] .... 1.000000: print: B||H:name\n"},
	{hitrace.BadCookie, " a-1 (1) [000] .... 1.000000: print: S|1|H:name\n"},
	{hitrace.BadValue, " a-1 (1) [000] .... 1.000000: print: C|1|H:name\n"},
	{hitrace.StrayTime, " a-1 (1) [000] .... 99999.000000: print: E\n"},
	{hitrace.NoMarkerName, " a-1 (1) [000] .... 1.000000: print: B|1\n"},
}

// Every problem is counted under its own reason, with the numbers of its first
// lines, and the lines around it are read.
func TestReaderProblems(t *testing.T) {
	var text strings.Builder
	text.WriteString("# tracer: nop\n\n")
	line := 2
	lines := map[hitrace.Problem][]int{}
	for i, bad := range badLines {
		for range i%2*2 + 2 { // two and four of each in turn
			text.WriteString(bad.line)
			text.WriteString(strings.Repeat(goodLine, 9))
			lines[bad.problem] = append(lines[bad.problem], line+1)
			line += 10
		}
	}
	_, totals := must.Get2(drain(strings.NewReader(text.String()), hitrace.Options{}))(t)
	counts := totals.Problems.Counts()
	if len(counts) != len(badLines) {
		t.Errorf("%d problems, want %d: %v", len(counts), len(badLines), counts)
	}
	lost := 0
	for _, c := range counts {
		want := lines[c.Problem]
		lost += len(want)
		if c.Total != len(want) || !slices.Equal(c.Lines, want[:min(3, len(want))]) {
			t.Errorf("%v: %d on lines %v, want %d on lines %v", c.Problem, c.Total, c.Lines, len(want), want)
		}
		if c.Problem.String() == "" {
			t.Errorf("problem %d says nothing", c.Problem)
		}
	}
	must.Equal(t, totals.Problems.Lost(), lost, "lines lost")
	must.Equal(t, totals.Problems.Ignored(), 2, "lines ignored")
	if totals.Lines != line || totals.Events != line-2-lost {
		t.Errorf("%d lines, %d events, want %d and %d", totals.Lines, totals.Events, line, line-2-lost)
	}
	must.Equal(t, new(hitrace.Problems).Lost(), 0, "lost lines of a new count")
}

func TestReaderHeaders(t *testing.T) {
	text := "# tracer: nop\n\nTRACE:\n" + goodLine
	if events, totals := must.Get2(drain(strings.NewReader(text), hitrace.Options{}))(t); len(events) != 1 || totals.Problems.Lost() != 0 {
		t.Errorf("headers are lost: %v", totals.Problems.Counts())
	}
}

func TestReaderLongLines(t *testing.T) {
	const maxLine = 100
	const head = " a-1 (1) [000] .... 1.000000: print: B|1|H:"
	of := func(length int) string { return head + strings.Repeat("x", length-len(head)) }
	for _, test := range []struct {
		name   string
		max    int
		text   string
		events []int
		long   int
	}{
		{"as long as may be", maxLine, of(maxLine) + "\n" + goodLine, []int{1, 2}, 0},
		{"as long as may be, CR LF", maxLine, of(maxLine) + "\r\n" + goodLine, []int{1, 2}, 0},
		{"as long as may be, CR CR LF", maxLine, of(maxLine) + "\r\r\n" + goodLine, []int{2}, 1},
		{"too long by a blank", maxLine, of(maxLine) + " \n" + goodLine, []int{2}, 1},
		{"longer than a block, blanks", maxLine, head + "x" + strings.Repeat(" ", 1<<20) + "\n" + goodLine, []int{2}, 1},
		{"as long as may be, no end", maxLine, goodLine + of(maxLine), []int{1, 2}, 0},
		{"one byte too long", maxLine, of(maxLine+1) + "\n" + goodLine, []int{2}, 1},
		{"longer than a block", maxLine, goodLine + of(1<<20) + "\n" + goodLine, []int{1, 3}, 1},
		{"longer than a block, no end", maxLine, goodLine + of(1<<20), []int{1}, 1},
		{"two of them", maxLine, of(1<<20) + "\n" + of(1<<20) + "\n" + goodLine, []int{3}, 2},
		{"default", 0, of(trace.Limits{}.WithDefaults().Line) + "\n" + of(trace.Limits{}.WithDefaults().Line+1) + "\n" + goodLine, []int{1, 3}, 1},
		{"longer than a block may be", 1 << 20, of(1<<20) + "\r\n" + of(1<<20+1) + "\r\n" + goodLine, []int{1, 3}, 1},
	} {
		events, totals, err := drain(strings.NewReader(test.text), hitrace.Options{Limits: trace.Limits{Line: test.max}})
		must.NoError(t, err, "%s", test.name)
		if !slices.Equal(events, test.events) || totals.Problems.Lost() != test.long || totals.Lines != len(test.events)+test.long {
			t.Errorf("%s: lines %v of %d are events, problems %v, want lines %v, %d too long",
				test.name, events, totals.Lines, totals.Problems.Counts(), test.events, test.long)
		}
	}
}

func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	// One worker: others may see the error before the events are tracked.
	source := io.MultiReader(strings.NewReader(goodLine+goodLine), iotest.ErrReader(broken))
	events, _, err := drain(source, hitrace.Options{Workers: 1})
	if err != broken || len(events) != 2 {
		t.Errorf("%d events, %v, want 2 and the source's error", len(events), err)
	}
}

// endless hands out the same lines again and again.
type endless struct {
	text []byte
	next int
}

func (e *endless) Read(p []byte) (n int, err error) {
	n = copy(p, e.text[e.next:])
	e.next = (e.next + n) % len(e.text)
	return n, nil
}

// What reading allocates does not grow with the trace.
func TestReaderAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs short tests, drops pooled buffers at random")
	}
	text := append(sampleTrace(1000), "# a header\n\nno line\n"...)
	read := func(size int64) float64 {
		return testing.AllocsPerRun(3, func() {
			source := io.LimitReader(&endless{text: text}, size)
			stages := hitrace.Sink{Track: func(int, *hitrace.Batch) {}}
			must.Get(hitrace.Run(t.Context(), source, hitrace.Options{Workers: 1}, stages))(t)
		})
	}
	// Buffers may grow once more for a block of short lines, but not for each of 24.
	short, long := read(2<<20), read(8<<20)
	if long > short+8 {
		t.Errorf("%v allocations for 2 MiB, %v for 8 MiB", short, long)
	}
}
