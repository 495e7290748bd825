package simulate

import (
	"fmt"

	"ohframe/analyzer/trace"
)

const (
	commBytes = 15
	noCPU     = -1
)

// thread is a thread of a simulated process.
type thread struct {
	pid        trace.PID
	payloadPID trace.PID // the process id in its markers
	tid        trace.TID

	column  []byte // the line up to the processor
	asPrev  string // its part of sched_switch when it stops
	asNext  string // and when it starts
	asWoken string // its part of sched_wakeup

	// Planning: when its last planned work ends, and the levels of its open slices.
	freeAt trace.Time
	open   []string

	// Writing: where it runs, where it ran last, since when it sleeps.
	cpu, lastCPU int
	sleepsSince  trace.Time
}

// newThread prepares all texts that name the thread.
func (s *sim) newThread(pid trace.PID, tid trace.TID, comm string, priority int) *thread {
	comm = lastBytes(comm, commBytes)
	t := &thread{
		pid: pid, payloadPID: pid, tid: tid, cpu: noCPU, lastCPU: noCPU,
		column: s.text.column(comm, pid, tid),
	}
	s.name(t, comm, int(tid), priority, "3fff,21,3,0,0,0")
	return t
}

// newIdle is the thread that runs on an idle processor. HongMeng has an ordinary thread
// for it, which nevertheless has id 0 in switches.
func (s *sim) newIdle(cpu int) *thread {
	t := &thread{cpu: cpu}
	if s.config.Kernel == KernelHongMeng {
		comm := fmt.Sprintf("tppmgr-idle-%d", cpu)
		t.column = s.text.column(comm, 2, trace.TID(270+cpu))
		s.name(t, comm, 0, -2, fmt.Sprintf("%x,0,0,0,0,0", 1<<cpu))
	} else {
		t.column = s.text.column("<idle>", trace.UnknownPID, 0)
		s.name(t, fmt.Sprintf("swapper/%d", cpu), 0, 120, "")
	}
	return t
}

func (s *sim) name(t *thread, comm string, tid, priority int, info string) {
	t.asPrev = fmt.Sprintf("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=", comm, tid, priority)
	t.asNext = fmt.Sprintf(" ==> next_comm=%s next_pid=%d next_prio=%d", comm, tid, priority)
	if s.config.Kernel == KernelHongMeng {
		t.asNext += " next_info=" + info
	}
	t.asWoken = fmt.Sprintf("comm=%s pid=%d prio=%d target_cpu=", comm, tid, priority)
}

// lastBytes is how a name becomes a comm: the system keeps its end.
func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
