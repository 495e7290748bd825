package gfxinfo

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Bounds that do not depend on the frame interval: a stage that took longer than
// hung is an application that does not respond, not a slow frame.
const (
	hung  = 10 * trace.Second
	davey = 700 * trace.Millisecond
)

// cause is a stage that makes a frame late if it takes as much of the interval.
type cause struct {
	class    analyzer.StatsJank
	from, to column
	share    float64
}

// causes are the stages; a share of zero stands for a nanosecond.
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

// nextVsync returns one interval after the last vsync before the end, counted
// from the frame's own.
func nextVsync(r *row, end trace.Time, interval trace.Duration) trace.Time {
	return end.Add(interval - end.Sub(r.time(vsync))%interval)
}

// swapTracker follows the deadlines of buffer swaps, as hwui does until Android
// 11, and in later versions for the numbers that it calls legacy.
type swapTracker struct {
	interval trace.Duration
	deadline trace.Time // of the last swap
	// lenient: the rules of Android 11 and later. A frame waits only if the last
	// deadline is more than a tenth of the interval ahead, and one that took less
	// than the interval never misses its own.
	lenient bool
	legacy  bool // the rules of Android 12 and later, which include lenient
}

// judge returns what is to be said of the next frame.
func (t *swapTracker) judge(r *row) analyzer.StatsJank {
	var found analyzer.StatsJank
	intended, completed := r.time(intendedVsync), r.time(frameCompleted)
	took := r.between(intendedVsync, frameCompleted)
	if t.legacy {
		took = r.between(intendedVsync, swapBuffersCompleted)
		if took == 0 {
			return 0
		}
	}
	if took > t.interval {
		found |= analyzer.StatsJanky
	}
	if t.legacy && !t.deadline.Known() {
		t.deadline = intended.Add(t.interval)
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

// deadlineTracker holds frames against the deadlines that they state, as hwui
// does from Android 12 on.
type deadlineTracker struct {
	free trace.Time // when the next frame has not to wait
}

// judge returns what is to be said of the next frame. The deadline of a frame
// that waits was moved on before the row was printed.
func (t *deadlineTracker) judge(r *row, interval trace.Duration) analyzer.StatsJank {
	end := r.time(gpuCompleted)
	if !end.Known() {
		end = r.time(frameCompleted)
	}
	waits := t.free.Sub(r.time(intendedVsync)) > interval/10
	if deadline := r.time(frameDeadline); !deadline.Known() || end < deadline {
		if !waits {
			return 0
		}
		t.free = t.free.Add(interval)
		return analyzer.StatsHighInputLatency
	}
	t.free = nextVsync(r, end, interval)
	return analyzer.StatsJanky | analyzer.StatsMissedDeadline | causesOf(r, interval)
}
