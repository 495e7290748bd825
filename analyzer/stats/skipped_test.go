package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// A render frame that committed nothing showed nothing: it does not count in the frame rate
// of render_service or of the applications whose transactions it applied.
func TestSkippedCommitsShowNothing(t *testing.T) {
	const skipped = analyzer.Empty | analyzer.CommitSkipped
	s := &scene{}
	s.Span = interval(990, 1200)
	service, app := s.process(1, "render_service"), s.process(100, "app")
	for i, facts := range []analyzer.Facts{0, skipped, skipped, 0, 0, skipped} {
		vsync := 1000 + 10*i
		send(s.app(app, vsync, vsync+1, vsync+3, 0), vsync+2, s.render(service, vsync+10, vsync+11, vsync+14, facts))
	}
	for _, p := range stats.Compute(&s.Timeline, stats.Options{}).Processes {
		if p.FPS == nil || p.FPS.Frames != 3 || p.FPS.Event != stats.RenderStart {
			t.Errorf("%s: %+v, want 3 of 6 frames, by their starts", p.Name, p.FPS)
		}
		if want := map[stats.Kind]int{stats.RenderService: 3}[p.Kind]; p.Frames.Empty == nil || *p.Frames.Empty != want {
			t.Errorf("%s: %v empty, want %d", p.Name, p.Frames.Empty, want)
		}
	}
	for _, f := range s.Frames {
		if f.Kind == analyzer.RenderFrame {
			f.Facts |= skipped
		}
	}
	for _, p := range stats.Compute(&s.Timeline, stats.Options{}).Processes {
		if p.FPS != nil {
			t.Errorf("%s: %+v, though nothing was shown", p.Name, p.FPS)
		}
	}
}
