package stats

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Event is the moment that counts as the one at which a frame was shown.
type Event string

const (
	// Present is when the display showed the frame.
	Present Event = "present"
	// Commit is when the commit of the frame's layers began.
	Commit Event = "commit"
	// RenderStart is when render_service began to work on the frame.
	RenderStart Event = "render_start"
)

// FPS is the number of frames shown per second: (frames − 1) / (last − first). For
// render_service these are its own frames. For an application they are the render
// frames that took its transactions, each counted once. Frames that were shown at the
// same time count as one. The time between several traces in one input is excluded. Idle
// time is included; Hitches.Idle is its length.
type FPS struct {
	// Event is the first of present, commit and the render frame's start with at least
	// two known times.
	Event  Event `json:"event"`
	Frames int   `json:"frames"`
	// First and Last are the times of the first and the last event.
	First trace.Time `json:"first_ns"`
	Last  trace.Time `json:"last_ns"`
	Rate  float64    `json:"rate_hz"`
}

// fps returns nil if no trace has two frames that were shown.
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
