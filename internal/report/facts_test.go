package report

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Without deadlines no frame is known to be on time: the number of late frames is unknown in all
// formats for people.
func TestWithoutDeadlines(t *testing.T) {
	p := &analyzer.Process{PID: 7, Name: "web"}
	tl := &analyzer.Timeline{Processes: []*analyzer.Process{p}}
	for n := range 3 {
		at := analyzer.Interval{Start: trace.Time(n+1) * 1e9, End: trace.Time(n+1)*1e9 + 5e6}
		tl.Frames = append(tl.Frames, &analyzer.Frame{Process: p, TID: 7, Framework: analyzer.Web, Actual: at, Transactions: []analyzer.Sent{{Index: 1, At: at.End}}})
	}
	in := []Input{inputOf("web.ftrace", tl)}
	out := write(t, in, "table", Options{})
	if !strings.HasPrefix(out, "web: no frame is judged\n") {
		t.Errorf("headline of\n%s", out)
	}
	if got := strings.Join(row(t, out, "web"), " "); got != "– – – – – 3 5.0 – 5.0 7" {
		t.Errorf("overview: %s", got)
	}
}
