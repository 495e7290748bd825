package hitrace_test

import (
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// Lines of hilog are distinguished from damaged lines of the trace.
func TestLogLines(t *testing.T) {
	for text, want := range map[string]hitrace.Problem{
		"08-05 17:12:33.444  1234  1256 I C03900/Ace: [ace_engine(12)] what it says":    hitrace.LogLine,
		"08-05 17:12:33.444 1 2 F A00001/com.example/Tag: x":                            hitrace.LogLine,
		"2024-08-05 17:12:33.444123  1234  1256 W C01406/OHOS::RS: [123] .... 1.000000": hitrace.LogLine,
		"08-05 17:12:33.444  1234  1256 X C03900/Ace: no such level":                    hitrace.NotALine,
		"08-05 17:12:33.444  1234 I C03900/Ace: one id":                                 hitrace.NotALine,
		"08-05 17:12:33  1234  1256 I C03900/Ace: no milliseconds":                      hitrace.NotALine,
		"8-5 17:12:33.444  1234  1256 I C03900/Ace: short":                              hitrace.NotALine,
		"08-05 17:12:33.444  1234  1256 I":                                              hitrace.NotALine,
		"08-05 17:12:33.444":                                                            hitrace.NotALine,
		" 08-05-1234 (1) [000] .... 1.000000: print: E":                                 hitrace.NoProblem,
	} {
		var l hitrace.Line
		must.Equal(t, hitrace.ParseLine([]byte(text), &l), want, "%q", text)
	}
}

// Between the lines of a trace they are no loss.
func TestLogLinesAreNoLoss(t *testing.T) {
	const event = " a-1 (1) [000] .... 1.000000: print: E\n"
	const log = "08-05 17:12:33.444  1234  1256 I C03900/Ace: text\n"
	events, totals, _ := drain(strings.NewReader(event+log+log+event), hitrace.Options{})
	if len(events) != 2 || events[1] != 4 || totals.Problems.Logged() != 2 || totals.Problems.Lost() != 0 || totals.Problems.Ignored() != 0 {
		t.Errorf("events of lines %v, %d of hilog, %d lost", events, totals.Problems.Logged(), totals.Problems.Lost())
	}
}
