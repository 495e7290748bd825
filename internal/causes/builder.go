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
	"ohframe/internal/text"
)

// writeDocument writes the document about inputs in the format json or evidence.
func writeDocument(w io.Writer, inputs []Input, format string, o Options) error {
	x := builder{Options: o, several: len(inputs) > 1, brief: format == brief.Format}
	return x.write(w, x.document(inputs))
}

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
	several bool // inputs
	brief   bool // for the format evidence
}

// each returns the values of a list, which are made when they are written.
func each[T, D any](list []T, encode func(T) D) []text.Lazy[D] {
	lazy := make([]text.Lazy[D], len(list))
	for i, x := range list {
		lazy[i] = func() D { return encode(x) }
	}
	return lazy
}

// in is a part of an input.
type in[T any] struct {
	*Input
	of T
}

func (x *builder) document(inputs []Input) *document {
	d := &document{Version: documentVersion, Question: x.question(), Answer: headline(inputs, x.Options)}
	var hangs []in[*Hang]
	var interactions []in[*Interaction]
	var layers []in[*Layer]
	for i := range inputs {
		input := &inputs[i]
		d.Inputs = append(d.Inputs, x.input(input))
		for _, i := range input.Interactions {
			if x.Vsync == 0 {
				interactions = append(interactions, in[*Interaction]{input, i})
			}
		}
		for _, l := range input.Layers {
			if !x.brief || l.Late > 0 || x.Layer != nil || len(l.Drops) > 0 || len(l.Cadences) > 1 {
				layers = append(layers, in[*Layer]{input, l})
			}
		}
		for i := range input.Hangs {
			hangs = append(hangs, in[*Hang]{input, &input.Hangs[i]})
		}
		if input.Stacks != nil {
			d.Stacks = append(d.Stacks, x.stacks(input.Stacks, x.inputName(input)))
		}
	}
	slices.SortStableFunc(interactions, func(a, b in[*Interaction]) int { return worseInteraction(a.of, b.of) })
	slices.SortStableFunc(layers, func(a, b in[*Layer]) int { return cmp.Compare(b.of.Lost, a.of.Lost) })
	slices.SortStableFunc(hangs, func(a, b in[*Hang]) int { return longerHang(*a.of, *b.of) })
	d.Interactions = each(interactions, x.interaction)
	d.Layers = each(layers, x.layer)
	d.Hangs = each(hangs, func(h in[*Hang]) documentHang { return x.hang(h, len(hangs) == 1) })
	late, onTime := x.processes(inputs)
	for _, p := range onTime {
		if d.OnTime == nil {
			d.OnTime = &documentOnTime{}
		}
		d.OnTime.Processes++
		d.OnTime.Frames += p.Frames.Complete
		d.OnTime.Judged += p.Frames.Judged
	}
	x.conclude(d, inputs, late)
	if !x.brief {
		late = append(late, onTime...)
	}
	d.Processes = each(late, x.process)
	return d
}

// stacks returns the functions of stacks, and the heaviest path, in evidence as the text has it.
func (x *builder) stacks(s *why.Stacks, input string) documentStacks {
	d := documentStacks{Input: input, Stacks: *s}
	if x.brief {
		o := x.Options
		o.All = false
		d.Path = shownPath(s, o)
		d.LeftOut.Add("path", len(s.Path)-len(d.Path))
	}
	return d
}

// processes returns those that have late frames or were asked for, those that lost the most time
// first, and the others: of several inputs together.
func (x *builder) processes(inputs []Input) (late, onTime []*overall) {
	list := overallOf(inputs)
	if !x.several {
		list = nil
		for i := range inputs {
			for _, p := range inputs[i].Processes {
				list = append(list, p.alone(&inputs[i]))
			}
		}
	}
	for _, o := range list {
		asked := x.Vsync != 0 || x.Process != nil && x.Interaction == nil
		if asked || slices.ContainsFunc(o.parts, func(p part) bool { return len(p.Late)+len(p.ShownLate)+len(p.PickedUpLate) > 0 }) {
			late = append(late, o)
		} else {
			onTime = append(onTime, o)
		}
	}
	slices.SortStableFunc(late, func(a, b *overall) int {
		return cmp.Or(cmp.Compare(b.Ranking.Lost, a.Ranking.Lost), cmp.Compare(b.Frames.Late, a.Frames.Late), cmp.Compare(b.shownLate(), a.shownLate()))
	})
	return late, onTime
}

// shownLate returns by how much frames were shown or picked up late that are not late themselves.
func (o *overall) shownLate() trace.Duration {
	sum := o.Shown.Lost
	for i := range o.parts {
		for _, e := range o.parts[i].PickedUpLate {
			sum += e.PickUp.Lost
		}
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
func (x *builder) conclude(d *document, inputs []Input, late []*overall) {
	doubt, others := reliable(inputs)
	switch {
	case doubt != "" && len(others) == 0:
		d.Answer = doubt
	case x.Vsync != 0 && len(late) > 0:
		if frames := late[0].lateFrames(); len(frames) > 0 {
			e := frames[0]
			d.Answer = strings.TrimSuffix(fmt.Sprintf("%s: frame %d %s: %s", cmp.Or(processName(late[0].Name), text.Unknown), e.Frame.VsyncID, frameTitle(newSum(e.Explanation), e.Explanation), causetext.Sentence(e.of.all, e.Explanation)), ": ")
		}
	}
	d.Answer = cmp.Or(d.Answer, "no complete frames")
	for i := range inputs {
		input := &inputs[i]
		if doubt := x.doubt(input.Quality, len(d.Hangs) > 0 && len(late) == 0); doubt != "" {
			if x.several {
				doubt = brief.Name(input.Name) + ": data quality: " + doubt
			} else {
				doubt = "data quality: " + doubt
			}
			d.Against = append(d.Against, doubt)
		}
	}
	r := recorder{builder: x, inputs: inputs, late: late, application: x.application(inputs, late)}
	for i := range inputs {
		r.record(&inputs[i])
	}
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

// inputName names the input of a part if there are several.
func (x *builder) inputName(in *Input) string {
	if !x.several {
		return ""
	}
	return in.Name
}

func (x *builder) input(in *Input) documentInput {
	c := in.Causes
	d := documentInput{Name: in.Name, Quality: in.Quality, Scheduled: c.Scheduled, Woken: c.Woken, BlockedReasons: c.BlockedReasons, Sampled: len(c.Sampled) > 0, Missing: Missing(c, in.Processes, in.Quality)}
	if in.Stats != nil && in.Stats.Span != nil {
		d.Start, d.Length = in.Stats.Span.From, in.Stats.Span.Seconds
	}
	return d
}

func (x *builder) process(o *overall) documentProcess {
	d := documentProcess{
		Name: processName(o.Name), PID: trace.UnknownPID, Kind: o.Kind, Frames: o.Frames.Complete, Judged: o.Frames.Judged, Late: o.Frames.Late, Lost: knownLost(o.Ranking),
		Causes: x.causes(o), Pictures: o.pictures,
	}
	if delay := o.delay(); delay != nil && *delay != (lateness{}) && x.Vsync == 0 {
		d.Delay = delay
	}
	if x.brief {
		d.Ranking = brief.First(&d.LeftOut, "causes", d.Ranking, len(Leading(o.Ranking, maxCosts)))
		d.Shown = brief.First(&d.LeftOut, "shown_causes", d.Shown, len(Leading(o.Shown, maxCosts)))
	}
	if x.several {
		d.Inputs = o.Inputs
		if !x.brief {
			for i := range o.parts {
				one := builder{Options: x.Options}
				of := one.process(o.parts[i].alone(o.parts[i].in))
				of.LateFrames, of.ShownLate, of.PickedUpLate, of.Inputs = nil, nil, nil, []string{o.parts[i].in.Name}
				d.ByInput = append(d.ByInput, of)
			}
		}
		return d
	}
	p := &o.parts[0]
	d.PID = p.PID
	if p.in.Stats != nil && x.Vsync == 0 && x.Interaction == nil {
		for _, m := range p.in.Stats.Processes {
			if m.Source == p.Source && m.Kind == p.Kind {
				d.JankRate, d.Refresh = m.JankRate, m.Refresh
			}
		}
	}
	if c := p.in.Commands; c != nil && x.Process == nil && x.Vsync == 0 && x.Interaction == nil {
		d.Why = c.WhyProcess(p.Name, p.PID, brief.Flag)
	}
	return d
}

// alone returns a process as all of those with its name.
func (p *Process) alone(in *Input) *overall {
	return &overall{Name: p.Name, Kind: p.Kind, Inputs: []string{in.Name}, Frames: p.Frames, Ranking: p.Ranking, Shown: p.Shown, pictures: p.Pictures, parts: []part{{p, in}}}
}

// Document returns the causes of a process for text.WriteJSON; nil if they are unknown.
func (p *Process) Document(c *why.Causes) *Causes {
	if p == nil {
		return nil
	}
	x := builder{}
	causes := x.causes(p.alone(&Input{Causes: c}))
	return &causes
}

// lateFrames are the late frames, the latest first.
func (o *overall) lateFrames() []located {
	return latest(o.located(func(p *Process) []*why.Explanation { return p.Late }), overrun)
}

func (x *builder) causes(o *overall) Causes {
	d := Causes{Unknown: o.Ranking.Unknown, Ranking: x.ranking(o, o.Ranking, false), LateFrames: each(o.lateFrames(), x.frame)}
	if !x.several {
		d.Functions = o.parts[0].Functions
	}
	if x.Vsync != 0 && x.brief { // the frame has it
		return d
	}
	shown := o.located(func(p *Process) []*why.Explanation { return p.ShownLate })
	picked := o.located(func(p *Process) []*why.Explanation { return p.PickedUpLate })
	var all [][]*why.Explanation
	for i := range o.parts {
		all = append(all, o.parts[i].ShownLate)
	}
	d.Shown = x.ranking(o, o.Shown, true)
	d.ShownLate, d.PickedUpLate = each(latest(shown, shownLateBy(all...)), x.shownLate), each(latest(picked, pickedUpLate), x.pickedUpLate)
	if x.Vsync == 0 {
		d.Against = o.against()
	}
	return d
}

// ranking returns the causes of a ranking. The sentence and the commands of a worst frame are at its first cause.
func (x *builder) ranking(o *overall, r *why.Ranking, shown bool) (list []documentCause) {
	seen := map[*why.Explanation]bool{}
	for _, c := range r.Costs {
		d := x.cause(o, r, c, shown)
		if seen[c.Worst] && d.Worst != nil {
			d.Worst.Cause, d.Worst.Why, d.Worst.Open = "", "", ""
		}
		seen[c.Worst] = true
		list = append(list, d)
	}
	return list
}

// located is an explanation with the process and the input that has the frame.
type located struct {
	*why.Explanation
	of *part
}

// latest returns a copy of a list of frames, sorted by how late they are, the latest first.
func latest(list []located, late func(*why.Explanation) trace.Duration) []located {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b located) int { return cmp.Compare(late(b.Explanation), late(a.Explanation)) })
	return list
}

// cause returns a cause of a ranking: of late frames, or of frames that were shown late.
func (x *builder) cause(o *overall, r *why.Ranking, c *why.Cost, shown bool) documentCause {
	d := documentCause{
		Title: causetext.CostTitle(c), Wait: c.Wait.String(), Stage: c.Stage().String(), Stages: c.Stages, Slice: c.Slice, Calls: c.Calls, UsualCalls: c.UsualCalls, Function: c.Share.Function,
		Culprit: c.Share.Culprit, Frames: len(c.Late), Missing: c.Missing, KnockOn: c.KnockOn, KnockOns: c.KnockOns, Advice: causetext.CostAdvice(c), Arguments: c.Repeats,
	}
	if c.LostKnown() {
		share := float64(c.Lost) / float64(max(r.Lost, 1))
		d.Lost, d.Share, d.Gain, d.Direct = &c.Lost, &share, &c.Gain, &c.Direct
	}
	x.worst(&d, o, c, shown)
	switch {
	case !shown:
		d.Against = o.againstCause(c, x.Vsync != 0)
	case len(c.Late) == 1:
		d.Against = []string{"only 1 frame shown late has it"}
	}
	return d
}

// worst adds the frame that lost the most to a cause.
func (x *builder) worst(d *documentCause, o *overall, c *why.Cost, shown bool) {
	for i := range o.parts {
		p := &o.parts[i]
		e := p.all.Of(c.Worst.Frame)
		if e == nil {
			continue
		}
		w := x.late(located{e, p}, knownOverrun(c.Worst.Frame), causetext.Sentence(p.all, e), true)
		w.AtLeast = unfinished(c.Worst.Frame)
		shares := e.Shares
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
		return
	}
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

// knownLost returns nil if by how much late frames were late is unknown of all.
func knownLost(r *why.Ranking) *trace.Duration {
	if !r.LostKnown() {
		return nil
	}
	return &r.Lost
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
func (x *builder) late(l located, late *trace.Duration, cause string, commands bool) documentLate {
	d := documentLate{Vsync: l.Frame.VsyncID, TID: l.Frame.TID, Input: x.inputName(l.of.in), Start: l.Frame.Actual.Start, End: l.Frame.Actual.End, Late: late, Cause: cause}
	if c := l.of.in.Commands; c != nil && commands && x.Vsync == 0 {
		d.Why, d.Open = c.WhyFrame(l.Frame, brief.Flag), c.OpenFrame(l.Frame)
	}
	return d
}

// frame returns a late frame, or one that was asked for. Evidence has only the latter's details.
func (x *builder) frame(l located) documentLate {
	e, p := l.Explanation, l.of
	d := x.late(l, knownOverrun(e.Frame), causetext.Sentence(p.all, e), false)
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
	if c := p.in.Commands; c != nil {
		d.Open = c.OpenFrame(e.Frame)
	}
	return d
}

// shownLate returns a frame that was shown late. Evidence has its first cause.
func (x *builder) shownLate(l located) documentLate {
	s := l.Shown
	d := x.late(l, &s.Lost, causetext.Shown(l.of.all, l.Explanation), true)
	d.Deadline, d.Due, d.Present, d.Delay, d.Confidence, d.Shares, d.Steps = l.Frame.Deadline, s.Due, s.End, s.Delay, s.Confidence.String(), s.Shares, s.Steps
	if s.Root != nil {
		d.KnockOnOf = s.Root.VsyncID
	}
	if x.brief {
		d.Shares = d.Shares[:1]
	}
	return d
}

// pickedUpLate returns a frame that was picked up late.
func (x *builder) pickedUpLate(l located) documentLate {
	d := x.late(l, &l.PickUp.Lost, causetext.PickUp(l.of.all, l.Explanation), true)
	d.Verdict, d.Render = l.PickUp.Outcome, l.Frame.Render.VsyncID
	return d
}

func (x *builder) interaction(l in[*Interaction]) documentInteraction {
	i := l.of
	d := documentInteraction{
		ID: i.ID, Kind: i.Kind.String(), Name: text.Interaction(i.Interaction), Scene: i.Scene, Process: processName(i.Process.Name), PID: i.Process.PID, Input: x.inputName(l.Input),
		Start: i.Span().Start, Grade: i.grade(), Frames: len(i.Frames), Late: i.Late, Lost: i.Lost,
		Hitch: i.Measures.HitchRatio, Missed: i.Measures.LongestMissedRun, Cause: i.mainCause(), Against: text.ReasonsOf(i.Measures),
	}
	if r, ok := i.Interaction.Response(); ok {
		d.Response = &r
	}
	if i.Response != nil && i.explained() {
		d.Advice = causetext.StepAdvice(i.Response, i.Process.PID)
	}
	switch c := l.Commands; {
	case c == nil:
	case x.Interaction == nil:
		d.Why = c.WhyInteraction(i.ID, brief.Flag)
	default:
		d.Open = c.OpenInteraction(i.ID)
	}
	if !x.brief {
		p := &Process{all: i.causes}
		for _, f := range i.Frames {
			if e := i.causes.Of(f); e != nil && e.Late() {
				p.Late = append(p.Late, e)
			}
		}
		o := &overall{parts: []part{{p, l.Input}}}
		d.Ranking, d.Functions = x.ranking(o, i.ranking(), false), i.causes.FunctionCosts(i.Frames)
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
func (x *builder) hang(l in[*Hang], only bool) documentHang {
	h := l.of
	d := documentHang{
		Process: processName(h.Process.Name), PID: h.Process.PID, Input: x.inputName(l.Input), Slice: h.Slice, Start: h.Start, Duration: h.Duration(),
		BeginCut: h.BeginCut != analyzer.NoEdge, EndCut: h.EndCut != analyzer.NoEdge, Severe: h.severe(), Cause: causetext.Hang(h.Spent), Advice: causetext.HangAdvice(h.Spent),
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
	if c := l.Commands; c != nil && !only {
		d.Why = c.WhyHang(&h.Hang, brief.Flag)
	}
	return d
}

func (x *builder) layer(in in[*Layer]) documentLayer {
	l := in.of
	d := documentLayer{
		ID: l.ID, Name: l.Name, Queue: l.Queue, Input: x.inputName(in.Input), Judged: l.Judged, Late: l.Late, Lost: l.Lost, OfFrames: l.OfFrames, ByFrames: l.LostByFrames,
		Cadences: stats.LayerCadences(l.Layer),
	}
	if p := l.Process; p != nil {
		d.Process = processName(p.Name)
		if !p.NoPID && p.PID != trace.UnknownPID {
			d.PID = &p.PID
		}
	}
	for i := range l.Drops {
		d.Drops = append(d.Drops, documentDrops{l.Drops[i], text.LayerDrop(&l.Drops[i], in.Start)})
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
	if c := in.Commands; c != nil && x.Layer == nil {
		d.Why = c.WhyLayer(l.ID, brief.Flag)
	}
	if x.brief && x.Layer == nil {
		return d
	}
	buffers := slices.Clone(l.Buffers)
	slices.SortStableFunc(buffers, later(ofBuffer))
	d.Buffers = each(buffers, func(b *why.Explanation) documentLate { return x.buffer(l, b) })
	return d
}

func (x *builder) buffer(l *Layer, late *why.Explanation) documentLate {
	b, over := late.Buffer, late.Buffer.Overrun()
	d := documentLate{
		Sequence: b.Sequence, Queued: b.Queued, Present: b.Present, Late: &over, Lost: late.Lost, Verdict: late.Outcome, Dropped: late.Dropped != nil, Steps: late.Steps, Cause: causetext.Buffer(l.causes, late),
	}
	if !x.brief {
		d.Shares = late.Shares
	}
	return d
}

// recorder collects what inputs lack, and the commands that record it.
type recorder struct {
	*builder
	inputs      []Input
	late        []*overall
	application string
	list        []brief.Record
}

// application returns the name of the application that the document is about, as commands that
// record it need; empty without one.
func (x *builder) application(inputs []Input, late []*overall) string {
	for _, p := range late {
		if p.Kind == stats.Application {
			return processName(p.Name)
		}
	}
	var interaction *Interaction
	var hang *Hang
	var most *Process
	for i := range inputs {
		for _, other := range inputs[i].Interactions {
			if x.Vsync == 0 && (interaction == nil || worseInteraction(other, interaction) < 0) {
				interaction = other
			}
		}
		for n := range inputs[i].Hangs {
			if other := &inputs[i].Hangs[n]; hang == nil || other.Duration() > hang.Duration() {
				hang = other
			}
		}
		for _, p := range inputs[i].Processes {
			if p.Kind == stats.Application && (most == nil || p.Frames.Complete > most.Frames.Complete) {
				most = p
			}
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

// record adds what an input lacks. What one command records is one element.
func (x *recorder) record(in *Input) {
	again := func(flags ...string) string {
		command := locate.Record(x.application, flags...)
		if x.launched() && strings.Contains(command, " --app ") { // only an application that is named can be launched
			command += " --launch"
		}
		return command
	}
	asked := len(x.list)
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
	if n := judgedFrames(in); len(x.list) == asked && x.question() == "trace" && !x.Window && n > 0 && n < fewFrames {
		add(fmt.Sprintf("only %s: record for longer, while the application draws", text.Count(n, "judged frame")), again())
	}
}

// launched reports whether a document is about launches alone.
func (x *recorder) launched() bool {
	launches := false
	for i := range x.inputs {
		for _, i := range x.inputs[i].Interactions {
			if launches = true; !i.Launch() {
				return false
			}
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
	for i := range x.inputs {
		if slices.ContainsFunc(x.inputs[i].Hangs, func(h Hang) bool { return causetext.HangAdvice(h.Spent) == causetext.Advice(a) }) {
			return true
		}
	}
	return false
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
