package text

import (
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// HangMS formats how long a hang took in milliseconds: "≥ 5900.0" if an edge cuts it.
func HangMS(h *analyzer.Hang) string {
	return AtLeast(h.Duration(), h.AtLeast())
}

// HangLength says how long a hang took: "450.0 ms", or "at least 5.9 s, to the end of the trace". It
// rounds, a length that is at least this down.
func HangLength(h *analyzer.Hang) string {
	d := h.Duration()
	s := Milliseconds(d) + " ms"
	if d >= trace.Second {
		tenths := float64(d) / float64(trace.Second/10)
		if h.AtLeast() {
			tenths = math.Floor(tenths)
		}
		s = Number(math.Round(tenths)/10, 1) + " s"
	}
	if !h.AtLeast() {
		return s
	}
	return "at least " + s + ", " + edges(h)
}

// edges says what cuts a hang: "from the begin of the trace to the end of the window".
func edges(h *analyzer.Hang) string {
	begin, end := "the begin of the "+h.BeginCut.String(), "the end of the "+h.EndCut.String()
	switch {
	case h.BeginCut == h.EndCut:
		return "from the begin to " + end
	case h.EndCut == analyzer.NoEdge:
		return "from " + begin
	case h.BeginCut == analyzer.NoEdge:
		return "to " + end
	}
	return "from " + begin + " to " + end
}

// HangSlice names the slice of a hang.
func HangSlice(h *analyzer.Hang) string {
	if h.Slice == "" {
		return "a slice that began before the trace"
	}
	return h.Slice
}
