package dumpsys

import "ohframe/analyzer/trace"

// wanted returns the time since which the layer waited for each frame, or 0 if it is
// unknown. The rows are in the order of their present times.
//
// If the layer asks for present times, it waited since the desired time. Otherwise
// the desired time is when the frame was queued, after idle time or slow work. If
// there was no room for idle time, the layer waited since the previous frame was
// shown.
func wanted(rows []latencyRow) []trace.Time {
	times := make([]trace.Time, len(rows))
	asks := asksForTimes(rows)
	for i, r := range rows {
		if asks {
			times[i] = known(r.desired)
		} else if i > 0 && follows(rows[i-1], r) {
			times[i] = trace.Time(rows[i-1].present)
		}
	}
	return times
}

// asksForTimes reports whether the layer asks for present times: whether at least
// half of its frames were ready half a period or more before the desired time and
// were shown within a period of it. A time of queueing is rarely like that: the GPU
// finishes after it, and SurfaceFlinger needs about a period to show the frame.
func asksForTimes(rows []latencyRow) bool {
	n := 0
	for _, r := range rows {
		desired, ready := known(r.desired), known(r.ready)
		if desired.Known() && ready.Known() && r.period > 0 &&
			desired.Sub(ready) >= r.period-r.period/2 && trace.Time(r.present).Sub(desired).Abs() <= r.period {
			n++
		}
	}
	return n > 0 && 2*n >= len(rows)
}

// follows reports whether the application had no time to be idle between two
// frames: whether the second was queued less than 1.5 periods after the first. The
// half is for jitter, as in the definition of the time until due (stats.Hitches). If drawing
// the first took a period or more, the time counts from the end of drawing, for
// which the application had to wait.
func follows(before, r latencyRow) bool {
	period := max(before.period, r.period)
	last, desired := known(before.desired), known(r.desired)
	if !last.Known() || !desired.Known() || int64(last) > before.present || period <= 0 {
		return false // a frame cannot be shown before it is queued
	}
	if ready := min(known(before.ready), trace.Time(before.present)); ready.Sub(last) >= period {
		last = ready
	}
	idle := desired.Sub(last) - period
	return idle < period-idle
}
