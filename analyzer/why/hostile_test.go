package why_test

import (
	"bytes"
	"fmt"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// hostile makes traces that no device writes, with a size in proportion to n.
var hostile = []struct {
	name string
	make func(w *player, n int)
}{
	{"threads that all make frames and wake one another", func(w *player, n int) {
		for i := range n {
			tid, next := 1000+i, 1000+(i+1)%n
			w.change(i%8, 0, "R", tid)
			w.at += 60
			w.line(tid, 1, "tracing_mark_write: B|1000|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", w.at*1000, (w.at+100)*1000, i+1)
			w.line(tid, 1, "tracing_mark_write: B|1000|H:OnVsyncEvent now:%d", w.at*1000)
			w.wake(tid, 1, next)
			w.change(i%8, tid, "S", 0)
			w.at += 60
			w.wake(next, 1, tid)
			w.change(i%8, 0, "R", tid)
			w.line(tid, 1, "tracing_mark_write: E|1000|")
			w.line(tid, 1, "tracing_mark_write: E|1000|")
			w.change(i%8, tid, "S", 0)
		}
	}},
	{"threads that wait for one another in a circle", func(w *player, n int) {
		tids := []int{1000, 1001, 1002, 1003, 1004, 1005}
		for i := range n {
			tid, next := tids[i%6], tids[(i+1)%6]
			w.change(i%6, 0, "R", tid)
			w.at += 60
			if tid == 1000 {
				w.frame(tid, i+1, 100, func() { w.at += 200 })
			}
			w.wake(tid, 1, next)
			w.change(i%6, tid, "S", 0)
		}
	}},
	{"frames of the same vsync", func(w *player, n int) {
		w.change(1, 0, "R", 1000)
		begin := w.at
		for i := range n {
			w.line(1000, 1, "tracing_mark_write: B|1000|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", begin*1000, (begin+100)*1000, i+1)
			w.line(1000, 1, "tracing_mark_write: B|1000|H:OnVsyncEvent now:%d", begin*1000)
			w.at += 10
			w.line(1000, 1, "tracing_mark_write: E|1000|")
			w.line(1000, 1, "tracing_mark_write: E|1000|")
		}
	}},
	{"calls without replies", func(w *player, n int) {
		w.change(1, 0, "R", 1000)
		w.frame(1000, 1, 100, func() {
			for i := range n {
				tid := 1000 + i%20
				w.line(tid, 1, "binder_transaction: transaction=%d dest_node=0 dest_proc=1 dest_thread=0 reply=%d flags=0x0 code=0x1", i, i%7/6)
				w.line(1000+(i+1)%20, 1, "binder_transaction_received: transaction=%d", i)
				w.change(1, tid, "S", 1000+(i+1)%20)
				w.at += 60
				w.wake(1000+(i+1)%20, 1, tid)
			}
			w.change(1, 1000+n%20, "S", 1000)
		})
	}},
	{"threads that end and come back", func(w *player, n int) {
		for i := range n {
			tid := 1000 + i%3
			w.wake(7, 1, tid)
			w.change(1, 0, "R", tid)
			w.frame(tid, i+1, 100, func() { w.at += 150 })
			w.line(tid, 1, "tracing_mark_write: B|1000|H:open")
			w.change(1, tid, "X", 0)
		}
	}},
	{"lost events", func(w *player, n int) {
		for i := range n {
			w.change(i%5, 1000+i%3, "S", 1000+i%7)
			w.line(1000, 1, "tracing_mark_write: B|1000|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", w.at*1000, (w.at+10)*1000, i+1)
			w.line(1000, 1, "tracing_mark_write: B|1000|H:OnVsyncEvent now:%d", w.at*1000)
			w.at += 20
			w.wake(1000+i%11, 1, 1000+i%2)
			w.line(1000, 1, "tracing_mark_write: E|1000|")
			w.line(1000, 1, "tracing_mark_write: E|1000|")
		}
	}},
	{"notes about lost events", func(w *player, n int) {
		for i := range 20 { // all wait for the processor, and one runs
			w.wake(1000, 1, 1000+i)
			w.frame(1000+i, i+1, 1_000_000_000, func() {})
		}
		for i := range n {
			w.line(1000, 1, "cpu_idle: state=1 cpu_id=1")
			w.at += 3
			fmt.Fprintf(w, "CPU:1 [LOST %d EVENTS]\n", i)
			w.change(1, 1000+i%3, "R", 1000+(i+1)%3)
			w.at += 60
			w.change(2, 0, "R", 1030+i%2)
			w.wake(1003+i%17, 1, 1030+(i+1)%2)
			w.change(2, 1030+i%2, "S", 0)
		}
	}},
	{"frames with slices and periods of their own", func(w *player, n int) {
		w.change(1, 0, "R", 1000)
		for i := range n {
			w.frame(1000, i+1, 300+i, func() {
				for k := range 3 {
					w.line(1000, 1, "tracing_mark_write: B|1000|H:%s", word(3*i+k))
					w.at += 50 + i*(i%2)
					w.line(1000, 1, "tracing_mark_write: E|1000|")
				}
			})
			w.at += 1000 + i
		}
	}},
	{"a long wait for a thread with many waits", func(w *player, n int) {
		w.change(1, 0, "R", 1000)
		w.frame(1000, 1, 100, func() {
			for range 3 {
				w.wake(1000, 1, 1001)
				w.change(1, 1000, "S", 0)
				for i := range n / 3 {
					a, b := 1001+i%5, 1001+(i+1)%5
					w.change(2, 0, "R", a)
					w.at += 60
					w.wake(a, 1, b)
					w.change(2, a, "S", 0)
				}
				w.wake(1001, 1, 1000)
				w.change(1, 0, "R", 1000)
			}
		})
	}},
	{"preemptions in a frame", func(w *player, n int) {
		w.change(1, 0, "R", 1000)
		w.frame(1000, 1, 100, func() {
			for i := range n {
				w.line(1000, 1, "irq_handler_entry: irq=1 name=x")
				w.line(1000, 1, "cpu_frequency: state=%d cpu_id=1", 16_000_000-i)
				w.change(1, 1000, "R+", 2000+i)
				w.at += 5
				w.change(1, 2000+i, "S", 1000)
				w.at += 5
			}
		})
	}},
}

// word is a name without digits, which names of slices may not have.
func word(n int) string {
	b := []byte("Slice")
	for ; n > 0; n /= 20 {
		b = append(b, byte('a'+n%20))
	}
	return string(b)
}

func (w *player) frame(tid, vsync, period int, in func()) {
	w.line(tid, 1, "tracing_mark_write: B|1000|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", w.at*1000, (w.at+period)*1000, vsync)
	w.line(tid, 1, "tracing_mark_write: B|1000|H:OnVsyncEvent now:%d", w.at*1000)
	in()
	w.line(tid, 1, "tracing_mark_write: E|1000|")
	w.line(tid, 1, "tracing_mark_write: E|1000|")
}

func analyzeHostile(t testing.TB, text []byte, l trace.Limits) {
	t.Helper()
	recorder := threads.NewRecorder(l)
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{Limits: l}, recorder.Sink()))(t)
	causes := judged(t, recorder, timeline)
	frames := 0
	for f := range timeline.Complete() {
		frames++
		e := causes.Of(f)
		causetext.Sentence(causes, e)
	}
	if frames == 0 {
		t.Error("no frames")
	}
}

// TestHostile: time is linear in the size of any trace.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			hostiletest.CheckLinear(t, slow.Of(4000, 20_000), func(n int) func() {
				w := &player{process: 1000}
				h.make(w, n)
				return func() { analyzeHostile(t, []byte(w.String()), trace.Limits{}.WithDefaults()) }
			})
		})
	}
}

// TestMemory: the recorder stores no more than its limits, whatever the trace.
func TestMemory(t *testing.T) {
	slow.Skip(t)
	l := trace.Limits{}.WithDefaults()
	l.States = 1 << 16
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			w := &player{process: 1000}
			h.make(w, 100_000)
			without := hostiletest.Peak(func() {
				must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader([]byte(w.String())), hitrace.Options{}, reconstruct.Options{Limits: l}))(t)
			})
			// The frames themselves and their explanations need more.
			hostiletest.CheckPeak(t, 2*without+384<<20, func() { analyzeHostile(t, []byte(w.String()), l) })
		})
	}
}
