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

var stageNames = map[stats.Stage]string{
	stats.Receive:      "vsync → received",
	stats.UIWork:       "UI work",
	stats.PickUp:       "transaction → picked up",
	stats.RenderMain:   "render main",
	stats.RenderDraw:   "render draw",
	stats.CommitLayers: "commit",
	stats.ToPresent:    "commit → present",
}

func stageName(s *stats.Stage) string {
	if s == nil {
		return unknown
	}
	return stageNames[*s]
}

var eventNames = map[stats.Event]string{
	stats.Present:     "present times",
	stats.Commit:      "commit starts",
	stats.RenderStart: "render-frame starts",
}

var blameNames = map[stats.Blame]string{
	stats.BlameApplication: "the application was",
	stats.BlameRenderCPU:   "the render frame was, on the CPU",
	stats.BlameRenderGPU:   "the render frame was, on the GPU",
	stats.BlamePickUp:      "it was picked up late",
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
