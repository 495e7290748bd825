package report

import (
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// unknown is printed in place of an unknown value.
const unknown = text.Unknown

// explanations are what the list of worst frames says about each: its cause or, where
// causes are unknown, its longest stage.
type explanations struct {
	Title string
	Texts []string
}

func worstCauses(p *stats.Process, c *causes.Process) explanations {
	if c == nil {
		e := explanations{Title: "Longest stage"}
		for _, f := range p.Worst {
			if f.Stage == nil {
				e.Texts = append(e.Texts, unknown)
			} else {
				e.Texts = append(e.Texts, f.Stage.Label())
			}
		}
		return e
	}
	type id struct {
		tid trace.TID
		at  trace.Time
	}
	known := map[id]string{}
	for _, l := range c.Late {
		known[id{l.Frame.TID, l.Frame.Actual.Start}] = text.Printable(causetext.Short(l))
	}
	e := explanations{Title: "Cause"}
	for _, f := range p.Worst {
		text, ok := known[id{f.TID, f.At}]
		if !ok {
			text = unknown
		}
		e.Texts = append(e.Texts, text)
	}
	return e
}

var eventNames = map[stats.Event]string{
	stats.Present:     "present times",
	stats.Commit:      "commit starts",
	stats.RenderStart: "render-frame starts",
}

// blames are the causes of late whole frames, with the style and the name of each.
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

// blameGroups returns the number of late whole frames for each cause. Causes that
// only SurfaceFlinger reports are omitted if they did not occur.
func blameGroups(b *stats.Blames) groups {
	var list groups
	for _, cause := range blames {
		if n := b.Of(cause.blame); n > 0 || cause.blame <= analyzer.BlamePickUp {
			list = append(list, group{cause.id, cause.name, n, ""})
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

// noHitches returns why the hitches of a process are unknown.
func noHitches(p *stats.Process) string {
	switch {
	case p.FPS == nil || p.FPS.Event != stats.Present:
		return "fewer than two frames have a present time"
	case len(p.Refresh) == 0:
		return "the refresh period is unknown"
	case p.Frames.WithDeadline == 0:
		return "without deadlines, a slow application cannot be distinguished from an idle one"
	}
	return "no gap between two presents can be judged"
}

// milliseconds formats a duration in milliseconds: with two decimals below a
// second, else with none. A nil duration is unknown.
func milliseconds(d *trace.Duration) string {
	switch {
	case d == nil:
		return unknown
	case *d >= trace.Second:
		return text.Number(d.Milliseconds(), 0)
	}
	return text.Number(d.Milliseconds(), 2)
}

// sinceText formats the time since the start of a trace: "+475.2 ms", "+58.142 s".
func sinceText(d trace.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "−", max(-d, 0)
	}
	if d < trace.Second {
		return sign + text.Number(d.Milliseconds(), 1) + " ms"
	}
	return sign + text.Number(seconds(d), 3) + " s"
}

// meaning returns what a measure means.
func meaning(name string) string { return strings.ReplaceAll(measure(name).Meaning, "`", "") }

// measure returns the measure of a name, which must exist.
func measure(name string) *stats.Measure {
	for i := range stats.Measures {
		if stats.Measures[i].Name == name {
			return &stats.Measures[i]
		}
	}
	panic("no measure " + name)
}

func seconds(d trace.Duration) float64 { return float64(d) / float64(trace.Second) }

func ms(d trace.Duration) string { return milliseconds(&d) }

// vsync formats a vsync id; 0 is unknown.
func vsync(id int64) string {
	if id == 0 {
		return unknown
	}
	return strconv.FormatInt(id, 10)
}

// pidText formats a process id.
func pidText(pid trace.PID) string {
	if pid == trace.UnknownPID {
		return unknown
	}
	return pid.String()
}

// timeText formats a trace time in seconds, to the microsecond.
func timeText(at trace.Time) string { return text.Number(seconds(trace.Duration(at)), 6) }

// origin returns the time from which the times of frames count, so that they can be
// given to --from and --at; 0 if it is unknown.
func (in *Input) origin() trace.Time {
	switch {
	case in.Timeline != nil:
		return in.Timeline.Origin()
	case in.Stats.Span != nil:
		return in.Stats.Span.From
	}
	return 0
}

// since formats the time from the start of a trace: "+475.2 ms", or "+12.345 s" from ten
// seconds on.
func since(origin, at trace.Time) string {
	d := at.Sub(origin)
	if !origin.Known() || d < 0 {
		return unknown
	}
	if d >= 10*trace.Second {
		return "+" + text.Number(seconds(d), 3) + " s"
	}
	return "+" + text.Number(d.Milliseconds(), 1) + " ms"
}
