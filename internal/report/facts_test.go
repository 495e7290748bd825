package report

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
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
	if !strings.HasPrefix(out, "web: no frame is judged: deadlines are unknown\n") {
		t.Errorf("headline of\n%s", out)
	}
	must.Equal(t, strings.Join(row(t, out, "web"), " "), "– – – – – 3 5.0 – 5.0 7", "overview")
}

// Late frames that all drew nothing are named, not the judged ones.
func TestLateEmpty(t *testing.T) {
	for _, known := range []bool{true, false} {
		p := &process{Process: gallery()}
		p.Frames.LateEmpty = p.Frames.Late
		want := "21 late but empty of 140 judged"
		if !known {
			p.JankRate, p.Frames.Unjudged = nil, 200
			want = "21 late but empty of 140 judged frames; 200 frames that drew not judged"
		}
		must.Equal(t, (&builder{}).jank(p).About, want)
	}
}
