package pftrace

import (
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// textsOf returns the markers of a trace as Perfetto reads them.
func textsOf(t testing.TB, data []byte) []string {
	t.Helper()
	var texts []string
	for _, p := range printedIn(t, data) {
		texts = append(texts, p.text)
	}
	return texts
}

func checkTexts(t *testing.T, data []byte, want ...string) {
	t.Helper()
	if got := textsOf(t, data); !slices.Equal(got, want) {
		t.Errorf("markers:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Ends without a begin are left out and counted: Perfetto would pass over some
// of them without a word, and end the wrong slice for others.
func TestUnmatchedEnds(t *testing.T) {
	x := &textTrace{}
	x.mark(caseStart+1, app, "E|200|")
	x.mark(caseStart+2, app, "B|200|slice")
	x.mark(caseStart+3, uiWorker, "E|200|")
	x.mark(caseStart+4, app, "E|200|")
	x.mark(caseStart+5, app, "E|200|")

	x.mark(caseStart+11, app, "F|200|async|1")
	x.mark(caseStart+12, app, "S|200|async|1")
	x.mark(caseStart+13, app, "F|200|async|2")
	x.mark(caseStart+14, app, "F|200|other|1")
	x.mark(caseStart+15, other, "F|300|async|1")
	x.mark(caseStart+16, app, "H|200|async|1")
	x.mark(caseStart+17, uiWorker, "F|200|async|1")
	x.mark(caseStart+18, uiWorker, "F|200|async|1")

	x.mark(caseStart+21, app, "H|200|track|1")
	x.mark(caseStart+22, app, "G|200|track|slice|1")
	x.mark(caseStart+23, app, "H|200|track|2")
	x.mark(caseStart+24, app, "H|200|other|1")
	x.mark(caseStart+25, other, "H|300|track|1")
	x.mark(caseStart+26, app, "F|200|track|1")
	x.mark(caseStart+27, uiWorker, "H|200|track|1")
	x.mark(caseStart+28, uiWorker, "H|200|track|slice|1")

	data, summary := convert(t, x.String(), Options{})
	checkTexts(t, data,
		"B|200|slice", "E",
		"S|200|async|1", "F|200|async|1",
		"G|200|track|slice|1", "H|200|track|1")
	must.Equal(t, summary.Unmatched, 3+6+6, "ends without a begin")
}

// A begin that comes twice is ended twice.
func TestRepeatedBegins(t *testing.T) {
	x := &textTrace{}
	for i, payload := range []string{
		"S|200|a|1", "S|200|a|1", "F|200|a|1", "F|200|a|1",
		"G|200|t|x|1", "G|200|t|y|1", "H|200|t|1", "H|200|t|1",
	} {
		x.mark(caseStart+int64(i), app, payload)
	}
	x.mark(caseStart+100, app, "F|200|a|1")
	x.mark(caseStart+100, app, "H|200|t|1")
	data, summary := convert(t, x.String(), Options{})
	if got := len(textsOf(t, data)); got != 8 || summary.Unmatched != 2 {
		t.Errorf("%d markers and %d ends without a begin, want 8 and 2", got, summary.Unmatched)
	}
}

// In a container a payload's process id is the container's own: written as it
// is, it would tear the thread out of its process.
func TestContainer(t *testing.T) {
	x := &textTrace{}
	for i, payload := range []string{
		"B|7|slice", "E|7", "S|7|async|1", "F|7|async|1", "C|7|counter|1", "I|7|instant",
		"N|7|track|instant", "G|7|track|slice|1", "H|7|track|1",
	} {
		x.mark(caseStart+int64(i), uiWorker, payload)
	}
	data, _ := convert(t, x.String(), Options{})
	for _, text := range textsOf(t, data) {
		if text != "E" && !strings.HasPrefix(text[1:], "|200") {
			t.Errorf("marker %q is not of process 200", text)
		}
	}
}

// Where the column is dashes, the process is that of the thread's other lines,
// else that of the payload.
func TestUnknownColumn(t *testing.T) {
	x := &textTrace{}
	dashed := thread{"", uiWorker.tid, 0, 1}
	unknown := thread{"", 900, 0, 1}
	x.mark(caseStart+1, unknown, "B|899|first")
	x.mark(caseStart+2, unknown, "E")
	x.mark(caseStart+3, uiWorker, "B|7|second")
	x.mark(caseStart+4, dashed, "E|7|")
	x.mark(caseStart+5, dashed, "C|7|third|1")
	data, _ := convert(t, x.String(), Options{})
	checkTexts(t, data, "B|899|first", "E", "B|200|second", "E", "C|200|third|1")
}

// Text has microseconds, so that lines of one time are common, and a thread may
// move between them. Perfetto goes through the processors one after another.
func TestTies(t *testing.T) {
	x := &textTrace{}
	want := []string{"B|200|first", "E", "B|200|second", "B|200|third", "E", "E", "B|200|fourth", "E"}
	// All processors have been seen, in the order that does the most harm.
	for cpu := range 4 {
		x.mark(caseStart+int64(cpu), other.on(cpu), "I|300|seen")
	}
	for i, text := range want {
		x.mark(caseStart+10, app.on(3-i%4), text)
	}
	// The same of what belongs to no thread, from several.
	for i, text := range []string{"S|200|a|1", "F|200|a|1", "S|200|a|1", "F|200|a|1", "C|200|c|1", "C|200|c|2", "C|200|c|3"} {
		who := []thread{app, uiWorker}[i%2]
		x.mark(caseStart+20, who.on(3-i%4), text)
		want = append(want, text)
	}
	data, summary := convert(t, x.String(), Options{})
	checkTexts(t, data, append(slices.Repeat([]string{"I|300|seen"}, 4), want...)...)
	must.Equal(t, summary.Unmatched, 0, "ends without a begin")
}

// Names that are cut within a character or contain invalid characters must not
// cost their markers, or others.
func TestDamagedNames(t *testing.T) {
	x := &textTrace{}
	for i, payload := range []string{
		"B|200|H:\xe5\xb8\xa7", "E|200", // whole
		"B|200|H:\xe5\xb8", "E|200",
		"C|200|H:\xe5\xb8|7|M62",
		"S|200|H:\xe5|7|M62", "F|200|H:\xe5|7|M62",
		"C|200|nul\x00|7",
		"I|200|\xff|\xfe",
		"G|200|\xe5|\xb8|7", "H|200|\xe5|7",
		"N|200|\xe5|\xb8",
	} {
		x.mark(caseStart+int64(i), app, payload)
	}
	data, _ := convert(t, x.String(), Options{})
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	must.Equal(t, len(query(t, session, "SELECT 1 FROM slice WHERE dur >= 0")), 6, "slices")
	compare(t, "counters", query(t, session, "SELECT value FROM counter"), rows{"7", "7"})
	compare(t, "whole name", query(t, session, "SELECT name FROM slice WHERE name = 'H:帧'"), rows{`"H:帧"`})
}

// The analyzer counts a slice within one of its own kind as a lost end. It is exported all
// the same: every end has a begin.
func TestNestedSlices(t *testing.T) {
	x := &textTrace{}
	for i, payload := range []string{"B|200|H:UV_TRACE|M0538", "B|200|H:UV_TRACE|M0538", "E|200|M0538", "E|200|M0538", "B|200|H:after|M0538", "E|200|M0538", "E|200|M0538"} {
		x.mark(caseStart+int64(i), uiWorker, payload)
	}
	_, summary := convert(t, x.String(), Options{})
	if summary.Exported != 6 || summary.Unmatched != 1 {
		t.Errorf("%d events exported and %d unmatched, want 6 and 1", summary.Exported, summary.Unmatched)
	}
}

// Slices that are open at the end of a trace end where another trace follows it.
func TestJoinedTraces(t *testing.T) {
	line := func(at, payload string) string { return " app-1 (1) [000] .... " + at + ": print: " + payload + "\n" }
	const header = "# tracer: nop\n"
	text := header + line("100.000001", "B|1|outer") + line("100.000002", "B|1|inner") + line("100.000003", "S|1|async|7") +
		header + line("3.000001", "B|1|second") + line("3.000002", "E|1")
	data, summary := convert(t, text, Options{})
	checkTexts(t, data, "B|1|second", "E", "B|1|outer", "B|1|inner", "S|1|async|7", "F|1|async|7", "E", "E")
	if summary.Closed != 3 || summary.Totals.Further != 1 {
		t.Errorf("%d slices ended, %d further traces", summary.Closed, summary.Totals.Further)
	}
}
