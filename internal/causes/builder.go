package causes

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/causetext"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

// write writes the document in the format json or evidence.
func (x *builder) write(w io.Writer, d *document) error {
	if !x.brief {
		return text.WriteJSON(w, d)
	}
	keep := []string{"processes"}
	switch {
	case x.Layer != nil:
		keep = []string{"layers"}
	case x.Interaction != nil:
		keep = append(keep, "interactions")
	case len(d.Processes) == 0:
		keep = []string{"stacks"}
	}
	return brief.Write(w, d, keep...)
}

// builder makes the parts of a document.
type builder struct {
	Options
	in    *Input
	brief bool // for the format evidence
}

// each returns the values of a list, which are made when they are written.
func each[T, D any](list []T, encode func(T) D) []text.Lazy[D] {
	lazy := make([]text.Lazy[D], len(list))
	for i, x := range list {
		lazy[i] = func() D { return encode(x) }
	}
	return lazy
}

func (x *builder) document() *document {
	in := x.in
	said := headline(in, x.Options)
	d := &document{Version: documentVersion, Question: x.question(), Answer: said.Summary, Sentences: said.Sentences, Inputs: []documentInput{x.input()}}
	if x.Vsync == 0 {
		d.Interactions = each(sorted(in.Interactions, worseInteraction), x.interaction)
	}
	layers := slices.DeleteFunc(slices.Clone(in.Layers), func(l *ExplainedLayer) bool {
		return x.brief && l.Late == 0 && x.Layer == nil && len(l.Drops) == 0 && len(l.Cadences) < 2
	})
	d.Layers = each(sorted(layers, func(a, b *ExplainedLayer) int { return cmp.Compare(b.Lost, a.Lost) }), x.layer)
	d.Hangs = each(sorted(in.Hangs, longerHang), func(h Hang) documentHang { return x.hang(&h, len(in.Hangs) == 1) })
	if in.Stacks != nil {
		d.Stacks = append(d.Stacks, x.stacks(in.Stacks))
	}
	late, onTime := x.processes()
	for _, p := range onTime {
		if d.OnTime == nil {
			d.OnTime = &documentOnTime{}
		}
		d.OnTime.Processes++
		d.OnTime.Frames += p.Frames.Complete
		d.OnTime.Judged += p.Frames.Judged
	}
	x.conclude(d, late)
	if !x.brief {
		late = append(late, onTime...)
	}
	d.Processes = each(late, x.process)
	return d
}

// sorted returns a sorted copy of a list.
func sorted[T any](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return list
}

// stacks returns the functions of stacks, and the heaviest path, in evidence as the text has it.
func (x *builder) stacks(s *why.Stacks) documentStacks {
	d := documentStacks{Stacks: *s}
	if x.brief {
		o := x.Options
		o.All = false
		d.Path = shownPath(s, o)
		d.LeftOut.Add("path", len(s.Path)-len(d.Path))
	}
	return d
}

// processes returns those that have late frames or were asked for, those that lost the most time
// first, and the others.
func (x *builder) processes() (late, onTime []*ExplainedProcess) {
	for _, p := range x.in.Processes {
		asked := x.Vsync != 0 || x.Process != nil && x.Interaction == nil
		if asked || !p.onTime() {
			late = append(late, p)
		} else {
			onTime = append(onTime, p)
		}
	}
	slices.SortStableFunc(late, func(a, b *ExplainedProcess) int {
		return cmp.Or(cmp.Compare(b.Ranking.Lost, a.Ranking.Lost), cmp.Compare(b.Frames.Late, a.Frames.Late), cmp.Compare(b.shownLate(), a.shownLate()))
	})
	return late, onTime
}

// shownLate returns by how much frames were shown or picked up late that are not late themselves.
func (p *ExplainedProcess) shownLate() trace.Duration {
	sum := p.Shown.Lost
	for _, e := range p.PickedUpLate {
		sum += e.PickUp.Lost
	}
	return sum
}

// question says what the document is about.
func (x *builder) question() string {
	ofProcess := ""
	if x.Process != nil {
		ofProcess = " of " + brief.Name(x.Pattern)
	}
	switch {
	case x.Vsync != 0:
		return fmt.Sprintf("frame %d", x.Vsync) + ofProcess
	case x.Interaction != nil:
		return fmt.Sprintf("interaction %d", x.Interaction.ID)
	case x.Layer != nil:
		return brief.Name("layer "+x.LayerPattern) + ofProcess
	case x.Process != nil:
		return brief.Name("process " + x.Pattern)
	}
	return "trace"
}

// conclude adds the answer if the first line of the text has none, and what follows from all of
// the document.
func (x *builder) conclude(d *document, late []*ExplainedProcess) {
	switch {
	case rating.Doubtful(x.in.Quality):
		d.Answer = rating.Doubt([]*quality.Quality{x.in.Quality})
	case x.Vsync != 0 && len(late) > 0:
		if p := late[0]; len(p.Late) > 0 {
			e := sorted(p.Late, later(overrun))[0]
			d.Answer = strings.TrimSuffix(fmt.Sprintf("%s: frame %d %s: %s", cmp.Or(processName(p.Name), text.Unknown), e.Frame.VsyncID, frameTitle(newSum(e), e), causetext.Sentence(p.all, e)), ": ")
		}
	}
	d.Answer = cmp.Or(d.Answer, "no complete frames")
	if doubt := x.doubt(x.in.Quality, len(d.Hangs) > 0 && len(late) == 0); doubt != "" {
		d.Against = append(d.Against, "data quality: "+doubt)
	}
	r := recorder{builder: x, late: late, application: x.application(late)}
	r.record()
	d.Record = r.list
}

// missingFrames are the codes of what a quality says of a trace that has no frames, or none of a kind.
var missingFrames = []string{"no_frames", "no_application_frames", "no_render_frames", "no_presents", "no_deadlines"}

// doubt says what in the quality of an input speaks against an answer; empty if nothing does. A part of a trace
// that is only hangs has no frames, which says nothing of them.
func (x *builder) doubt(q *quality.Quality, onlyHangs bool) string {
	if q == nil {
		return ""
	}
	rest := *q
	if x.Window && onlyHangs {
		rest.Reasons = slices.DeleteFunc(slices.Clone(q.Reasons), func(r stats.Reason) bool { return slices.Contains(missingFrames, r.Code) })
	}
	if !slices.ContainsFunc(rest.Reasons, func(r stats.Reason) bool { return r.Verdict != stats.Good }) {
		return ""
	}
	return rest.String()
}

func (x *builder) input() documentInput {
	in := x.in
	c := in.Causes
	d := documentInput{Name: in.Name, Quality: in.Quality, Scheduled: c.Scheduled, Woken: c.Woken, BlockedReasons: c.BlockedReasons, Sampled: len(c.Sampled) > 0, Missing: Missing(c, in.Processes, in.Quality)}
	if in.Stats != nil && in.Stats.Span != nil {
		d.Start, d.Length = in.Stats.Span.From, in.Stats.Span.Seconds
	}
	return d
}

func (x *builder) process(p *ExplainedProcess) documentProcess {
	d := documentProcess{
		Name: processName(p.Name), PID: p.PID, Kind: p.Kind, Frames: p.Frames.Complete, Judged: p.Frames.Judged, Late: p.Frames.Late,
		Causes: x.causes(p), Pictures: p.Pictures,
	}
	if p.Ranking.LostKnown() {
		d.Lost = &p.Ranking.Lost
	}
	if delay := p.delay(); delay != nil && *delay != (lateness{}) && x.Vsync == 0 {
		d.Delay = delay
	}
	if x.brief {
		d.Ranking = brief.First(&d.LeftOut, "causes", d.Ranking, len(Leading(p.Ranking, maxCosts)))
		d.Shown = brief.First(&d.LeftOut, "shown_causes", d.Shown, len(Leading(p.Shown, maxCosts)))
	}
	if x.in.Stats != nil && x.Vsync == 0 && x.Interaction == nil {
		for _, m := range x.in.Stats.Processes {
			if m.Source == p.Source && m.Kind == p.Kind {
				d.JankRate, d.Refresh = m.JankRate, m.Refresh
			}
		}
	}
	if c := x.in.Commands; c != nil && x.Process == nil && x.Vsync == 0 && x.Interaction == nil {
		d.Why = c.WhyProcess(p.Name, p.PID, brief.Flag)
	}
	return d
}

// Document returns the causes of a process for text.WriteJSON; nil if they are unknown.
func (p *ExplainedProcess) Document(c *why.Causes) *Causes {
	if p == nil {
		return nil
	}
	x := builder{in: &Input{Causes: c}}
	causes := x.causes(p)
	return &causes
}

func (x *builder) causes(p *ExplainedProcess) Causes {
	d := Causes{
		Unknown: p.Ranking.Unknown, Ranking: x.ranking(p, p.Ranking, false), Functions: p.Functions,
		LateFrames: each(sorted(p.Late, later(overrun)), func(e *why.Explanation) documentLate { return x.frame(p, e) }),
	}
	if x.Vsync != 0 && x.brief { // the frame has it
		return d
	}
	d.Shown = x.ranking(p, p.Shown, true)
	d.ShownLate = each(sorted(p.ShownLate, later(shownLateBy(p.ShownLate))), func(e *why.Explanation) documentLate { return x.shownLate(p, e) })
	d.PickedUpLate = each(sorted(p.PickedUpLate, later(pickedUpLate)), func(e *why.Explanation) documentLate {
		l := x.late(e, &e.PickUp.Lost, causetext.PickUp(p.all, e), true)
		l.Verdict, l.Render = e.PickUp.Outcome, e.Frame.Render.VsyncID
		return l
	})
	d.NotBegun = each(sorted(p.NotBegun, later(missed)), func(e *why.Explanation) documentLate {
		return x.late(e, new(missed(e)), causetext.NotBegun(p.all, e), true)
	})
	if x.Vsync == 0 {
		d.Against = p.against(x.in.Quality)
	}
	return d
}

// ranking returns the causes of a ranking. The sentence and the commands of a worst frame are at its first cause.
func (x *builder) ranking(p *ExplainedProcess, r *why.Ranking, shown bool) (list []documentCause) {
	seen := map[*why.Explanation]bool{}
	for _, c := range r.Costs {
		d := x.cause(p, r, c, shown)
		if seen[c.Worst] && d.Worst != nil {
			d.Worst.Cause, d.Worst.Why, d.Worst.Open = "", "", ""
		}
		seen[c.Worst] = true
		list = append(list, d)
	}
	return list
}

// cause returns a cause of a ranking: of late frames, or of frames that were shown late.
func (x *builder) cause(p *ExplainedProcess, r *why.Ranking, c *why.Cost, shown bool) documentCause {
	d := documentCause{
		Title: causetext.CostTitle(c), Wait: c.Wait.String(), Stage: c.Stage().String(), Stages: c.Stages, Slice: c.Slice, Calls: c.Calls, UsualCalls: c.UsualCalls, Function: c.Share.Function,
		Culprit: c.Share.Culprit, Frames: len(c.Late), Missing: c.Missing, KnockOn: c.KnockOn, KnockOns: c.KnockOns, Advice: causetext.CostAdvice(c), Arguments: c.Repeats,
	}
	if c.LostKnown() {
		share := float64(c.Lost) / float64(max(r.Lost, 1))
		d.Lost, d.Share, d.Gain, d.Direct = &c.Lost, &share, &c.Gain, &c.Direct
	}
	x.worst(&d, p, c, shown)
	switch {
	case !shown:
		d.Against = p.againstCause(c, x.Vsync != 0)
	case len(c.Late) == 1:
		d.Against = []string{"only 1 frame shown late has it"}
	}
	return d
}

// worst adds the frame that lost the most to a cause.
func (x *builder) worst(d *documentCause, p *ExplainedProcess, c *why.Cost, shown bool) {
	e := p.all.Of(c.Worst.Frame)
	if e == nil {
		return
	}
	w := x.late(e, knownOverrun(c.Worst.Frame), causetext.Sentence(p.all, e), true)
	w.AtLeast = unfinished(c.Worst.Frame)
	shares := e.Shares
	if c.Outcome == why.NeverBegan {
		shares, w.Late, w.Cause = e.NotBegun.Shares, new(missed(e)), causetext.NotBegun(p.all, e)
	}
	if shown {
		shares = nil
		if e.ShownLate() {
			shares = e.Shown.Shares
			w.Late, w.Cause = &e.Shown.Lost, causetext.Shown(p.all, e)
		}
	} else if x.Vsync != 0 {
		w.Cause = "" // the frame has it
	}
	if s := shareOf(shares, c); s != nil {
		d.Interrupt = s.Interrupt
		if w.Value = &s.Value; shown || !e.OverBudget && e.Basis != why.Budget { // otherwise it is what fits into the budget
			w.Usual = &s.Usual
		}
		w.Sampled = e.FunctionOf(s)
	}
	d.Worst = &w
}

// shareOf returns the share of a late frame that counts for a cause; nil if it is a knock-on.
func shareOf(shares []why.Share, c *why.Cost) *why.Share {
	if i := slices.IndexFunc(shares, func(s why.Share) bool { return c.Has(&s) }); i >= 0 {
		return &shares[i]
	}
	return nil
}

// processName returns the printable name of a process; empty if it is unknown.
func processName(s string) string {
	if s == "" {
		return ""
	}
	return text.ProcessName(s)
}

// knownOverrun returns nil if a frame is not known to be late, or by how much is unknown.
func knownOverrun(f *analyzer.Frame) *trace.Duration {
	j := f.Judgement()
	if j.Late != analyzer.Yes || !j.OverrunKnown {
		return nil
	}
	return &j.Overrun
}

// late returns a frame that was late in one way, and why in a sentence; with the commands about it unless the
// document is only about this frame.
func (x *builder) late(e *why.Explanation, late *trace.Duration, cause string, commands bool) documentLate {
	d := documentLate{Vsync: e.Frame.VsyncID, TID: e.Frame.TID, Start: e.Frame.Actual.Start, End: e.Frame.Actual.End, Late: late, Cause: cause}
	if c := x.in.Commands; c != nil && commands && x.Vsync == 0 {
		d.Why, d.Open = c.WhyFrame(e.Frame, brief.Flag), c.OpenFrame(e.Frame)
	}
	return d
}

// frame returns a late frame, or one that was asked for. Evidence has only the latter's details.
func (x *builder) frame(p *ExplainedProcess, e *why.Explanation) documentLate {
	d := x.late(e, knownOverrun(e.Frame), causetext.Sentence(p.all, e), false)
	d.AtLeast, d.Verdict = unfinished(e.Frame), e.Outcome
	if e.Late() {
		d.Confidence = e.Confidence.String()
	} else {
		d.Late = &e.Lost
	}
	if e.Root != nil {
		d.KnockOnOf = e.Root.VsyncID
	}
	if x.brief && !p.chosen {
		return d
	}
	d.Deadline, d.Shares = e.Frame.Deadline, e.Shares
	f := &documentDetails{
		From: e.Start, To: e.End, KnownShare: 1 - float64(e.Unknown)/float64(max(e.End.Sub(e.Start), 1)),
		OverBudget: e.OverBudget, PeriodBefore: e.PeriodBefore, Slowdown: e.Slowdown, Waits: e.Parts, Functions: e.Functions,
	}
	d.documentDetails = f
	if len(e.Calls) > 0 && (p.chosen || e == p.worstWithCalls()) {
		f.Calls = e.Calls
	}
	if !p.chosen {
		return d
	}
	sum := newSum(e)
	f.Span, f.Budget, f.Slices = sum.span(), sum.waterfall(e), e.Slices
	if e.Shown != nil && e.Shown.Lost > 0 {
		f.Shown = text.Milliseconds(e.Shown.Lost) + " ms: " + causetext.Shown(p.all, e)
	}
	if reason := causetext.PickUp(p.all, e); reason != "" {
		f.PickedUp = text.Milliseconds(e.PickUp.Lost) + " ms: " + reason
	}
	threads, others := longestThreads(e, maxThreads)
	f.LeftOut.Add("waited_for", others)
	slices.SortStableFunc(threads, func(a, b *thread) int { return cmp.Compare(b.Time, a.Time) })
	for _, t := range threads {
		c := *t.Culprit
		c.Time = t.Time
		f.Threads = append(f.Threads, c)
	}
	if c := x.in.Commands; c != nil {
		d.Open = c.OpenFrame(e.Frame)
	}
	return d
}

// shownLate returns a frame that was shown late. Evidence has its first cause.
func (x *builder) shownLate(p *ExplainedProcess, e *why.Explanation) documentLate {
	s := e.Shown
	d := x.late(e, &s.Lost, causetext.Shown(p.all, e), true)
	d.Deadline, d.Due, d.Present, d.Delay, d.Confidence, d.Shares, d.Steps = e.Frame.Deadline, s.Due, s.End, s.Delay, s.Confidence.String(), s.Shares, s.Steps
	if s.Root != nil {
		d.KnockOnOf = s.Root.VsyncID
	}
	if x.brief {
		d.Shares = d.Shares[:1]
	}
	return d
}

func (x *builder) interaction(i *ExplainedInteraction) documentInteraction {
	d := documentInteraction{
		ID: i.ID, Kind: i.Kind.String(), Name: text.Interaction(i.Interaction), Scene: i.Scene, Process: processName(i.Process.Name), PID: i.Process.PID,
		Start: i.Span().Start, Grade: i.grade(), Frames: len(i.Frames), Late: i.Late, Lost: i.Lost,
		Hitch: i.Measures.HitchRatio, Missed: i.Measures.LongestMissedRun, Cause: i.mainCause(), Against: text.ReasonsOf(i.Measures),
	}
	if r, ok := i.Interaction.Response(); ok {
		d.Response = &r
	}
	if i.Root != nil {
		d.KnockOn, d.KnockOnOf = i.KnockOn, i.Root.Frame.VsyncID
	}
	if i.Response != nil && i.explained() {
		d.Advice = causetext.StepAdvice(i.Response, i.Process.PID)
	}
	switch c := x.in.Commands; {
	case c == nil:
	case x.Interaction == nil:
		d.Why = c.WhyInteraction(i.ID, brief.Flag)
	default:
		d.Open = c.OpenInteraction(i.ID)
	}
	if !x.brief {
		p := &ExplainedProcess{all: i.causes}
		for _, f := range i.Frames {
			if e := i.causes.Of(f); e != nil && e.Late() {
				p.Late = append(p.Late, e)
			}
		}
		d.Ranking, d.Functions = x.ranking(p, i.ranking(), false), i.causes.FunctionCosts(i.Frames)
	}
	if i.Response == nil || x.brief && x.Interaction == nil {
		return d
	}
	for n := range i.Response.Steps {
		s := &i.Response.Steps[n]
		step := documentStep{Step: s.Name, Stage: s.Stage, Start: s.Start, Time: s.Time, Open: s.Open, Did: causetext.StepWork(s), Threads: s.Work}
		if usual, ok := i.usual(s); ok {
			step.Usual = &usual
		}
		d.Steps = append(d.Steps, step)
	}
	slices.SortStableFunc(d.Steps, func(a, b documentStep) int { return cmp.Compare(b.Time, a.Time) })
	return d
}

// hang returns a hang. The only one has the slices of its thread, another one the command that shows them.
func (x *builder) hang(h *Hang, only bool) documentHang {
	d := documentHang{
		Process: processName(h.Process.Name), PID: h.Process.PID, Slice: h.Slice, Start: h.Start, Duration: h.Duration(),
		BeginCut: h.BeginCut != analyzer.NoEdge, EndCut: h.EndCut != analyzer.NoEdge, Severe: h.severe(), Cause: causetext.Hang(h.Spent), Advice: causetext.HangAdvice(&h.Hang, h.Spent),
	}
	if h.Spent == nil {
		return d
	}
	w := h.Spent.Work()
	d.Path, d.Waits, d.Idle, d.TID, d.Thread = h.Spent.Path, w.Waits, w.Idle, w.TID, w.Thread
	if len(w.Waits) > 0 && w.Waits[0].Wait != why.Run {
		d.Culprit = w.Waits[0].Culprit
	}
	if only || !x.brief {
		d.Slices = w.Slices
	}
	if c := x.in.Commands; c != nil && !only {
		d.Why = c.WhyHang(&h.Hang, brief.Flag)
	}
	return d
}

func (x *builder) layer(l *ExplainedLayer) documentLayer {
	d := documentLayer{
		ID: l.ID, Name: l.Name, Queue: l.Queue, Judged: l.Judged, Late: l.Late, Lost: l.Lost, OfFrames: l.OfFrames, ByFrames: l.LostByFrames,
		Cadences: stats.LayerCadences(l.Layer),
	}
	if p := l.Process; p != nil {
		d.Process = processName(p.Name)
		if !p.NoPID && p.PID != trace.UnknownPID {
			d.PID = &p.PID
		}
	}
	for i := range l.Drops {
		d.Drops = append(d.Drops, documentDrops{l.Drops[i], text.LayerDrop(&l.Drops[i], nil, x.in.Start)})
	}
	for _, c := range l.Costs {
		share := float64(c.Lost) / float64(max(l.Lost, 1))
		cause := documentCause{
			Title: causetext.CostTitle(c), Reason: c.Outcome, Buffers: len(c.Late), Lost: &c.Lost, Share: &share, Advice: causetext.CostAdvice(c),
			Worst: &documentLate{Present: c.Worst.Buffer.Present, Cause: causetext.Buffer(l.causes, c.Worst)},
		}
		if s := c.Share; s != nil {
			cause.Wait, cause.Slice, cause.Function, cause.Culprit = s.Wait.String(), s.Slice, s.Function, s.Culprit
			if s.Culprit != nil && !s.Culprit.Sure {
				cause.Against = append(cause.Against, unsureCulprit)
			}
		}
		if len(c.Late) == 1 {
			cause.Against = append(cause.Against, "only 1 late buffer has it")
		}
		d.Ranking = append(d.Ranking, cause)
	}
	if c := x.in.Commands; c != nil && x.Layer == nil {
		d.Why = c.WhyLayer(l.ID, brief.Flag)
	}
	if x.brief && x.Layer == nil {
		return d
	}
	d.Buffers = each(sorted(l.Buffers, later(ofBuffer)), func(b *why.Explanation) documentLate { return x.buffer(l, b) })
	return d
}

func (x *builder) buffer(l *ExplainedLayer, late *why.Explanation) documentLate {
	b, over := late.Buffer, late.Buffer.Overrun()
	d := documentLate{
		Sequence: b.Sequence, Queued: b.Queued, Present: b.Present, Late: &over, Lost: late.Lost, Verdict: late.Outcome, Dropped: late.Dropped != nil, Steps: late.Steps, Cause: causetext.Buffer(l.causes, late),
	}
	if !x.brief {
		d.Shares = late.Shares
	}
	return d
}

// recorder collects what an input lacks, and the commands that record it.
type recorder struct {
	*builder
	late        []*ExplainedProcess
	application string
	list        []brief.Record
}

// application returns the name of the application that the document is about, as commands that
// record it need; empty without one.
func (x *builder) application(late []*ExplainedProcess) string {
	for _, p := range late {
		if p.Kind == stats.Application {
			return processName(p.Name)
		}
	}
	var interaction *ExplainedInteraction
	var hang *Hang
	var most *ExplainedProcess
	for _, other := range x.in.Interactions {
		if x.Vsync == 0 && (interaction == nil || worseInteraction(other, interaction) < 0) {
			interaction = other
		}
	}
	for n := range x.in.Hangs {
		if other := &x.in.Hangs[n]; hang == nil || other.Duration() > hang.Duration() {
			hang = other
		}
	}
	for _, p := range x.in.Processes {
		if p.Kind == stats.Application && (most == nil || p.Frames.Complete > most.Frames.Complete) {
			most = p
		}
	}
	switch {
	case interaction != nil:
		return processName(interaction.Process.Name)
	case hang != nil:
		return processName(hang.Process.Name)
	case most != nil:
		return most.Name
	}
	return ""
}

// record adds what the input lacks. What one command records is one element.
func (x *recorder) record() {
	in := x.in
	again := func(flags ...string) string {
		command := locate.Record(x.application, flags...)
		if x.launched() && strings.Contains(command, " --app ") { // only an application that is named can be launched
			command += " --launch"
		}
		return command
	}
	add := func(missing, command string) {
		// ohframe records no traces of Android, and no application's own ones.
		if in.Causes.Own || in.Quality != nil && in.Quality.Lines == nil {
			command = ""
		}
		for i := range x.list {
			switch other := &x.list[i]; {
			case strings.Contains(other.Missing, missing) && other.Command == command:
				return
			case other.Command == command && command != "":
				other.Missing += "; " + missing
				return
			}
		}
		x.list = append(x.list, brief.Record{Missing: missing, Command: command})
	}
	missing := Missing(in.Causes, in.Processes, in.Quality)
	switch {
	case missing == "":
	case in.Causes.Limited: // a flag shows more, not another recording
		add(missing, "")
	case in.Causes.Own:
		add(missing+": "+causetext.Advice(why.AdviseReproduce), "")
	default:
		add(missing, again())
	}
	if in.Quality != nil && in.Quality.Advice != nil {
		add(*in.Quality.Advice, again())
	} else if in.Quality != nil && in.Quality.Frames() == 0 && !x.Window {
		add("no complete frames: record while the application draws", again())
	}
	if len(x.late) > 0 && len(x.late[0].Ranking.Costs) > 0 {
		wait := x.late[0].Ranking.Costs[0].Wait
		unknown := wait == why.WaitUnknown
		switch {
		case unknown && missing == "":
			add("events of threads were lost, or the trace begins too late: a larger buffer or a shorter time loses none", again("-b 64M"))
		case in.Causes.Own:
		case wait == why.Run && lacksFrequencies(in):
			add("no CPU frequencies: whether a slower CPU made the frames late is unknown", again())
		}
		switch {
		case len(in.Causes.Sampled) > 0 || in.Causes.Own || unknown && missing == "":
		case unknown || wait == why.Run: // on a slower CPU, all functions take longer
			add("no samples of functions: the function in which the time was lost is unknown", again("--perf"))
		}
	}
	if x.advises(why.AdviseInterruptTag) {
		add("which interrupt ended waits is unknown", again("--tags +irq"))
	}
	if n := judgedFrames(in); len(x.list) == 0 && x.question() == "trace" && !x.Window && n > 0 && n < fewFrames {
		add(fmt.Sprintf("only %s: record for longer, while the application draws", text.Count(n, "judged frame")), again())
	}
}

// launched reports whether a document is about launches alone.
func (x *recorder) launched() bool {
	launches := false
	for _, i := range x.in.Interactions {
		if launches = true; !i.Launch() {
			return false
		}
	}
	return launches && x.Vsync == 0 && (x.Interaction != nil || len(x.late) == 0)
}

// advises reports whether a cause of a process or a hang has an advice.
func (x *recorder) advises(a why.Advice) bool {
	has := func(c *why.Cost) bool { return c.Share.Advice == a }
	for _, p := range x.late {
		if slices.ContainsFunc(Leading(p.Ranking, maxCosts), has) || x.Vsync == 0 && slices.ContainsFunc(Leading(p.Shown, maxCosts), has) {
			return true
		}
	}
	return slices.ContainsFunc(x.in.Hangs, func(h Hang) bool { return causetext.HangAdvice(&h.Hang, h.Spent) == causetext.Advice(a) })
}

// judgedFrames returns the number of frames of an input that are known to be late or on time.
func judgedFrames(in *Input) (n int) {
	for _, p := range in.Processes {
		if p.Kind == stats.Application {
			n += p.Frames.Judged
		}
	}
	return n
}

// lacksFrequencies reports whether an input has scheduling events, but no frequencies of CPUs: the tag freq
// was not recorded.
func lacksFrequencies(in *Input) bool {
	return in.Quality != nil && slices.ContainsFunc(in.Quality.Reasons, func(r stats.Reason) bool { return r.Code == "no_freq" })
}
