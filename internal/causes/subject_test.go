package causes

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestSubjects(t *testing.T) {
	of := func(kind stats.Kind, name string, complete, judged, late int, lost int64) *Subject {
		s := &Subject{Kind: kind, Name: name, PID: 3000}
		s.Frames.Complete, s.Frames.Judged, s.Frames.Late = complete, judged, late
		s.Lost = trace.Duration(lost) * trace.Millisecond
		return s
	}
	list := []*Subject{
		of(stats.RenderService, "render_service", 120, 120, 0, 0),
		of(stats.Application, "few", 2, 2, 0, 0),
		of(stats.Application, "", 60, 60, 0, 0),
		of(stats.RenderService, "late", 120, 120, 3, 0),
		of(stats.RenderService, "lost", 120, 120, 1, 5),
		of(stats.Application, "not judged", 2, 0, 0, 0),
		of(stats.Application, "never judged", 2, 0, 0, 0),
		of(stats.Application, "cut", 0, 0, 0, 0),
		of(stats.Application, "empty", 40, 40, 2, 0),
	}
	list[len(list)-1].Frames.LateEmpty = 2
	list[len(list)-3].Frames.Framework = 2
	slices.SortStableFunc(list, (*Subject).Compare)
	var got []string
	for _, s := range list {
		got = append(got, s.Summary())
	}
	const want = "lost: 1 of 120 frames late, 5.0 ms lost\nlate: 3 of 120 frames late\nempty: 2 of 40 frames late but empty\nprocess 3000: 0 of 60 frames late\nfew: 0 of 2 frames late\nrender_service: 0 of 120 frames late\nnever judged: no frame is judged\nnot judged: no frame is judged: deadlines are unknown\ncut: no complete frame"
	must.Equal(t, strings.Join(got, "\n"), want)
}
