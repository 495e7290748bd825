package reconstruct_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// lines writes a trace.
type lines struct{ strings.Builder }

// mark writes the begin of a slice, or its end without a name.
func (l *lines) mark(at trace.Duration, tid, pid int, name string) {
	phase := "E|" + fmt.Sprint(pid)
	if name != "" {
		phase = fmt.Sprintf("B|%d|H:%s", pid, name)
	}
	fmt.Fprintf(l, "thread-%d ( %d) [001] .... %d.%06d: tracing_mark_write: %s\n", tid, pid, 100+at/trace.Second, at%trace.Second/trace.Microsecond, phase)
}

// slice writes a slice of a microsecond.
func (l *lines) slice(at trace.Duration, tid, pid int, name string) {
	l.mark(at, tid, pid, name)
	l.mark(at+trace.Microsecond, tid, pid, "")
}

// receive writes a vsync that a thread handles for 1 ms, with the slices in it.
func (l *lines) receive(at, period trace.Duration, tid, pid int, name string, id int, within ...string) {
	now := 100*trace.Second + at
	l.mark(at, tid, pid, fmt.Sprintf("ReceiveVsync name:%s dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:4", name, now, now+period, id))
	for i, slice := range within {
		l.slice(at+trace.Duration(i+1)*20*trace.Microsecond, tid, pid, slice)
	}
	l.mark(at+trace.Millisecond, tid, pid, "")
}

const (
	service    = 1027
	shop, mail = 3000, 4000
	render     = 1087 // the thread that draws
)

// asking returns a trace of n vsyncs. A page of the shop sends something in every tenth frame, which the service
// finds unchanged in every second one of these. Its ticker asks for vsyncs, too, as does one of mail, which never draws.
func asking(n int, period trace.Duration) string {
	var l lines
	for i := range n {
		at := trace.Duration(i+1) * period
		l.slice(at-300*trace.Microsecond, 1101, service, fmt.Sprintf("SendVsyncTo conn: WM_3000, now:%d, refreshRate:60", 100*trace.Second+at))
		within := []string{"UI skip"}
		commands, drawn := "RSMainThread::ProcessCommandUni", "DisplayNodeSkip skip commit"
		if i%10 == 5 {
			within = []string{fmt.Sprintf("MarshRSTransactionData cmdCount: 2, transactionFlag:[3000,%d], tid:3000, timestamp:%d", i, 100*trace.Second+at)}
		}
		if i%10 == 6 {
			commands += fmt.Sprintf(" [3000,%d]", i-1)
			if i%20 == 6 {
				drawn = fmt.Sprintf("CommitLayers rate:60,now:%d,vsyncId:%d,size:1,Names:shop0", 100*trace.Second+at+100*trace.Microsecond, 900+i)
			}
		}
		l.receive(at, period, shop, shop, "WM_3000", 10+i, within...)
		l.receive(at, period, 3050, shop, "Ticker", 10+i)
		l.receive(at, period, 4050, mail, "Ticker", 10+i)
		l.receive(at+100*trace.Microsecond, 2*period, service, service, "rs", 900+i, "RSMainThread::DoComposition", commands)
		l.mark(at+1300*trace.Microsecond, render, service, "RenderFrame")
		l.slice(at+1400*trace.Microsecond, render, service, drawn)
		l.mark(at+1500*trace.Microsecond, render, service, "")
		l.slice(at+1600*trace.Microsecond, 1305, service, "WM_3000_RequestNextVSync")
	}
	return l.String()
}

// Each vsync led to a picture or not, by what the frame, or the one that applied it, says; that of a ticker by
// what its process drew until the next one.
func TestRequesters(t *testing.T) {
	for _, hertz := range []int{60, 72, 90, 120} {
		const n = 80
		timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(asking(n, trace.Second/trace.Duration(hertz))), hitrace.Options{}, reconstruct.Options{}))(t)
		must.Do(t, timeline.Validate())
		want := []string{
			"Ticker 3000: 0 asked, 0 sent, 80 received, 0 drawn, 71 nothing sent, 0 nothing shown", // in others the page sent something, perhaps for it
			"Ticker 4000: 0 asked, 0 sent, 80 received, 0 drawn, 79 nothing sent, 0 nothing shown",
			"WM_3000 3000: 80 asked, 80 sent, 80 received, 4 drawn, 72 nothing sent, 4 nothing shown",
			"rs 1027: 0 asked, 0 sent, 80 received, 4 drawn, 0 nothing sent, 76 nothing shown",
		}
		var got []string
		for _, r := range timeline.Requesters {
			outcomes := map[analyzer.Outcome]int{}
			for i := range r.Vsyncs {
				outcomes[r.Vsyncs[i].Outcome()]++
			}
			got = append(got, fmt.Sprintf("%s %d: %d asked, %d sent, %d received, %d drawn, %d nothing sent, %d nothing shown", r.Name, r.Process.PID,
				len(r.Asked), len(r.Sent), len(r.Vsyncs), outcomes[analyzer.Drawn], outcomes[analyzer.NothingSent], outcomes[analyzer.NothingShown]))
		}
		must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "%d Hz", hertz)
	}
}
