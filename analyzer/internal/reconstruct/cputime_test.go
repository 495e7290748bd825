package reconstruct_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// runs are the intervals in which a thread runs, as the switches in a text say.
func runs(t *testing.T, path string, tid int) (list []analyzer.Interval) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	on, off := "next_pid="+strconv.Itoa(tid)+" ", "prev_pid="+strconv.Itoa(tid)+" "
	at := regexp.MustCompile(` (\d+)\.(\d{6}): sched_switch: `)
	for line := range strings.Lines(string(data)) {
		m := at.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		micros, _ := strconv.ParseInt(m[1]+m[2], 10, 64)
		now := trace.Time(micros) * trace.Time(trace.Microsecond)
		switch n := len(list); {
		case strings.Contains(line, on):
			list = append(list, analyzer.Interval{Start: now})
		case strings.Contains(line, off) && n == 0:
			list = append(list, analyzer.Interval{Start: 1, End: now})
		case strings.Contains(line, off):
			list[n-1].End = now
		}
	}
	if n := len(list); n > 0 && !list[n-1].End.Known() {
		list[n-1].End = trace.MaxTime
	}
	return list
}

// The processor time of a frame is what the switches of its thread say.
func TestCaptureCPUTime(t *testing.T) {
	path := capture(t, "harmonyos-6.1-video-90hz.ftrace")
	timeline, _ := analyze(t, path, reconstruct.Options{})
	byThread := map[trace.TID][]analyzer.Interval{}
	frames := 0
	for f := range timeline.Complete() {
		if f.Kind != analyzer.ApplicationFrame {
			continue
		}
		frames++
		if byThread[f.TID] == nil {
			byThread[f.TID] = runs(t, path, int(f.TID))
		}
		want := trace.Duration(0)
		for _, r := range byThread[f.TID] {
			want += max(0, min(r.End, f.Actual.End).Sub(max(r.Start, f.Actual.Start)))
		}
		must.Equal(t, f.CPUTime, want, "%s: runs", f)
	}
	if frames < 14 {
		t.Errorf("%d frames", frames)
	}
}

// What the switches do not say is unknown: without any, where lines of a processor are lost,
// and of a switch that cannot be read.
func TestCPUTimeUnknown(t *testing.T) {
	const frame = `a-200 (  200) [001] .... 1.000100: print: B|200|H:ReceiveVsync name:a dataCount: 24bytes now:1000000000 expectedEnd: 1010000000 vsyncId:7|M0538
MIDDLE
a-200 (  200) [001] .... 1.002100: print: E|200|M0538
`
	const readable = "a-200 (  200) [001] .... 1.001000: sched_switch: prev_comm=a prev_pid=200 prev_prio=1 prev_state=R ==> next_comm=b next_pid=300 next_prio=1\n" +
		"b-300 (  300) [001] .... 1.001500: sched_switch: prev_comm=b prev_pid=300 prev_prio=1 prev_state=S ==> next_comm=a next_pid=200 next_prio=1"
	for name, c := range map[string]struct {
		middle string
		want   trace.Duration
	}{
		"switches":    {readable, 1500 * trace.Microsecond},
		"none":        {"", 0},
		"lost":        {readable + "\nCPU:1 [LOST 12 EVENTS]", 0},
		"not a fit":   {readable + "\na-200 (  200) [001] .... 1.001600: sched_switch: x", 0},
		"another CPU": {readable + "\nc-400 (  400) [002] .... 1.001600: sched_switch: prev_comm=c prev_pid=400 prev_prio=1 prev_state=S ==> next_comm=d next_pid=500 next_prio=1", 1500 * trace.Microsecond},
	} {
		timeline := timelineOf(t, strings.Replace(frame, "MIDDLE", c.middle, 1))
		must.Equal(t, timeline.Frames[0].CPUTime, c.want, "%s: runs", name)
	}
}
