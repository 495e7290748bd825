package report

import (
	"cmp"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// refreshRates returns the section of the times in which a display had a lower rate than before; none
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
		numbers(view.Column{Title: "Hz", Meaning: "the display's refresh rate, of the highest that it had in the trace up to then"}, func(r rate) any {
			return text.Number(r.Rate, 0) + " of " + text.Number(r.Highest, 0)
		}),
		numbers(view.Column{Title: "At"}, func(r rate) any { return text.Since(in.origin(), r.Start) }),
		numbers(view.Column{Title: "For ms"}, func(r rate) any { return text.Milliseconds(r.Duration) }),
		words(view.Column{Title: "Decided by", Meaning: "the voter that limits the rate, and when its vote counted, after a finger last left the screen"}, text.RateDecided),
		words(view.Column{Title: "Overruled", Meaning: "votes for other rates"}, text.RateOverruled),
		words(view.Column{Title: "What it did"}, text.RateEffect),
	}
	if len(in.displays()) > 1 {
		columns = slices.Insert(columns, 0, numbers(view.Column{Title: "PID", Meaning: "of the render service, which has a display of its own"}, func(r rate) any { return r.PID }))
	}
	var time, lower trace.Duration
	for _, d := range in.displays() {
		time, lower = time+d.Time, lower+d.Lowered
	}
	about := text.Milliseconds(lower) + " of " + text.Milliseconds(time) + " ms"
	t := tableOf("Lowered refresh rate", columns, shown)
	if n := len(lowered) - len(shown); n > 0 {
		t.More = text.More(n)
	}
	widen(&t)
	return []view.Block{view.Section{Title: "Lowered refresh rate", Meaning: define("lowered refresh rate"), About: about, Blocks: []view.Block{t}}}
}

// displays returns those of the render services.
func (in *Input) displays() (list []*stats.Display) {
	for _, p := range in.Stats.Processes {
		if p.Display != nil {
			list = append(list, p.Display)
		}
	}
	return list
}
