package threads

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A thread that has ended does not count as followed any more.
func TestEndedThreads(t *testing.T) {
	var text strings.Builder
	at := 0 // in microseconds
	line := func(tid, cpu int, format string, args ...any) {
		at += 10
		fmt.Fprintf(&text, "%16s-%d (%5d) [%03d] .... 100.%06d: ", "thread", tid, 500, cpu, at)
		fmt.Fprintf(&text, format+"\n", args...)
	}
	change := func(cpu, prev int, state string, next int) {
		line(prev, cpu, "sched_switch: prev_comm=thread prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=thread next_pid=%d next_prio=120", prev, state, next)
	}
	wake := func(waker, cpu, tid int) {
		line(waker, cpu, "sched_waking: comm=thread pid=%d prio=120 target_cpu=001", tid)
	}
	line(500, 1, "tracing_mark_write: B|500|H:OnVsyncEvent now:1")
	for range 24 {
		change(1, 500, "S", 0)
		change(2, 0, "R", 501)
		at += 100
		wake(501, 2, 500)
		change(1, 0, "R", 500)
		change(2, 501, "X", 0)
		wake(700, 3, 501) // another thread of this id
	}
	recorder := NewRecorder(trace.Limits{}.WithDefaults())
	must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{}, recorder.Sink()))(t)
	if n := recorder.followed; n != 0 {
		t.Errorf("%d threads are followed", n)
	}
	if n := len(recorder.kept.chunks); n == 0 {
		t.Error("no thread was followed")
	}
}

// Two threads wait for the same one, the second from the moment at which the first is woken
// up. Each wait has its own leaf.
func TestLeavesOfWaits(t *testing.T) {
	var text strings.Builder
	line := func(at, tid, cpu int, event string) {
		fmt.Fprintf(&text, "thread-%d (  500) [%03d] .... 1.%06d: %s\n", tid, cpu, at, event)
	}
	change := func(at, cpu, prev, next int) {
		line(at, prev, cpu, fmt.Sprintf("sched_switch: prev_comm=thread prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=thread next_pid=%d next_prio=120", prev, next))
	}
	wake := func(at, tid int) {
		line(at, 502, 2, fmt.Sprintf("sched_waking: comm=thread pid=%d prio=120 target_cpu=001", tid))
	}
	line(0, 500, 0, "tracing_mark_write: B|500|H:OnVsyncEvent now:1")
	line(0, 501, 1, "tracing_mark_write: B|500|H:OnVsyncEvent now:1")
	change(10, 2, 0, 502)
	change(100, 0, 500, 0)
	wake(200, 500)
	change(200, 1, 501, 0)
	wake(300, 501)
	recorder := NewRecorder(trace.Limits{}.WithDefaults())
	must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{}, recorder.Sink()))(t)
	record := recorder.Finish()
	for tid, start := range map[trace.TID]trace.Time{500: 1_000_100_000, 501: 1_000_200_000} {
		var got []Leaf
		for e := range record.Logs(tid)[0].Entries() {
			if e.State == Blocked {
				got = slices.AppendSeq(got, record.Leaves(record.Wait(e.Value)))
			}
		}
		if len(got) != 1 || got[0].TID != 502 || got[0].Start != start || got[0].End.Sub(got[0].Start) != 100*trace.Microsecond {
			t.Errorf("thread %d: %+v", tid, got)
		}
	}
}
