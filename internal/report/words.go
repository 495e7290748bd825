package report

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
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
	blame    analyzer.Blame
	id, name string
}{
	{analyzer.BlameApplication, "late-app", "application"},
	{analyzer.BlameRenderCPU, "late-cpu", "render CPU"},
	{analyzer.BlameRenderGPU, "late-gpu", "render GPU"},
	{analyzer.BlamePickUp, "misaligned", "picked up late"},
	{analyzer.BlameDisplayHAL, "medium", "display HAL"},
	{analyzer.BlameBufferStuffing, "slight", "buffer stuffing"},
	{analyzer.BlamePredictionError, "severe", "prediction error"},
	{analyzer.BlameDropped, "empty", "dropped"},
	{analyzer.BlameUnknown, "no-deadline", "unknown"},
}

// blameParts returns how many whole frames each cause made late. Causes that only
// SurfaceFlinger reports are left out where they did not occur.
func blameParts(b *stats.Blames) parts {
	var list parts
	for _, cause := range blames {
		if n := b.Of(cause.blame); n > 0 || cause.blame <= analyzer.BlamePickUp {
			list = append(list, part{cause.id, cause.name, n})
		}
	}
	return list
}

// blameText returns the causes of one whole frame.
func blameText(b analyzer.Blame) string {
	var names []string
	for _, cause := range blames {
		if b.Has(cause.blame) {
			names = append(names, cause.name)
		}
	}
	return strings.Join(names, ", ")
}

// noHitches says why the hitches of a process are not known.
func noHitches(p *stats.Process) string {
	switch {
	case p.FPS == nil || p.FPS.Event != stats.Present:
		return "no two present times to look between"
	case len(p.Refresh) == 0:
		return "the refresh period is not known"
	case p.Frames.WithDeadline == 0:
		return "in a long gap the application may have been slow, or had nothing to draw"
	}
	return "no gap between two present times can be judged"
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
