package report

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// Facts that say nothing are left out: no empty frames, no processor time, and a streak of one.
func TestFactsWithoutContent(t *testing.T) {
	for _, c := range []struct {
		empty, streak int
		cpu           float64
		has, lacks    []string
	}{
		{lacks: []string{"empty", "processor time", "Longest streak"}},
		{empty: 3, cpu: .05, streak: 1, has: []string{"Frames 150 3 of them empty (2.0 %)"}, lacks: []string{"processor time", "Longest streak"}},
		{empty: 3, cpu: .1, streak: 2, has: []string{"3 of them empty (2.0 %), 0.1 ms of processor time", "Longest streak 2 late in a row"}},
	} {
		p := gallery()
		p.Frames.Empty, p.EmptyRate, p.LongestStreak = &c.empty, known(float64(c.empty)/150), nil
		p.EmptyFrames = &stats.EmptyFrames{Frames: c.empty, CPU: &c.cpu}
		if c.streak > 0 {
			p.LongestStreak = &stats.Streak{Frames: c.streak, At: known(trace.Time(1e9)), VsyncID: known(int64(7))}
		}
		out := squeezed(write(t, []Input{{Name: "a", Stats: &stats.Report{Processes: []*stats.Process{p}}}}, "table", Options{}))
		_, out, _ = strings.Cut(out, "pid 20170")
		for _, want := range c.has {
			if !strings.Contains(out, want) {
				t.Errorf("%+v: no %q in\n%s", c, want, out)
			}
		}
		for _, word := range c.lacks {
			if strings.Contains(out, word) {
				t.Errorf("%+v: %s in\n%s", c, word, out)
			}
		}
	}
}

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
	if got := strings.Join(row(t, out, "web", "7"), " "); !strings.HasPrefix(got, "– 3 – – –") {
		t.Errorf("overview: %s", got)
	}
}

// A chart and a picture show a frame that is late and empty as late. The strip of a process whose
// jank rate is unknown has no rate: its late frame is one of three that drew.
func TestLateAndUnknownInCharts(t *testing.T) {
	f := &analyzer.Frame{Framework: analyzer.Choreographer, Deadline: 5, Facts: analyzer.MainLate | analyzer.Empty}
	if m := marksOf(f); m != 1<<late|1<<empty || late < empty || lateGPU < empty || lateCPU < empty {
		t.Errorf("marks %b", m)
	}
	for unjudged, want := range map[int]string{0: `"moments":[[1,1,null,0]]`, 2: `"moments":[[0,0,null,0]]`} {
		if page := write(t, []Input{oneLate(unjudged)}, "html", Options{}); !strings.Contains(page, want) {
			_, got, _ := strings.Cut(page, `"moments":`)
			t.Errorf("%d unjudged: no %s, moments %.60s", unjudged, want, got)
		}
	}
}

// oneLate is a timeline with a late frame and n that drew and are neither late nor on time.
func oneLate(n int) Input {
	p := &analyzer.Process{PID: 7, Name: "app"}
	tl := &analyzer.Timeline{Processes: []*analyzer.Process{p}}
	for i := range 1 + n {
		start := trace.Time(1e9).Add(trace.Duration(i) * ms1)
		f := &analyzer.Frame{Process: p, TID: 7, Framework: analyzer.Choreographer, Actual: analyzer.Interval{Start: start, End: start.Add(ms1 / 2)}}
		f.Transactions = []analyzer.Sent{{Index: 1, At: f.Actual.End}}
		if i == 0 {
			f.Deadline = start + 1
			f.Judge()
		}
		tl.Frames = append(tl.Frames, f)
	}
	return inputOf("app.ftrace", tl)
}

// The strip has a drawing and a label of the jank rate only if the rate is known.
func TestStripWithoutJank(t *testing.T) {
	b := newBrowser(t)
	for unjudged, want := range map[int]string{0: "2 drawings, 2 labels, 3 colours", 2: "1 drawings, 1 labels, 2 colours"} {
		b.open([]Input{oneLate(unjudged)}, 1280, 1000, "light")
		must.Equal(t, eval[string](b, `(s => s("svg") + " drawings, " + s(".labels span") + " labels, " + s(".legend i") + " colours")(what => document.querySelectorAll(".strip " + what).length)`), want, "%d unjudged", unjudged)
	}
	b.CheckQuiet()
}
