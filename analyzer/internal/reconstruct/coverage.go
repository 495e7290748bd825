package reconstruct

import (
	"cmp"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// addMissing counts an interval in which lines are missing.
func addMissing(m *analyzer.Missing, from, to trace.Time) {
	if m.Count++; m.Count == 1 {
		m.At = from
	}
	m.Total += to.Sub(from)
}

// mergeMissing adds the intervals of a later trace.
func mergeMissing(m *analyzer.Missing, other analyzer.Missing) {
	if m.Count == 0 {
		m.At = other.At
	}
	m.Count += other.Count
	m.Total += other.Total
}

// mergeCoverage adds what a later trace of the input lacks.
func mergeCoverage(c, other *analyzer.Coverage) {
	if c.Silent.Count == 0 {
		c.SilentCPU = other.SilentCPU
	}
	if c.Stopped.Count == 0 {
		c.StoppedCPU = other.StoppedCPU
	}
	mergeMissing(&c.Stopped, other.Stopped)
	mergeMissing(&c.Gaps, other.Gaps)
	mergeMissing(&c.Silent, other.Silent)
	c.CPUs = max(c.CPUs, other.CPUs)
	c.Switches = c.Switches || other.Switches
	c.Frequencies = c.Frequencies || other.Frequencies
}

const (
	// minSilence is the shortest interval without any line that may be a gap. Displays
	// have a vsync more often than that.
	minSilence = 20 * trace.Millisecond
	// silenceLines is how many lines a gap would have at the mean rate of the trace:
	// a trace with few lines has intervals without any.
	silenceLines = 20
	// minWoken and minSilent are the wakings on a CPU and the time without a line of it
	// that show that its lines are missing: a thread that is woken runs soon.
	minWoken  = 10
	minSilent = 100 * trace.Millisecond
	// A CPU stops if it had minLines lines, none for minStopped and stoppedLonger times longer
	// than ever before, while the others have stoppedRate or more of the lines they had: a
	// trace that ends with an idle display has fewer. One that is idle by its last line needs no
	// more, nor one whose lines are those of a single thread, which may be blocked, nor one on
	// which no thread is woken, if wakings are recorded: its thread runs on.
	minLines      = 100
	minStopped    = trace.Second
	stoppedLonger = 20
	stoppedRate   = 0.8
	// maxCPUs bounds the CPUs that are watched. Kernels of devices support at most 64.
	maxCPUs = 1024
	// maxSilences bounds the intervals that are stored. Each may be a gap.
	maxSilences = 1 << 16
)

// coverage collects what a trace lacks while it is read.
type coverage struct {
	analyzer.Coverage
	cpus     cpuList
	silences []silence
	events   int
	wakes    bool // there are wakings on other CPUs
}

type cpuLines struct {
	first   trace.Time
	last    trace.Time // zero: none yet
	lines   int
	tid     trace.TID      // of the last line
	several bool           // there are lines of other threads
	longest trace.Duration // between two of them
	events  int            // of the trace, up to the last
	woken   wakings        // since its last line
	// switches: it has a sched_switch, switched: the last one could be parsed, running: and the
	// thread that runs since then.
	switches, switched bool
	running            trace.TID
	// early and late are threads that are woken before the first line in a block: before its first
	// sched_switch, and after it. Early ones count if the CPU, or the trace, has lines or a
	// sched_switch before the block.
	early, late wakings
}

// wakings counts the threads that are woken on a CPU.
type wakings struct {
	count int
	first trace.Time
}

func (w *wakings) add(other wakings) {
	if w.count == 0 {
		w.first = other.first
	}
	w.count += other.count
}

// silence reports whether a CPU with its next line at a time lacks lines.
func (w *wakings) silence(at trace.Time) bool {
	return w.count >= minWoken && at.Sub(w.first) >= minSilent
}

func (c *cpuLines) addLine(at trace.Time, tid trace.TID) {
	if c.lines++; c.lines > 1 {
		c.longest = max(c.longest, at.Sub(c.last))
		c.several = c.several || c.tid != tid
	} else {
		c.first = at
	}
	c.last, c.tid = at, tid
}

// cpuList are CPUs by number.
type cpuList []cpuLines

// cpu returns a CPU, nil for one that no device has.
func (l *cpuList) cpu(id trace.CPU) *cpuLines {
	if id < 0 || id >= maxCPUs {
		return nil
	}
	for int(id) >= len(*l) {
		*l = append(*l, cpuLines{})
	}
	return &(*l)[id]
}

// coverageScan is what the lines of a block say.
type coverageScan struct {
	cpus                         cpuList
	switches, frequencies, wakes bool
}

func (s *coverageScan) reset() {
	clear(s.cpus)
	s.switches, s.frequencies, s.wakes = false, false, false
}

// wake adds a thread that is woken by a line of another CPU.
func (s *coverageScan) wake(id trace.CPU, at trace.Time) {
	c := s.cpus.cpu(id)
	switch {
	case c == nil:
	case c.lines > 0, s.switches:
		c.woken.add(wakings{1, at})
		s.wakes = true
	default:
		c.early.add(wakings{1, at})
	}
}

// silence is an interval without any line.
type silence struct {
	from, to trace.Time
	isGap    bool // a line after it does not fit to one before
	// ended is the thread with an end after it that has no begin.
	ended trace.TID
}

// jump notes that the time of lines went on at once.
func (c *coverage) jump(from, to trace.Time) {
	if to.Sub(from) >= minSilence && len(c.silences) < maxSilences {
		c.silences = append(c.silences, silence{from: from, to: to})
	}
}

// wake adds the threads that are woken on a CPU before its first line in a block.
func (c *coverage) wake(cpu, block *cpuLines) {
	if block.early.count > 0 && (cpu.last.Known() || c.Switches) {
		c.wakes = true
		cpu.woken.add(block.early)
	}
	if block.late.count > 0 {
		cpu.woken.add(block.late)
	}
}

// begin adds the first line of a CPU in a block.
func (c *coverage) begin(block *cpuLines, e *hitrace.Event) {
	cpu := c.cpus.cpu(e.CPU)
	c.wake(cpu, block)
	c.endSilence(cpu.woken, e.CPU, e.Time)
	if cpu.woken = (wakings{}); cpu.lines > 0 {
		cpu.longest = max(cpu.longest, e.Time.Sub(cpu.last))
		cpu.several = cpu.several || cpu.tid != e.TID
	}
}

// beginSwitches adds the first switch of a CPU in a block, whose line before it in the block was at
// a time.
func (c *coverage) beginSwitches(last trace.Time, e *hitrace.Event) {
	cpu := c.cpus.cpu(e.CPU)
	// What is missing after lost events has a reason of its own.
	if s := e.Switch(); s != nil && cpu.switched && s.PrevTID != cpu.running && !e.Lost {
		c.gap(cmp.Or(last, cpu.last))
	}
}

// gap notes that a switch is missing after a line of a CPU.
func (c *coverage) gap(last trace.Time) {
	if n := len(c.silences); n > 0 && last <= c.silences[n-1].from {
		c.silences[n-1].isGap = true
	}
}

// merge adds a block of events, whose actions have been applied.
func (c *coverage) merge(block *coverageScan, events int) {
	for i := range block.cpus {
		b, cpu := &block.cpus[i], c.cpus.cpu(trace.CPU(i))
		if b.lines == 0 {
			b.late = b.woken
			c.wake(cpu, b)
			continue
		}
		if cpu.lines == 0 {
			cpu.first = b.first
		}
		cpu.lines += b.lines
		cpu.longest, cpu.several = max(cpu.longest, b.longest), cpu.several || b.several
		cpu.last, cpu.tid, cpu.woken, cpu.events = b.last, b.tid, b.woken, c.events+b.events
		if b.switches {
			cpu.switched, cpu.running = b.switched, b.running
		}
	}
	c.events += events
	c.wakes = c.wakes || block.wakes
	c.Switches = c.Switches || block.switches
	c.Frequencies = c.Frequencies || block.frequencies
}

// stops reports whether a CPU has no more lines although the trace goes on.
func (c *coverage) stops(cpu *cpuLines, span analyzer.Interval) bool {
	silent := span.End.Sub(cpu.last)
	if cpu.switched && cpu.running == 0 || !cpu.several || c.wakes && cpu.woken.count == 0 || cpu.lines < minLines || silent < minStopped || silent < stoppedLonger*cpu.longest {
		return false
	}
	before := float64(cpu.events-cpu.lines) / float64(max(1, cpu.last.Sub(span.Start)))
	after := float64(c.events-cpu.events) / float64(silent)
	return after >= stoppedRate*before
}

// complete returns the part of the trace in which no CPU lacks lines at the edges. Where older
// lines were overwritten, those of the CPUs with the most lines begin at different times.
func (c *coverage) complete(span analyzer.Interval, overwritten bool) analyzer.Interval {
	most := 0
	for i := range c.cpus {
		most = max(most, c.cpus[i].lines)
	}
	part := span
	for i := range c.cpus {
		cpu := &c.cpus[i]
		if overwritten && 2*cpu.lines >= most {
			part.Start = max(part.Start, cpu.first)
		}
		if c.stops(cpu, span) {
			part.End = min(part.End, cpu.last)
		}
	}
	return part
}

// endSilence ends an interval without lines of a CPU on which threads were woken.
func (c *coverage) endSilence(woken wakings, id trace.CPU, at trace.Time) {
	if woken.silence(at) {
		if addMissing(&c.Silent, woken.first, at); c.Silent.Count == 1 {
			c.SilentCPU = id
		}
	}
}

// endLost notes that an end of a slice is missing on a thread between two times: if there was
// silence, it was a gap.
func (c *coverage) endLost(from, to trace.Time) {
	if s := c.silenceIn(from, to); s != nil {
		s.isGap = true
	}
}

// beginLost notes that a begin of a slice is missing on a thread between two times, or that
// the slice is older than the trace. Only in a gap do several threads lack begins.
func (c *coverage) beginLost(tid trace.TID, from, to trace.Time) {
	if s := c.silenceIn(from, to); s != nil {
		s.isGap = s.isGap || s.ended != 0 && s.ended != tid
		s.ended = tid
	}
}

// silenceIn returns the last interval without any line between two times; nil without one.
func (c *coverage) silenceIn(from, to trace.Time) *silence {
	if !from.Known() {
		return nil
	}
	for i := len(c.silences) - 1; i >= 0 && c.silences[i].from >= from; i-- {
		if c.silences[i].to <= to {
			return &c.silences[i]
		}
	}
	return nil
}

// finish ends the trace.
func (c *coverage) finish(span analyzer.Interval) *analyzer.Coverage {
	for i := range c.cpus {
		cpu := &c.cpus[i]
		stops := c.stops(cpu, span)
		c.endSilence(cpu.woken, trace.CPU(i), span.End)
		if cpu.last.Known() {
			c.CPUs++
		}
		if stops {
			if addMissing(&c.Stopped, cpu.last, span.End); c.Stopped.Count == 1 {
				c.StoppedCPU = trace.CPU(i)
			}
		}
	}
	for _, s := range c.silences {
		if s.isGap && float64(s.to.Sub(s.from))*float64(c.events) >= silenceLines*float64(span.Duration()) {
			addMissing(&c.Gaps, s.from, s.to)
		}
	}
	return &c.Coverage
}
