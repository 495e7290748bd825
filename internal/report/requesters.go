package report

import (
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// wasteful returns the requesters of whose vsyncs most led to nothing.
func wasteful(list []stats.Requester) (found []*stats.Requester) {
	for i := range list {
		if r := &list[i]; r.Wasteful() {
			found = append(found, r)
		}
	}
	return found
}

// mostUnused is the share of unused vsyncs from which on they are what a report says first, if no frame is late.
const mostUnused = .9

// summarizeUnused says whose vsyncs drew nothing, if that is the main fact: no frame was late. It is empty otherwise.
func summarizeUnused(inputs []Input) string {
	var most *stats.Requester
	for i := range inputs {
		if slices.ContainsFunc(inputs[i].Stats.Processes, func(p *stats.Process) bool { return p.Frames.Late > 0 }) {
			return ""
		}
		for _, r := range wasteful(inputs[i].Stats.Requesters) {
			if r.Process != "" && r.Name != analyzer.RenderConnection && *r.Share >= mostUnused && (most == nil || r.Unused > most.Unused) {
				most = r
			}
		}
	}
	if most == nil {
		return ""
	}
	did := "drew nothing"
	if most.NothingShown > 0 {
		did = "led to no new picture"
	}
	return fmt.Sprintf("%s: %d of %d vsyncs of %s %s", text.ProcessName(most.Process), most.Unused, most.Judged+most.PerhapsDrawn, text.Shorten(text.Printable(most.Name), maxName), did)
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
		numbers(view.Column{Title: "Requests", Drop: 1, Meaning: "how often it asked for a vsync"}, func(r requester) any { return r.Asked }),
		numbers(view.Column{Title: "Unused", Meaning: "vsyncs that led to no new picture, of those of which it is known, and those after which something was drawn, perhaps for another connection or by another process"}, func(r requester) any {
			return fmt.Sprintf("%d of %d", r.Unused, r.Judged+r.PerhapsDrawn)
		}),
		numbers(view.Column{Title: "Use unknown", Drop: 5, Meaning: "vsyncs received of which it is not known whether they led to one"}, func(r requester) any { return r.Received - r.Judged }),
		numbers(view.Column{Title: "CPU ms", Meaning: "how long the threads that received these vsyncs ran in them"}, func(r requester) any { return text.MillisecondsOrUnknown(r.CPU) }),
		numbers(view.Column{Title: "CPU ms/s", Drop: 3, Meaning: "their processor time in a second of trace"}, func(r requester) any { return number(r.Ratio) }),
		numbers(view.Column{Title: "Took ms", Drop: 4, Meaning: "how long the threads handled these vsyncs"}, func(r requester) any { return number(r.Took) }),
		words(view.Column{Title: "Why unused"}, func(r requester) string { return unusedWhy(r, in.Stats.Callbacks) }),
	}
	t := tableOf("Unused vsyncs", columns, list[:b.most(len(list))])
	if slices.ContainsFunc(list, func(r requester) bool { return r.CPU != nil }) {
		t.RemoveColumns(8, 9)
	} else {
		t.RemoveColumns(6, 8)
	}
	if !slices.ContainsFunc(list, func(r requester) bool { return r.Asked != nil }) {
		t.RemoveColumns(3, 4)
	}
	if !slices.ContainsFunc(list, func(r requester) bool { return r.Received > r.Judged+1 }) { // the last one is unknown
		i := slices.IndexFunc(t.Columns, func(c view.Column) bool { return c.Title == "Use unknown" })
		t.RemoveColumns(i, i+1)
	}
	if n := len(list) - len(t.Rows); n > 0 {
		t.More = text.More(n)
	}
	return t
}

// unusedWhy says what became of the unused vsyncs of a requester, and which display sync asked for most of them.
func unusedWhy(r *stats.Requester, callbacks []stats.Callback) string {
	why := fmt.Sprintf("nothing to draw %d, unchanged %d", r.NothingSent, r.NothingShown)
	switch {
	case r.NothingShown == 0:
		why = "nothing to draw"
	case r.NothingSent == 0:
		why = "unchanged"
	}
	s := r.DisplaySync
	if s == nil || 2*s.Unused < r.Unused {
		if len(r.AskedIn) > 0 && 2*r.AskedIn[0].Asked >= *r.Asked {
			why += "; asks in " + text.Shorten(text.Printable(r.AskedIn[0].Slice), maxSlice)
		}
		return why
	}
	why += "; " + syncTitle(stats.DisplaySync{ID: s.ID, Type: s.Type}) + " asks"
	for _, c := range ownRates(callbacks) {
		if c.Source == r.Source && c.ID == s.ID {
			return why + ", " + rateOf(c)
		}
	}
	return why
}

// ownRates returns the callbacks that run at a rate of their own.
func ownRates(list []stats.Callback) (found []*stats.Callback) {
	for i := range list {
		if c := &list[i]; c.OwnRate() {
			found = append(found, c)
		}
	}
	return found
}

// callbackOf names whose callback it is, such as "animator 3".
func callbackOf(c *stats.Callback) string {
	return syncTitle(stats.DisplaySync{ID: c.ID, Type: c.Type})
}

// rateOf returns the rate of a callback of its own, such as "60 of 120 Hz".
func rateOf(c *stats.Callback) string { return fmt.Sprintf("%d of %d Hz", *c.Rate, *c.Vsync) }

// callbacks says which callbacks run at a rate of their own. It has no rows if none does.
func (b *builder) callbacks(in *Input) view.Table {
	type callback = *stats.Callback
	list := ownRates(in.Stats.Callbacks)
	times := func(l *stats.Latency) [2]string {
		if l == nil {
			return [2]string{text.Unknown, text.Unknown}
		}
		return [2]string{text.Milliseconds(l.P50), text.Milliseconds(l.Max)}
	}
	t := tableOf("Callbacks at a rate of their own", []column[callback]{
		words(view.Column{Title: "Callbacks", Min: nameWidth, Meaning: "display syncs that are not called in every frame"}, func(c callback) string {
			return text.Shorten(text.ProcessName(c.Process), 2*nameWidth)
		}),
		numbers(view.Column{Title: "PID", Drop: 2}, func(c callback) any { return pidText(c.PID) }),
		words(view.Column{Title: "Of", Meaning: define("display sync")}, func(c callback) string { return callbackOf(c) }),
		words(view.Column{Title: "Rate", Meaning: "how often it is to be called, and the vsyncs of that time"}, rateOf),
		numbers(view.Column{Title: "Calls", Meaning: "frames in which it was called, of those that serve it"}, func(c callback) any { return fmt.Sprintf("%d of %d", c.Calls, c.Frames) }),
		numbers(view.Column{Title: "P50 ms"}, func(c callback) any { return times(c.Took)[0] }),
		numbers(view.Column{Title: "Max ms", Drop: 1}, func(c callback) any { return times(c.Took)[1] }),
		numbers(view.Column{Title: "Total ms"}, func(c callback) any { return text.Milliseconds(c.Total) }),
		numbers(view.Column{Title: "CPU ms", Drop: 3}, func(c callback) any { return number(c.CPU) }),
	}, list[:b.most(len(list))])
	if n := len(list) - len(t.Rows); n > 0 {
		t.More = text.More(n)
	}
	return t
}

// cadenceReason returns the callback that makes an application draw less often than the display
// shows new frames: that with the rate of its cadence that is called the most; nil if there is none.
func cadenceReason(p *stats.Process, list []stats.Callback) (reason *stats.Callback) {
	cadence := p.FPS.Cadence
	for _, c := range ownRates(list) {
		if c.Source == p.Source && c.Source != nil && *c.Every == cadence.Every && *c.Vsync == cadence.Refresh && (reason == nil || c.Calls > reason.Calls) {
			reason = c
		}
	}
	return reason
}
