package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
	"ohframe/internal/grid"
	"ohframe/internal/words"
)

// facts writes what is one or a few numbers.
func (t *tableWriter) facts(p *stats.Process) {
	g := grid.New(t.Ink)
	add := func(label string, lines ...string) {
		for i, line := range lines {
			if text.StringWidthWithoutEscSequences(line) > factWidth {
				lines[i] = text.WrapSoft(line, factWidth)
			}
		}
		g.AppendRow(table.Row{t.Dim(label), strings.Join(lines, "\n")})
	}
	add("Frames", t.frames(p)...)
	if p.Frames.Complete == 0 {
		t.print(g)
		return
	}
	add("FPS", t.fps(p.FPS))
	add("Refresh", refreshText(p.Refresh))
	add("Jank", t.jank(p)...)
	add("Blame", t.blame(&p.WholeFrames)...)
	if p.SurfaceFlinger != nil {
		add("Verdicts", t.verdicts(p.SurfaceFlinger)...)
	}
	add("Hitches", t.hitches(p)...)
	add("Durations", t.durations(p)...)
	t.print(g)
}

func (t *tableWriter) fps(f *stats.FPS) string {
	if f == nil {
		return unknown + t.Dim("  no two frames are known to have been shown")
	}
	return fmt.Sprintf("%s by %s: %s in %s s", t.Bold(words.Number(f.Rate, 2)), eventNames[f.Event],
		count(f.Frames, "frame"), words.Number(seconds(f.Last.Sub(f.First)), 3))
}

func refreshText(list []stats.Refresh) string {
	if len(list) == 0 {
		return unknown
	}
	shown := list[:min(len(list), words.MaxRates)]
	texts := make([]string, len(shown))
	for i, r := range shown {
		texts[i] = fmt.Sprintf("%s Hz, %s ms (%s)", words.Number(r.Rate, 1), words.Number(r.Period.Milliseconds(), 3), count(r.Frames, "frame"))
	}
	if more := len(list) - len(shown); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, " · ")
}

func (t *tableWriter) frames(p *stats.Process) []string {
	f := &p.Frames
	lines := []string{fmt.Sprintf("%d, of them %d empty (%s)", f.Complete, f.Empty, words.Share(p.EmptyRate))}
	if p.Kind == stats.Application {
		lines[0] += fmt.Sprintf(" · %d picked up by a render frame, %d on another vsync", f.Linked, f.Misaligned)
	} else {
		lines[0] += fmt.Sprintf(" · %d presented, %d took frames of another vsync", f.Presented, f.Misaligned)
	}
	if f.Truncated > 0 {
		lines = append(lines, t.Dim(count(f.Truncated, "more frame")+" at the trace's ends, truncated and not counted"))
	}
	return lines
}

func (t *tableWriter) jank(p *stats.Process) []string {
	f := &p.Frames
	if p.JankRate == nil {
		return []string{unknown + t.Dim("  no frame has a deadline")}
	}
	line := fmt.Sprintf("%s: %d late of %s with a deadline", t.Bold(words.Share(p.JankRate)), f.Late, count(f.WithDeadline, "frame"))
	if p.Kind == stats.RenderService && f.Late > 0 {
		line += fmt.Sprintf(", %d on the CPU, %d on the GPU", f.LateMain, f.LateGPU)
	}
	lines := []string{line}
	if s := p.LongestStreak; s != nil {
		lines = append(lines, fmt.Sprintf("longest streak %s, from %s s (vsync %s)", count(s.Frames, "frame"), s.At, vsync(s.VsyncID)))
	}
	if s := p.Stutter; f.Late > 0 {
		line := fmt.Sprintf("by periods late: %d slight (< 2) · %s · %s", s.Slight,
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
		return []string{unknown + t.Dim("  no frame is known from the application to the end of rendering")}
	}
	lines := []string{fmt.Sprintf("%s: %d late of %s, from the application to the end of rendering",
		words.Share(w.LateRate), w.Late, count(w.Judged, "whole frame"))}
	if w.Late > 0 {
		var causes []string
		for _, p := range blameParts(&w.Blame) {
			causes = append(causes, fmt.Sprintf("%s %d", p.Name, p.Frames))
		}
		lines = append(lines, strings.Join(causes, " · "))
	}
	return lines
}

// verdicts writes what SurfaceFlinger said of the frames.
func (t *tableWriter) verdicts(v *stats.Verdicts) []string {
	var types []string
	for _, j := range v.JankTypes {
		types = append(types, fmt.Sprintf("%s %d", j.Type, j.Frames))
	}
	return []string{
		fmt.Sprintf("%s missed: %d by the application, %d by SurfaceFlinger, %d dropped",
			count(v.Missed, "frame"), v.MissedApplication, v.MissedSurfaceFlinger, v.MissedDropped),
		strings.Join(types, " · "),
	}
}

func (t *tableWriter) hitches(p *stats.Process) []string {
	h := p.Hitches
	if h == nil {
		return []string{unknown + t.Dim("  "+noHitches(p))}
	}
	if h.Hitches == 0 {
		return []string{fmt.Sprintf("%s ms/s: none in %s between presents", t.Bold("0.0"), count(h.Gaps, "gap"))}
	}
	lines := []string{fmt.Sprintf("%s ms/s: %s of %s ms in all, %s lost",
		t.Bold(words.Number(h.Ratio, 1)), count(h.Hitches, "hitch"), ms(h.Hitch), count(h.LostFrames, "frame"))}
	if h.Longest != nil {
		lines = append(lines, fmt.Sprintf("the longest %s ms, after the present at %s s", ms(*h.Longest), *h.LongestAt))
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
	lines := []string{line(ms(d.P50), ms(d.P90), ms(d.P95), ms(d.P99), ms(d.Max), "ms")}
	if d := p.DurationsInPeriods; d != nil {
		n := func(x float64) string { return words.Number(x, 2) }
		lines = append(lines, t.Dim(line(n(d.P50), n(d.P90), n(d.P95), n(d.P99), n(d.Max), "periods")))
	}
	return lines
}
