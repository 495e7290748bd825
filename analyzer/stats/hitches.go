package stats

import "ohframe/analyzer/trace"

// Hitches is by how much frames were shown later than they should have been.
//
// Each two successive presents make a gap. Successive means that no render
// frame between them went to the display; a gap is left out where one did whose
// present is not known, where the refresh period is not known, or where the
// presents are out of order. A gap should last one refresh period, the longer
// one where the display changed its rate, and as long again as nothing was to
// be drawn:
//
//	RS vsyncs    │       │       │       │       │
//	render       A                       B
//	due                          B
//	presents             a                       b
//	gap                  ├───────────────────────┤   3 periods
//	should last          ├───────────────┤           2 periods: one, and one idle
//	hitch                                ├───────┤   1 period
//
// Nothing was to be drawn, the gap is idle, from the vsync after the render
// frame that the first present shows until the vsync on which the second
// present's was due, if that is half a period or more. A render frame is due on
// its own vsync; if it took application frames, when the earliest of them was
// to be picked up, which is at its deadline, or if that is not known a period
// after its vsync; in all cases earlier by the vsyncs that had queued up while
// the thread was too busy to take them. So an application at half the display's
// rate, empty frames, and render frames that render_service skipped make no
// hitch; an application that took three periods for one frame does.
//
// A dump of SurfaceFlinger's latencies has neither vsyncs nor deadlines. There a
// gap is idle until a period after the layer began to wait for the frame, if the
// dump tells when that was: see analyzer.LayerLatency. Where it does not, a gap
// that is long enough for a hitch may be one or may be idle, and the process has
// no Hitches.
type Hitches struct {
	// Gaps counts the gaps that could be judged, and Time is how long they are
	// together.
	Gaps int            `json:"gaps"`
	Time trace.Duration `json:"time_ns"`
	// Idle is how long nothing was to be drawn, of Time.
	Idle trace.Duration `json:"idle_ns"`
	// Hitches counts the gaps that lasted 0.7 periods or more longer than they
	// should have, and Hitch is by how much, together.
	Hitches int            `json:"hitches"`
	Hitch   trace.Duration `json:"hitch_ns"`
	// LostFrames is how many frames fit into the hitches: of each, its length in
	// periods, rounded up from .7 on, else down.
	LostFrames int `json:"lost_frames"`
	// Ratio is Hitch in milliseconds / Time in seconds.
	Ratio float64 `json:"hitch_ms_per_s"`
	// Longest is the longest hitch and LongestAt the present before it; nil if
	// there was no hitch.
	Longest   *trace.Duration `json:"longest_ns"`
	LongestAt *trace.Time     `json:"longest_at_ns"`
}

// hitches returns nil if there is no gap to judge, or if one may be a hitch and
// may be idle. The list is in the order in which the render frames began.
func hitches(r *records) *Hitches {
	h := &Hitches{}
	var last *shown
	for i := range r.shown {
		s := &r.shown[i]
		if !s.present.Known() && !s.commit.Known() {
			continue // nothing went to the display
		}
		if last != nil && !r.apart(last.start, s.start) && !h.add(last, s) {
			return nil
		}
		last = s
	}
	if h.Gaps == 0 {
		return nil
	}
	h.Ratio = h.Hitch.Milliseconds() / seconds(h.Time)
	return h
}

// add judges the gap between two render frames that were shown one after the other.
// It reports false for a gap that may be a hitch and may be idle.
func (h *Hitches) add(a, b *shown) bool {
	gap, period := since(a.present, b.present), max(a.period, b.period)
	if !a.present.Known() || !b.present.Known() || gap <= 0 || period <= 0 {
		return true
	}
	idle := since(after(a.vsync, period), b.due)
	if idle < 0 || idle < period-idle {
		idle = 0
	}
	idle = min(idle, gap)
	if b.unsure && idle > 0 {
		if isHitch(gap-period, period) {
			return false
		}
		idle = 0
	}
	h.Gaps++
	h.Time = add(h.Time, gap)
	h.Idle = add(h.Idle, idle)
	hitch := gap - period - idle
	if !isHitch(hitch, period) {
		return true
	}
	h.Hitches++
	h.Hitch = add(h.Hitch, hitch)
	lost := int(hitch / period)
	if 10*(hitch%period) >= 7*period {
		lost++
	}
	h.LostFrames = add(h.LostFrames, lost)
	if h.Longest == nil || hitch > *h.Longest {
		at := a.present
		h.Longest, h.LongestAt = &hitch, &at
	}
	return true
}

// isHitch reports whether a gap that is longer by d than it should be is a hitch.
func isHitch(d, period trace.Duration) bool { return d >= 0 && times(10, d) >= 7*period }
