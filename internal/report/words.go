package report

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/words"
)

// unknown is what people see where a value is not known.
const unknown = words.Unknown

func stageName(s *stats.Stage) string {
	if s == nil {
		return unknown
	}
	return s.Label()
}

var eventNames = map[stats.Event]string{
	stats.Present:     "present times",
	stats.Commit:      "commit starts",
	stats.RenderStart: "render-frame starts",
}

// blames are the causes of late whole frames: one style and one name each.
var blames = []struct {
	blame    stats.Blame
	id, name string
}{
	{stats.BlameApplication, "late-app", "application"},
	{stats.BlameRenderCPU, "late-cpu", "render CPU"},
	{stats.BlameRenderGPU, "late-gpu", "render GPU"},
	{stats.BlamePickUp, "misaligned", "picked up late"},
	{stats.BlameDisplayHAL, "medium", "display HAL"},
	{stats.BlameBufferStuffing, "slight", "buffer stuffing"},
	{stats.BlamePredictionError, "severe", "prediction error"},
	{stats.BlameDropped, "empty", "dropped"},
	{stats.BlameUnknown, "no-deadline", "unknown"},
}

// blameParts returns how many whole frames each cause made late. Causes that only
// SurfaceFlinger reports are left out where they did not occur.
func blameParts(b *stats.Blames) parts {
	var list parts
	for _, cause := range blames {
		if n := b.Of(cause.blame); n > 0 || cause.blame <= stats.BlamePickUp {
			list = append(list, part{cause.id, cause.name, n})
		}
	}
	return list
}

// blameText returns the causes of one whole frame.
func blameText(b stats.Blame) string {
	var names []string
	for _, cause := range blames {
		if b.Has(cause.blame) {
			names = append(names, cause.name)
		}
	}
	return strings.Join(names, ", ")
}

// count returns a number of things in words.
func count(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "h"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// milliseconds prints a duration to the hundredth of a millisecond, from a
// second on to the millisecond; unknown if there is none.
func milliseconds(d *trace.Duration) string {
	switch {
	case d == nil:
		return unknown
	case *d >= trace.Second:
		return words.Number(d.Milliseconds(), 0)
	}
	return words.Number(d.Milliseconds(), 2)
}

func seconds(d trace.Duration) float64 { return float64(d) / float64(trace.Second) }

func ms(d trace.Duration) string { return milliseconds(&d) }

// vsync prints a vsync id, of which zero is not known.
func vsync(id int64) string {
	if id == 0 {
		return unknown
	}
	return strconv.FormatInt(id, 10)
}
