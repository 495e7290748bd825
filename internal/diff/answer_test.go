package diff

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

// Headlines name what went the other way than the rest, and applications that are on one side only.
func TestHeadlines(t *testing.T) {
	length := func(late, of, took int) func(int) int {
		return func(i int) int {
			if i%of < late {
				return took
			}
			return 5
		}
	}
	side := func(application string, every, late, took, runs int) Side { // late frames of each 20
		return repeated(runs, gallery(application, "render_service", 60, every, length(late, 20, took)).side(application))
	}
	few := func(every, late, took int) Side { // late frames of 250
		return gallery("gallery", "render_service", 250, every, length(late, 250, took)).side("few")
	}
	withNotes := gallery("gallery", "render_service", 60, 20, length(12, 20, 11)) // which draw more frames
	notes := withNotes.process(200, "notes")
	for i := range 90 {
		withNotes.frame(analyzer.ApplicationFrame, notes, 1000+10*i, 5)
	}
	var runs []Side
	for _, late := range []int{2, 2, 2, 2, 12} {
		runs = append(runs, side("gallery", 20, late, 11, 1))
	}
	for _, test := range []struct {
		base, new Side
		want      string
	}{
		{side("gallery", 25, 10, 11, 1), side("gallery", 20, 2, 19, 1), "gallery: jank rate 50.0 % → 10.0 %, FPS 40.0 → 50.0, but duration P95 11.0 → 19.0 ms; one run each, so not tested"},
		{side("gallery", 20, 10, 11, 5), side("gallery", 20, 2, 19, 5), "gallery is worse: duration P95 11.0 → 19.0 ms, but better: jank rate 50.0 % → 10.0 %, duration P90 11.0 → 5.0 ms. No significant change in 1 process"},
		{side("gallery", 20, 2, 19, 5), Join("varied", runs), "gallery is better: duration P95 19.0 → 11.0 ms, but jank rate 10.0 % → 20.0 % (not significant). No significant change in 1 process"},
		{side("gallery", 20, 2, 11, 1), side("notes", 20, 2, 11, 1), "gallery is only in base, notes is only in new. render_service: jank rate 0 %, hitch ratio 0.0 ms/s on both sides; one run each, so not tested"},
		{side("gallery", 20, 2, 11, 5), repeated(5, withNotes.side("gallery")), "gallery is worse: jank rate 10.0 % → 60.0 %, duration P50 5.0 → 11.0 ms, duration P90 5.0 → 11.0 ms. No significant change in 1 process. notes is only in new"},
		{few(25, 25, 11), few(20, 26, 19), "gallery: jank rate 10.0 % → 10.4 %, FPS 40.0 → 50.0, but duration P95 11.0 → 19.0 ms; one run each, so not tested"},
	} {
		must.Equal(t, compare(t, test.base, test.new, Options{}).verdict(), test.want)
	}
}

// Of processes without changes, the one with the most late frames is first, although others have more frames.
func TestOrderOfLate(t *testing.T) {
	s := gallery("gallery", "render_service", 60, 20, lateOf(0, 1))
	late := s.process(200, "late")
	for i := range 10 {
		s.frame(analyzer.ApplicationFrame, late, 1000+20*i, 15)
	}
	d := compare(t, s.side("a"), s.side("b"), Options{})
	must.Equal(t, d.ranked()[0].title(), "late")
}

// Of processes without changes, those with a known jank rate are first.
func TestOrderOfUnknown(t *testing.T) {
	s := gallery("gallery", "render_service", 60, 20, lateOf(0, 1))
	for _, f := range s.Frames {
		if f.Kind == analyzer.ApplicationFrame {
			f.Deadline = 0
		}
	}
	d := compare(t, s.side("a"), s.side("b"), Options{})
	var names []string
	for _, p := range d.ranked() {
		names = append(names, p.title())
	}
	must.Equal(t, strings.Join(names, " "), "render_service gallery")
}
