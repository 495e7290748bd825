package dumpsys

import (
	"cmp"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Bounds that do not depend on the frame interval. A stage that took longer than
// hung means that the application does not respond; it does not count as slow.
const (
	hung  = 10 * trace.Second
	davey = 700 * trace.Millisecond
)

// cause is a stage that makes a frame late if it is longer than the given share of the
// interval.
type cause struct {
	class    analyzer.StatsJank
	from, to column
	share    float64
}

// causes are the stages. A share of 0 means a nanosecond.
var causes = [...]cause{
	{analyzer.StatsMissedVsync, intendedVsync, vsync, 0},
	{analyzer.StatsSlowUI, vsync, syncStart, 0.5},
	{analyzer.StatsSlowSync, syncStart, issueDrawCommandsStart, 0.2},
	{analyzer.StatsSlowDraw, issueDrawCommandsStart, frameCompleted, 0.75},
}

// causesOf returns why a frame missed its deadline.
func causesOf(r *row, interval trace.Duration) analyzer.StatsJank {
	var found analyzer.StatsJank
	for _, c := range causes {
		took, bound := r.between(c.from, c.to), max(trace.Nanosecond, trace.Duration(c.share*float64(interval)))
		if took >= bound && took < hung {
			found |= c.class
		}
	}
	if r.between(intendedVsync, frameCompleted) >= davey {
		found |= analyzer.StatsDavey
	}
	return found
}

// highLatency is the time from the oldest input to the vsync from which on Android 6 to 8.1
// count high input latency, as a share of the interval.
const highLatency = 1.5

// firstClasses returns the classes of a frame as Android 6 to 8.1 count them: any frame of an
// interval or more is janky. What Android 8 forgives a frame that waited for a buffer depends on
// the display, and is not in the dump.
func (r *row) firstClasses(interval trace.Duration) analyzer.StatsJank {
	if r.between(intendedVsync, frameCompleted) < interval {
		return 0
	}
	found := analyzer.StatsJanky | causesOf(r, interval)
	if latency := r.between(oldestInputEvent, vsync); latency >= trace.Duration(highLatency*float64(interval)) && latency < hung {
		found |= analyzer.StatsHighInputLatency
	}
	return found
}

// nextVsync returns the first vsync after end. Vsyncs are counted from the frame's
// own.
func nextVsync(r *row, end trace.Time, interval trace.Duration) trace.Time {
	return end.Add(interval - end.Sub(r.time(vsync))%interval)
}

// classes returns the jank that hwui counts in each row, by the rules of the
// version that printed them. It is 0 for all rows if the interval is unknown.
func (w *Window) classes() []analyzer.StatsJank {
	list := make([]analyzer.StatsJank, len(w.rows))
	if w.Interval == 0 {
		return list
	}
	h := &w.header
	statesDeadlines := h.has(frameDeadline) && h.has(frameInterval) && h.has(gpuCompleted)
	// Android 11 is the only version without deadlines that has the column GpuCompleted.
	swaps := swapTracker{interval: w.Interval, lenient: h.has(gpuCompleted)}
	var free trace.Time // when the next frame does not have to wait
	for i := range w.rows {
		r := &w.rows[i]
		switch {
		case !h.has(gpuCompleted) && (w.first || !h.has(dequeueBufferDuration)):
			list[i] = r.firstClasses(w.Interval)
		case statesDeadlines:
			list[i] = r.classes(w.intervalOf(r), &free)
		default:
			list[i] = swaps.classes(r)
		}
	}
	return list
}

// swapTracker follows the deadlines of buffer swaps, as hwui does from Android 9 to 11.
type swapTracker struct {
	interval trace.Duration
	deadline trace.Time // of the last swap
	// lenient selects the rules of Android 11: a frame waits only if the last deadline is
	// more than a tenth of the interval ahead, and a frame shorter than the interval
	// never misses its own deadline.
	lenient bool
}

// classes returns the classes of the next frame.
func (t *swapTracker) classes(r *row) analyzer.StatsJank {
	var found analyzer.StatsJank
	intended, completed := r.time(intendedVsync), r.time(frameCompleted)
	took := r.between(intendedVsync, frameCompleted)
	if took > t.interval {
		found |= analyzer.StatsJanky
	}
	var slack trace.Duration
	if t.lenient {
		slack = t.interval / 10
	}
	waits := t.deadline.Sub(intended) > slack
	t.deadline = max(t.deadline, intended).Add(t.interval)
	if completed < t.deadline || t.lenient && took < t.interval {
		if waits {
			found |= analyzer.StatsHighInputLatency
		}
		return found
	}
	t.deadline = nextVsync(r, completed, t.interval)
	return found | analyzer.StatsMissedDeadline | causesOf(r, t.interval)
}

// classes compares a frame with the deadline in its row, as hwui does from Android 12
// on. The deadline of a frame that waits already includes the wait.
func (r *row) classes(interval trace.Duration, free *trace.Time) analyzer.StatsJank {
	end := cmp.Or(r.time(gpuCompleted), r.time(frameCompleted))
	waits := free.Sub(r.time(intendedVsync)) > interval/10
	if deadline := r.time(frameDeadline); !deadline.Known() || end < deadline {
		if !waits {
			return 0
		}
		*free = free.Add(interval)
		return analyzer.StatsHighInputLatency
	}
	*free = nextVsync(r, end, interval)
	return analyzer.StatsJanky | analyzer.StatsMissedDeadline | causesOf(r, interval)
}
