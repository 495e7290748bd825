package hitrace

import "ohframe/analyzer/trace"

// markOutside marks the events outside the window and returns their number.
func markOutside(events []Event, w trace.Window, start trace.Time) int {
	if w.IsOpen() {
		return 0
	}
	from, to := w.Bounds(start)
	outside := 0
	for i := range events {
		if t := events[i].Time; t < from || t >= to {
			events[i].Outside = true
			outside++
		}
	}
	return outside
}
