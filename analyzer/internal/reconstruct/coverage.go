package reconstruct

import (
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
	cpus     []cpuLines
	silences []silence
	events   int
	wakes    bool // there are wakings on other CPUs
}

// cpuLines are the lines of a CPU.
type cpuLines struct {
	first    trace.Time
	last     trace.Time // zero: none yet
	lines    int
	tid      trace.TID      // of the last line
	several  bool           // there are lines of other threads
	longest  trace.Duration // between two of them
	events   int            // of the trace, up to the last
	switched bool           // its last sched_switch could be parsed
	running  trace.TID      // since that
	woken    int            // threads, since its last line
	wokenAt  trace.Time     // the first of them
}

// silence is an interval without any line.
type silence struct {
	from, to trace.Time
	isGap    bool // a line after it does not fit to one before
	// ended is the thread with an end after it that has no begin.
	ended trace.TID
}

// track adds the next event, at which the time of lines steps from last on.
func (c *coverage) track(e *hitrace.Event, last trace.Time) {
	c.events++
	if last.Known() && e.Time.Sub(last) >= minSilence && len(c.silences) < maxSilences {
		c.silences = append(c.silences, silence{from: last, to: e.Time})
	}
	if cpu := c.cpu(e.CPU); cpu != nil {
		c.trackCPU(cpu, e)
	}
	switch e.Kind {
	case hitrace.WakeupEvent: // sched_waking has the CPU on which the thread ran before
		if w := e.Wakeup(); w != nil && w.TargetCPU != e.CPU {
			if target := c.cpu(w.TargetCPU); target != nil && (target.last.Known() || c.Switches) {
				c.wakes = true
				if target.woken++; target.woken == 1 {
					target.wokenAt = e.Time
				}
			}
		}
	case hitrace.FrequencyEvent:
		c.Frequencies = true
	}
}

func (c *coverage) trackCPU(cpu *cpuLines, e *hitrace.Event) {
	c.endSilence(cpu, e.CPU, e.Time)
	if e.Kind == hitrace.SwitchEvent {
		c.Switches = true
		// What is missing after lost events has a reason of its own.
		s := e.Switch()
		if n := len(c.silences); n > 0 && s != nil && !e.Lost && cpu.switched && cpu.last <= c.silences[n-1].from && s.PrevTID != cpu.running {
			c.silences[n-1].isGap = true
		}
		if cpu.switched = s != nil; cpu.switched {
			cpu.running = s.NextTID
		}
	}
	if cpu.lines++; cpu.lines > 1 {
		cpu.longest = max(cpu.longest, e.Time.Sub(cpu.last))
	} else {
		cpu.first = e.Time
	}
	cpu.several = cpu.several || cpu.lines > 1 && cpu.tid != e.TID
	cpu.last, cpu.tid, cpu.events = e.Time, e.TID, c.events
}

// stops reports whether a CPU has no more lines although the trace goes on.
func (c *coverage) stops(cpu *cpuLines, span analyzer.Interval) bool {
	silent := span.End.Sub(cpu.last)
	if cpu.switched && cpu.running == 0 || !cpu.several || c.wakes && cpu.woken == 0 || cpu.lines < minLines || silent < minStopped || silent < stoppedLonger*cpu.longest {
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

// endSilence ends an interval without lines of a CPU.
func (c *coverage) endSilence(cpu *cpuLines, id trace.CPU, at trace.Time) {
	if cpu.woken >= minWoken && at.Sub(cpu.wokenAt) >= minSilent {
		if addMissing(&c.Silent, cpu.wokenAt, at); c.Silent.Count == 1 {
			c.SilentCPU = id
		}
	}
	cpu.woken = 0
}

func (c *coverage) cpu(id trace.CPU) *cpuLines {
	if id < 0 || id >= maxCPUs {
		return nil
	}
	for int(id) >= len(c.cpus) {
		c.cpus = append(c.cpus, cpuLines{})
	}
	return &c.cpus[id]
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
		c.endSilence(cpu, trace.CPU(i), span.End)
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
