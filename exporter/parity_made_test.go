package exporter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// madeThread is a thread of a trace that is made to be hard: many of its lines
// are of the same microsecond.
type madeThread struct {
	thread
	former   string // the name that the scheduler still has
	ready    bool
	depth    int   // open slices
	switched int64 // when it last came or went
	woken    int64 // when it was last woken, and where
	wokenOn  int
}

// parityScene makes a trace of threads that share four processors. Nothing in it
// happens out of order: what runs was woken, what ends has begun.
type parityScene struct {
	textTrace
	random  *rand.Rand
	now     int64
	waking  string // the event that makes threads runnable
	threads []*madeThread
	running [4]*madeThread
	changed [4]int64 // when that came to run
	settled [4]int64 // until when it goes on
	open    []string // asynchronous slices, as "S" and "G" markers
	calls   int      // through binder
	pending bool     // the last of them is not received
	called  int64    // when it was made
}

// parityStart is in microseconds: a time since boot of which Perfetto reads some
// a nanosecond too early.
const parityStart = 540_000 * 1e6

// parityTrace makes a trace with everything that Perfetto's import of text and
// this package take differently. With wakings, it has the two events of a
// wakeup that Linux has; without, only the later one.
func parityTrace(wakings bool, steps int) string {
	s := &parityScene{random: rand.New(rand.NewPCG(1, 1)), now: parityStart, waking: "sched_wakeup"}
	if wakings {
		s.waking = "sched_waking"
	}
	for i := range 12 {
		pid := 2000 + 100*(i/3)
		t := &madeThread{thread: thread{comm: fmt.Sprintf("thread%d", i), tid: pid + i%3, pid: pid}}
		switch i {
		case 1, 3, 7:
			t.comm = fmt.Sprintf("a thread %d", i)
		case 4:
			t.former = "parent"
		case 11:
			t.pid = 0 // the column is dashes
		}
		s.threads = append(s.threads, t)
	}
	s.special()
	for range steps {
		s.step()
	}
	return "# tracer: nop\n#\n" + s.String()
}

// line writes a line of what runs on a processor.
func (s *parityScene) line(cpu int, event, format string, args ...any) {
	t := s.running[cpu]
	if t == nil {
		t = &madeThread{thread: thread{comm: "<idle>"}}
	}
	column := "-----"
	if t.pid != 0 {
		column = fmt.Sprintf("%5d", t.pid)
	}
	flags := "...."
	if s.random.IntN(50) == 0 {
		flags = "dNh2...."
	}
	s.lines = append(s.lines, textLine{s.now, fmt.Sprintf("%16s-%-5d (%s) [%03d] %s %5d.%06d: %s: %s\n",
		t.comm, t.tid, column, cpu, flags, s.now/1e6, s.now%1e6, event, fmt.Sprintf(format, args...))})
}

// step makes one thing happen, often at the same time as the one before.
func (s *parityScene) step() {
	if s.random.IntN(2) == 0 {
		s.now += 1 + s.random.Int64N(4)
	}
	cpu := s.random.IntN(len(s.running))
	switch n := s.random.IntN(10); {
	case n < 3:
		s.change(cpu)
	case n < 5:
		s.wake(cpu)
	case s.running[cpu] != nil:
		s.mark(cpu, s.running[cpu])
	default:
		s.line(cpu, "cpu_idle", "state=%d cpu_id=%d", s.random.IntN(3), cpu)
	}
}

// change switches to a thread that is ready, or to idle. A microsecond is too
// short for a thread to come and go in it, or to wake another that runs on
// another processor and go.
func (s *parityScene) change(cpu int) {
	prev := s.running[cpu]
	var next *madeThread
	if i := slices.IndexFunc(s.threads, func(t *madeThread) bool { return t.ready && t.switched < s.now }); i >= 0 {
		next = s.threads[i]
	}
	if next == prev || prev != nil && prev.switched == s.now {
		return
	}
	if next != nil && next.woken == s.now && next.wokenOn != cpu {
		if s.changed[next.wokenOn] == s.now {
			return
		}
		s.settled[next.wokenOn] = s.now
	}
	if s.settled[cpu] == s.now {
		return
	}
	state := []string{"S", "D", "R", "R+", "D|K"}[s.random.IntN(5)]
	if prev == nil {
		state = "R"
	}
	prevName, prevTID := prev.scheduled()
	nextName, nextTID := next.scheduled()
	s.line(cpu, "sched_switch", "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d",
		prevName, prevTID, state, nextName, nextTID, 100+s.random.IntN(20))
	if prev != nil {
		prev.ready, prev.switched = state[0] == 'R', s.now
	}
	if next != nil {
		next.ready, next.switched = false, s.now
		s.threads = append(slices.DeleteFunc(s.threads, func(t *madeThread) bool { return t == next }), next)
	}
	s.running[cpu], s.changed[cpu] = next, s.now
}

// scheduled returns what the scheduler calls the thread.
func (t *madeThread) scheduled() (name string, tid int) {
	switch {
	case t == nil:
		return "swapper", 0
	case t.former != "":
		return t.former, t.tid
	}
	return t.comm, t.tid
}

// wake wakes a thread, or now and then one that is awake.
func (s *parityScene) wake(cpu int) {
	t := s.threads[s.random.IntN(len(s.threads))]
	awake := t.ready || slices.Contains(s.running[:], t)
	if awake && s.random.IntN(10) > 0 || t.switched == s.now && s.changed[cpu] == s.now {
		return
	}
	if !awake && s.random.IntN(3) == 0 {
		s.line(cpu, "sched_blocked_reason", "pid=%d iowait=%d caller=wait_%d+0x1c/0x9b0", t.tid, s.random.IntN(2), s.random.IntN(9))
		s.now += s.random.Int64N(2)
	}
	name, tid := t.scheduled()
	s.line(cpu, s.waking, "comm=%s pid=%d prio=120 target_cpu=%03d", name, tid, s.random.IntN(len(s.running)))
	if s.waking == "sched_waking" {
		s.line(cpu, "sched_wakeup", "comm=%s pid=%d prio=120 target_cpu=%03d", name, tid, s.random.IntN(len(s.running)))
	}
	if !awake {
		t.ready, t.woken, t.wokenOn = true, s.now, cpu
	}
}

// mark lets the running thread do something.
func (s *parityScene) mark(cpu int, t *madeThread) {
	pid := t.pid
	if t.tid >= 2100 && t.tid < 2200 {
		pid = 7 // in a container
	} else if pid == 0 {
		pid = 2300
	}
	mark := func(format string, args ...any) { s.line(cpu, "tracing_mark_write", format, args...) }
	number := s.random.IntN(100)
	switch n := s.random.IntN(14); {
	case n < 4:
		t.depth++
		mark("B|%d|H:slice %d|M0538", pid, number)
	case n < 8:
		if t.depth > 0 {
			t.depth--
			mark("E|%d|M0538", pid)
		}
	case n == 8:
		mark("C|%d|H:counter|%d|M0538", pid, number)
	case n == 9:
		s.line(cpu, "cpu_frequency", "state=%d cpu_id=%d", number, number%2)
	case n == 10:
		s.line(cpu, "clock_set_rate", "clock state=%d cpu_id=%d", number, cpu)
	case n == 11:
		s.async(cpu, pid, number)
	case n == 12:
		s.call(cpu)
	default:
		mark("I|%d|instant", pid)
	}
}

// async begins or ends a slice that no thread owns; any thread may end it.
func (s *parityScene) async(cpu, pid, number int) {
	mark := func(format string, args ...any) { s.line(cpu, "tracing_mark_write", format, args...) }
	begin := fmt.Sprintf("S|%d|H:async %d|%d|M62", pid, number%3, number)
	if number%2 == 0 {
		begin = fmt.Sprintf("G|%d|track %d|name|%d", pid, number%3, number)
	}
	switch i := s.random.IntN(2 * (len(s.open) + 1)); {
	case i < len(s.open):
		f := strings.Split(s.open[i], "|")
		if f[1] != fmt.Sprint(pid) {
			return // from another process, whose number might stand for a container's
		}
		mark("%s|%s", map[string]string{"S": "F", "G": "H"}[f[0]], strings.Join(f[1:], "|"))
		s.open = slices.Delete(s.open, i, i+1)
	case !slices.Contains(s.open, begin):
		mark("%s", begin)
		s.open = append(s.open, begin)
	}
}

// call makes a call through binder, or receives the last one.
func (s *parityScene) call(cpu int) {
	if s.pending && s.called == s.now {
		return // too soon
	}
	if s.pending = !s.pending; s.pending {
		s.calls++
		s.called = s.now
		s.line(cpu, "binder_transaction", "transaction=%d dest_node=3 dest_proc=2000 dest_thread=0 reply=0 flags=0x11 code=0x%x", s.calls, s.calls%20)
		return
	}
	s.line(cpu, "binder_transaction_received", "transaction=%d", s.calls)
}

// special writes what happens once, on threads of its own.
func (s *parityScene) special() {
	who := &madeThread{thread: app}
	lone := func(event, format string, args ...any) {
		s.now++
		s.running[0] = who
		s.line(0, event, format, args...)
		s.running[0] = nil
	}
	for _, payload := range []string{
		"C|200|H:old counter 5", "S|200|H:old slice 7", "F|200|H:old slice 7", "B|200|H:old name ", "E|200| ",
		"C|200|counter |with bars|5", "I|200|instant|with bars", "N|200|track|instant|with bars", "S|200|H:with|bars|3|M62", "F|200|H:with|bars|3|M62",
		"C|200|browser|4|category", "0x0: B|200|after an address", "0x0: E|200", "B|200|cut caf\xc3", "E|200",
		"trace_event_clock_sync: realtime_ts=1750000000000",
	} {
		lone("tracing_mark_write", "%s", payload)
	}
	lone("irq_handler_entry", "irq=16 name=timer")
	lone("irq_handler_exit", "irq=16 ret=handled")
	lone("softirq_entry", "vec=1 [action=TIMER]")
	lone("softirq_exit", "vec=1 [action=TIMER]")
	lone("workqueue_execute_start", "work struct ffffffc0a1b2c3d4: function vmstat_update")
	lone("workqueue_execute_end", "work struct ffffffc0a1b2c3d4: function vmstat_update")
	lone("task_newtask", "pid=2001 comm=parent clone_flags=3d0f00 oom_score_adj=0")
	lone("ufshcd_clk_gating", "gating state changed to CLKS_ON")
	now := s.now
	s.now += 3 * 3600 * 1e6
	lone("tracing_mark_write", "%s", "I|200|astray")
	s.now = now
	s.lines[len(s.lines)-1].at = now // among the others nevertheless

	who = &madeThread{thread: thread{comm: "counting", tid: 950}}
	lone("tracing_mark_write", "%s", "C|949|H:counter|1|M0538")

	frame := vsync{id: 1, now: s.now + 100, end: s.now + 10_100}
	s.appFrame(app, s.now+200, s.now+5000, frame, 1)
	render := vsync{id: 2, now: s.now + 10_100, end: s.now + 20_100}
	s.renderFrame(s.now+10_200, s.now+15_000, render, s.now+10_300, " [200,1]")
}
