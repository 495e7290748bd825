package causes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// maxCosts is the number of causes in a ranking. It is shorter if fewer have costShare
// of the lost time.
const (
	maxCosts  = 8
	costShare = 0.9
)

// The number of cases in a list, in a terminal and on a page, and of frames with lanes on one page,
// so that a browser opens it in seconds.
const (
	maxFrames  = 20
	maxListed  = 100
	maxDrawn   = 300
	maxRepeats = 2 // repeated arguments of a cause
	maxSame    = 3 // frames of one cause
)

// newDocument returns why the frames of an input were late.
func newDocument(in *Input, o Options) *view.Document {
	d := &view.Document{Kind: "Why frames were late", Title: text.Base(in.Name) + " – why frames were late", Answer: headline(in, o)}
	if o.Interaction != nil {
		d.Kind = "Why an interaction lost time"
		d.Title = fmt.Sprintf("%s – interaction %d, %s", text.Base(in.Name), o.Interaction.ID, text.Interaction(o.Interaction))
	}
	if o.Page && !rating.Doubtful(in.Quality) {
		_, _, o.lead = summary(in, o)
	}
	d.Blocks = inputBlocks(in, o)
	return d
}

// headline is what a document says first: what was late and why; nothing of single frames.
func headline(in *Input, o Options) (a text.Answer) {
	switch {
	case o.Vsync != 0:
		return a
	case rating.Doubtful(in.Quality):
		a.Say(rating.Doubt([]*quality.Quality{in.Quality}))
		return a
	case o.Interaction != nil:
		for _, i := range in.Interactions {
			a.Say(i.summary())
		}
		return a
	}
	var measured []*stats.Interaction
	for _, i := range in.Interactions {
		measured = append(measured, i.Measures)
	}
	summary, lost, _ := summary(in, o)
	return rating.Headline(HangsSummary(in.Hangs, lost, measured), summary, measured)
}

// summary says of the process that lost the most time, and of the layer that did, how many frames and
// buffers were late and why. lost is what the frames of the process lost, and lead the layer that the
// summary begins with; nil if it begins with the process.
func summary(in *Input, o Options) (a text.Answer, lost trace.Duration, lead *ExplainedLayer) {
	first, frames, late := Summary(in)
	if first != nil {
		lost = first.Lost
	}
	o.start = in.Start
	var worst *ExplainedLayer
	var onTime []*ExplainedLayer // without dropped buffers
	for _, l := range in.Layers {
		if l.Late+len(l.Drops) == 0 {
			onTime = append(onTime, l)
		} else if worst == nil || l.Lost > worst.Lost || l.Lost == worst.Lost && l.dropped() > worst.dropped() {
			worst = l
		}
	}
	if worst != nil && worst.Late == 0 && late && o.Layer == nil {
		worst = nil // its buffers were dropped, but frames are late
	}
	if worst == nil && (first == nil || o.Layer != nil || first.Kind != stats.Application && !late) { // no application's frames say more
		if len(onTime) > 1 {
			if o.Layer == nil {
				a.Add(frames)
			}
			a.Say(layersOnTime(onTime, "layer"))
			return a, lost, nil
		} else if len(onTime) == 1 {
			worst = onTime[0]
		}
	}
	said := first != nil && o.Layer == nil && (worst == nil || worst.Late == 0 || late)
	if worst != nil && (!said || !first.Leads(worst.Late, worst.Lost)) {
		lead = worst
		a.Say(worst.summary(o))
	}
	if said {
		a.Add(frames)
	}
	if worst != nil && lead == nil {
		a.Say(worst.summary(o))
	}
	return a, lost, lead
}

// inputBlocks returns what is known about one input, and a section for each process.
func inputBlocks(in *Input, o Options) []view.Block {
	drawn, title := 0, text.Printable(in.Name)
	if o.Page { // without its folder
		title = text.Base(in.Name)
	}
	head := view.Section{Title: title, Blocks: []view.Block{view.QualityNote(in.Quality)}}
	if missing := Missing(in.Causes, in.Processes, in.Quality); missing != "" && len(in.Processes)+len(in.Interactions)+len(in.Hangs)+len(in.Layers) > 0 {
		head.Blocks = append(head.Blocks, view.Note{Text: missing, Level: view.Warning})
	}
	if o.Interaction != nil {
		return append([]view.Block{head}, interactionBlocks(in, o)...)
	}
	if o.start = in.Start; o.Layer != nil {
		note, sections := in.layerBlocks(o)
		head.Blocks = append(head.Blocks, note...)
		return append([]view.Block{head}, sections...)
	}
	head.Blocks = append(append(head.Blocks, interactionsTable(in, o)...), hangBlocks(in, o)...)
	if in.Stacks != nil {
		head.Blocks = append(head.Blocks, stacksSection(in.Stacks, o))
	}
	var sections []view.Block
	onTime, frames, unknown := 0, 0, 0
	for i, p := range in.Processes {
		if p.onTime() {
			onTime++
			frames += p.Frames.Complete
			unknown += p.Frames.Complete - p.Frames.Judged
			continue
		}
		s := view.Section{
			ID: fmt.Sprintf("process-%d", i), Article: true, Title: text.ProcessName(p.Name), About: fmt.Sprintf("%s · pid %s", text.Kind(p.Kind), p.PID),
			Pick: text.ProcessName(p.Name), PickGroup: text.Printable(in.Name),
		}
		if p.Pictures {
			s.About += " · its frames that show the application"
		}
		if o.Vsync != 0 {
			s.Blocks = p.frameBlocks(in, o.Page)
		} else {
			s.Blocks = p.Blocks(in.Causes, o, &drawn)
		}
		sections = append(sections, s)
	}
	switch {
	case len(in.Processes) == 0:
		head.Blocks = append(head.Blocks, view.Note{Text: "no complete frames"})
	case onTime > 0:
		noun := "process"
		if onTime < len(in.Processes) {
			noun = "other process"
		}
		head.Blocks = append(head.Blocks, view.Note{Text: noneLate("in "+text.Count(frames, "frame")+" of "+text.Count(onTime, noun), frames, unknown)})
	}
	if o.Vsync == 0 {
		note, layers := in.layerBlocks(o)
		head.Blocks = append(head.Blocks, note...)
		sections = append(sections, layers...)
	}
	return append([]view.Block{head}, sections...)
}

// noneLate says that none of frames is known to be late. of names them, and unknown is the
// number of those that are not judged.
func noneLate(of string, frames, unknown int) string {
	switch {
	case unknown == frames:
		return "no judged frames " + of + ": which are late is unknown"
	case unknown > 0:
		return fmt.Sprintf("no late frames %s, %d not judged", of, unknown)
	}
	return "no late frames " + of
}

// Blocks returns the ranking and the late frames of a process. drawn counts the frames with
// lanes on the page.
func (p *ExplainedProcess) Blocks(c *why.Causes, o Options, drawn *int) []view.Block {
	var blocks []view.Block
	limit, more := o.limit()
	if len(p.Late)+len(p.NotBegun) > 0 {
		shown := o.leading(p.Ranking)
		s := view.Section{Title: Lost(p.Ranking, p.Frames.Judged), Blocks: []view.Block{NewRanking(p.Ranking, shown, more)}}
		s.Blocks = append(s.Blocks, functionsTable(p.Functions, o.All || o.Page)...)
		if len(p.Late) > 0 {
			s.Blocks = append(s.Blocks, p.late(c, o, shown, limit, more, drawn))
		}
		blocks = append(append(blocks, s), p.flameOfWorst()...)
	} else {
		blocks = append(blocks, view.Note{Text: noneLate(fmt.Sprintf("of %d", p.Frames.Complete), p.Frames.Complete, p.Frames.Complete-p.Frames.Judged)})
	}
	further := func(all []*why.Explanation, title string, ranking []view.Block, late, by func(*why.Explanation) trace.Duration, reason func(*why.Causes, *why.Explanation) string) {
		if len(all) == 0 {
			return
		}
		list := o.cases(text.First(all, limit, later(by)), len(all), more, late, func(e *why.Explanation) string { return reason(c, e) })
		blocks = append(blocks, view.Section{Title: title, Blocks: append(ranking, list)})
	}
	var late trace.Duration
	for _, e := range p.NotBegun {
		late += missed(e)
	}
	further(p.NotBegun, fmt.Sprintf("%s never began, pictures %s ms late in sum", text.Count(p.Ranking.NotBegun, "frame"), text.Milliseconds(late)), nil, missed, missed, causetext.NotBegun)
	var ranking []view.Block
	if len(p.ShownLate) > 0 {
		ranking = append(ranking, NewRanking(p.Shown, o.leading(p.Shown), more))
	}
	further(p.ShownLate, ShownLate(p.Shown), ranking, func(e *why.Explanation) trace.Duration { return e.Shown.Lost }, shownLateBy(p.ShownLate), causetext.Shown)
	further(p.PickedUpLate, text.Count(len(p.PickedUpLate), "frame")+" met the deadline, but render_service picked them up late", nil, func(e *why.Explanation) trace.Duration { return e.PickUp.Lost }, pickedUpLate, causetext.PickUp)
	return blocks
}

// leading returns the listed causes of a ranking.
func (o *Options) leading(r *why.Ranking) []*why.Cost {
	if o.All {
		return r.Costs
	}
	return Leading(r, maxCosts)
}

// limit returns the number of cases in a list, and what lists the others.
func (o *Options) limit() (n int, more string) {
	switch {
	case o.Page && o.All:
		return math.MaxInt, "ohframe why --all lists all"
	case o.Page:
		return maxListed, "ohframe why --all lists all"
	case o.All:
		return math.MaxInt, "--all lists all"
	}
	return maxFrames, "--all lists all"
}

// Lost says what late frames lost.
func Lost(r *why.Ranking, judged int) string {
	late := fmt.Sprintf("%s of %d", text.Count(r.Late, "late frame"), judged)
	switch never := "that never began"; {
	case r.NotBegun > 0 && r.Late == 0:
		late = text.Count(r.NotBegun, "frame") + " " + never
	case r.NotBegun > 0:
		late += fmt.Sprintf(" and %d %s", r.NotBegun, never)
	}
	if !r.LostKnown() {
		return late + "; by how much and why is unknown"
	}
	s := fmt.Sprintf("Lost %s ms in %s", text.Milliseconds(r.Lost), late)
	if r.Unmeasured > 0 {
		s += fmt.Sprintf("; the overrun of %d is unknown", r.Unmeasured)
	}
	if r.Unknown > 0 {
		s += fmt.Sprintf("; the cause of %s ms is unknown", text.Milliseconds(r.Unknown))
	}
	return s
}

// ShownLate says what frames that were shown late lost.
func ShownLate(r *why.Ranking) string {
	return fmt.Sprintf("%s shown late, by %s ms in sum", text.Count(r.Late, "frame"), text.Milliseconds(r.Lost))
}

// CostTitle names a cause as the headline does, with how sure it is.
func CostTitle(c *why.Cost) string { return text.Printable(causetext.CostTitle(c)) + unsure(c) }

// NewRanking returns the first causes of a ranking, and a line about the others, which more
// lists.
func NewRanking(r *why.Ranking, shown []*why.Cost, more string) view.Ranking {
	ranking := view.Ranking{}
	left := r.Lost
	for i, c := range shown {
		left -= c.Lost
		rank := view.Rank{
			Share: CostShare(c, r), Time: costTime(c), Title: text.Printable(causetext.CostTitle(c)+causetext.InStages(c)) + unsure(c),
			Bar: float64(c.Lost) / float64(max(1, shown[0].Lost)), Group: groupOf(c.Wait), Tag: strconv.Itoa(i),
		}
		if c.Lost >= worthNaming || c.Outcome == why.NeverBegan || !c.LostKnown() {
			rank.Advice = causetext.CostAdvice(c)
		}
		if n := len(c.Late); n > 1 {
			rank.About = fmt.Sprintf("%d frames, worst %s", n, text.Vsync(c.Worst.Frame.VsyncID))
		} else {
			rank.About = "frame " + text.Vsync(c.Worst.Frame.VsyncID)
		}
		rank.About += callsText(c)
		if c.KnockOn > 0 {
			rank.About += fmt.Sprintf(", %s ms of it by delaying ", text.Milliseconds(c.KnockOn))
			if c.KnockOns > 0 { // of the others it is the smaller part
				rank.About += text.Count(c.KnockOns, "later frame")
			} else {
				rank.About += "later frames"
			}
		}
		if c.Gain-c.Lost > c.Lost/10 && c.Gain-c.Lost >= tenth {
			rank.About += fmt.Sprintf(", gain %s ms", text.Milliseconds(c.Gain))
		}
		rank.Advice = strings.TrimPrefix(rank.Advice+repeats(c.Repeats), "; ")
		ranking.List = append(ranking.List, rank)
	}
	ranking.Others = otherCauses(len(r.Costs)-len(shown), left, r.Lost, more)
	return ranking
}

// otherCauses says what n causes cost that are not shown; nil if that rounds to nothing.
func otherCauses(n int, left, lost trace.Duration, more string) *view.Rank {
	if n == 0 || left < tenth/2 {
		return nil
	}
	return &view.Rank{Share: text.Percent(left, lost), Time: text.Milliseconds(left) + " ms", Title: text.Count(n, "other cause"), About: more}
}

// callsText says how many slices a cause has, if it is not one in each frame, and how many are usual.
func callsText(c *why.Cost) string {
	differs := c.UsualCalls != nil && *c.UsualCalls != c.Calls
	switch {
	case c.Calls <= len(c.Late) && (!differs || *c.UsualCalls == 0):
		return ""
	case differs:
		return fmt.Sprintf(", %s, usual %d", text.Count(c.Calls, "call"), *c.UsualCalls)
	}
	return ", " + text.Count(c.Calls, "call")
}

// costTime returns what a cause cost; it is unknown if by how much all its frames were late is.
func costTime(c *why.Cost) string {
	if !c.LostKnown() {
		return text.Unknown
	}
	return text.Milliseconds(c.Lost) + " ms"
}

// CostShare returns the share of a cause in the lost time, as costTime.
func CostShare(c *why.Cost, r *why.Ranking) string {
	if !c.LostKnown() {
		return text.Unknown
	}
	return text.Percent(c.Lost, r.Lost)
}

// repeats names the arguments that repeat, each with other slices than the one before: those that
// always occur together say the same.
func repeats(list []why.Repeat) (words string) {
	shown := 0
	for i := range list {
		r := &list[i]
		if i > 0 && r.Instances == list[i-1].Instances && r.Time == list[i-1].Time {
			continue
		}
		if shown++; shown > maxRepeats {
			break
		}
		words += "; " + text.Printable(causetext.Repeat(r))
	}
	return words
}

// Leading returns the n causes that cost the most, or those that have 90 % of the lost
// time.
func Leading(r *why.Ranking, n int) []*why.Cost {
	left := r.Lost
	for i, c := range r.Costs {
		if i == n || r.Lost > 0 && float64(left) <= float64(r.Lost)*(1-costShare) {
			return r.Costs[:i]
		}
		left -= c.Lost
	}
	return r.Costs
}

// late returns the late frames, on a page with lanes. The tags of a frame are the numbers of
// its causes among those shown.
func (p *ExplainedProcess) late(c *why.Causes, o Options, shown []*why.Cost, limit int, more string, drawnFrames *int) view.Cases {
	if o.Page {
		limit = min(limit, maxDrawn-*drawnFrames)
	}
	tags := map[*analyzer.Frame][]string{}
	for i, cost := range shown {
		for _, e := range cost.Late {
			tags[e.Frame] = append(tags[e.Frame], strconv.Itoa(i))
		}
	}
	placesOnly := placesOnly([]*ExplainedProcess{p})
	different, same := p.Late, ""
	if !o.All {
		different, same = p.withoutSame()
	}
	listed := text.First(different, limit, later(overrun))
	list := o.cases(listed, len(different), more, overrun, func(e *why.Explanation) string { return Sentence(c, e, placesOnly) })
	switch {
	case same == "":
	case list.More == "":
		list.More = "… and " + same + "; " + more
	default:
		list.More = "… and " + same + strings.TrimPrefix(list.More, "…")
	}
	for i, e := range listed {
		list.List[i].Amount = overrunText(e.Frame)
	}
	if !o.Page {
		return list
	}
	draw(&list, listed, placesOnly)
	for i, e := range listed {
		list.List[i].Tags = tags[e.Frame]
		if o.Chart != nil {
			start := e.Frame.Actual.Start
			list.List[i].Time, list.List[i].At = text.Since(*o.Chart, start), strconv.FormatInt(int64(start), 10)
		}
	}
	*drawnFrames += len(list.List)
	list.About = "In order of time. The lower bar is where the time of the frame went, the line its deadline, the pale bar above what is usual."
	causes := 0
	for _, cost := range p.Ranking.Costs {
		causes += len(cost.Late)
	}
	if causes > len(p.Late) {
		list.About += " A frame may have several causes, and is counted at each."
	}
	return list
}

// withoutSame returns the late frames without those that only repeat a cause of maxSame frames that lost more
// to it, and says how many these are.
func (p *ExplainedProcess) withoutSame() (list []*why.Explanation, same string) {
	type group struct {
		cost    *why.Cost
		outcome why.Outcome
	}
	only := map[*why.Explanation]*why.Cost{} // nil with several causes
	for _, cost := range p.Ranking.Costs {
		for _, e := range cost.Late {
			if _, several := only[e]; several {
				only[e] = nil
			} else {
				only[e] = cost
			}
		}
	}
	var order []group
	groups := map[group][]*why.Explanation{}
	for _, e := range p.Late {
		if cost := only[e]; cost != nil && e.Lost > 0 {
			g := group{cost, e.Outcome}
			if groups[g] == nil {
				order = append(order, g)
			}
			groups[g] = append(groups[g], e)
		}
	}
	left := map[*why.Explanation]bool{}
	var words []string
	for _, g := range order {
		all := groups[g]
		if len(all) < maxSame+2 {
			continue
		}
		shown := text.First(all, maxSame, later(overrun))
		least, most := trace.Duration(math.MaxInt64), trace.Duration(0)
		for _, e := range all {
			if !slices.Contains(shown, e) {
				left[e] = true
				least, most = min(least, overrun(e)), max(most, overrun(e))
			}
		}
		late := text.Milliseconds(most)
		if from := text.Milliseconds(least); from != late {
			late = from + " to " + late
		}
		words = append(words, fmt.Sprintf("%s, %s ms late, with the same cause as %s", text.Count(len(all)-len(shown), "more frame"), late, text.Vsync(shown[0].Frame.VsyncID)))
	}
	for _, e := range p.Late {
		if !left[e] {
			list = append(list, e)
		}
	}
	return list, strings.Join(words, ", and ")
}

// draw adds the lanes of explanations to their cases, and a legend.
func draw(cases *view.Cases, list []*why.Explanation, placesOnly bool) {
	occurs := map[string]bool{}
	for i, e := range list {
		item := &cases.List[i]
		*item = drawn(e, *item)
		for _, b := range slices.Concat(item.Took, item.Usual) {
			occurs[b.Group] = true
		}
		for _, lane := range item.Lanes {
			for _, b := range lane.Bars {
				occurs[b.Group] = true
			}
		}
	}
	for _, g := range groups {
		if occurs[g.ID] {
			if g == groupUnknown && placesOnly {
				g.Name = causetext.WaitTitle(why.WaitUnknown) // as in the sentences
			}
			cases.Legend = append(cases.Legend, g)
		}
	}
}

func overrun(e *why.Explanation) trace.Duration { return e.Lost }

// missed returns by how much later a frame began because others before it never did.
func missed(e *why.Explanation) trace.Duration { return e.Frame.Missed() }

// later compares explanations by how late something is: the latest is first.
func later(by func(*why.Explanation) trace.Duration) func(a, b *why.Explanation) int {
	return func(a, b *why.Explanation) int { return cmp.Compare(by(b), by(a)) }
}

// overrunText returns by how much a late frame was late, "12.4 ms", "≥ 5900.0 ms" if the trace does
// not have its end, or that it is unknown.
func overrunText(f *analyzer.Frame) string {
	switch j := f.Judgement(); {
	case !j.OverrunKnown:
		return text.Unknown
	case j.AtLeast:
		return "≥ " + text.Milliseconds(j.Overrun) + " ms"
	default:
		return text.Milliseconds(j.Overrun) + " ms"
	}
}

// cases lists the shown ones of all frames or buffers, each with by how much it was late and why.
func (o *Options) cases(shown []*why.Explanation, all int, more string, late func(*why.Explanation) trace.Duration, reason func(*why.Explanation) string) view.Cases {
	list, noun := view.Cases{Key: "Frame", Amount: "Late", Text: "Cause"}, "frame"
	for _, e := range shown {
		c := view.Case{Amount: text.Milliseconds(late(e)) + " ms", Text: text.Line(reason(e)), Mark: -1}
		if e.Buffer != nil {
			list.Key, noun, c.Key = "Shown at", e.Buffer.Layer.Unit(), text.Since(o.start, e.Buffer.Present)
		} else {
			c.Key = text.Vsync(e.Frame.VsyncID)
		}
		list.List = append(list.List, c)
	}
	if n := all - len(shown); n > 0 {
		list.More = fmt.Sprintf("… and %s late by less; %s", text.Count(n, noun), more)
	}
	return list
}

// Sentence returns why a frame was late, with what is unsure about it. Without the trace's
// scheduling events, placesOnly leaves out that they are missing.
func Sentence(c *why.Causes, e *why.Explanation, placesOnly bool) string {
	s := causetext.Sentence(c, e)
	if placesOnly {
		s = causetext.Brief(c, e)
	}
	if e.Cause() != nil && e.Confidence > 0 {
		s += " (" + e.Confidence.String() + " confidence)"
	}
	return s
}
