package sampling

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Interval is the time [Start, End).
type Interval struct{ Start, End trace.Time }

func (i Interval) length() trace.Duration { return i.End.Sub(i.Start) }

// Running collects when the threads of a trace ran, and when that is known.
type Running struct {
	limit     int // of intervals
	intervals int
	full      bool
	threads   map[trace.TID][]Interval // when they ran; in order of time after finish
	cpus      []processor              // by number
	traces    []Interval               // of the input, in the order of the input
	current   Interval                 // the trace that is read, if it has events
	switched  bool                     // the input has sched_switch events
	quiet     []Interval               // long times without events of any processor
}

// processor is what is known of a processor.
type processor struct {
	known []Interval // when the thread that runs is known
	on    trace.TID  // the thread that runs, 0 if none or unknown
	since trace.Time // when that thread began to run
	seen  trace.Time // when this time of knowing began, 0 before the first event
	last  trace.Time // the last event
}

// maxProcessors is above the number of processors of any device.
const maxProcessors = 256

// leastQuiet is the time without events of any processor after which the device may have slept.
const leastQuiet = 50 * trace.Millisecond

// NewRunning returns a collector for one input, of at most Limits.States intervals.
func NewRunning(l trace.Limits) *Running {
	return &Running{limit: l.WithDefaults().States, threads: map[trace.TID][]Interval{}}
}

// Sink returns the sink that collects the intervals.
func (r *Running) Sink() hitrace.Sink {
	return hitrace.Sink{
		Begin: r.finish,
		Track: func(_ int, batch *hitrace.Batch) {
			for i := range batch.Events {
				r.track(&batch.Events[i])
			}
		},
	}
}

func (r *Running) track(e *hitrace.Event) {
	if r.full || e.CPU < 0 || e.CPU >= maxProcessors {
		return
	}
	for int(e.CPU) >= len(r.cpus) {
		r.cpus = append(r.cpus, processor{})
	}
	c := &r.cpus[e.CPU]
	if e.Lost && c.seen != 0 { // any thread may have run between
		c.forget(c.last)
	}
	if c.seen == 0 {
		c.seen, c.on, c.since = e.Time, max(e.TID, 0), e.Time
	}
	c.last = e.Time
	if r.current == (Interval{}) {
		r.current.Start = e.Time
	}
	if e.Time.Sub(r.current.End) > leastQuiet && r.current.End != 0 && len(r.quiet) < r.limit {
		r.quiet = append(r.quiet, Interval{r.current.End, e.Time})
	}
	r.current.Start, r.current.End = min(r.current.Start, e.Time), max(r.current.End, e.Time)
	if s, ok := e.Fields.(*hitrace.Switch); ok {
		r.switched = true
		if c.on == s.PrevTID {
			r.add(c, e.Time)
		}
		c.on, c.since = max(s.NextTID, 0), e.Time
	}
}

// add adds the interval of the thread that runs until end.
func (r *Running) add(c *processor, end trace.Time) {
	if c.on <= 0 || end <= c.since {
		return
	}
	if r.intervals == r.limit {
		r.finish()
		r.full = true
		return
	}
	r.threads[c.on] = append(r.threads[c.on], Interval{c.since, end})
	r.intervals++
}

// forget ends the time in which the processor is known.
func (c *processor) forget(end trace.Time) {
	if c.seen < end {
		c.known = append(c.known, Interval{c.seen, end})
	}
	c.on, c.seen = 0, 0
}

// finish ends the current trace. Threads that run then run until its end.
func (r *Running) finish() {
	if r.current == (Interval{}) {
		return
	}
	end := r.current.End
	r.traces, r.current = append(r.traces, r.current), Interval{}
	for i := range r.cpus {
		c := &r.cpus[i]
		if c.seen == 0 {
			continue
		}
		if c.on > 0 && r.intervals == r.limit {
			c.forget(c.since)
			continue
		}
		r.add(c, end)
		c.forget(end)
	}
}

// overlap reports whether traces of the input have times in common.
func (r *Running) overlap() bool {
	list := slices.Clone(r.traces)
	slices.SortFunc(list, byStart)
	for i := 1; i < len(list); i++ {
		if list[i].Start < list[i-1].End {
			return true
		}
	}
	return false
}

// span is from the first event to the last one.
func (r *Running) span() Interval {
	var all Interval
	for i, t := range r.traces {
		if i == 0 {
			all = t
		}
		all.Start, all.End = min(all.Start, t.Start), max(all.End, t.End)
	}
	return all
}

func byStart(a, b Interval) int { return cmp.Compare(a.Start, b.Start) }

// union sorts intervals and joins those that touch. It changes the list.
func union(list []Interval) []Interval {
	if !slices.IsSortedFunc(list, byStart) {
		slices.SortFunc(list, byStart)
	}
	kept := list[:0]
	for _, i := range list {
		if n := len(kept); n > 0 && i.Start <= kept[n-1].End {
			kept[n-1].End = max(kept[n-1].End, i.End)
		} else {
			kept = append(kept, i)
		}
	}
	return kept
}

// total is the sum of the lengths of intervals.
func total(list []Interval) trace.Duration {
	var sum trace.Duration
	for _, i := range list {
		sum += i.length()
	}
	return sum
}
