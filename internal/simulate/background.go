package simulate

import (
	"fmt"

	"ohframe/analyzer/trace"
)

// background is all the rest of the device. It works on processors of its own,
// called lanes, and fills the trace up to a number of lines a second so that,
// together with the pipeline's lines, the mix is that of a real capture.
type background struct {
	s     *sim
	mixer *mixer
	lanes []*lane
	texts []template // of slices

	transaction int64 // of the last binder call
	page        int64
}

const laneCount = 4

func (s *sim) newBackground() *background {
	b := &background{s: s, mixer: newMixer(linuxMix), transaction: 12_000_000}
	if s.config.Kernel == KernelHongMeng {
		b.mixer = newMixer(captureMix)
	}
	if s.config.Background == 0 {
		return b
	}
	for _, text := range sliceTexts {
		b.texts = append(b.texts, parseTemplate(text.text))
	}
	b.lanes = make([]*lane, laneCount)
	return b
}

// begin staffs the lanes; the processors must be there.
func (b *background) begin(s *sim) {
	for cpu := range b.lanes {
		l := &lane{b: b, cpu: cpu, idle: s.scheduler.cpus[cpu].idle}
		for i, name := range backgroundThreads {
			pid := trace.PID(600 + 10*(i/3))
			t := s.newThread(pid, trace.TID(3000+100*cpu+i), fmt.Sprintf(name, cpu), 40+i)
			t.cpu = cpu
			l.asleep = append(l.asleep, t)
		}
		b.lanes[cpu] = l
	}
}

func (b *background) count(c category) { b.mixer.count(c) }

// fill plans background work between two times so that the lines asked for by
// then are there. The pipeline's own lines are known up to the vsync before.
func (b *background) fill(from, to trace.Time) {
	if len(b.lanes) == 0 {
		return
	}
	since := int64(to) - int64(b.s.traceTime(firstVsync))
	missing := int64(b.s.config.Background)*(since/1000)/1_000_000 - b.mixer.lines
	if missing <= 0 {
		return
	}
	for _, l := range b.lanes {
		l.fill(from, to, missing/int64(len(b.lanes)))
	}
}

// end lets all running threads finish.
func (b *background) end() {
	for _, l := range b.lanes {
		if l.running != nil {
			l.stopThread()
		}
	}
}

// lane is one processor with a handful of threads that share it.
type lane struct {
	b       *background
	cpu     int
	idle    *thread
	t       trace.Time
	step    trace.Duration // mean time between lines
	running *thread        // nil: idle
	ready   []*thread      // woken or preempted
	asleep  []*thread
}

func (l *lane) fill(from, to trace.Time, lines int64) {
	if lines <= 0 {
		return
	}
	l.t = max(l.t, from)
	l.step = max(to.Sub(l.t)/trace.Duration(lines), trace.Nanosecond)
	target := l.b.mixer.lines + lines
	for l.t < to && l.b.mixer.lines < target {
		if l.running == nil {
			l.startThread()
		} else {
			l.act(l.b.mixer.next(l.b.s.noise))
		}
	}
}

// pass moves on to the time of the next line.
func (l *lane) pass() {
	l.t = l.t.Add(l.b.s.noise.between(0, 2*l.step))
}

// startThread wakes one and switches to it from idle.
func (l *lane) startThread() {
	if l.b.mixer.lacks(idleCategory) > 0 {
		l.idleLine(0)
		l.pass()
		l.idleLine(4294967295)
	}
	if len(l.ready) == 0 {
		l.wake()
	}
	l.switchTo(l.pop(), "")
}

// act plans one more thing in the running thread's time.
func (l *lane) act(c category) {
	switch c {
	case switchCategory, idleCategory:
		l.stopThread()
	case wakeupCategory, blockedCategory:
		l.wake()
	case endCategory:
		if len(l.running.open) > 0 {
			l.endSlice()
		} else {
			l.beginSlice()
		}
	case beginCategory:
		if len(l.running.open) < 6 {
			l.beginSlice()
		} else {
			l.endSlice()
		}
	case counterCategory, instantCategory, trackBeginCategory, trackEndCategory, trackInstantCategory:
		l.mark(c)
	case pageAddCategory, pageDeleteCategory:
		l.pages(c)
	default:
		l.kernel(c, l.running)
	}
}

// stopThread ends the running thread's turn. It goes to sleep, or, if there have been
// enough wakings, stays runnable.
func (l *lane) stopThread() {
	for len(l.running.open) > 0 {
		l.endSlice()
	}
	state := "S"
	if l.b.mixer.lacks(wakeupCategory) < 0 {
		state = l.b.s.kernel.preempted
	}
	next := l.pop()
	if next == nil && state == "S" && l.b.mixer.lacks(idleCategory) <= 0 && l.b.mixer.lacks(wakeupCategory) > 0 {
		l.wake()
		next = l.pop()
	}
	l.switchTo(next, state)
}

// pop returns and removes the thread that has waited longest for the processor.
func (l *lane) pop() *thread {
	if len(l.ready) == 0 {
		return nil
	}
	t := l.ready[0]
	l.ready = append(l.ready[:0], l.ready[1:]...)
	return t
}

// switchTo changes the running thread; nil is idle.
func (l *lane) switchTo(next *thread, state string) {
	prev := l.running
	switch {
	case prev == nil:
		prev, state = l.idle, l.b.s.kernel.idleState
	case state == "S":
		l.asleep = append(l.asleep, prev)
	default:
		l.ready = append(l.ready, prev)
	}
	l.running = next
	if next == nil {
		next = l.idle
	}
	owner := prev
	if l.b.s.kernel.nextOwnsSwitch {
		owner = next
	}
	l.line(switchCategory, owner, func(b []byte) []byte { return appendSwitch(b, prev, next, state) })
}

// wake makes a sleeping thread ready.
func (l *lane) wake() {
	if len(l.asleep) == 0 {
		l.stopThread()
		return
	}
	owner := l.running
	if owner == nil {
		owner = l.idle
	}
	i := l.b.s.noise.below(int64(len(l.asleep)))
	t := l.asleep[i]
	l.asleep = append(l.asleep[:i], l.asleep[i+1:]...)
	l.ready = append(l.ready, t)
	if l.b.mixer.lacks(blockedCategory) > 0 {
		slept := l.b.s.noise.between(100*trace.Microsecond, 90*trace.Millisecond)
		l.line(blockedCategory, owner, func(b []byte) []byte { return l.b.s.kernel.blocked(b, int(t.tid), slept) })
	}
	l.line(wakeupCategory, owner, func(b []byte) []byte {
		b = append(b, "sched_wakeup: "...)
		b = append(b, t.asWoken...)
		return appendPadded(b, int64(l.cpu), 3, '0')
	})
}

// line plans a line of the kernel's.
func (l *lane) line(c category, owner *thread, write func([]byte) []byte) {
	l.plan(noiseKernelEvent, c, owner, write)
}

func (l *lane) plan(kind eventKind, c category, owner *thread, write func([]byte) []byte) {
	s := l.b.s
	e := event{kind: kind, time: s.tick(l.t), thread: owner}
	s.events.text(&e, write)
	s.events.push(e)
	l.b.mixer.count(c)
	l.pass()
}
