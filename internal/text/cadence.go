package text

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// steady is the share of the gaps from which on a cadence is that of all.
const steady = 0.9

// Cadence says how often frames were shown: "every 3rd vsync of 120 Hz". The share of gaps that are
// like that follows, unless it is large.
func Cadence(c *stats.Cadence) string {
	s := fmt.Sprintf("every vsync of %d Hz", c.Refresh)
	if c.Every > 1 {
		s = fmt.Sprintf("every %d%s vsync of %d Hz", c.Every, ordinal(c.Every), c.Refresh)
	}
	if c.Share < steady {
		s += " (" + Share(&c.Share) + " of the gaps)"
	}
	return s
}

// ordinal returns the ending of an ordinal number.
func ordinal(n int) string {
	if n%100/10 == 1 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// maxChanges is the number of changes of a layer's cadence that a text names.
const maxChanges = 3

// LayerCadences says how often buffers of a layer came: "one buffer every 16.7 ms until +3.1 s,
// then every 33.3 ms". Empty without a cadence.
func LayerCadences(list []stats.LayerCadence, unit string, origin trace.Time) string {
	var s strings.Builder
	for i := range list {
		c := &list[i]
		switch {
		case i == 0 && c.Buffers == 1:
			s.WriteString("one " + unit + " ")
		case i == 0:
			s.WriteString(spelled(c.Buffers) + " " + unit + "s ")
		case i > maxChanges:
			s.WriteString(", and " + Count(len(list)-i, "more change"))
			return s.String()
		default:
			s.WriteString(fmt.Sprintf(" until +%s s, then ", Number(float64(c.From.Sub(origin))/float64(trace.Second), 1)))
			if c.Buffers != list[i-1].Buffers {
				s.WriteString(spelled(c.Buffers) + " ")
			}
		}
		s.WriteString("every " + Milliseconds(c.Every) + " ms")
		if c.Buffers > 1 {
			s.WriteString(fmt.Sprintf(" (%s a second)", Number(float64(c.Buffers)*float64(trace.Second)/float64(c.Every), 0)))
		}
	}
	return s.String()
}

func spelled(n int) string {
	if words := [...]string{"no", "one", "two", "three"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// maxDrops is the number of reasons of a layer's dropped buffers that a text names: with each change
// of the display's rate there may be another.
const maxDrops = 3

// LayerDrops says why buffers of a layer were dropped, the most frequent reasons first, and how many
// others were; with all, of each. The rates of displays say who lowered them; nil if they are unknown.
func LayerDrops(list []stats.LayerDrops, rates []stats.RefreshRate, origin trace.Time, all bool) (lines []string) {
	others := 0
	for i := range list {
		if all || i < maxDrops {
			lines = append(lines, LayerDrop(&list[i], rates, origin))
		} else {
			others += list[i].Buffers
		}
	}
	if others > 0 {
		lines = append(lines, Count(others, "other buffer")+" dropped")
	}
	return lines
}

// LayerDrop says how many buffers of a layer were dropped and why: "35 buffers dropped: the display
// went from 120 to 60 Hz at +604.2 ms (thermal vote)".
func LayerDrop(d *stats.LayerDrops, rates []stats.RefreshRate, origin trace.Time) string {
	why := ""
	switch d.Reason {
	case analyzer.SameVsync.String():
		why = "they came in the same vsync as a later one"
		if d.Buffers == 1 {
			why = "it came in the same vsync as a later one"
		}
	case analyzer.SlowDisplay.String():
		why = "the display had only " + Number(*d.Refresh, 0) + " Hz"
		if d.Before != nil {
			why = fmt.Sprintf("the display went from %s to %s Hz at %s", Number(*d.Before, 0), Number(*d.Refresh, 0), Since(origin, *d.Since))
			if k := slices.IndexFunc(rates, func(r stats.RefreshRate) bool { return r.Start == *d.Since && r.Voter != nil }); k >= 0 {
				why += " (" + Voter(*rates[k].Voter) + " vote)"
			}
		}
	case analyzer.CaughtUp.String():
		why = "the producer was late and caught up, faster than the display shows buffers, first at " + Since(origin, d.First)
	case analyzer.TakenTooLate.String():
		why = "render_service took none for a vsync or longer"
	default:
		why = "the trace does not show why"
	}
	return Count(d.Buffers, "buffer") + " dropped: " + why
}
