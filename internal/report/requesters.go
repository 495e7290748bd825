package report

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// What a requester must have to be shown: so many unused vsyncs, and such a share of unused ones.
const (
	minUnused      = 10
	minUnusedShare = .5
)

// wasteful returns the requesters of whose vsyncs most led to nothing.
func wasteful(list []stats.Requester) (found []*stats.Requester) {
	for i := range list {
		if r := &list[i]; r.Unused >= minUnused && r.Share != nil && *r.Share >= minUnusedShare {
			found = append(found, r)
		}
	}
	return found
}

// requesters says who asks for vsyncs and draws nothing. It has no rows if nobody does.
func (b *builder) requesters(in *Input) view.Table {
	type requester = *stats.Requester
	list := wasteful(in.Stats.Requesters)
	columns := []column[requester]{
		words(view.Column{Title: "Unused vsyncs", Min: nameWidth, Meaning: define("unused vsync")}, func(r requester) string {
			if r.Process == "" {
				return text.Unknown
			}
			return text.Shorten(text.ProcessName(r.Process), 2*nameWidth)
		}),
		numbers(view.Column{Title: "PID", Drop: 2}, func(r requester) any { return pidText(r.PID) }),
		words(view.Column{Title: "Connection", Meaning: "the name under which the process asks for vsyncs; rs is render_service's own"}, func(r requester) string {
			return text.Shorten(text.Printable(r.Name), maxName)
		}),
		numbers(view.Column{Title: "Asked", Drop: 1, Meaning: "how often it asked for a vsync"}, func(r requester) any { return r.Asked }),
		numbers(view.Column{Title: "Unused", Meaning: "vsyncs that led to no new picture, of those received of which it is known"}, func(r requester) any {
			return fmt.Sprintf("%d of %d", r.Unused, r.Judged)
		}),
		numbers(view.Column{Title: "CPU ms", Meaning: "how long the threads that received these vsyncs ran in them"}, func(r requester) any { return text.MillisecondsOrUnknown(r.CPU) }),
		numbers(view.Column{Title: "CPU ms/min", Drop: 3, Meaning: "the same for a minute of trace"}, func(r requester) any { return number(perMinute(r.Ratio)) }),
		numbers(view.Column{Title: "Took ms", Drop: 4, Meaning: "how long the threads handled these vsyncs"}, func(r requester) any { return number(r.Took) }),
		words(view.Column{Title: "Why"}, func(r requester) string { return unusedWhy(r) }),
	}
	t := tableOf("Unused vsyncs", columns, list[:b.most(len(list))])
	if !slices.ContainsFunc(list, func(r requester) bool { return r.CPU != nil }) {
		t.RemoveColumns(5, 7)
	}
	if !slices.ContainsFunc(list, func(r requester) bool { return r.Asked != nil }) {
		t.RemoveColumns(3, 4)
	}
	if n := len(list) - len(t.Rows); n > 0 {
		t.More = text.More(n)
	}
	return t
}

// perMinute returns a rate per second as one per minute.
func perMinute(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := 60 * *x
	return &y
}

// unusedWhy says what became of the unused vsyncs of a requester.
func unusedWhy(r *stats.Requester) string {
	switch {
	case r.NothingShown == 0:
		return "nothing to draw"
	case r.NothingSent == 0:
		return "nothing had changed"
	}
	return fmt.Sprintf("nothing to draw %d, nothing had changed %d", r.NothingSent, r.NothingShown)
}
