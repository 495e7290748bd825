package perfetto_test

import (
	"cmp"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	pb "ohframe/internal/perfettopb"
)

// made is a recording made of slices, each with a cookie of its own. Times are
// nanoseconds; a slice that ends at unfinished has no end.
type made struct {
	recording
	cookie int64
	tokens int64 // added to tokens, to have several recordings in one
	app    int32 // process, that of the other tests if zero
	sf     int32
}

// token returns a token of the recording. Those that mean no token are the same in all recordings.
func (m *made) token(n int64) int64 {
	if n <= 0 {
		return n
	}
	return m.tokens + n
}

const unfinished = 0

func (m *made) slice(start, end uint64, event func(cookie int64) *pb.FrameTimelineEvent) {
	m.cookie++
	m.event(start, event(m.cookie))
	if end != unfinished {
		m.end(end, m.cookie)
	}
}

func (m *made) expectDisplay(token, start, end int64) {
	m.slice(uint64(start), uint64(end), func(cookie int64) *pb.FrameTimelineEvent {
		return expectedDisplay(cookie, m.token(token), cmp.Or(m.sf, sf))
	})
}

func (m *made) actualDisplay(token, start, end int64, v verdict) {
	m.slice(uint64(start), uint64(end), func(cookie int64) *pb.FrameTimelineEvent {
		return actualDisplay(cookie, m.token(token), cmp.Or(m.sf, sf), v)
	})
}

func (m *made) expectSurface(token, display, start, end int64) {
	m.slice(uint64(start), uint64(end), func(cookie int64) *pb.FrameTimelineEvent {
		return expectedSurface(cookie, m.token(token), m.token(display), cmp.Or(m.app, app), "")
	})
}

func (m *made) actualSurface(token, display int64, layer string, start, end int64, v verdict) {
	m.slice(uint64(start), uint64(end), func(cookie int64) *pb.FrameTimelineEvent {
		return actualSurface(cookie, m.token(token), m.token(display), cmp.Or(m.app, app), layer, v)
	})
}

// Verdicts as SurfaceFlinger gives them.
const (
	onTime      = pb.FrameTimelineEvent_PRESENT_ON_TIME
	presentLate = pb.FrameTimelineEvent_PRESENT_LATE
	early       = pb.FrameTimelineEvent_PRESENT_EARLY
	dropped     = pb.FrameTimelineEvent_PRESENT_DROPPED
	notKnown    = pb.FrameTimelineEvent_PRESENT_UNKNOWN

	valid   = pb.FrameTimelineEvent_PREDICTION_VALID
	expired = pb.FrameTimelineEvent_PREDICTION_EXPIRED
	noToken = pb.FrameTimelineEvent_PREDICTION_UNKNOWN
)

var (
	appLate      = verdict{jank: analyzer.JankAppDeadlineMissed, present: presentLate, prediction: valid}
	layerDropped = verdict{jank: analyzer.JankDropped, present: dropped, prediction: valid}
)

func between(start, end trace.Time) analyzer.Interval {
	return analyzer.Interval{Start: start, End: end}
}
