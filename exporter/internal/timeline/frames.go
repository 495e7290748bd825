package timeline

import (
	"math"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
)

// frameWriter writes the frame timeline packets. A slice is a start and an end
// that share a cookie.
type frameWriter struct {
	packets *packet.Writer
	tokens  Tokens
	cookie  int64
	// expected are the expected surface frames written: Perfetto keeps one for
	// each process and token.
	expected map[surfaceKey]bool
}

type surfaceKey struct {
	process *analyzer.Process
	token   int64
}

// writeFrames writes all frames that begin and end within the trace.
func writeFrames(w *packet.Writer, t *analyzer.Timeline, tokens Tokens) {
	fw := frameWriter{packets: w, tokens: tokens, expected: map[surfaceKey]bool{}}
	// Perfetto draws an arrow to a display frame from those of its surface frames that
	// precede it in time, or in the file at the same time.
	for _, kind := range []analyzer.Kind{analyzer.ApplicationFrame, analyzer.RenderFrame} {
		for f := range t.Complete() {
			switch {
			case f.Kind != kind:
			case kind == analyzer.ApplicationFrame:
				fw.surface(f)
			default:
				fw.display(f)
			}
		}
	}
}

func (w *frameWriter) surface(f *analyzer.Frame) {
	pid, token, layer := int32(f.Process.PID), w.tokens[f], f.LayerNames()[0]
	var display int64 // of no display frame
	if r := shownRenderFrame(f); r != nil {
		display = w.tokens[r]
	}
	key := surfaceKey{f.Process, token}
	if expected := expectedInterval(f); expected.Known() && !w.expected[key] {
		w.expected[key] = true
		cookie := w.nextCookie()
		w.slice(expected, cookie, &perfettopb.FrameTimelineEvent{
			Event: &perfettopb.FrameTimelineEvent_ExpectedSurfaceFrameStart_{
				ExpectedSurfaceFrameStart: &perfettopb.FrameTimelineEvent_ExpectedSurfaceFrameStart{
					Cookie: &cookie, Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
				},
			},
		})
	}
	v := f.Verdict()
	cookie := w.nextCookie()
	w.slice(f.Actual, cookie, &perfettopb.FrameTimelineEvent{
		Event: &perfettopb.FrameTimelineEvent_ActualSurfaceFrameStart_{
			ActualSurfaceFrameStart: &perfettopb.FrameTimelineEvent_ActualSurfaceFrameStart{
				Cookie: &cookie, Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
				PresentType: perfettopb.FrameTimelineEvent_PresentType(v.Present).Enum(), OnTimeFinish: proto.Bool(v.OnTimeFinish != analyzer.No), GpuComposition: proto.Bool(len(f.GPU) > 0),
				JankType: proto.Int32(int32(v.Jank)), PredictionType: perfettopb.FrameTimelineEvent_PredictionType(v.Prediction).Enum(),
				JankSeverityType: severity(f, &v).Enum(), PresentDelayMillis: presentDelay(f),
				JankSeverityScore: jankScore(f),
			},
		},
	})
}

// expectedInterval returns the interval that was planned for an application frame; of a frame of
// a framework, from when its vsync was due to its deadline. Perfetto takes the process that has
// the id then, so it does not begin before the process.
func expectedInterval(f *analyzer.Frame) analyzer.Interval {
	i := plannedInterval(f)
	if i.Known() {
		i.Start = min(max(i.Start, f.Process.Alive.Start), i.End)
	}
	return i
}

func plannedInterval(f *analyzer.Frame) analyzer.Interval {
	if i := (analyzer.Interval{Start: f.Vsync, End: f.Deadline}); f.Framework != analyzer.Platform && !f.Expected.Known() && i.Known() && i.Start < i.End {
		return i
	}
	return f.Expected
}

func (w *frameWriter) display(f *analyzer.Frame) {
	pid, token := int32(f.Process.PID), w.tokens[f]
	if f.Expected.Known() {
		cookie := w.nextCookie()
		w.slice(f.Expected, cookie, &perfettopb.FrameTimelineEvent{
			Event: &perfettopb.FrameTimelineEvent_ExpectedDisplayFrameStart_{
				ExpectedDisplayFrameStart: &perfettopb.FrameTimelineEvent_ExpectedDisplayFrameStart{
					Cookie: &cookie, Token: &token, Pid: &pid,
				},
			},
		})
	}
	v := f.Verdict()
	cookie := w.nextCookie()
	w.slice(f.Actual, cookie, &perfettopb.FrameTimelineEvent{
		Event: &perfettopb.FrameTimelineEvent_ActualDisplayFrameStart_{
			ActualDisplayFrameStart: &perfettopb.FrameTimelineEvent_ActualDisplayFrameStart{
				Cookie: &cookie, Token: &token, Pid: &pid,
				PresentType: perfettopb.FrameTimelineEvent_PresentType(v.Present).Enum(), OnTimeFinish: proto.Bool(v.OnTimeFinish != analyzer.No), GpuComposition: proto.Bool(len(f.GPU) > 0),
				JankType: proto.Int32(int32(v.Jank)), PredictionType: perfettopb.FrameTimelineEvent_PredictionType(v.Prediction).Enum(),
				JankSeverityType: severity(f, &v).Enum(), PresentDelayMillis: presentDelay(f),
				JankSeverityScore: jankScore(f),
			},
		},
	})
}

// severity returns Partial for a frame that nothing judged: the UI then paints it in pale green instead of the green
// of frames on time (getColorSchemeForJank of its dev.perfetto.Frames, v53 to v58). A type of jank
// would count as one in Perfetto's queries.
func severity(f *analyzer.Frame, v *analyzer.Verdict) perfettopb.FrameTimelineEvent_JankSeverityType {
	if v.Jank == analyzer.JankNone && !f.Judged() {
		return perfettopb.FrameTimelineEvent_SEVERITY_PARTIAL
	}
	return perfettopb.FrameTimelineEvent_JankSeverityType(v.Severity)
}

func (w *frameWriter) nextCookie() int64 {
	w.cookie++
	return w.cookie
}

// slice writes the start of a slice and its end.
func (w *frameWriter) slice(i analyzer.Interval, cookie int64, start *perfettopb.FrameTimelineEvent) {
	w.event(i.Start, start)
	w.event(i.End, &perfettopb.FrameTimelineEvent{
		Event: &perfettopb.FrameTimelineEvent_FrameEnd_{FrameEnd: &perfettopb.FrameTimelineEvent_FrameEnd{Cookie: &cookie}},
	})
}

func (w *frameWriter) event(at trace.Time, e *perfettopb.FrameTimelineEvent) {
	w.packets.Write(&perfettopb.TracePacket{
		Timestamp: proto.Uint64(uint64(at)),
		Data:      &perfettopb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: e},
	})
}

// presentDelay returns by how many milliseconds a frame was shown later than expected. An
// unknown delay is NaN, which SQL has as NULL: a missing one would be zero.
func presentDelay(f *analyzer.Frame) *float32 {
	delay, ok := f.PresentDelay()
	if !ok {
		return proto.Float32(float32(math.NaN()))
	}
	return proto.Float32(float32(delay.Milliseconds()))
}

// jankScore returns nil for 0, which Perfetto assumes.
func jankScore(f *analyzer.Frame) *float32 {
	if score := float32(f.JankScore()); score != 0 {
		return &score
	}
	return nil
}

// Tokens are the frames' numbers in Perfetto. A token is normally the vsync id, so that
// it can be found in the text.
type Tokens map[*analyzer.Frame]int64

// maxToken leaves room for numbers above all vsync ids: a greater id is damaged.
const maxToken = 1 << 62

// NewTokens numbers the frames. A frame without a vsync id, and a render frame whose id
// is not unique (Perfetto requires display frames to be unique), get numbers above all
// vsync ids of the trace; renumbered counts them.
func NewTokens(t *analyzer.Timeline) (tokens Tokens, renumbered int) {
	tokens = make(map[*analyzer.Frame]int64, len(t.Frames))
	var next int64
	for _, f := range t.Frames {
		if f.VsyncID < maxToken {
			next = max(next, f.VsyncID)
		}
	}
	displays := map[int64]bool{}
	for f := range t.Complete() {
		token := f.VsyncID
		if token == 0 || token >= maxToken || f.Kind == analyzer.RenderFrame && displays[token] {
			next++
			token = next
			renumbered++
		}
		if f.Kind == analyzer.RenderFrame {
			displays[token] = true
		}
		tokens[f] = token
	}
	return tokens, renumbered
}
