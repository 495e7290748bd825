package timeline

import (
	"strconv"

	"ohframe/analyzer"
	"ohframe/internal/annotation"
)

// writeWholeFrames writes an application's frames from their vsync to the end of
// rendering. Several are under way at a time.
func (p *pipeline) writeWholeFrames() {
	var expected, actual []stage
	for _, f := range p.applications {
		r := shownRenderFrame(f)
		if r == nil {
			continue
		}
		if whole, ok := f.Whole(); ok {
			expected = append(expected, stage{f, whole.Expected})
		}
		actual = append(actual, stage{f, analyzer.Interval{Start: f.Actual.Start, End: r.End()}})
	}
	p.writeStage(wholeExpectedTrack, "From when the application's vsync was due to when render_service should have ended.",
		expected, func(*slice, *analyzer.Frame) {})
	p.writeStage(wholeActualTrack, "From when the application began to when render_service's work, that on the GPU included, had ended.",
		actual, p.judgeWhole)
}

// judgeWhole adds whether a whole frame was late, and its blame.
func (p *pipeline) judgeWhole(s *slice, f *analyzer.Frame) {
	s.annotations.number(annotation.RenderToken, p.tokens[f.Render])
	whole, ok := f.Whole()
	if !ok || !whole.Late() {
		return
	}
	s.setName(p.label(f), true, whole.Actual.End.Sub(whole.Expected.End))
	if n := f.PickUpDelay(); n > 0 {
		s.setPickedUpLate(p.label(f), n)
		s.annotations.at(annotation.MadeForEnd, f.Expected.End.Add(f.Render.Expected.Duration()))
	}
	s.annotations.text(annotation.Blame, whole.Blame.String())
}

// setPickedUpLate names a whole frame that render_service picked up some vsyncs later
// than the one that the application made it for. Its expected end is that of the later
// vsync, so that the frame may end before it.
func (s *slice) setPickedUpLate(label int64, vsyncs int) {
	s.name = strconv.AppendInt(s.name[:0], label, 10)
	s.name = append(s.name, " picked up "...)
	s.name = strconv.AppendInt(s.name, int64(vsyncs), 10)
	if vsyncs == 1 {
		s.name = append(s.name, " vsync late"...)
	} else {
		s.name = append(s.name, " vsyncs late"...)
	}
}
