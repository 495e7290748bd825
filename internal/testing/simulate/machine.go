package simulate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// machine schedules threads on processors and writes what the kernel traces of it.
// It simulates time by events: nothing happens between two of them. Each thread is
// a function that runs as a coroutine: it computes for some time, blocks, wakes
// others and writes markers.
//
// All times are multiples of a unit, the resolution of a line.
type machine struct {
	text    *textWriter
	era     *era
	kernel  Kernel
	seed    uint64
	unit    trace.Duration
	now     trace.Time
	turn    int64  // counts the vsyncs
	current *actor // whose body runs; nil between events
	timers  []timer
	order   uint64
	cores   []*core
	actors  []*actor
	mix     *mixer // counts lines, unless nil

	profiler *profiler // takes samples, unless nil

	raised []string // the interrupts that the handler serves, the first one now or next

	noReasons bool // the kernel has no sched_blocked_reason
	noSched   bool // the trace has no kernel events
	renews    bool // threads have random numbers for each vsync, see actor.renew
	idleLines bool // the kernel has cpu_idle
	scratch   []byte
}

// idleStates are the states from which an idle processor switches.
var idleStates = map[Kernel]string{KernelLinux: "R", KernelHongMeng: "R+"}

type timer struct {
	at    trace.Time
	order uint64
	do    func()
}

// core is a processor.
type core struct {
	index   int
	idle    *thread
	running *actor // nil: idle
	queue   []*actor
	top     int    // the highest frequency, kHz
	speed   int    // the current one, kHz
	serving string // the interrupt that a handler serves
	under   *actor // on Linux, the thread that runs under an interrupt handler
	handler bool
	delayed bool // a switch waits for the end of the interrupt handler
}

// runState is what a thread is doing.
type runState byte

const (
	running   runState = 'r'
	preempted runState = 'p' // was switched out and would go on
	woken     runState = 'w' // was woken and waits for a processor
	blocked   runState = 'b'
)

// actor is a thread of a machine.
type actor struct {
	thread
	m          *machine
	process    string
	name       string
	importance int  // the greater one preempts
	asHandler  bool // on Linux an interrupt handler, not a thread
	resume     func() (request, bool)
	stop       func()
	yield      func(request) bool

	state    runState
	letter   byte       // of a blocked thread: its prev_state
	since    trace.Time // when it blocked
	idle     bool       // blocked because it has nothing to do
	core     *core
	nominal  int            // kHz at which a computation takes its length
	levels   []string       // of the open slices
	left     trace.Duration // of the present computation, at the nominal frequency
	computed trace.Time     // when left was last brought up to date
	epoch    int            // the number of the present plan
	latency  *random        // until it runs after a wakeup
	spelling *random        // how that is written
	random   *random        // for how long things take, if they are renewed
	reason   reason

	container trace.PID      // what the processes of a container call its process; zero elsewhere
	ran       trace.Duration // on a processor, as the switches say, up to since
	onSince   trace.Time     // when it was switched to; zero: it is not on a processor
	sampled   *sampledThread // nil if no samples are taken of it
}

// reason is what sched_blocked_reason says.
type reason struct {
	iowait int
	caller string
}

// request is what a thread asks of the machine.
type request struct {
	compute trace.Duration
	letter  byte // blocks with this state
	reason  reason
	migrate *core
}

func (m *machine) after(d trace.Duration, do func()) { m.at(m.now.Add(d), do) }

// at plans do for time t, rounded up to a unit.
func (m *machine) at(t trace.Time, do func()) {
	t += trace.Time(m.unit) - 1
	t -= t % trace.Time(m.unit)
	m.order++
	e := timer{max(t, m.now), m.order, do}
	i, _ := slices.BinarySearchFunc(m.timers, e, func(a, b timer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	m.timers = slices.Insert(m.timers, i, e)
}

// run simulates until nothing is planned.
func (m *machine) run() {
	for len(m.timers) > 0 {
		e := m.timers[0]
		m.timers = m.timers[1:]
		m.now = e.at
		e.do()
	}
	for _, a := range m.actors {
		a.stop()
	}
}

// newActor adds a thread that has been blocked forever and runs body when it is
// first woken. A body does not return.
func (m *machine) newActor(pid trace.PID, tid trace.TID, process, name string, cpu, importance int, body func(a *actor)) *actor {
	priority := 53 - importance
	if m.kernel == KernelLinux {
		priority = 120 - importance
	}
	name = comm(name)
	a := &actor{
		thread: m.newThread(pid, tid, name, priority), m: m, process: process, name: name,
		importance: importance, core: m.cores[cpu], nominal: m.cores[cpu].top,
		// A thread has random numbers of its own, so that others do not change what it does.
		latency: newRandom(m.seed, 100+2*uint64(tid)), spelling: newRandom(m.seed, 101+2*uint64(tid)),
	}
	a.renew(0)
	a.state, a.letter, a.since = blocked, 'S', m.now
	a.resume, a.stop = iter.Pull(func(yield func(request) bool) {
		defer func() {
			if r := recover(); r != nil && r != any(stopped{}) {
				panic(r)
			}
		}()
		a.yield = yield
		body(a)
	})
	m.actors = append(m.actors, a)
	return a
}

// stream is that of a thread's random numbers for a vsync and a purpose.
func (a *actor) stream(purpose uint64, vsync int64) uint64 {
	return purpose<<62 | uint64(a.tid)<<32 | uint64(uint32(vsync))
}

// renew begins new random numbers for the work on a vsync. What others did, and what the thread did for
// other vsyncs, does not change them: a frame of a scene takes equally long if another one takes longer.
func (a *actor) renew(vsync int64) {
	if a.m.renews {
		a.random = newRandom(a.m.seed, a.stream(3, vsync))
	}
}

// stopped unwinds a body when the simulation is over.
type stopped struct{}

func (a *actor) ask(q request) {
	if !a.yield(q) {
		panic(stopped{})
	}
}

// The methods that a body calls.

// compute uses the processor for d, longer on a slow one.
func (a *actor) compute(d trace.Duration) {
	if d = d - d%a.m.unit; d > 0 {
		a.ask(request{compute: d})
	}
}

// block waits until somebody wakes the thread.
func (a *actor) block(letter byte, why reason) {
	a.ask(request{letter: letter, reason: why})
}

// moveTo continues on another processor.
func (a *actor) moveTo(c *core) { a.ask(request{migrate: c}) }

// begin opens a slice with a free text.
func (a *actor) begin(text, level string) {
	e := a.m.era
	a.mark(func(b []byte) []byte {
		b = append(e.open(b, 'B', a.pid), text...)
		return e.level(append(b, e.nameEnd...), level)
	})
	a.opened(text, level)
}

// beginMark opens a slice in the era's spelling.
func (a *actor) beginMark(m mark, v values) { a.beginList(m, v, nil) }

func (a *actor) beginList(m mark, v values, list func([]byte) []byte) {
	e := a.m.era
	a.mark(func(b []byte) []byte { return e.begin(b, a.pid, m, &v, list) })
	a.opened(e.text[m], e.levels[m])
}

func (a *actor) opened(text, level string) {
	a.levels = append(a.levels, level)
	a.sampled.begin(text)
}

// end closes the innermost slice.
func (a *actor) end() {
	last := len(a.levels) - 1
	pid := a.pid
	if a.levels[last] == "" && a.container != 0 {
		pid = a.container
	}
	a.mark(func(b []byte) []byte { return a.m.era.end(b, pid, a.levels[last]) })
	a.levels = a.levels[:last]
	a.sampled.end()
}

func (a *actor) mark(write func([]byte) []byte) {
	m := a.m
	m.scratch = write(m.scratch[:0])
	m.mix.count(string(m.scratch[:1]))
	m.text.line(a.column, a.core.index, m.text.markFlags, m.now, m.text.markName, m.scratch)
}

// slice is a whole slice in the era's spelling, if the era writes the marker at all.
func (a *actor) slice(m mark, v values, d trace.Duration) {
	if a.m.era.has(m) {
		a.beginMark(m, v)
		a.compute(d)
		a.end()
	}
}

// kernel writes a kernel event in the thread's name.
func (a *actor) kernel(text string) { a.m.kernelLine(a.core, a, false, text) }

// What the machine does.

// proceed plans the end of the computation of a thread that runs, or lets it go on.
func (m *machine) proceed(a *actor) {
	a.computed = m.now
	for a.left == 0 {
		m.current = a
		q, ok := a.resume()
		m.current = nil
		if !ok {
			panic("simulate: the body of " + a.name + " returned")
		}
		switch {
		case q.compute > 0:
			a.left = q.compute
		case q.migrate != nil:
			from := a.core
			a.state = preempted
			m.leave(from, "R+")
			a.core = q.migrate
			m.enqueue(a, 15*trace.Microsecond)
			return
		default:
			a.state, a.letter, a.since, a.reason = blocked, q.letter, m.now, q.reason
			m.leave(a.core, string(q.letter))
			return
		}
	}
	a.computed = m.now
	a.epoch++
	epoch, c := a.epoch, a.core
	need := (a.left*trace.Duration(a.nominal) + trace.Duration(c.speed) - 1) / trace.Duration(c.speed)
	m.after(need, func() {
		if a.epoch == epoch && c.running == a && !c.handler {
			a.left = 0
			m.proceed(a)
		}
	})
}

// charge subtracts what the running thread of c has computed since it was planned.
func (m *machine) charge(c *core) {
	a := c.running
	if a == nil {
		return
	}
	a.sampled.advance()
	if a.left == 0 {
		return
	}
	done := m.now.Sub(a.computed) * trace.Duration(c.speed) / trace.Duration(a.nominal)
	a.left = max(a.left-done, m.unit)
	a.computed = m.now
	a.epoch++
}

// leave switches c away from its running thread, whose new state is set already.
func (m *machine) leave(c *core, state string) {
	var next *actor
	if len(c.queue) > 0 {
		next = m.dequeue(c)
	}
	m.switchTo(c, next, state)
}

func (m *machine) dequeue(c *core) *actor {
	best := 0
	for i, a := range c.queue {
		if a.importance > c.queue[best].importance {
			best = i
		}
	}
	a := c.queue[best]
	c.queue = slices.Delete(c.queue, best, best+1)
	return a
}

func (m *machine) switchTo(c *core, next *actor, state string) {
	prev := c.running
	m.switchLine(c, prev, next, state)
	c.running = next
	if next != nil {
		next.state = running
		m.proceed(next)
	}
}

// enqueue makes a thread wait for its processor, which looks at it after the latency.
func (m *machine) enqueue(a *actor, latency trace.Duration) {
	c := a.core
	c.queue = append(c.queue, a)
	m.after(latency, func() { m.reschedule(c) })
}

// reschedule lets the most important waiting thread run if it may.
func (m *machine) reschedule(c *core) {
	if c.handler {
		c.delayed = true
		return
	}
	if len(c.queue) == 0 {
		return
	}
	if c.running == nil {
		m.switchTo(c, m.dequeue(c), idleStates[m.kernel])
		return
	}
	next := m.dequeue(c)
	if next.importance <= c.running.importance {
		c.queue = append(c.queue, next)
		return
	}
	m.charge(c)
	prev := c.running
	prev.state = preempted
	c.queue = slices.Insert(c.queue, 0, prev)
	m.switchTo(c, next, "R+")
}

// wake wakes a blocked thread in the name of by; without one, an interrupt on the
// processor of the thread wakes it. Threads that are not blocked stay as they are.
func (m *machine) wake(a, by *actor) {
	if a.state != blocked {
		return
	}
	a.state = woken
	if m.renews { // all wakeups between two vsyncs take equally long to take effect
		a.latency, a.spelling = newRandom(m.seed, a.stream(1, m.turn)), newRandom(m.seed, a.stream(2, m.turn))
	}
	m.wakeLines(a, by)
	m.enqueue(a, a.latency.between(12, 28)*trace.Microsecond)
}

// wakeLines writes what the kernel traces of a wakeup: HongMeng one event and then
// the reason; Linux the waking, the reason, and the wakeup, which may come from the
// other processor.
func (m *machine) wakeLines(a, by *actor) {
	at, irq := a.core, by == nil || by.asHandler
	if by == nil {
		by = at.running
	} else {
		at = by.core
	}
	why := ""
	if a.reason.caller != "" && !m.noReasons {
		why = "sched_blocked_reason: pid=" + strconv.Itoa(int(a.tid)) + " iowait=" + strconv.Itoa(a.reason.iowait) + " caller=" + a.reason.caller
	}
	a.reason = reason{}
	who := a.asWoken + string(appendPadded(nil, int64(a.core.index), 3, '0'))
	if m.kernel == KernelHongMeng {
		m.kernelLine(at, by, false, "sched_wakeup: "+who)
		if why != "" {
			m.kernelLine(at, by, false, why+" delay="+strconv.FormatInt(int64(m.now.Sub(a.since))>>10, 10))
		}
		return
	}
	if a.asHandler {
		return
	}
	remote := a.spelling.chance(0.5)
	m.kernelLine(at, by, irq, "sched_waking: "+who)
	if why != "" && a.letter == 'D' {
		m.kernelLine(at, by, irq, why)
	}
	if remote {
		at, by, irq = a.core, a.core.running, true
	}
	m.kernelLine(at, by, irq, "sched_wakeup: "+who)
}

// interruptCore runs a handler on c for d. Nothing else happens there meanwhile.
func (m *machine) interruptCore(c *core, irq int, name string, d trace.Duration) {
	if c.handler {
		return
	}
	m.charge(c)
	c.handler = true
	m.kernelLine(c, c.running, true, "irq_handler_entry: irq="+strconv.Itoa(irq)+" name="+name)
	m.after(d, func() {
		m.kernelLine(c, c.running, true, "irq_handler_exit: irq="+strconv.Itoa(irq)+" ret=handled")
		if a := c.running; a != nil {
			a.sampled.advance()
		}
		c.handler = false
		if a := c.running; a != nil {
			m.proceed(a)
		}
		if c.delayed {
			c.delayed = false
			m.reschedule(c)
		}
	})
}

// setFrequency changes the frequency of processors that share a clock.
func (m *machine) setFrequency(from, to, kHz int) {
	for _, c := range m.cores[from:to] {
		m.charge(c)
		c.speed = kHz
		m.kernelLine(m.cores[from], m.cores[from].running, false, "cpu_frequency: state="+strconv.Itoa(kHz)+" cpu_id="+strconv.Itoa(c.index))
		if a := c.running; a != nil && a.left > 0 && !c.handler {
			m.proceed(a)
		}
	}
}

// runTime returns how long a thread has run.
func (a *actor) runTime() trace.Duration {
	if a.onSince == 0 {
		return a.ran
	}
	return a.ran + a.m.now.Sub(a.onSince)
}

func (m *machine) switchLine(c *core, prev, next *actor, state string) {
	linux := m.kernel == KernelLinux
	switch {
	case linux && next != nil && next.asHandler:
		if prev != nil && prev.state == blocked {
			m.switchLine(c, prev, nil, state)
			prev = nil
		}
		c.under = prev
		if c.serving = storageInterrupt; len(m.raised) > 0 {
			c.serving = m.raised[0]
		}
		m.kernelLine(c, nil, true, interruptLine(c.serving, true))
		return
	case linux && prev != nil && prev.asHandler:
		m.kernelLine(c, nil, true, interruptLine(c.serving, false))
		if prev, c.under = c.under, nil; prev == next {
			return
		}
		state = "R+"
		if prev == nil {
			state = idleStates[m.kernel]
		}
	}
	from, to := c.idle, c.idle
	owner := prev
	if prev != nil {
		prev.sampled.switchOut()
		prev.ran, prev.onSince = prev.runTime(), 0
		from = &prev.thread
	}
	if next != nil {
		next.onSince = m.now
		next.sampled.switchIn()
		to = &next.thread
	}
	if m.kernel == KernelHongMeng { // the thread named first in the line is the one that starts
		owner = next
	}
	if prev == nil && m.idleLines {
		m.kernelLine(c, nil, false, "cpu_idle: state=4294967295 cpu_id="+strconv.Itoa(c.index))
	}
	m.kernelLine(c, owner, false, "sched_switch: "+from.asPrev+state+to.asNext)
	if next == nil && m.idleLines {
		m.kernelLine(c, nil, false, "cpu_idle: state=0 cpu_id="+strconv.Itoa(c.index))
	}
}

// The interrupts of devices. Those in capitals are softirqs.
const (
	storageInterrupt = "ufshcd"
	gpuInterrupt     = "mali_gpu"
	displayInterrupt = "dpu_crtc0"
	networkInterrupt = "NET_RX"
	timerInterrupt   = "arch_timer"
)

// interruptLine returns the event with which the handler of an interrupt begins or ends.
func interruptLine(name string, begins bool) string {
	switch {
	case name == networkInterrupt && begins:
		return "softirq_entry: vec=3 [action=NET_RX]"
	case name == networkInterrupt:
		return "softirq_exit: vec=3 [action=NET_RX]"
	case begins:
		return "irq_handler_entry: irq=34 name=" + name
	}
	return "irq_handler_exit: irq=34 ret=handled"
}

// kernelLine writes a kernel event on processor c in the name of a thread; of the
// idle thread, if it is nil.
func (m *machine) kernelLine(c *core, by *actor, irq bool, text string) {
	if m.noSched {
		return
	}
	name, _, _ := strings.Cut(text, ":")
	m.mix.count(name)
	column, flags := c.idle.column, m.text.kernelFlags
	irq = irq || by != nil && by.asHandler
	if m.kernel == KernelLinux && (by == nil || by.asHandler) {
		by = c.under
	}
	if by != nil {
		column = by.column
	}
	if irq && m.kernel == KernelLinux {
		flags = "d.h2"
	}
	m.text.line(column, c.index, flags, m.now, "", append(m.scratch[:0], text...))
}

// thread has the texts that name a thread.
type thread struct {
	pid     trace.PID
	tid     trace.TID
	column  []byte // the line up to the processor
	asPrev  string // its part of sched_switch when it stops
	asNext  string // and when it starts
	asWoken string // its part of sched_wakeup
}

const commBytes = 15

func (m *machine) newThread(pid trace.PID, tid trace.TID, comm string, priority int) thread {
	t := thread{pid: pid, tid: tid, column: m.text.column(comm, pid, tid)}
	m.name(&t, comm, int(tid), priority, "3fff,21,3,0,0,0")
	return t
}

// newCore makes a processor and its idle thread. HongMeng has an ordinary thread for it,
// which nevertheless has id 0 in switches.
func (m *machine) newCore(top int) *core {
	cpu, t := len(m.cores), new(thread)
	if m.kernel == KernelHongMeng {
		comm := fmt.Sprintf("tppmgr-idle-%d", cpu)
		t.column = m.text.column(comm, 2, trace.TID(270+cpu))
		m.name(t, comm, 0, -2, fmt.Sprintf("%x,0,0,0,0,0", 1<<cpu))
	} else {
		t.column = m.text.column("<idle>", trace.UnknownPID, 0)
		m.name(t, fmt.Sprintf("swapper/%d", cpu), 0, 120, "")
	}
	c := &core{index: cpu, idle: t, top: top, speed: top}
	m.cores = append(m.cores, c)
	return c
}

func (m *machine) name(t *thread, comm string, tid, priority int, info string) {
	t.asPrev = fmt.Sprintf("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=", comm, tid, priority)
	t.asNext = fmt.Sprintf(" ==> next_comm=%s next_pid=%d next_prio=%d", comm, tid, priority)
	if m.kernel == KernelHongMeng {
		t.asNext += " next_info=" + info
	}
	t.asWoken = fmt.Sprintf("comm=%s pid=%d prio=%d target_cpu=", comm, tid, priority)
}

// comm is how a name becomes one: the system keeps its end.
func comm(s string) string { return s[max(0, len(s)-commBytes):] }
