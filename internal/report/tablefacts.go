package report

import (
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// facts writes the measures of a process that fit on a few lines each; without full, only
// the first line of the most important ones.
func (t *tableWriter) facts(p *stats.Process, full bool) {
	g := text.NewTable(t.Ink)
	add := func(label string, lines ...string) {
		if !full {
			lines = lines[:1]
		}
		for i, line := range lines {
			lines[i] = text.Wrap(line, t.Width-factIndent)
		}
		g.AppendRow(text.Row{t.Dim(label), strings.Join(lines, "\n")})
	}
	add("Frames", t.frames(p)...)
	if p.Frames.Complete == 0 {
		t.Print(g)
		return
	}
	add("FPS", t.fps(p.FPS))
	if full {
		add("Refresh", refreshText(p.Refresh))
	}
	add("Jank", t.jank(p)...)
	if full {
		if p.Kind == stats.Application { // the render service's whole frames are theirs
			add("Blame", t.blame(&p.WholeFrames)...)
		}
		if p.SurfaceFlinger != nil {
			add("Verdicts", t.verdicts(p.SurfaceFlinger)...)
		}
		if len(p.HWUI) > 0 {
			add("hwui", classes(p.HWUI))
		}
	}
	add("Hitches", t.hitches(p)...)
	add("Durations", t.durations(p)...)
	t.Print(g)
}

func (t *tableWriter) fps(f *stats.FPS) string {
	if f == nil {
		return unknown + t.Dim("  fewer than two frames are known to have been shown")
	}
	idle := "idle time unknown"
	if f.IdleShare != nil {
		idle = text.Share(f.IdleShare) + " idle"
	}
	return fmt.Sprintf("%s by %s: %s in %s s, %s", t.Bold(text.Number(f.Rate, 2)), eventNames[f.Event],
		text.Count(f.Frames, "frame"), text.Number(f.Seconds(), 3), idle)
}

func refreshText(list []stats.Refresh) string {
	if len(list) == 0 {
		return unknown
	}
	return strings.Join(text.Rates(list, func(r stats.Refresh) string {
		return fmt.Sprintf("%s Hz, %s ms (%s)", text.Number(r.Rate, 1), text.Number(r.Period.Milliseconds(), 3), text.Count(r.Frames, "frame"))
	}), " · ")
}

func (t *tableWriter) frames(p *stats.Process) []string {
	f := &p.Frames
	lines := []string{fmt.Sprintf("%d, unknown which are empty", f.Complete)}
	if f.Empty != nil {
		lines[0] = fmt.Sprintf("%d, %d of them empty (%s)", f.Complete, *f.Empty, text.Share(p.EmptyRate))
	}
	switch {
	case f.Complete > 0 && len(p.Stages) == 0: // a dump has no render frames
	case p.Kind == stats.Application:
		lines[0] += fmt.Sprintf(" · %d picked up by a render frame, %d on another vsync", f.Linked, f.Misaligned)
	default:
		lines[0] += fmt.Sprintf(" · %d presented, %d picked up frames of another vsync", f.Presented, f.Misaligned)
	}
	if s := estimated(f); s != "" {
		lines[0] += " · estimated: " + s
	}
	if f.Dropped > 0 {
		lines[0] += fmt.Sprintf(" · %d dropped", f.Dropped)
	}
	if f.Truncated > 0 {
		lines = append(lines, t.Dim(text.Count(f.Truncated, "truncated frame")+" not counted"))
	}
	return lines
}

// estimated returns how many times of a render service are estimates, empty if none is.
func estimated(f *stats.Counts) string {
	var list []string
	if n := f.PresentsEstimated; n > 0 {
		list = append(list, text.Count(n, "present time"))
	}
	if n := f.CommitsEstimated; n > 0 {
		list = append(list, text.Count(n, "commit"))
	}
	return strings.Join(list, ", ")
}

func (t *tableWriter) jank(p *stats.Process) []string {
	f, standard := &p.Frames, "a deadline"
	if p.SurfaceFlinger != nil {
		standard = "a deadline or a verdict"
	}
	if p.JankRate == nil {
		return []string{unknown + t.Dim("  no frame has "+standard)}
	}
	line := fmt.Sprintf("%s: %d late of %s with %s", t.Bold(text.Share(p.JankRate)), f.Late, text.Count(f.WithDeadline, "frame"), standard)
	if p.Kind == stats.RenderService && f.Late > 0 {
		line += fmt.Sprintf(", %d on the CPU, %d on the GPU", f.LateMain, f.LateGPU)
	}
	lines := []string{line}
	if s := p.LongestStreak; s != nil {
		lines = append(lines, fmt.Sprintf("longest streak %s, from %s (vsync %s, %s s)", text.Count(s.Frames, "frame"), since(t.origin, s.At), vsync(s.VsyncID), timeText(s.At)))
	}
	if s := p.Stutter; f.Late > 0 {
		line := fmt.Sprintf("overrun in periods: %d slight (< 2) · %s · %s", s.Slight,
			t.Yellow(fmt.Sprintf("%d medium (2–6)", s.Medium), s.Medium > 0),
			t.Red(fmt.Sprintf("%d severe (> 6)", s.Severe), s.Severe > 0))
		if s.Unknown > 0 {
			line += fmt.Sprintf(" · %d unknown", s.Unknown)
		}
		lines = append(lines, line)
	}
	return lines
}

func (t *tableWriter) blame(w *stats.WholeFrames) []string {
	if w.Judged == 0 {
		return []string{unknown + t.Dim("  no whole frame is known")}
	}
	lines := []string{fmt.Sprintf("%s: %d late of %s, from the application to the end of rendering",
		text.Share(w.LateRate), w.Late, text.Count(w.Judged, "whole frame"))}
	if w.Late > 0 {
		var causes []string
		for _, g := range blameGroups(&w.Blame) {
			causes = append(causes, fmt.Sprintf("%s %d", g.Name, g.Frames))
		}
		lines = append(lines, strings.Join(causes, " · "))
	}
	return lines
}

// verdicts returns the jank types that SurfaceFlinger reported.
func (t *tableWriter) verdicts(v *stats.Verdicts) []string {
	lines := []string{fmt.Sprintf("%s missed: %d by the application, %d by SurfaceFlinger, %d dropped",
		text.Count(v.Missed, "frame"), v.MissedApplication, v.MissedSurfaceFlinger, v.MissedDropped)}
	var types []string
	for _, j := range v.JankTypes {
		types = append(types, fmt.Sprintf("%s %d", j.Type, j.Frames))
	}
	if len(types) > 0 {
		lines = append(lines, strings.Join(types, " · "))
	}
	return lines
}

// classes returns the jank classes of hwui, with their frames.
func classes(list []stats.ClassFrames) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprintf("%s %d", c.Class, c.Frames)
	}
	return strings.Join(parts, " · ")
}

func (t *tableWriter) hitches(p *stats.Process) []string {
	h := p.Hitches
	if h == nil {
		return []string{unknown + t.Dim("  "+noHitches(p))}
	}
	if h.Hitches == 0 {
		return []string{fmt.Sprintf("%s ms/s: no hitches in %s between presents", t.Bold("0.0"), text.Count(h.Gaps, "gap"))}
	}
	lines := []string{fmt.Sprintf("%s ms/s: %s, %s ms in total, %s lost",
		t.Bold(text.Number(h.Ratio, 1)), text.Count(h.Hitches, "hitch"), ms(h.Hitch), text.Count(h.LostFrames, "frame"))}
	if h.Longest != nil {
		lines = append(lines, fmt.Sprintf("longest: %s ms, after the present at %s (%s s)", ms(*h.Longest), since(t.origin, *h.LongestAt), timeText(*h.LongestAt)))
	}
	return lines
}

func (t *tableWriter) durations(p *stats.Process) []string {
	d := p.Durations
	if d == nil {
		return []string{unknown}
	}
	line := func(p50, p90, p95, p99, longest, unit string) string {
		return fmt.Sprintf("P50 %7s   P90 %7s   P95 %7s   P99 %7s   max %8s  %s", p50, p90, p95, p99, longest, unit)
	}
	lines := []string{line(ms(d.P50), ms(d.P90), milliseconds(d.P95), milliseconds(d.P99), ms(d.Max), "ms")}
	if d := p.DurationsInPeriods; d != nil {
		lines = append(lines, t.Dim(line(periods(&d.P50), periods(&d.P90), periods(d.P95), periods(d.P99), periods(&d.Max), "periods")))
	}
	return lines
}

// periods formats a number of refresh periods; nil is unknown.
func periods(n *float64) string {
	if n == nil {
		return unknown
	}
	return text.Number(*n, 2)
}
