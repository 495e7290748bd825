package report

import (
	"cmp"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// refreshRates returns the section of the times in which a display had a lower rate than its highest; none
// without any.
func (b *builder) refreshRates(in *Input) (blocks []view.Block) {
	type rate = *stats.RefreshRate
	var lowered []rate
	for i := range in.Stats.RefreshRates {
		if r := &in.Stats.RefreshRates[i]; r.Lowered {
			lowered = append(lowered, r)
		}
	}
	if len(lowered) == 0 {
		return nil
	}
	shown := text.First(lowered, b.most(len(lowered)), func(x, y rate) int { return cmp.Compare(y.Duration, x.Duration) })
	columns := []column[rate]{
		numbers(view.Column{Title: "Hz", Meaning: "the display's refresh rate, of the highest that it has in the trace"}, func(r rate) any {
			return text.Number(r.Rate, 0) + " of " + text.Number(r.Highest, 0)
		}),
		numbers(view.Column{Title: "At"}, func(r rate) any { return text.Since(in.origin(), r.Start) }),
		numbers(view.Column{Title: "For ms"}, func(r rate) any { return text.Milliseconds(r.Duration) }),
		words(view.Column{Title: "Decided by", Meaning: "the voter that limits the rate, and when its vote counted, after a finger last left the screen"}, text.RateDecided),
		words(view.Column{Title: "Overruled", Meaning: "votes for other rates"}, text.RateOverruled),
		words(view.Column{Title: "What it did"}, text.RateEffect),
	}
	if several := func(r rate) bool { return r.Screen != nil }; slices.ContainsFunc(shown, several) {
		columns = slices.Insert(columns, 0, numbers(view.Column{Title: "Display"}, func(r rate) any {
			if r.Screen == nil {
				return text.Unknown
			}
			return *r.Screen
		}))
	}
	about := ""
	for _, p := range in.Stats.Processes {
		if d := p.Display; d != nil && d.Lowered > 0 && about == "" {
			about = text.Milliseconds(d.Lowered) + " of " + text.Milliseconds(d.Time) + " ms"
		}
	}
	t := tableOf("Lowered refresh rate", columns, shown)
	if n := len(lowered) - len(shown); n > 0 {
		t.More = text.More(n)
	}
	widen(&t)
	return []view.Block{view.Section{Title: "Lowered refresh rate", Meaning: define("lowered refresh rate"), About: about, Blocks: []view.Block{t}}}
}
