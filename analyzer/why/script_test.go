package why_test

import (
	"fmt"
	"strings"
)

// script writes a small trace. Times are in microseconds after its start.
type script struct {
	strings.Builder
	at int
}

const scriptStart = 100_000_000

// line writes what a thread of process 500 does on a processor, at s.at.
func (s *script) line(tid, cpu int, format string, args ...any) {
	t := scriptStart + s.at
	fmt.Fprintf(s, "%16s-%d (%5d) [%03d] .... %6d.%06d: ", comms[tid], tid, s.pid(tid), cpu, t/1e6, t%1e6)
	fmt.Fprintf(s, format+"\n", args...)
}

// pid returns the process of a thread: that of the hundreds, but 2 for small numbers.
func (*script) pid(tid int) int {
	if tid < 100 {
		return 2
	}
	return tid / 100 * 100
}

func (s *script) begin(tid int, name string) {
	s.line(tid, 1, "tracing_mark_write: B|%d|H:%s", s.pid(tid), name)
}

func (s *script) end(tid int) { s.line(tid, 1, "tracing_mark_write: E|%d|", s.pid(tid)) }

var comms = map[int]string{
	0: "swapper/1", 20: "irq/7-mmc", 21: "udk-irq-3", 22: "kworker/1:2", 500: "com.example.app", 501: "TaskWorker", 502: "RSUniRenderThre", 600: "service", 601: "OS_IPC_1", 700: "hog", 702: "hilogd.rd_kmsg",
	511: "A", 512: "B", 513: "C", 514: "D", 515: "E",
	1000: "render_service", 1001: "RSUniRenderThre", 1002: "RSHardwareThrea", 1003: "Present Fence",
}

func (s *script) change(cpu, prev int, state string, next int) {
	s.line(prev, cpu, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120",
		comms[prev], prev, state, comms[next], next)
}

func (s *script) wake(waker, cpu, tid int) {
	s.line(waker, cpu, "sched_waking: comm=%s pid=%d prio=120 target_cpu=001", comms[tid], tid)
}

const scriptPeriod = 16_666 // in microseconds

// frames writes frames of thread 500 on processor 1, each after a vsync. A frame
// builds for 2 ms, lays out for 3 ms and sends nothing. extra is called in the middle
// of its layout, and after at its end, inside ReceiveVsync.
func (s *script) frames(n int, extra, build, after func(i int)) {
	call := func(f func(int), i int) {
		if f != nil {
			f(i)
		}
	}
	s.change(1, 500, "S", 0)
	for i := range n {
		vsync := 1000 + i*scriptPeriod
		s.at = max(s.at+10, vsync+100)
		s.wake(0, 1, 500)
		s.at += 20
		s.change(1, 0, "R", 500)
		s.at += 50
		s.begin(500, fmt.Sprintf("ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", (scriptStart+vsync)*1000, (scriptStart+vsync+scriptPeriod)*1000, 100+i))
		s.begin(500, fmt.Sprintf("OnVsyncEvent now:%d", (scriptStart+vsync)*1000))
		s.begin(500, "FlushBuild")
		s.at += 1000
		call(build, i)
		s.at += 1000
		s.end(500)
		s.begin(500, "FlushLayoutTask")
		s.at += 1500
		call(extra, i)
		s.at += 1500
		s.end(500)
		s.end(500)
		call(after, i)
		s.at += 5
		s.end(500)
		s.at += 5
		s.change(1, 500, "S", 0)
	}
}

// waitFor blocks thread 500 for d microseconds. The thread waker, on processor 2,
// ends the wait after do.
func (s *script) waitFor(d int, state string, waker int, do func()) {
	s.change(1, 500, state, 0)
	end := s.at + d
	if do != nil {
		do()
	}
	s.at = end
	s.wake(waker, 2, 500)
	s.at += 10
	s.change(1, 0, "R", 500)
}

// reason writes the kernel function in which thread 500 blocked.
func (s *script) reason(iowait int, caller string) {
	s.line(500, 2, "sched_blocked_reason: pid=500 iowait=%d caller=%s", iowait, caller)
}

func (s *script) text() string { return "# tracer: nop\n#\n" + s.String() }

// blockOn blocks thread 500 until another thread, which runs on processor 2 in a slice,
// wakes it after d microseconds.
func (s *script) blockOn(d int, state string, tid int, slice string) {
	s.change(1, 500, state, 0)
	s.change(2, 0, "R", tid)
	if slice != "" {
		s.begin(tid, slice)
	}
	s.at += d
	if slice != "" {
		s.end(tid)
	}
	s.wake(tid, 2, 500)
	s.change(2, tid, "S", 0)
	s.at += 10
	s.change(1, 0, "R", 500)
}

// within calls f inside a slice of thread 500.
func (s *script) within(slice string, f func()) {
	s.begin(500, slice)
	f()
	s.end(500)
}
