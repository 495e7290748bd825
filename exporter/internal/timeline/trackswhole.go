package timeline

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/exporter/internal/annotation"
	"ohframe/internal/diag"
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
			whole.Expected.Start = max(whole.Expected.Start, f.Process.Alive.Start)
			expected = append(expected, stage{f, whole.Expected})
		}
		actual = append(actual, stage{f, analyzer.Interval{Start: f.Actual.Start, End: r.End()}})
	}
	p.writeStage(wholeActualTrack, "From when the application began to when render_service's work, that on the GPU included, had ended.",
		noDeadlineColour, actual, p.judgeWhole)
	p.writeStage(wholeExpectedTrack, "From when the application's vsync was due to when render_service should have ended.",
		expectedColour, expected, func(*slice, *analyzer.Frame) {})
}

// judgeWhole adds whether a whole frame was late, and its blame.
func (p *pipeline) judgeWhole(s *slice, f *analyzer.Frame) {
	if whole, ok := f.Whole(); ok && whole.Late() {
		p.markLate(s, f, &whole)
	} else if ok {
		s.colour = onTimeColour
	}
	s.annotations.number(annotation.RenderToken, p.tokens[f.Render])
}

func (p *pipeline) markLate(s *slice, f *analyzer.Frame, whole *analyzer.WholeFrame) {
	s.annotations.text(annotation.Blame, whole.Blame.String())
	n := f.PickUpDelay()
	if n == 0 {
		s.setName(p.label(f), true, whole.Actual.End.Sub(whole.Expected.End), false)
		s.colour = lateColour
		return
	}
	// The expected end is that of the later vsync, so that the frame may end before it.
	s.name, s.late = fmt.Appendf(s.name, " picked up %s late", diag.Count(n, "vsync")), true
	s.colour = pickedUpLateColour
	s.annotations.at(annotation.MadeForEnd, f.Expected.End.Add(f.Render.Expected.Duration()))
}
