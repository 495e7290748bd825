package perfetto

import (
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
)

// event is a slice's start or end, in the clock of its packet.
type event struct {
	at     int64
	clock  uint64
	cookie int64
	slice  int // index of the slice that starts; negative for an end
}

// slice is one of a frame's intervals.
type slice struct {
	kind     analyzer.Kind
	expected bool
	pid      trace.PID
	display  int64  // token of the render frame that picked an application frame up
	layer    string // name
	timeline analyzer.FrameTimeline
	analyzer.Interval
}

// event decodes a frame timeline event. It returns false if that is malformed.
func (d *decoder) event(p *packet) bool {
	if err := proto.Unmarshal(p.payload, &d.message); err != nil {
		return false
	}
	d.stats.Events++
	e := event{at: int64(p.timestamp), clock: p.clock, slice: -1}
	s, cookie := d.slice(&d.message)
	if cookie == nil || !p.timed || p.timestamp > trace.MaxTime || s != nil && s.pid < 0 {
		d.stats.Malformed++
		return true
	}
	if !d.mayKeep(s) {
		d.stats.Over.Frames++
		return true
	}
	e.cookie = *cookie
	if s != nil {
		e.slice = len(d.slices)
		d.slices = append(d.slices, *s)
	}
	d.events = append(d.events, e)
	return true
}

// mayKeep counts the start of a slice, or an end if s is nil. It returns false over
// the limit of frames, which is the limit of actual and of expected slices, and half
// the limit of ends.
func (d *decoder) mayKeep(s *slice) bool {
	n, limit := &d.ends, 2*d.limits.Frames
	if s != nil {
		n, limit = &d.actual, d.limits.Frames
		if s.expected {
			n = &d.expected
		}
	}
	if *n >= limit {
		return false
	}
	*n++
	return true
}

// slice returns the slice that an event starts, or nil for an end, and the slice's
// cookie. The cookie is nil if the event lacks a required field.
func (d *decoder) slice(m *perfettopb.FrameTimelineEvent) (*slice, *int64) {
	var s slice
	var pid *int32
	var token, display, cookie *int64
	switch e := m.Event.(type) {
	case *perfettopb.FrameTimelineEvent_FrameEnd_:
		return nil, e.FrameEnd.Cookie
	case *perfettopb.FrameTimelineEvent_ExpectedSurfaceFrameStart_:
		f := e.ExpectedSurfaceFrameStart
		pid, token, display, cookie = f.Pid, f.Token, f.DisplayFrameToken, f.Cookie
		s.kind, s.expected = analyzer.ApplicationFrame, true
	case *perfettopb.FrameTimelineEvent_ExpectedDisplayFrameStart_:
		f := e.ExpectedDisplayFrameStart
		pid, token, display, cookie = f.Pid, f.Token, new(int64), f.Cookie
		s.kind, s.expected = analyzer.RenderFrame, true
	case *perfettopb.FrameTimelineEvent_ActualSurfaceFrameStart_:
		f := e.ActualSurfaceFrameStart
		pid, token, display, cookie = f.Pid, f.Token, f.DisplayFrameToken, f.Cookie
		s.kind, s.layer = analyzer.ApplicationFrame, d.layer(f.GetLayerName())
		s.timeline = timelineOf(f, f.OnTimeFinish, f.GpuComposition, f.JankSeverityType, f.PresentDelayMillis)
		s.timeline.Buffer = answer(f.IsBuffer)
	case *perfettopb.FrameTimelineEvent_ActualDisplayFrameStart_:
		f := e.ActualDisplayFrameStart
		pid, token, display, cookie = f.Pid, f.Token, new(int64), f.Cookie
		s.kind = analyzer.RenderFrame
		s.timeline = timelineOf(f, f.OnTimeFinish, f.GpuComposition, f.JankSeverityType, f.PresentDelayMillis)
	}
	if pid == nil || token == nil || display == nil {
		return nil, nil
	}
	s.pid, s.timeline.Token, s.display = trace.PID(*pid), *token, *display
	return &s, cookie
}

// judgedEvent is the start of an actual slice, which has a verdict.
type judgedEvent interface {
	GetJankType() int32
	GetPresentType() perfettopb.FrameTimelineEvent_PresentType
	GetPredictionType() perfettopb.FrameTimelineEvent_PredictionType
}

// timelineOf returns what the event says of a frame. Values that this version does not know
// become unspecified. Older versions of Android write no severity. As in Perfetto,
// a frame without jank then has the severity None.
func timelineOf(f judgedEvent, onTime, composition *bool, severity *perfettopb.FrameTimelineEvent_JankSeverityType, delay *float32) analyzer.FrameTimeline {
	t := analyzer.FrameTimeline{GPUComposition: answer(composition), Verdict: analyzer.Verdict{
		Jank: reasons(analyzer.JankType(f.GetJankType())), Present: enum(f.GetPresentType(), analyzer.PresentUnknown),
		Prediction: enum(f.GetPredictionType(), analyzer.PredictionUnknown), OnTimeFinish: answer(onTime),
	}}
	t.PresentDelay, t.PresentDelayKnown = presentDelay(delay)
	switch {
	case severity != nil:
		t.Severity = enum(*severity, analyzer.SeverityFull)
	case t.Jank == analyzer.JankNone:
		t.Severity = analyzer.SeverityNone
	}
	return t
}

// reasons returns the jank type without None if there is another: None only means that
// there is no other.
func reasons(j analyzer.JankType) analyzer.JankType {
	if j != analyzer.JankNone {
		j &^= analyzer.JankNone
	}
	return j
}

// layer returns the layer's name. All frames of a layer share one string. Over the
// limit the name is empty.
func (d *decoder) layer(name string) string {
	name = name[:min(len(name), maxLayer)]
	if known, ok := d.layers[name]; ok {
		return known
	}
	if len(d.layers) >= d.limits.Strings {
		d.stats.Over.Strings++
		return ""
	}
	name = strings.Clone(name) // do not keep the whole packet
	d.layers[name] = name
	return name
}

// enum returns the value, or zero if it is greater than last.
func enum[From ~int32, To ~uint8](v From, last To) To {
	if v < 0 || v > From(last) {
		return 0
	}
	return To(v)
}

func answer(b *bool) analyzer.Answer {
	if b == nil {
		return analyzer.NotSaid
	}
	return analyzer.AnswerOf(*b)
}

// presentDelay converts milliseconds. It returns false for a delay of more than a day.
func presentDelay(milliseconds *float32) (trace.Duration, bool) {
	if milliseconds == nil {
		return 0, false
	}
	ns := float64(*milliseconds) * float64(trace.Millisecond)
	if !(math.Abs(ns) < 24*3600*float64(trace.Second)) {
		return 0, false
	}
	return trace.Duration(math.Round(ns)), true
}
