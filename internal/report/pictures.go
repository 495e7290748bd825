package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// What the pictures of a page have at most: a browser draws as many at once.
const (
	maxPictures    = 24
	maxPictureBars = 400 // of a picture; it then joins frames
	leastLabelled  = 0.1 // share of a picture, of a stage with its name in it
)

// pictures returns a picture of the frames of the worst interactions, and of the stages of
// launches; none in a terminal.
func (b *builder) pictures(in *Input, list []*stats.Interaction) view.Strips {
	var s view.Strips
	if !b.page {
		return s
	}
	drawn := slices.DeleteFunc(slices.Clone(list), func(i *stats.Interaction) bool {
		return len(i.Source.Frames) == 0 && !slices.ContainsFunc(i.Stages, func(s stats.LaunchStage) bool { d, _ := in.stage(i, s); return d != nil })
	})
	if n := max(0, maxPictures-b.pictured); len(drawn) > n {
		s.More = fmt.Sprintf("… and %d more that are no worse", len(drawn)-n)
		drawn = text.First(drawn, n, worse)
	}
	b.pictured += len(drawn)
	var used marks
	for _, i := range drawn {
		strip, m := b.picture(in, i)
		s.List = append(s.List, strip)
		used |= m
	}
	if used != 0 {
		s.About = "One bar per frame from its start to its end, height = duration; the dashed line is the refresh period. The hatched lead is the response; lines mark the first and the last frame shown."
	}
	if slices.ContainsFunc(s.List, func(s view.Strip) bool { return s.Low }) {
		s.About = strings.TrimSpace(s.About + " A launch has a bar of its stages.")
	}
	var rendered []int
	for _, i := range drawn {
		if len(i.Source.Frames) > 0 && !i.Source.Launch() && i.Counted == "render" {
			rendered = append(rendered, i.ID)
		}
	}
	if len(rendered) > 0 {
		s.About += fmt.Sprintf(" The bars of %s are frames of render_service, which draws the animation.", text.IDs(rendered))
	}
	for _, x := range []mark{onTime, late, lateCPU, lateGPU, misaligned, empty, noDeadline} {
		if used.has(x) {
			s.Legend = append(s.Legend, view.Group{ID: markInfo[x].ID, Name: markInfo[x].Name})
		}
	}
	return s
}

// pictureID returns the target of links to the picture of an interaction.
func pictureID(in *Input, i *stats.Interaction) string {
	return fmt.Sprintf("%sinteraction-%d", in.id, i.ID)
}

// picture returns the picture of an interaction, with the marks that decide colours.
func (b *builder) picture(in *Input, i *stats.Interaction) (s view.Strip, used marks) {
	s = view.Strip{ID: pictureID(in, i), Title: fmt.Sprintf("%d · %s", i.ID, text.Interaction(i.Source)), About: text.ProcessName(i.Process)}
	if i.Page != nil {
		s.About += " · " + text.Printable(*i.Page)
	}
	if i.Response != nil {
		s.About += " · response " + number(i.Response) + " ms"
	}
	if i.FPS != nil {
		s.About += " · " + number(i.FPS) + " FPS"
	}
	if i.HitchRatio != nil {
		s.About += " · hitches " + number(i.HitchRatio) + " ms/s"
	}
	axis := in.pictureAxis(i)
	s.From, s.To = text.Since(in.origin(), axis.Start), text.Since(in.origin(), axis.End)
	at := func(t trace.Time) float64 {
		return min(1, max(0, float64(t.Sub(axis.Start))/float64(max(1, axis.Duration()))))
	}
	bar := func(from, to trace.Time) view.Bar { return view.Bar{Left: at(from), Width: at(to) - at(from)} }
	if i.Source.Launch() {
		s.Low = true
		for _, stage := range i.Stages {
			if d, atLeast := in.stage(i, stage); d != nil {
				item, name := bar(stage.Begin, stage.Begin.Add(*d)), text.Printable(stage.Name)
				if item.Width >= leastLabelled {
					item.Text = name
				}
				item.Title = name + ": " + stageText(d, atLeast) + " ms"
				s.Bars = append(s.Bars, item)
			}
		}
		return s, 0
	}
	if from := i.Source.From(); from.Known() && i.Source.FirstShown.Known() {
		lead := bar(from, i.Source.FirstShown)
		lead.Group, lead.Title = "lead", "response "+number(i.Response)+" ms"
		s.Bars = append(s.Bars, lead)
	}
	var longest, period trace.Duration
	for _, f := range i.Source.Frames {
		longest, period = max(longest, f.Actual.Duration()), max(period, f.Period)
	}
	longest = max(longest, 2*period, 1)
	s.Line = float64(period) / float64(longest)
	joined := (len(i.Source.Frames) + maxPictureBars - 1) / maxPictureBars
	for frames := range slices.Chunk(i.Source.Frames, max(1, joined)) {
		worst := slices.MaxFunc(frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Duration(), b.Actual.Duration()) })
		top, end := mark(0), trace.Time(0)
		for _, f := range frames {
			end = max(end, f.Actual.End)
			for x := range markCount {
				if marksOf(f).has(x) {
					top = max(top, x)
				}
			}
		}
		used |= 1 << top
		item := bar(frames[0].Actual.Start, end)
		item.Group, item.Height = markInfo[top].ID, float64(worst.Actual.Duration())/float64(longest)
		item.Title = fmt.Sprintf("vsync %s: %s ms, %s", text.Vsync(worst.VsyncID), text.Milliseconds(worst.Actual.Duration()), markInfo[top].Name)
		if len(frames) > 1 {
			item.Title = fmt.Sprintf("%d frames, the longest %s", len(frames), item.Title)
		}
		s.Bars = append(s.Bars, item)
	}
	mark := func(shown trace.Time, title string) {
		if shown.Known() {
			s.Marks = append(s.Marks, view.Mark{At: at(shown), Title: title})
		}
	}
	mark(i.Source.FirstShown, "first frame shown")
	mark(i.Source.LastShown, "last frame shown")
	return s, used
}

// pictureAxis returns the time that a picture shows: from the input to the last frame.
func (in *Input) pictureAxis(i *stats.Interaction) analyzer.Interval {
	a := analyzer.Interval{Start: cmp.Or(i.Source.From(), i.Source.Observed.Start), End: i.Source.SeenTo}
	for _, f := range i.Source.Frames {
		a.Start, a.End = min(a.Start, f.Actual.Start), max(a.End, f.Actual.End)
	}
	for _, s := range i.Stages {
		a.Start, a.End = min(a.Start, s.Begin), max(a.End, s.Begin)
		if d, _ := in.stage(i, s); d != nil {
			a.End = max(a.End, s.Begin.Add(*d))
		}
	}
	return a
}
