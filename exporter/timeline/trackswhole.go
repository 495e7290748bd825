package timeline

import (
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
		if whole, ok := analyzer.Whole(f); ok {
			expected = append(expected, stage{f, whole.Expected})
		}
		actual = append(actual, stage{f, analyzer.Interval{Start: f.Actual.Start, End: r.End()}})
	}
	p.writeStage(wholeExpectedTrack, "From when the application's vsync was due to when render_service should have ended.",
		expected, func(*slice, *analyzer.Frame) {})
	p.writeStage(wholeActualTrack, "From when the application began to when render_service's work, that on the GPU included, had ended.",
		actual, p.judgeWhole)
}

// judgeWhole notes whether a whole frame was late, and what made it so.
func (p *pipeline) judgeWhole(s *slice, f *analyzer.Frame) {
	s.annotations.number(annotation.RenderToken, p.tokens[f.Render])
	if whole, ok := analyzer.Whole(f); ok && whole.Late() {
		s.setName(p.label(f), true, whole.Actual.End.Sub(whole.Expected.End))
		s.annotations.text(annotation.Blame, whole.Blame.String())
	}
}
