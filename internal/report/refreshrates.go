package report

import (
	"cmp"
	"fmt"
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
	if !slices.ContainsFunc(lowered, func(r rate) bool { return r.Voter != nil || text.RateEffect(r) != "" }) {
		line := fmt.Sprintf("%s of %s Hz at %s for %s ms", text.Number(shown[0].Rate, 0), text.Number(shown[0].Highest, 0), text.Since(in.origin(), shown[0].Start), text.Milliseconds(shown[0].Duration))
		if n := len(lowered) - 1; n > 0 {
			line += ", the longest of " + fmt.Sprint(n+1)
		}
		return rateSection(in, about, view.Note{Text: line})
	}
	t := tableOf("Lowered refresh rate", columns, shown)
	if n := len(lowered) - len(shown); n > 0 {
		t.More = text.More(n)
	}
	widen(&t)
	return rateSection(in, about, t)
}

// noVotes is what the trace lacks.
const noVotes = "The trace has no votes on the refresh rate: render_service writes them since 4.1, with the tag graphic."

// rateSection returns the section of refresh rates. Without any votes in the trace, it says so.
func rateSection(in *Input, about string, blocks ...view.Block) []view.Block {
	if in.Timeline != nil && len(in.Timeline.Decisions) == 0 {
		blocks = append(blocks, view.Note{Text: noVotes, Level: view.Soft})
	}
	return []view.Block{view.Section{Title: "Lowered refresh rate", Meaning: define("lowered refresh rate"), About: about, Blocks: blocks}}
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
