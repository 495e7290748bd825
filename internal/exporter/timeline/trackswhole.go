package timeline

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/internal/annotation"
	"ohframe/internal/plural"
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
		// The expected end is that of the later vsync, so that the frame may end before it.
		s.setName(p.label(f), false, 0)
		s.name, s.late = fmt.Appendf(s.name, " picked up %s late", plural.Count(n, "vsync")), true
		s.annotations.at(annotation.MadeForEnd, f.Expected.End.Add(f.Render.Expected.Duration()))
	}
	s.annotations.text(annotation.Blame, whole.Blame.String())
}
