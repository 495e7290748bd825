package stats

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Event is what is taken for the moment at which a frame was shown.
type Event string

const (
	// Present is when the display showed the frame.
	Present Event = "present"
	// Commit is when the frame's layers went to the display.
	Commit Event = "commit"
	// RenderStart is when render_service began to work on the frame.
	RenderStart Event = "render_start"
)

// FPS is how many frames a second were shown: (frames − 1) / (last − first).
// For render_service the frames are its own; for an application, the render
// frames that took transactions of its, each counted once however many it
// took. Frames that were shown at the very same time are one. Of traces that
// follow one another the time in between does not count. A time in which
// nothing was to be drawn counts all the same; Hitches.Idle says how long that was.
type FPS struct {
	// Event is the best of which at least two times are known: present, else
	// commit, else the render frame's start.
	Event  Event `json:"event"`
	Frames int   `json:"frames"`
	// First and Last are when the first and the last of them happened.
	First trace.Time `json:"first_ns"`
	Last  trace.Time `json:"last_ns"`
	Rate  float64    `json:"rate_hz"`
}

// fps returns nil if there are no two frames of one trace.
func fps(r *records) *FPS {
	for _, e := range []struct {
		event Event
		at    func(*shown) trace.Time
	}{
		{Present, func(s *shown) trace.Time { return s.present }},
		{Commit, func(s *shown) trace.Time { return s.commit }},
		{RenderStart, func(s *shown) trace.Time { return s.start }},
	} {
		var times []trace.Time
		for i := range r.shown {
			if at := e.at(&r.shown[i]); at.Known() {
				times = append(times, at)
			}
		}
		slices.Sort(times)
		times = slices.Compact(times)
		gaps, time := 0, trace.Duration(0)
		for i := 1; i < len(times); i++ {
			if !r.apart(times[i-1], times[i]) {
				gaps++
				time = add(time, since(times[i-1], times[i]))
			}
		}
		if gaps > 0 {
			return &FPS{e.event, len(times), times[0], times[len(times)-1], float64(gaps) / seconds(time)}
		}
	}
	return nil
}
