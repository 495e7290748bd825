package stats

import "ohframe/analyzer/trace"

// Hitches measures how much later frames were shown than they should have been
// (docs/frames.md 9.5 to 9.8).
//
// A gap is the time between two consecutive presents. It is skipped if a render frame
// between them was committed and has an unknown present time, if the refresh period is
// unknown, or if the presents are out of order. A gap should last one refresh period
// and the time until the second frame was due. If the display changed its rate, the longer
// period counts.
//
//	RS vsyncs    │       │       │       │       │
//	render       A                       B
//	due                          B
//	presents             a                       b
//	gap                  ├───────────────────────┤   3 periods
//	should last          ├───────────────┤           2 periods: one, and one until due
//	hitch                                ├───────┤   1 period
//
// The time until a frame was due begins at the vsync after that of the first present's render
// frame, and ends at the vsync on which the second present's render frame was due. Less than
// half a period does not count. A render frame is due on its own vsync. If it took
// application frames, it is due when the earliest of them should have been picked up:
// at that frame's deadline, or if that is unknown one period after its vsync. In all
// cases it is due earlier by the number of coalesced vsyncs. So an application at half
// the display's rate, empty frames, and render frames that render_service skipped cause
// no hitches. An application that takes three periods for one frame causes one.
//
// A dump of SurfaceFlinger's latencies has neither vsyncs nor deadlines. Its frames are
// due one period after the layer began to wait for the frame, if that time is
// known: see analyzer.LayerLatency. If it is unknown, a gap that is long enough for a
// hitch may also be one in which nothing was due. Then the process has no Hitches.
type Hitches struct {
	Gaps int            `json:"gaps"`    // times between two successive presents that could be judged
	Time trace.Duration `json:"time_ns"` // their sum
	Idle trace.Duration `json:"idle_ns" sum:"hitch_idle_ns"`
	// Animated is Time − Idle.
	Animated   trace.Duration `json:"-" sum:"hitch_time_ns"`
	Hitches    int            `json:"hitches" sum:"hitches"`
	Hitch      trace.Duration `json:"hitch_ns" sum:"hitch_ns"`
	LostFrames int            `json:"lost_frames" sum:"lost_frames"`
	Ratio      *float64       `json:"hitch_ms_per_s"`
	Longest    trace.Duration `json:"longest_ns" peak:"longest_hitch_ns"`
	LongestAt  *trace.Time    `json:"longest_at_ns"` // the present before it
	// List has the hitches in order.
	List []Hitch `json:"-"`

	following int // gaps without idle time
}

func (h *Hitches) addable() bool { return h.following > 0 }

// Hitch is a gap between two presents that was too long.
type Hitch struct {
	From trace.Time `json:"from_ns"` // the first present
	To   trace.Time `json:"to_ns"`   // the second
	// from the vsync after that of the first frame until the second one was due
	UntilDue   trace.Duration `json:"until_due_ns"`
	Hitch      trace.Duration `json:"hitch_ns"`    // by how much the gap was too long
	LostFrames int            `json:"lost_frames"` // frames that fit into the hitch
}

// hitches returns nil if all gaps are skipped, or if one may be either a hitch or idle.
// The records are in order of the render frames' starts.
func hitches(r *records) *Hitches {
	h := &Hitches{}
	if len(r.shown) < leastShown && r.ofFrameworks() {
		return nil
	}
	// While the main thread is blocked and no frame is due, no frame can be late.
	r.setBusy(func(s *shown) trace.Time { return s.present }, false)
	var last *shown
	for i := range r.shown {
		s := &r.shown[i]
		if !s.present.Known() && !s.commit.Known() {
			continue // not committed
		}
		if last != nil && !r.parts.apart(last.start, s.start) {
			idle, ok := h.add(r, last, s)
			if !ok {
				r.presents = nil
				return nil
			}
			if !idle {
				h.following++
			}
		}
		last = s
	}
	if h.Gaps == 0 {
		return nil
	}
	h.Animated = h.Time - h.Idle
	return h
}

// add adds the gap between two render frames that were shown one after the other, and reports
// whether it is skipped or has idle time. It returns false if the gap may be a hitch, or one in
// which nothing was due.
func (h *Hitches) add(r *records, a, b *shown) (idle, ok bool) {
	length, period := b.present.Since(a.present), max(a.period, b.period)
	if !a.present.Known() || !b.present.Known() || length <= 0 || period <= 0 {
		return true, true
	}
	undue := min(untilDue(a, b, period), length)
	if b.unsure && undue > 0 {
		if isHitch(length-period, period) {
			return false, false
		}
		undue = 0
	}
	h.Gaps++
	h.Time = add(h.Time, length)
	pause := r.idle(a, b, a.present, b.present, period)
	h.Idle = add(h.Idle, pause)
	hitch := length - period - undue
	if !isHitch(hitch, period) {
		hitch = 0
	}
	r.presents = append(r.presents, present{b.present, length - pause, hitch})
	if hitch == 0 {
		return pause > 0, true
	}
	h.Hitches++
	h.Hitch = add(h.Hitch, hitch)
	lost := int(hitch / period)
	if 10*(hitch%period) >= 7*period {
		lost++
	}
	h.LostFrames = add(h.LostFrames, lost)
	h.List = append(h.List, Hitch{a.present, b.present, undue, hitch, lost})
	if hitch > h.Longest {
		h.Longest, h.LongestAt = hitch, clone(a.present)
	}
	return pause > 0, true
}

// present is a gap between two presents.
type present struct {
	at          trace.Time     // its end
	time, hitch trace.Duration // time is without idle time
}

// untilDue returns the time between two frames until the second one was due, from the vsync on
// which it could have been shown at the earliest.
func untilDue(a, b *shown, period trace.Duration) trace.Duration {
	d := b.due.Since(after(a.vsync, period))
	if d < 0 || d < period-d {
		return 0
	}
	return d
}

// isHitch reports whether a gap that is too long by d is a hitch.
func isHitch(d, period trace.Duration) bool { return d >= 0 && times(10, d) >= 7*period }
