package why_test

import (
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
)

const (
	lateAt = 12     // the number of the frame that is late
	long   = 14_000 // µs that make it late
)

// lateFrame returns what is said of the only late frame of 24, in whose layout
// something happens.
func lateFrame(t *testing.T, in func(s *script)) (*why.Causes, *why.Explanation) {
	t.Helper()
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			in(s)
		}
	}, nil, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	var late []*why.Explanation
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if e.Overrun > 0 {
			late = append(late, e)
		}
	}
	if len(late) != 1 || late[0].Frame.VsyncID != 100+lateAt {
		t.Fatalf("%d late frames\n%s", len(late), s.text())
	}
	return causes, late[0]
}

// TestWaits has a case for each rule by which waits are classified (docs/why.md).
func TestWaits(t *testing.T) {
	const request = "8,0 %s 4096 () 128 + 8 [x]"
	for _, c := range []struct {
		name string
		in   func(s *script)
		want string // wait, slice, culprit, its wait and slice
		text string
	}{
		{"work", func(s *script) { s.at += long }, "run FlushLayoutTask", "ran 17.0 ms in FlushLayoutTask; usual 3.0"},
		{"collection on the thread", func(s *script) {
			s.within("PartialGC::RunPhases1;GCReason0", func() { s.within("Mark", func() { s.at += long }) })
		}, "gc Mark", "collected garbage (allocation limit) for 14.0 ms in Mark; usual 0.0"},
		{"collection without a reason", func(s *script) {
			s.within("PartialGC::RunPhases1", func() { s.at += long })
		}, "gc PartialGC::RunPhases", "collected garbage for 14.0 ms in PartialGC::RunPhases; usual 0.0"},
		{"stopped by a collection", func(s *script) {
			s.within("SuspendTime::WaitGCFinished", func() { s.blockOn(long, "S", 501, "SharedGC::RunPhases") })
		}, "gc.wait SuspendTime::WaitGCFinished TaskWorker run SharedGC::RunPhases", "was stopped by garbage collection for 14.0 ms in SuspendTime::WaitGCFinished; usual 0.0"},
		{"call", func(s *script) {
			s.line(500, 1, "binder_transaction: transaction=7 dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x10 code=0x37")
			s.change(1, 500, "S", 0)
			s.wake(500, 1, 601)
			s.at += 1000 // no processor for the service
			s.change(2, 0, "R", 601)
			s.line(601, 2, "binder_transaction_received: transaction=7")
			s.begin(601, "Serve")
			s.at += long
			s.end(601)
			s.line(601, 2, "binder_transaction: transaction=8 dest_node=0 dest_proc=500 dest_thread=500 reply=1 flags=0x0 code=0x0")
			s.wake(601, 2, 500)
			s.change(2, 601, "S", 0)
			s.at += 10
			s.change(1, 0, "R", 500)
			s.line(500, 1, "binder_transaction_received: transaction=8")
		}, "binder FlushLayoutTask OS_IPC_1 run Serve", "waited 15.0 ms in FlushLayoutTask for the reply of OS_IPC_1, which ran Serve; usual 0.0"},
		{"one-way call", func(s *script) {
			s.line(500, 1, "binder_transaction: transaction=7 dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x11 code=0x37")
			s.blockOn(long, "S", 501, "Task")
		}, "own_thread FlushLayoutTask TaskWorker run Task", ""},
		{"call whose reply was lost", func(s *script) {
			s.line(500, 1, "binder_transaction: transaction=7 dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x10 code=0x37")
			s.within("Next", func() { s.blockOn(long, "S", 501, "Task") })
		}, "own_thread Next TaskWorker run Task", ""},
		{"fence, by function", func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(0, "dma_fence_default_w+0x48/0x70[hongmeng.elf]")
		}, "fence FlushLayoutTask", "waited 14.0 ms for the GPU or the display (dma_fence_default_w) in FlushLayoutTask; usual 0.0"},
		{"fence, by slice", func(s *script) {
			s.within("Waiting for Acquire Fence 7", func() { s.blockOn(long, "S", 501, "") })
		}, "fence Waiting for Acquire Fence TaskWorker run ", ""},
		{"buffer", func(s *script) {
			s.within("RequestBuffer name: a queueId: 5", func() { s.blockOn(long, "S", 501, "ReleaseBuffer") })
		}, "buffer RequestBuffer TaskWorker run ReleaseBuffer", ""},
		{"storage, as the kernel counts it", func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "unheard_of+0x1/0x2")
		}, "io FlushLayoutTask", ""},
		{"storage, by function in state S", func(s *script) {
			s.waitFor(long, "S", 20, nil)
			s.reason(0, "fscache_page_get_an+0x1/0x2[sysmgr.elf]")
		}, "io FlushLayoutTask", ""},
		{"storage, by requests", func(s *script) {
			s.line(500, 1, "block_rq_issue: "+strings.ReplaceAll(request, "%s", "R"))
			s.waitFor(long, "S", 20, func() {
				s.at += long - 5
				s.line(20, 2, "block_rq_complete: 8,0 R () 128 + 8 [0]")
			})
		}, "io FlushLayoutTask", ""},
		{"storage, by requests that the kernel does not count", func(s *script) {
			s.line(500, 1, "block_rq_issue: "+strings.ReplaceAll(request, "%s", "R"))
			s.waitFor(long, "S", 20, func() {
				s.at += long - 5
				s.line(20, 2, "block_rq_complete: 8,0 R () 128 + 8 [0]")
			})
			s.reason(0, "unheard_of+0x1/0x2")
		}, "io FlushLayoutTask", ""},
		{"request that is not complete", func(s *script) {
			s.line(500, 1, "block_rq_issue: "+strings.ReplaceAll(request, "%s", "W"))
			s.waitFor(long, "S", 20, func() {
				s.at += long - 5
				s.line(20, 2, "block_rq_complete: 8,0 R () 256 + 8 [0]")
			})
		}, "timer FlushLayoutTask", ""},
		{"memory", func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(0, "hhp_anon_faultin_pa+0x1/0x2[sysmgr.elf]")
		}, "mem FlushLayoutTask", ""},
		{"render thread, by slice", func(s *script) {
			s.within("PostAndWait, parallel type 0", func() { s.blockOn(long, "S", 501, "Work") })
		}, "render PostAndWait TaskWorker run Work", "waited 14.0 ms in PostAndWait for the render thread com.example.app:TaskWorker, which ran Work; usual 0.0"},
		{"render thread, without a wakeup", func(s *script) {
			s.within("PostAndWait, parallel type 0", func() {
				s.change(1, 500, "S", 0)
				s.at += long
				s.change(1, 0, "R", 500)
			})
		}, "render PostAndWait", "waited 14.0 ms in PostAndWait for the render thread; usual 0.0"},
		{"render thread, by waker", func(s *script) { s.blockOn(long, "S", 502, "Work") },
			"render FlushLayoutTask RSUniRenderThre run Work", ""},
		{"thread of the process", func(s *script) { s.blockOn(long, "S", 501, "Task") },
			"own_thread FlushLayoutTask TaskWorker run Task", "waited 14.0 ms in FlushLayoutTask for its own thread com.example.app:TaskWorker, which ran Task; usual 0.0"},
		{"thread of the process, in state D", func(s *script) { s.blockOn(long, "D", 501, "Task") },
			"own_thread FlushLayoutTask TaskWorker run Task", ""},
		{"other process", func(s *script) { s.blockOn(long, "S", 601, "Report") },
			"other_process FlushLayoutTask OS_IPC_1 run Report", ""},
		{"kernel thread ends state D", func(s *script) { s.blockOn(long, "D", 22, "") },
			"kernel FlushLayoutTask kworker/1:2 run ", ""},
		{"timer", func(s *script) { s.waitFor(long, "S", 0, nil) }, "timer FlushLayoutTask", ""},
		{"timer, by function", func(s *script) {
			s.waitFor(long, "S", 20, nil)
			s.reason(0, "hrtimer_nanosleep+0x1/0x2")
		}, "timer FlushLayoutTask", "waited 14.0 ms in a sleep or for a timeout (hrtimer_nanosleep) in FlushLayoutTask; usual 0.0"},
		{"HongMeng's interrupt thread", func(s *script) { s.waitFor(long, "S", 21, nil) }, "timer FlushLayoutTask", ""},
		{"state D without a function", func(s *script) { s.waitFor(long, "D", 20, nil) }, "kernel FlushLayoutTask", "waited 14.0 ms in the kernel in FlushLayoutTask; usual 0.0"},
		{"other function", func(s *script) {
			s.waitFor(long, "S", 20, nil)
			s.reason(0, "unheard_of+0x1/0x2")
		}, "kernel FlushLayoutTask", ""},
		{"no wakeup", func(s *script) {
			s.change(1, 500, "S", 0)
			s.at += long
			s.change(1, 0, "R", 500)
		}, "sleep FlushLayoutTask", "waited 14.0 ms in FlushLayoutTask for something that is not in the trace; usual 0.0"},
		{"preempted", func(s *script) {
			s.change(1, 500, "R+", 700)
			s.at += long
			s.change(1, 700, "S", 500)
		}, "cpu.preempted FlushLayoutTask hog run ", "waited 14.0 ms in FlushLayoutTask for a CPU that hog had for 14.0 ms; usual 0.0"},
		{"preempted by an interrupt thread", func(s *script) {
			s.change(1, 500, "R+", 21)
			s.at += long
			s.change(1, 21, "S", 500)
		}, "irq FlushLayoutTask udk-irq-3 irq ", "lost 14.0 ms to interrupts in FlushLayoutTask; usual 0.0"},
		{"interrupt handler", func(s *script) {
			s.line(500, 1, "irq_handler_entry: irq=7 name=x")
			s.at += long / 2
			s.line(500, 1, "softirq_entry: vec=1 [action=TIMER]")
			s.at += long / 2
			s.line(500, 1, "softirq_exit: vec=1 [action=TIMER]")
			s.line(500, 1, "irq_handler_exit: irq=7 ret=handled")
		}, "irq FlushLayoutTask", ""},
		{"no processor after the wakeup", func(s *script) {
			s.change(1, 500, "S", 700)
			s.at += 30
			s.wake(501, 2, 500)
			s.at += long
			s.change(1, 700, "S", 500)
		}, "cpu.wait FlushLayoutTask hog run ", ""},
		{"processor asleep after the wakeup", func(s *script) {
			s.change(1, 500, "S", 0)
			s.at += 30
			s.wake(501, 2, 500)
			s.at += long
			s.change(1, 0, "R", 500)
		}, "cpu.wait FlushLayoutTask", "waited 14.0 ms in FlushLayoutTask for a CPU; usual 0.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			causes, e := lateFrame(t, c.in)
			s := e.Cause()
			if s == nil {
				t.Fatalf("no cause: %s", causetext.Sentence(causes, e))
			}
			got := s.Wait.String() + " " + s.Slice
			if s.Culprit != nil {
				got += " " + s.Culprit.Thread + " " + s.Culprit.Wait.String() + " " + s.Culprit.Slice
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if text := causetext.Sentence(causes, e); c.text != "" && text != c.text {
				t.Errorf("%q, want %q", text, c.text)
			}
		})
	}
}

// TestReasonOrder: Linux writes the function before the wakeup, HongMeng after it, and
// it belongs to no other wait.
func TestReasonOrder(t *testing.T) {
	for name, in := range map[string]func(s *script){
		"before": func(s *script) {
			s.change(1, 500, "D", 0)
			s.at += long
			s.reason(1, "io_schedule+0x1/0x2")
			s.wake(20, 2, 500)
			s.change(1, 0, "R", 500)
		},
		"between": func(s *script) {
			s.change(1, 500, "D", 0)
			s.at += long
			s.wake(20, 2, 500)
			s.reason(1, "io_schedule+0x1/0x2")
			s.change(1, 0, "R", 500)
		},
		"after": func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x1/0x2")
		},
		"and not to another wait": func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x1/0x2")
			s.reason(0, "dma_fence_default_wait+0x1/0x2")
			s.at += 100
			s.waitFor(1000, "S", 0, nil)
		},
	} {
		if _, e := lateFrame(t, in); e.Cause() == nil || e.Cause().Wait != why.WaitIO || e.Cause().Function != "io_schedule" {
			t.Errorf("%s: %+v", name, e.Cause())
		}
	}
}

// TestFollow follows waits through other threads.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		name string
		in   func(s *script)
		want string // thread, wait and slice of the culprit
	}{
		{"the waker waits for another thread", func(s *script) {
			s.change(1, 500, "S", 0)
			s.change(2, 0, "R", 501)
			s.begin(501, "Task")
			s.at += 100
			s.change(2, 501, "S", 601)
			s.begin(601, "Serve")
			s.at += long
			s.end(601)
			s.wake(601, 2, 501)
			s.change(2, 601, "S", 501)
			s.at += 100
			s.end(501)
			s.wake(501, 2, 500)
			s.change(2, 501, "S", 0)
			s.change(1, 0, "R", 500)
		}, "OS_IPC_1 run Serve"},
		{"the waker waits for storage", func(s *script) {
			s.change(1, 500, "S", 0)
			s.change(2, 0, "R", 501)
			s.begin(501, "Task")
			s.at += 100
			s.change(2, 501, "D", 0)
			s.at += long
			s.line(20, 2, "sched_blocked_reason: pid=501 iowait=1 caller=io_schedule+0x1/0x2")
			s.wake(20, 2, 501)
			s.change(2, 0, "R", 501)
			s.at += 100
			s.end(501)
			s.wake(501, 2, 500)
			s.change(2, 501, "S", 0)
			s.change(1, 0, "R", 500)
		}, "TaskWorker io Task"},
		{"the waker is preempted", func(s *script) {
			s.change(1, 500, "S", 0)
			s.change(2, 0, "R", 501)
			s.begin(501, "Task")
			s.at += 100
			s.change(2, 501, "R+", 700)
			s.at += long
			s.change(2, 700, "S", 501)
			s.at += 100
			s.end(501)
			s.wake(501, 2, 500)
			s.change(2, 501, "S", 0)
			s.change(1, 0, "R", 500)
		}, "TaskWorker cpu.preempted Task"},
		{"in many pieces", func(s *script) {
			s.blockOn(20, "S", 501, "") // from here on more is kept of it
			s.change(1, 500, "S", 0)
			s.change(2, 0, "R", 501)
			s.begin(501, "Task")
			for range 12 {
				s.at += 1000
				s.change(2, 501, "R+", 700)
				s.at += 200
				s.change(2, 700, "S", 501)
			}
			s.end(501)
			s.wake(501, 2, 500)
			s.change(2, 501, "S", 0)
			s.change(1, 0, "R", 500)
		}, "TaskWorker run Task"},
		{"the waker waits for the frame's thread", func(s *script) {
			s.change(2, 0, "R", 501)
			s.change(2, 501, "S", 0)
			s.at += 100
			s.wake(500, 1, 501)
			s.change(1, 500, "S", 0)
			s.at += long // and gets no processor
			s.change(2, 0, "R", 501)
			s.at += 100
			s.wake(501, 2, 500)
			s.change(2, 501, "S", 0)
			s.change(1, 0, "R", 500)
		}, "TaskWorker cpu.wait "},
		{"the waker was never seen", func(s *script) {
			s.change(1, 500, "S", 0)
			s.at += long
			s.wake(501, 2, 500)
			s.change(1, 0, "R", 500)
		}, "TaskWorker unknown "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e := lateFrame(t, c.in)
			if e.Cause() == nil || e.Cause().Culprit == nil {
				t.Fatalf("%+v", e.Cause())
			}
			k := e.Cause().Culprit
			if got := k.Thread + " " + k.Wait.String() + " " + k.Slice; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// lateFrames returns what is said of the late frames of n.
func lateFrames(t *testing.T, n int, in, after func(s *script, i int)) (*why.Causes, []*why.Explanation) {
	t.Helper()
	s := &script{}
	call := func(f func(*script, int)) func(int) {
		return func(i int) {
			if f != nil {
				f(s, i)
			}
		}
	}
	s.frames(n, call(in), nil, call(after))
	timeline, causes := explain(t, strings.NewReader(s.text()))
	var late []*why.Explanation
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if e.Overrun > 0 {
			late = append(late, e)
		}
	}
	return causes, late
}

// TestKnockOn: a frame that begins late because of an earlier one has its cause.
func TestKnockOn(t *testing.T) {
	causes, late := lateFrames(t, 24, func(s *script, i int) {
		if i == lateAt {
			s.at += 25_000
		}
	}, nil)
	if len(late) != 2 {
		t.Fatalf("%d late frames", len(late))
	}
	e := late[1]
	if e.Outcome != why.KnockOn || e.Root != late[0].Frame || e.Cause().Earlier != late[0].Frame {
		t.Errorf("%v of %v", e.Outcome, e.Root)
	}
	// The frame before ends 100 + 20 + 50 + 2000 + 3000 + 25000 µs after its vsync, and
	// the next vsync is 16666 µs after that one.
	const want = "began 13.5 ms late: the thread was still busy with frame 112 (running in FlushLayoutTask)"
	if got := causetext.Sentence(causes, e); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := causes.Rank([]*analyzer.Frame{late[0].Frame, e.Frame})
	if len(r.Costs) == 0 || r.Costs[0].KnockOn == 0 || r.Costs[0].Direct == 0 || r.Costs[0].Wait != why.Run {
		t.Errorf("ranking %+v", r.Costs)
	}
	sum := r.Lost
	for _, c := range r.Costs {
		sum -= c.Lost
		if c.Direct+c.KnockOn != c.Lost {
			t.Errorf("%v and %v of %v", c.Direct, c.KnockOn, c.Lost)
		}
	}
	if sum != 0 {
		t.Errorf("costs differ from %v by %v", r.Lost, sum)
	}
}

// TestPredictiveWork: OnIdle at the end of a frame's ReceiveVsync delays the next one,
// and is no part of the frame that it lies in.
func TestPredictiveWork(t *testing.T) {
	causes, late := lateFrames(t, 24, nil, func(s *script, i int) {
		if i == lateAt {
			s.within("OnIdle, targettime:123456", func() { s.at += 24_000 })
		}
	})
	if len(late) != 1 || late[0].Frame.VsyncID != 100+lateAt+1 {
		t.Fatalf("%d late frames", len(late))
	}
	e := late[0]
	if s := e.Cause(); e.Outcome != why.OneCause || s.Wait != why.EarlierWork || s.Slice != "OnIdle" {
		t.Errorf("%s: %+v", e.Outcome, s)
	}
	if text := causetext.Sentence(causes, e); !strings.HasSuffix(text, "late: the thread was busy with OnIdle; usual 0.0") {
		t.Error(text)
	}
}

// The advice about a garbage collection depends on its reason, also in slices inside.
func TestAdviceByReason(t *testing.T) {
	for label, want := range map[string]why.Advice{
		"PartialGC::RunPhases1;GCReason0;MarkReason0": why.AdviseAllocations,
		"PartialGC::RunPhases1;GCReason2;MarkReason0": why.AdviseGCSystem,
		"FullGC::RunPhases;GCReason4":                 why.AdviseGCRequest,
		"PartialGC::RunPhases1":                       why.AdviseAllocations,
	} {
		_, e := lateFrame(t, func(s *script) {
			s.within(label, func() { s.within("Mark", func() { s.at += long }) })
		})
		if c := e.Cause(); c == nil || c.Advice != want {
			t.Errorf("%s: %+v", label, c)
		}
	}
}

// Advice is what the developer of the frame's process can do about who had the CPU, and what
// to record if the trace does not say what the thread did.
func TestAdviceByCulprit(t *testing.T) {
	preemptedBy := func(tid int) func(s *script) {
		return func(s *script) {
			s.change(1, 500, "R+", tid)
			s.at += long
			s.change(1, tid, "S", 500)
		}
	}
	for name, c := range map[string]struct {
		in   func(s *script)
		want why.Advice
	}{
		"thread of the application": {preemptedBy(501), why.AdviseCPULoad},
		"other process":             {preemptedBy(700), why.AdviseOthers},
		"log":                       {preemptedBy(702), why.AdviseLog},
		"lost events": {func(s *script) {
			s.at += 20
			s.change(1, 700, "S", 0) // but thread 500 was believed to run here
			s.at += long
			s.change(1, 0, "R", 500)
		}, why.AdviseLost},
	} {
		_, e := lateFrame(t, c.in)
		if got := e.Shares[0].Advice; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Without scheduling events, all advice is to record them. For render_service, no advice is
// that for an application.
func TestAdviceByReader(t *testing.T) {
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x10/0x20")
		}
	}, nil, nil)
	unscheduled := regexp.MustCompile(`(?m)^.* sched_\w+: .*\n`).ReplaceAllString(s.text(), "")
	other := &script{}
	other.change(3, 700, "S", 0)
	others := strings.Replace(unscheduled, "#\n", "#\n"+other.String(), 1)
	service := strings.NewReplacer("com.example.app", "render_service ", "H:OnVsyncEvent now:", "H:RSMainThread::DoComposition: ", "H:FlushLayoutTask", "H:RSUniRender::Process").Replace(s.text())
	for name, c := range map[string]struct {
		text string
		kind analyzer.Kind
		want why.Advice
	}{
		"application":               {s.text(), analyzer.ApplicationFrame, why.AdviseIO},
		"render_service":            {service, analyzer.RenderFrame, why.AdviseSystemIO},
		"without scheduling events": {unscheduled, analyzer.ApplicationFrame, why.AdviseStates},
		"with those of others":      {others, analyzer.ApplicationFrame, why.AdviseOfThread},
	} {
		timeline, causes := explain(t, strings.NewReader(c.text))
		late := 0
		for f := range timeline.Complete() {
			if e := causes.Of(f); e.Overrun > 0 {
				late++
				if got := e.Shares[0].Advice; f.Kind != c.kind || got != c.want {
					t.Errorf("%s: %v frame with the advice %q, want %v, %q", name, f.Kind, got, c.kind, c.want)
				}
			}
		}
		if late == 0 {
			t.Errorf("%s: no late frames", name)
		}
	}
}
