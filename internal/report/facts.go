package report

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// facts returns the measures that matter most.
func (b *builder) facts(in *Input, p *process) view.Facts {
	f := view.Facts{Cards: true}
	add := func(fact view.Fact) { f.List = append(f.List, fact) }
	add(frames(p.Process))
	if p.Frames.Complete == 0 {
		return f
	}
	add(fps(p.FPS))
	add(b.jank(p))
	if n := notBegun(p); n.Value != "" {
		add(n)
	}
	add(b.hitches(in, p))
	duration := view.Fact{Label: "Duration, P95", Meaning: meaning("p95_ms"), Value: text.Unknown}
	if d := p.Durations; d != nil {
		duration.About = fmt.Sprintf("P50 %s · P90 %s · P99 %s · max %s", text.Milliseconds(d.P50), text.Milliseconds(d.P90), text.MillisecondsOrUnknown(d.P99), text.Milliseconds(d.Max))
		if d.P95 != nil {
			duration.Value, duration.Unit = text.Milliseconds(*d.P95), "ms"
		}
		if o := p.Overruns; o != nil && b.full {
			duration.About += fmt.Sprintf("; overrun P50 %s · P95 %s · P99 %s · max %s", text.Milliseconds(o.P50), text.MillisecondsOrUnknown(o.P95), text.MillisecondsOrUnknown(o.P99), text.Milliseconds(o.Max))
		}
	}
	add(duration)
	if l := p.Latencies.VsyncToPresent; l != nil {
		add(latency(p.Process))
	}
	if n := p.Nodes; n != nil {
		add(view.Fact{
			Label: "Nodes, P50", Meaning: meaning("nodes_measured_p50"), Value: fmt.Sprint(n.MeasuredP50), Unit: "measured",
			About: fmt.Sprintf("max %d · %d laid out, max %d · of %s that did", n.MeasuredMax, n.LaidOutP50, n.LaidOutMax, text.Count(n.Frames, "frame")),
		})
	}
	if streak := p.LongestStreak; streak != nil && streak.Frames > 1 && b.full {
		add(view.Fact{
			Label: "Longest streak", Meaning: define("streak"), Value: fmt.Sprint(streak.Frames), Unit: "late",
			About: fmt.Sprintf("in a row, from %s, vsync %s", text.Since(in.origin(), *streak.At), text.Vsync(*streak.VsyncID)),
		})
	}
	return f
}

// leastCPU is the processor time of empty frames, in ms, from which on it is stated.
const leastCPU = 0.1

func frames(p *stats.Process) view.Fact {
	f := &p.Frames
	var about []string
	add := func(format string, args ...any) { about = append(about, fmt.Sprintf(format, args...)) }
	switch {
	case f.Empty == nil:
		add("unknown which are empty")
	case *f.Empty > 0:
		add("%d of them empty (%s)", *f.Empty, text.Share(p.EmptyRate))
		if e := p.EmptyFrames; e != nil && deref(e.CPU) >= leastCPU {
			add("%s ms of processor time", number(e.CPU))
		}
	}
	if f.Dropped > 0 {
		add("%d dropped", f.Dropped)
	}
	if f.Truncated > 0 {
		add("%s not counted", text.Count(f.Truncated, "truncated frame"))
	}
	return view.Fact{Label: "Frames", Meaning: meaning("frames"), Value: fmt.Sprint(f.Complete), About: strings.Join(about, ", ")}
}

var eventNames = map[stats.Event]string{
	stats.Present:     "present times",
	stats.Commit:      "commit starts",
	stats.RenderStart: "render-frame starts",
}

// shownAs says what the times of an event count.
var shownAs = map[stats.Event]string{stats.Present: "present", stats.Commit: "commit", stats.RenderStart: "render frame"}

func fps(f *stats.FPS) view.Fact {
	fact := view.Fact{Label: "FPS", Meaning: define("FPS"), Value: text.Unknown, About: "fewer than two frames are known to have been shown"}
	if f != nil {
		idle := "idle time unknown"
		if f.IdleShare != nil {
			idle = text.Share(f.IdleShare) + " idle"
		}
		fact.Value = number(f.Rate)
		how := "no two without a pause between them"
		if f.Rate != nil {
			how = "the cadence is unknown"
			if f.Cadence != nil {
				how = text.Cadence(f.Cadence)
			}
		}
		fact.About = fmt.Sprintf("by %s: %s in %s s, %s, %s", eventNames[f.Event], text.Count(f.Frames, shownAs[f.Event]), text.Number(f.Seconds(), 3), how, idle)
	}
	return fact
}

// latency returns how long frames take to be shown.
func latency(p *stats.Process) view.Fact {
	l, compositor := &p.Latencies, "render_service"
	if p.Android {
		compositor = "SurfaceFlinger"
	}
	x := l.VsyncToPresent
	about := []string{"from vsync to present", "P95 " + text.MillisecondsOrUnknown(x.P95)}
	if l.Depth != nil {
		about = append(about, text.Number(l.Depth.P50, 1)+" periods")
	}
	if s := l.VsyncToStart; s != nil {
		about = append(about, text.Milliseconds(s.P50)+" to the start")
	}
	if r := l.VsyncToRenderVsync; r != nil {
		about = append(about, text.Milliseconds(r.P50)+" to "+compositor+"'s vsync")
	}
	if i := l.InputToPresent; i != nil {
		about = append(about, text.Milliseconds(i.P50)+" from input to present")
	}
	return view.Fact{Label: "Latency, P50", Meaning: meaning("vsync_to_present_p50_ms"), Value: text.Milliseconds(x.P50), Unit: "ms", About: strings.Join(about, " · ")}
}

// notBegun says how many frames never began; a fact without a value if none did.
func notBegun(p *process) view.Fact {
	n := p.NotBegun
	if n == nil || n.Frames == 0 {
		return view.Fact{}
	}
	about := fmt.Sprintf("%s of %d, pictures %s ms late in sum, the longest %s ms", text.Count(n.Frames, "frame"), n.Wanted, text.Milliseconds(n.Time), text.Milliseconds(n.Longest))
	return view.Fact{Label: "Never began", Meaning: meaning("not_begun_rate"), Value: text.Share(n.Rate), About: about, Level: view.Warning}
}

func (b *builder) jank(p *process) view.Fact {
	fact := view.Fact{Label: "Jank", Meaning: define("jank rate") + "; colour: largest " + colours(rating.Overrun), Value: text.Share(p.JankRate), About: "no frame is judged"}
	if !p.Frames.JankKnown() {
		fact.About = fmt.Sprintf("%d late of %s; %s that drew not judged", p.Frames.Late, text.Count(p.Frames.Judged, "judged frame"), text.Count(p.Frames.Unjudged, "frame"))
	}
	if p.JankRate != nil {
		fact.Level = level(rating.Overrun, largestOverrun(p.Process))
		fact.About = fmt.Sprintf("%d late of %s", p.Frames.Late, text.Count(p.Frames.Judged, "judged frame"))
		if p.Frames.DeadlinesInferred > 0 {
			fact.About += ", by inferred deadlines"
		}
		if n := p.Frames.LateFirstDraw; n > 0 {
			fact.About += fmt.Sprintf(", %d of them first draws: %s without", n, text.Share(p.JankRateLater))
		}
		if p.Kind == stats.RenderService && p.Frames.Late > 0 {
			fact.About += fmt.Sprintf(", %d on the CPU, %d on the GPU", p.Frames.LateMain, p.Frames.LateGPU)
		}
	}
	return fact
}

func (b *builder) hitches(in *Input, p *process) view.Fact {
	fact := view.Fact{Label: "Hitches", Meaning: define("hitch") + "; ratio: " + define("hitch ratio") + "; " + colours(rating.HitchRatio), Value: text.Unknown}
	h := p.Hitches
	if h == nil {
		fact.About = noHitches(p.Process)
		return fact
	}
	if h.Ratio != nil {
		fact.Value, fact.Unit, fact.Level = number(h.Ratio), "ms/s", level(rating.HitchRatio, h.Ratio)
	}
	if h.Hitches == 0 {
		fact.About = "none in " + text.Count(h.Gaps, "gap") + " between presents"
		return fact
	}
	fact.About = fmt.Sprintf("%s, %s ms of %.3f s that is not idle, %s lost", text.Count(h.Hitches, "hitch"), text.Milliseconds(h.Hitch), float64(h.Animated)/float64(trace.Second), text.Count(h.LostFrames, "frame"))
	if h.LongestAt != nil {
		fact.About += fmt.Sprintf(", the longest %s ms at %s", text.Milliseconds(h.Longest), text.Since(in.origin(), *h.LongestAt))
	}
	return fact
}

// noHitches returns why the hitches of a process are unknown.
func noHitches(p *stats.Process) string {
	switch {
	case p.FPS == nil || p.FPS.Event != stats.Present:
		return "fewer than two frames have a present time"
	case len(p.Refresh) == 0:
		return "the refresh period is unknown"
	case p.Frames.Judged == 0:
		return "without deadlines, a slow application cannot be distinguished from an idle one"
	}
	return "no gap between two presents can be judged"
}

// details returns further counts: who was to blame, and by how much frames were late.
func details(p *stats.Process) view.Section {
	s := view.Section{Title: "Details", Half: true}
	f := view.Facts{}
	add := func(label, term, value string) {
		f.List = append(f.List, view.Fact{Label: label, Meaning: term, Value: value})
	}
	add("Refresh", define("refresh period"), refreshText(p.Refresh))
	c := &p.Frames
	switch {
	case len(p.Stages) == 0: // a dump has no render frames
	case p.Kind == stats.Application:
		add("Picked up by a render frame", define("pick-up"), fmt.Sprintf("%d of %d", c.Linked, c.Complete))
		add("Picked up on another vsync", define("misaligned"), fmt.Sprint(c.Misaligned))
	default:
		add("Picked up application frames", define("pick-up"), fmt.Sprintf("%d of %d", c.Linked, c.Complete))
		add("Picked up frames of another vsync", define("misaligned"), fmt.Sprint(c.Misaligned))
		add("Present time known", "", fmt.Sprint(c.Presented))
		if len(p.Screens) > 0 {
			add("Screens", "", screens(p))
		}
	}
	if list := estimated(c); list != "" {
		add("Estimated", "", list)
	}
	if d := p.DurationsInPeriods; d != nil {
		periods := func(x *float64) string { return text.Value(stats.Periods, x) }
		add("Durations in periods", "", fmt.Sprintf("P50 %s · P90 %s · P95 %s · P99 %s · max %s", periods(&d.P50), periods(&d.P90), periods(d.P95), periods(d.P99), periods(&d.Max)))
	}
	if v := p.SurfaceFlinger; v != nil {
		add("SurfaceFlinger", "", fmt.Sprintf("%s missed: %d by the application, %d by SurfaceFlinger, %d dropped", text.Count(v.Missed, "frame"), v.MissedApplication, v.MissedSurfaceFlinger, v.MissedDropped))
		for _, j := range v.JankTypes {
			add(j.Type, "", fmt.Sprint(j.Frames))
		}
	}
	for _, class := range p.HWUI {
		add("hwui: "+fmt.Sprint(class.Class), "", fmt.Sprint(class.Frames))
	}
	if w := &p.WholeFrames; p.Kind == stats.Application { // the render service's whole frames are theirs
		rate := "none is known"
		if w.Judged > 0 {
			rate = fmt.Sprintf("%d of %d, %s", w.Late, w.Judged, text.Share(w.LateRate))
		}
		add("Late whole frames", define("whole frame"), rate)
	}
	s.Blocks = append(s.Blocks, f)
	if p.WholeFrames.Late > 0 && p.Kind == stats.Application {
		s.Blocks = append(s.Blocks, view.Note{Label: "Blame", Text: "for late whole frames: a pick-up only if both frames were on time", Level: view.Soft}, blameParts(&p.WholeFrames.Blame))
	}
	if st := p.Stutter; p.Frames.Late > 0 {
		parts := view.Parts{
			{Group: view.Group{ID: "slight", Name: "slight, < 2"}, Count: st.Slight}, {Group: view.Group{ID: "medium", Name: "medium, 2–6"}, Count: st.Medium},
			{Group: view.Group{ID: "severe", Name: "severe, > 6"}, Count: st.Severe}, {Group: view.Group{ID: "no-deadline", Name: "period unknown"}, Count: st.Unknown},
		}
		s.Blocks = append(s.Blocks, view.Note{Label: "Stutter", Text: "late frames by their overrun in periods", Level: view.Soft}, parts)
	}
	return s
}

func refreshText(list []stats.Refresh) string {
	if len(list) == 0 {
		return text.Unknown
	}
	return strings.Join(text.Rates(list, func(r stats.Refresh) string {
		return fmt.Sprintf("%s Hz, %s ms (%s)", text.Number(r.Rate, 1), text.Number(r.Period.Milliseconds(), 3), text.Count(r.Frames, "frame"))
	}), " · ")
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

// blames are the causes of late whole frames, with the style and the name of each.
var blames = []struct {
	blame analyzer.Blame
	view.Group
}{
	{analyzer.BlameApplication, view.Group{ID: "late-app", Name: "application"}},
	{analyzer.BlameRenderCPU, view.Group{ID: "late-cpu", Name: "render CPU"}},
	{analyzer.BlameRenderGPU, view.Group{ID: "late-gpu", Name: "render GPU"}},
	{analyzer.BlamePickUp, view.Group{ID: "misaligned", Name: "picked up late"}},
	{analyzer.BlameDisplayHAL, view.Group{ID: "medium", Name: "display HAL"}},
	{analyzer.BlameBufferStuffing, view.Group{ID: "slight", Name: "buffer stuffing"}},
	{analyzer.BlamePredictionError, view.Group{ID: "severe", Name: "prediction error"}},
	{analyzer.BlameDropped, view.Group{ID: "empty", Name: "dropped"}},
	{analyzer.BlameUnknown, view.Group{ID: "no-deadline", Name: "unknown"}},
}

// blameParts returns the number of late whole frames for each cause that occurred.
func blameParts(b *stats.Blames) (list view.Parts) {
	for _, cause := range blames {
		if n := b.Of(cause.blame); n > 0 {
			list = append(list, view.Part{Group: cause.Group, Count: n})
		}
	}
	return list
}

// blameText returns the causes of one whole frame.
func blameText(b analyzer.Blame) string {
	var names []string
	for _, cause := range blames {
		if b.Has(cause.blame) {
			names = append(names, cause.Name)
		}
	}
	return strings.Join(names, ", ")
}

// explanations are what the list of worst frames says about each: its cause or, where
// causes are unknown, its longest stage.
type explanations struct {
	title string
	texts []string
}

func worstCauses(p *stats.Process, c *causes.Process) explanations {
	e := explanations{title: "Cause"}
	if c == nil {
		e.title = "Longest stage"
	}
	type id struct {
		tid trace.TID
		at  trace.Time
	}
	known := map[id]string{}
	if c != nil {
		for _, l := range c.Late {
			known[id{l.Frame.TID, l.Frame.Actual.Start}] = text.Printable(causetext.Short(l))
		}
	}
	for _, f := range p.Worst {
		reason, ok := known[id{f.TID, f.At}]
		switch {
		case !ok && c == nil && f.Stage != nil:
			reason = f.Stage.Label()
		case !ok:
			reason = text.Unknown
		}
		e.texts = append(e.texts, reason)
	}
	return e
}

// screens says how many frames each screen showed, and which is the main one.
func screens(p *stats.Process) string {
	var list []string
	for _, s := range p.Screens {
		known := fmt.Sprintf("screen %d: %s", s.ID, text.Count(s.Presented, "present"))
		if s.Main > 0 {
			known += fmt.Sprintf(", %d as the main screen", s.Main)
		}
		list = append(list, known)
	}
	return strings.Join(list, " · ")
}
