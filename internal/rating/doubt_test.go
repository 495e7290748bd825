package rating

import (
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

func TestDoubt(t *testing.T) {
	quality := func(v stats.Verdict, code, text string) *stats.Quality {
		return &stats.Quality{Verdict: v, Reasons: []stats.Reason{{Code: code, Verdict: v, Text: text}}}
	}
	back := quality(stats.Unreliable, "clock_changed", "the clock goes back by 2s")
	cut, none := quality(stats.Limited, "lost", "events are lost"), quality(stats.Unreliable, "no_frames", "no complete frames")
	for _, c := range []struct {
		inputs []*stats.Quality
		want   string
	}{
		{nil, ""},
		{[]*stats.Quality{nil}, ""},
		{[]*stats.Quality{cut}, ""},
		{[]*stats.Quality{none}, ""},
		{[]*stats.Quality{{Reasons: append(back.Reasons[:1:1], none.Reasons...)}}, ""},
		{[]*stats.Quality{back}, "unreliable, the numbers are probably wrong: the clock goes back by 2s"},
		{[]*stats.Quality{cut, back, nil}, "1 of 3 inputs is unreliable, its numbers are probably wrong: the clock goes back by 2s"},
		{[]*stats.Quality{back, cut, back}, "2 of 3 inputs are unreliable, their numbers are probably wrong"},
	} {
		must.Equal(t, Doubt(c.inputs), c.want, "%d inputs", len(c.inputs))
	}
}
