package simulate

import (
	"strconv"

	"ohframe/analyzer/trace"
)

// scheduler assigns threads to processors and writes the kernel's lines about it. There
// are as many processors as threads of the pipeline, so that each finds a free one and
// starts at its planned time. Background work has processors of its own before them.
type scheduler struct {
	first int // the pipeline's first processor
	cpus  []processor
}

type processor struct {
	idle     *thread
	running  *thread // nil when idle
	promised bool    // a woken thread is about to run here
	state    int     // index of its frequency
}

func (p *processor) current() *thread {
	if p.running == nil {
		return p.idle
	}
	return p.running
}

// pick promises the thread a free processor, the one it last ran on if possible.
func (c *scheduler) pick(t *thread) int {
	free := func(cpu int) bool { return c.cpus[cpu].running == nil && !c.cpus[cpu].promised }
	cpu := t.lastCPU
	if cpu == noCPU || !free(cpu) {
		for cpu = c.first; !free(cpu); cpu++ {
		}
	}
	c.cpus[cpu].promised = true
	t.lastCPU = cpu
	return cpu
}

// write puts one event on its processor and into the trace.
func (s *sim) write(e *event, text []byte) {
	t := e.thread
	switch e.kind {
	case markEvent:
		if e.late != nil {
			s.scratch = e.late(s.scratch[:0])
			text = s.scratch
		}
		s.background.count(markCategory(text))
		s.text.line(t.column, t.cpu, s.text.markFlags, e.time, s.text.markName, text)
	case noiseMarkEvent:
		s.text.line(t.column, t.cpu, s.text.markFlags, e.time, s.text.markName, text)
	case noiseKernelEvent:
		s.text.line(t.column, t.cpu, s.text.kernelFlags, e.time, "", text)
	case wakeEvent:
		s.wake(e)
	case runEvent:
		t.cpu = t.lastCPU
		cpu := &s.scheduler.cpus[t.cpu]
		s.switchLine(t.cpu, e.time, cpu.idle, t, s.kernel.idleState)
		cpu.running, cpu.promised = t, false
		if s.noise.chance(s.config.Chances.FrequencyNoise) {
			s.changeFrequency(t.cpu, e.time)
		}
	case stopEvent:
		cpu := &s.scheduler.cpus[t.cpu]
		s.switchLine(t.cpu, e.time, t, cpu.idle, string(e.state))
		cpu.running = nil
		t.cpu, t.sleepsSince = noCPU, e.time
	}
}

// wake writes the waking from where the waker runs; with no waker running, an
// interrupt on the processor it is for does it.
func (s *sim) wake(e *event) {
	t := e.thread
	cpu := s.scheduler.pick(t)
	if s.config.Kernel == KernelNone {
		return
	}
	at := cpu
	if e.by != nil && e.by.cpu != noCPU {
		at = e.by.cpu
	}
	owner := s.scheduler.cpus[at].current()
	if e.state == 'D' {
		s.kernelLine(blockedCategory, owner, at, e.time, s.kernel.blocked(s.scratch[:0], int(t.tid), e.time.Sub(t.sleepsSince)))
	}
	b := append(s.scratch[:0], "sched_wakeup: "...)
	b = append(b, t.asWoken...)
	b = appendPadded(b, int64(cpu), 3, '0')
	s.kernelLine(wakeupCategory, owner, at, e.time, b)
}

func (s *sim) switchLine(cpu int, t trace.Time, prev, next *thread, state string) {
	if s.config.Kernel == KernelNone {
		return
	}
	owner := prev
	if s.kernel.nextOwnsSwitch {
		owner = next
	}
	s.kernelLine(switchCategory, owner, cpu, t, appendSwitch(s.scratch[:0], prev, next, state))
}

func appendSwitch(b []byte, prev, next *thread, state string) []byte {
	b = append(b, "sched_switch: "...)
	b = append(b, prev.asPrev...)
	b = append(b, state...)
	return append(b, next.asNext...)
}

// frequencies in kHz that processors change between.
var frequencies = [...]int64{418000, 840000, 1530000, 1880000, 2270000}

func (s *sim) changeFrequency(cpu int, t trace.Time) {
	if s.config.Kernel == KernelNone {
		return
	}
	p := &s.scheduler.cpus[cpu]
	p.state = (p.state + 1 + int(s.noise.below(int64(len(frequencies)-1)))) % len(frequencies)
	b := append(s.scratch[:0], "cpu_frequency: state="...)
	b = strconv.AppendInt(b, frequencies[p.state], 10)
	b = append(b, " cpu_id="...)
	b = strconv.AppendInt(b, int64(cpu), 10)
	s.kernelLine(frequencyCategory, p.current(), cpu, t, b)
}

func (s *sim) kernelLine(c category, owner *thread, cpu int, t trace.Time, text []byte) {
	s.scratch = text
	s.background.count(c)
	s.text.line(owner.column, cpu, s.text.kernelFlags, t, "", text)
}
