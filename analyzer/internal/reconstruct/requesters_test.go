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
			"Ticker 3000: 0 asked, 0 sent, 80 received, 0 drawn, 8 perhaps, 71 nothing sent, 0 nothing shown", // in others the page sent something, perhaps for it
			"Ticker 4000: 0 asked, 0 sent, 80 received, 0 drawn, 0 perhaps, 79 nothing sent, 0 nothing shown",
			"WM_3000 3000: 80 asked, 80 sent, 80 received, 4 drawn, 0 perhaps, 72 nothing sent, 4 nothing shown",
			"rs 1027: 0 asked, 0 sent, 80 received, 4 drawn, 0 perhaps, 0 nothing sent, 76 nothing shown",
		}
		var got []string
		for _, r := range timeline.Requesters {
			outcomes := map[analyzer.Outcome]int{}
			for i := range r.Vsyncs {
				outcomes[r.Vsyncs[i].Outcome()]++
			}
			got = append(got, fmt.Sprintf("%s %d: %d asked, %d sent, %d received, %d drawn, %d perhaps, %d nothing sent, %d nothing shown", r.Name, r.Process.PID,
				len(r.Asked), len(r.Sent), len(r.Vsyncs), outcomes[analyzer.Drawn], outcomes[analyzer.PerhapsDrawn], outcomes[analyzer.NothingSent], outcomes[analyzer.NothingShown]))
		}
		must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "%d Hz", hertz)
	}
}

// A game queues a buffer on every third of its vsyncs, on a thread of render_service. Without a binder call that says
// who queued it, that thread cannot be the reason that another vsync led to nothing. Its main thread receives vsyncs too, and
// says that it draws nothing.
func TestBuffersOfRequesters(t *testing.T) {
	const n, period = 60, trace.Second / 60
	for name, want := range map[string]string{
		"binder":     "GameVsync: 20 drawn, 0 perhaps, 39 nothing sent; Other: 0 drawn, 0 perhaps, 59 nothing sent; WM_3000: 0 drawn, 0 perhaps, 60 nothing sent",
		"no binder":  "GameVsync: 0 drawn, 20 perhaps, 39 nothing sent; Other: 0 drawn, 20 perhaps, 39 nothing sent; WM_3000: 0 drawn, 0 perhaps, 60 nothing sent",
		"not marked": "GameVsync: 0 drawn, 20 perhaps, 39 nothing sent; Other: 0 drawn, 20 perhaps, 39 nothing sent; WM_3000: 0 drawn, 0 perhaps, 60 nothing sent",
	} {
		var l lines
		event := func(at trace.Duration, thread string, tid, pid int, rest string) {
			fmt.Fprintf(&l, "%s-%d ( %d) [001] .... %d.%06d: %s\n", thread, tid, pid, 100+at/trace.Second, at%trace.Second/trace.Microsecond, rest)
		}
		for i := range n {
			at := trace.Duration(i+1) * period
			l.receive(at, period, shop, shop, "WM_3000", 10+i, "UI skip")
			l.receive(at, period, 3050, shop, "GameVsync", 10+i)
			l.receive(at, period, 4050, mail, "Other", 10+i)
			if i%3 > 0 {
				continue
			}
			at += 5 * trace.Millisecond
			if name != "not marked" {
				l.mark(at, 3050, shop, "NativeWindowFlushBuffer")
			}
			if name == "binder" {
				event(at+10*trace.Microsecond, "game", 3050, shop, fmt.Sprintf("binder_transaction: transaction=%d dest_node=1 dest_proc=1027 dest_thread=0 reply=0 flags=0x10 code=0x2", 1000+i))
				event(at+20*trace.Microsecond, "OS_IPC_3", 1300, service, fmt.Sprintf("binder_transaction_received: transaction=%d", 1000+i))
			}
			event(at+30*trace.Microsecond, "OS_IPC_3", 1300, service, fmt.Sprintf("tracing_mark_write: B|1027|H:FlushBuffer name: gameSurface queueId: 4410931414595 sequence: %d", 7000+i))
			event(at+40*trace.Microsecond, "OS_IPC_3", 1300, service, "tracing_mark_write: E|1027")
			if name != "not marked" {
				l.mark(at+60*trace.Microsecond, 3050, shop, "")
			}
		}
		timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(l.String()), hitrace.Options{}, reconstruct.Options{}))(t)
		must.Do(t, timeline.Validate())
		var got []string
		for _, r := range timeline.Requesters {
			outcomes := map[analyzer.Outcome]int{}
			for i := range r.Vsyncs {
				outcomes[r.Vsyncs[i].Outcome()]++
			}
			got = append(got, fmt.Sprintf("%s: %d drawn, %d perhaps, %d nothing sent", r.Name, outcomes[analyzer.Drawn], outcomes[analyzer.PerhapsDrawn], outcomes[analyzer.NothingSent]))
		}
		must.Equal(t, strings.Join(got, "; "), want, name)
	}
}

// What render_service's own vsyncs cost is how long its main thread ran in them.
func TestProcessorTimeOfRenderService(t *testing.T) {
	var l lines
	event := func(at trace.Duration, prev, next int) {
		fmt.Fprintf(&l, "thread-%d (-----) [001] .... 100.%06d: sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=b next_pid=%d next_prio=120\n", prev, at/trace.Microsecond, prev, next)
	}
	const at = 10 * trace.Millisecond
	event(at-trace.Millisecond, 0, service)
	l.mark(at, service, service, fmt.Sprintf("ReceiveVsync name:rs dataCount: 24bytes now: %d expectedEnd: %d vsyncId: 9, fd:4", 100*trace.Second+at, 100*trace.Second+2*at))
	l.slice(at+20*trace.Microsecond, service, service, "RSMainThread::DoComposition")
	event(at+400*trace.Microsecond, service, 0)
	event(at+900*trace.Microsecond, 0, service)
	l.mark(at+trace.Millisecond, service, service, "")
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(l.String()), hitrace.Options{}, reconstruct.Options{}))(t)
	must.Do(t, timeline.Validate())
	must.Equal(t, len(timeline.Requesters), 1)
	took, ran := timeline.Requesters[0].Vsyncs[0].Times()
	must.Equal(t, [2]trace.Duration{took, ran}, [2]trace.Duration{trace.Millisecond, 500 * trace.Microsecond})
}
