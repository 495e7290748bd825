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

// facts returns the measures that matter most, each with a few words. Details have the others.
func (b *builder) facts(in *Input, p *process) view.Facts {
	f := view.Facts{Cards: true}
	add := func(fact view.Fact) { f.List = append(f.List, fact) }
	add(frames(p.Process))
	if p.Frames.Complete == 0 {
		return f
	}
	add(fps(p))
	add(b.jank(p))
	if n := notBegun(p); n.Value != "" {
		add(n)
	}
	add(hitches(p))
	duration := factOf("Duration, P95", "p95_ms", p)
	if d := p.Durations; d != nil {
		duration.About = fmt.Sprintf("P50 %s ms · max %s ms", text.Milliseconds(d.P50), text.Milliseconds(d.Max))
	}
	add(duration)
	if l := p.Latencies.VsyncToPresent; l != nil {
		add(latency(p.Process))
	}
	if n := p.Nodes; n != nil {
		add(view.Fact{
			Label: "Nodes, P50", Meaning: meaning("nodes_measured_p50"), Value: fmt.Sprint(n.MeasuredP50), Unit: "measured",
			About: fmt.Sprintf("max %d · %d laid out", n.MeasuredMax, n.LaidOutP50),
		})
	}
	if streak := p.LongestStreak; streak != nil && streak.Frames > 1 && b.full {
		add(view.Fact{
			Label: "Longest streak", Meaning: define("streak"), Value: fmt.Sprint(streak.Frames), Unit: "late",
			About: fmt.Sprintf("from %s, vsync %s", text.Since(in.origin(), *streak.At), text.Vsync(*streak.VsyncID)),
		})
	}
	return f
}

// factOf returns a measure of a process as a fact.
func factOf(label, name string, p *process) view.Fact {
	m := measure(name)
	x := m.Value(p.Process)
	f := view.Fact{Label: label, Meaning: fullMeaning(m), Value: valueOf(m, p.Process), Level: view.LevelOf(rating.OfMeasure(m, x))}
	if x != nil {
		f.Unit = strings.TrimSpace(text.UnitAfter(m.Unit))
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
		add("%d empty (%s)", *f.Empty, text.Share(p.EmptyRate))
	}
	if f.Dropped > 0 {
		add("%d dropped", f.Dropped)
	}
	if f.Truncated > 0 {
		add("%d truncated, not counted", f.Truncated)
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

func fps(p *process) view.Fact {
	fact, f := factOf("FPS", "fps", p), p.FPS
	if f == nil {
		fact.About = "fewer than two frames are known to have been shown"
		return fact
	}
	if f.Rate == nil {
		fact.About = text.Count(f.Frames, shownAs[f.Event]) + ", no two without a pause between them"
		return fact
	}
	// Who divides these gets the rate.
	fact.About = fmt.Sprintf("%s, %s in %s s", text.Count(f.Frames, shownAs[f.Event]), text.Count(f.Gaps, "interval"), inSeconds(f.Active))
	if idle := trace.Duration(f.Seconds()*float64(trace.Second)) - f.Active; idle >= trace.Millisecond {
		fact.About += fmt.Sprintf(", without %s s idle", inSeconds(idle))
	}
	if f.Cadence != nil {
		whole := *f.Cadence
		whole.Share = 1 // Details have the share
		fact.About += ", " + text.Cadence(&whole)
	}
	return fact
}

// inSeconds formats a duration as those of traces are.
func inSeconds(d trace.Duration) string { return text.Number(float64(d)/float64(trace.Second), 3) }

// latency returns how long frames take to be shown.
func latency(p *stats.Process) view.Fact {
	x := p.Latencies.VsyncToPresent
	about := "P95 " + text.Unknown
	if x.P95 != nil {
		about = "P95 " + text.Milliseconds(*x.P95) + " ms"
	}
	if d := p.Latencies.Depth; d != nil {
		about += " · " + "P50 " + text.Number(d.P50, 1) + " refresh periods"
	}
	return view.Fact{Label: "Latency, P50", Meaning: meaning("vsync_to_present_p50_ms"), Value: text.Milliseconds(x.P50), Unit: "ms", About: about}
}

// latencyParts returns the medians of parts of the latency, as Details have them.
func latencyParts(p *stats.Process) string {
	l, compositor := &p.Latencies, "render_service"
	if p.Android {
		compositor = "SurfaceFlinger"
	}
	var list []string
	if s := l.VsyncToStart; s != nil {
		list = append(list, text.Milliseconds(s.P50)+" ms to the start")
	}
	if r := l.VsyncToRenderVsync; r != nil {
		list = append(list, text.Milliseconds(r.P50)+" ms to "+compositor+"'s vsync")
	}
	if i := l.InputToPresent; i != nil {
		list = append(list, text.Milliseconds(i.P50)+" ms from input to present")
	}
	return strings.Join(list, " · ")
}

// notBegun says how many frames never began; a fact without a value if none did.
func notBegun(p *process) view.Fact {
	n := p.NotBegun
	if n == nil || n.Frames == 0 {
		return view.Fact{}
	}
	about := fmt.Sprintf("%s of %d, pictures %s ms late in sum", text.Count(n.Frames, "frame"), n.Wanted, text.Milliseconds(n.Time))
	return view.Fact{Label: "Never began", Meaning: meaning("not_begun_rate"), Value: text.Share(n.Rate), About: about, Level: view.Warning}
}

func (b *builder) jank(p *process) view.Fact {
	fact := factOf("Jank", "jank_rate", p)
	fact.About = p.Frames.NotJudged()
	if fact.About == "" && !p.Frames.JankKnown() {
		fact.About = fmt.Sprintf("%d %s of %s; %s that drew not judged", p.Frames.Late, causes.Late(&p.Frames), text.Count(p.Frames.Judged, "judged frame"), text.Count(p.Frames.Unjudged, "frame"))
	}
	if p.JankRate != nil {
		fact.About = fmt.Sprintf("%d %s of %d judged", p.Frames.Late, causes.Late(&p.Frames), p.Frames.Judged)
		if p.Frames.DeadlinesInferred > 0 {
			fact.About += ", by inferred deadlines"
		}
		if n := p.Frames.LateFirstDraw; n > 0 {
			fact.About += fmt.Sprintf(", %d of them first draws: %s without", n, text.Share(p.JankRateLater))
		}
		if p.Kind == stats.RenderService && p.Frames.Late > 0 {
			fact.About += fmt.Sprintf(": %d on the CPU, %d on the GPU", p.Frames.LateMain, p.Frames.LateGPU)
		}
	}
	return fact
}

func hitches(p *process) view.Fact {
	fact, h := factOf("Hitches", "hitch_ratio", p), p.Hitches
	fact.Meaning = define("hitch") + "; ratio: " + fact.Meaning
	if h == nil {
		fact.About = noHitches(p.Process)
		return fact
	}
	if h.Hitches == 0 {
		fact.About = "none in " + text.Count(h.Gaps, "gap") + " between presents"
		return fact
	}
	fact.About = fmt.Sprintf("%s: %s ms in %s s", text.Count(h.Hitches, "hitch"), text.Milliseconds(h.Hitch), inSeconds(h.Animated))
	if h.Idle > 0 { // not that of FPS alone
		fact.About += " in which frames were due"
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

// details returns what the facts lack, and further counts: who was to blame, and by how much frames were late.
func details(in *Input, p *stats.Process) view.Section {
	s := view.Section{Title: "Details", Half: true}
	f := view.Facts{}
	add := func(label, term, value string) {
		f.List = append(f.List, view.Fact{Label: label, Meaning: term, Value: value})
	}
	add("Refresh", define("refresh period"), refreshText(p.Refresh))
	if e := p.EmptyFrames; e != nil && deref(e.CPU) >= leastCPU {
		add("Empty frames", define("empty"), "threads ran "+number(e.CPU)+" ms in them")
	}
	if x := p.FPS; x != nil {
		how := "by " + eventNames[x.Event]
		if x.IdleShare != nil {
			how += ", " + text.Share(x.IdleShare) + " idle"
		} else {
			how += ", idle time unknown"
		}
		if x.Cadence != nil {
			how += ", " + text.Cadence(x.Cadence)
		}
		add("FPS", meaning("fps"), how)
	}
	if h := p.Hitches; h != nil && h.Hitches > 0 && h.LongestAt != nil {
		add("Hitches", define("hitch"), fmt.Sprintf("%s lost, the longest %s ms at %s", text.Count(h.LostFrames, "frame"), text.Milliseconds(h.Longest), text.Since(in.origin(), *h.LongestAt)))
	}
	if n := p.NotBegun; n != nil && n.Frames > 0 {
		add("Never began", meaning("not_begun_rate"), "the longest "+text.Milliseconds(n.Longest)+" ms")
	}
	if d := p.Durations; d != nil {
		add("Durations, ms", "", fmt.Sprintf("P50 %s · P90 %s · P95 %s · P99 %s · max %s", text.Milliseconds(d.P50), text.Milliseconds(d.P90), text.MillisecondsOrUnknown(d.P95), text.MillisecondsOrUnknown(d.P99), text.Milliseconds(d.Max)))
	}
	if o := p.Overruns; o != nil {
		add("Overruns, ms", define("overrun"), fmt.Sprintf("P50 %s · P95 %s · P99 %s · max %s", text.Milliseconds(o.P50), text.MillisecondsOrUnknown(o.P95), text.MillisecondsOrUnknown(o.P99), text.Milliseconds(o.Max)))
	}
	if parts := latencyParts(p); parts != "" {
		add("Latency, P50", meaning("vsync_to_present_p50_ms"), parts)
	}
	if n := p.Nodes; n != nil {
		add("Nodes", "", fmt.Sprintf("at most %d laid out · in %s", n.LaidOutMax, text.Count(n.Frames, "frame")))
	}
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
	if parts := blameParts(&p.WholeFrames.Blame); p.WholeFrames.Late > 0 && p.Kind == stats.Application {
		about, blamed := "for late whole frames: a pick-up only if both frames were on time", 0
		for _, part := range parts {
			blamed += part.Count
		}
		if blamed > p.WholeFrames.Late {
			about += "; a frame may have several"
		}
		s.Blocks = append(s.Blocks, view.Note{Label: "Blame", Text: about, Level: view.Soft}, parts)
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

func worstCauses(p *stats.Process, c *causes.ExplainedProcess) explanations {
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
