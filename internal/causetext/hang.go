package causetext

import (
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

// Hang says what the main thread did in most of a hang: what its states show, or the slice at the
// end of its path: "540.2 ms in ParseConfig (file a.json) in JSMarshalling". It is empty for nil.
func Hang(h *why.Explanation) string {
	if h == nil {
		return ""
	}
	if !statesUnknown(h.Work()) || len(h.Path) == 0 {
		return work(h.Work())
	}
	last := &h.Path[len(h.Path)-1]
	s := ms(last.Value) + " in " + WorkSlice(last.Slice, last.Calls, last.Arguments)
	if len(h.Path) > 1 {
		s += " in " + text.Function(h.Path[0].Slice)
	}
	return s
}

// statesUnknown reports whether it is unknown for most of the time whether the thread ran.
func statesUnknown(w *why.Work) bool {
	for i := range w.Waits {
		if x := &w.Waits[i]; x.Wait == why.WaitUnknown {
			return 2*x.Value > w.End.Sub(w.Start)
		}
	}
	return false
}

// HangAdvice returns the advice for what the main thread did most of the time in a hang, as Advice
// does. It is that for work that delays a frame.
func HangAdvice(hang *analyzer.Hang, h *why.Explanation) string {
	if h == nil || len(h.Work().Waits) == 0 {
		return ""
	}
	w := h.Work()
	x := &w.Waits[0]
	c := place.Cause{Wait: x.Wait, Place: placeOf(x), Interrupt: x.Interrupt, Scheduled: true, OthersScheduled: true}
	if x.Wait == why.Run || x.Wait == why.WaitUnknown {
		c.Wait = why.EarlierWork
		if n := len(h.Path); n > 0 && statesUnknown(w) {
			c.Place = place.Lookup([]byte(h.Path[n-1].Slice))
		}
	}
	if n := len(h.Pieces); n > 0 && hang.EndCut != analyzer.NoEdge {
		last := &h.Pieces[n-1]
		c.Cut = last.Wait == x.Wait && last.End >= hang.End && 2*last.End.Sub(last.Start) >= x.Value
	}
	c.WaitedFor(x.Culprit, w.PID)
	return Advice(c.Advice())
}

// HangSlice names the slice of a hang: of a function without its signature, only its class and its own name.
func HangSlice(h *analyzer.Hang) string {
	slice := text.HangSlice(h)
	if name := string(place.AppendKey(nil, []byte(slice))); strings.Contains(name, "::") {
		return text.Function(name)
	}
	return slice
}
