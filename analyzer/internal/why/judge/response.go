package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

const (
	// maxOverlapping bounds the steps on one thread that are examined for the same time.
	maxOverlapping = 16
	// clockError is by how much the time of an input may be wrong, as it is converted from
	// another clock.
	clockError = trace.Millisecond
)

// newResponses divides the responses to interactions into steps, and returns what their threads
// are to be examined for.
func newResponses(r *threads.Record, t *analyzer.Timeline) ([]*response, map[trace.TID][]*account.Account) {
	list := slices.DeleteFunc(slices.Clone(t.Interactions), func(i *analyzer.Interaction) bool {
		d, ok := i.Response()
		return ok && d <= 0 || !ok && (!i.Launch() || len(i.Stages) == 0)
	})
	if len(list) > why.MaxResponses {
		slices.SortStableFunc(list, func(a, b *analyzer.Interaction) int {
			x, _ := a.Response()
			y, _ := b.Response()
			return cmp.Compare(y, x)
		})
		list = list[:why.MaxResponses]
	}
	var responses []*response
	around := surroundings{}
	for _, i := range list {
		n := newResponse(i, &r.Passages)
		n.ask(around, &r.Passages)
		responses = append(responses, n)
	}
	for tid, slices := range around {
		slices.find(r.Outermost, tid)
	}
	work := map[trace.TID][]*account.Account{}
	for _, n := range responses {
		n.divide(around, &r.Passages)
		for k := range n.steps {
			n.steps[k].examine(r, work)
		}
	}
	for tid, list := range work {
		work[tid] = bounded(list)
	}
	return responses, work
}

// explainResponses says what the responses were spent on.
func (j *judge) explainResponses(responses []*response) {
	for _, r := range responses {
		if answer := j.respond(r); len(answer.Steps) > 0 {
			if j.causes.Responses == nil {
				j.causes.Responses = map[*analyzer.Interaction]*why.Explanation{}
			}
			j.causes.Responses[r.Interaction] = answer
		}
	}
}

// surroundings are the slices around times of threads.
type surroundings map[trace.TID]*outermost

type outermost struct {
	times  []trace.Time
	slices []analyzer.Interval
}

func (s surroundings) ask(tid trace.TID, at trace.Time) {
	if tid <= 0 || !at.Known() {
		return
	}
	if s[tid] == nil {
		s[tid] = &outermost{}
	}
	s[tid].times = append(s[tid].times, at)
}

func (o *outermost) find(in func(trace.TID, []trace.Time) []analyzer.Interval, tid trace.TID) {
	slices.Sort(o.times)
	o.times = slices.Compact(o.times)
	o.slices = in(tid, o.times)
}

// of returns the slice of a thread around a time that was asked for.
func (s surroundings) of(tid trace.TID, at trace.Time) analyzer.Interval {
	if o := s[tid]; o != nil {
		if i, ok := slices.BinarySearch(o.times, at); ok {
			return o.slices[i]
		}
	}
	return analyzer.Interval{}
}

// response is a response under construction.
type response struct {
	*analyzer.Interaction
	render *analyzer.Frame // the first render frame that shows it
	// ui is the thread that makes the first frame, handler that which handled the input.
	ui, handler trace.TID
	handled     trace.Time // unknown without a marker
	steps       []step
}

type step struct {
	why.Step
	threads []*thread
	gpu     trace.Time // end of the work on the GPU, in the display step
}

// thread is a thread that a step is about.
type thread struct {
	pid trace.PID
	tid trace.TID
	*account.Account
}

func newResponse(i *analyzer.Interaction, p *threads.Passages) *response {
	r := &response{Interaction: i, render: i.First, ui: trace.TID(i.Process.PID)}
	if f := i.First; f != nil && f.Kind == analyzer.ApplicationFrame {
		r.render, r.ui = f.Render, f.TID
	}
	r.handler = r.ui
	if !i.Launch() && i.InputAt.Known() {
		if at, tid, ok := p.Handled(i.Process.PID, i.Input, i.InputAt.Add(-clockError), i.FirstShown); ok {
			r.handled, r.handler = at, tid
		}
	}
	return r
}

// ask asks for the slices that divide depends on.
func (r *response) ask(around surroundings, p *threads.Passages) {
	if r.Launch() {
		last := r.Stages[len(r.Stages)-1].Begin
		around.ask(p.Launching(last), last)
		return
	}
	around.ask(r.handler, r.handled)
	around.ask(r.ui, r.Begin)
}

// add adds the step until a time, at most until the first frame was shown, if it is not empty.
func (r *response) add(name why.StepName, stage string, until trace.Time, tids ...trace.TID) *step {
	from := r.Span().Start
	if n := len(r.steps); n > 0 {
		from = r.steps[n-1].End()
	}
	if r.FirstShown.Known() {
		until = min(until, r.FirstShown)
	}
	if until <= from {
		return nil
	}
	s := step{Step: why.Step{Name: name, Stage: stage, Start: from, Time: until.Sub(from)}}
	for _, tid := range tids {
		if tid > 0 && !slices.ContainsFunc(s.threads, func(t *thread) bool { return t.tid == tid }) {
			s.threads = append(s.threads, &thread{tid: tid})
		}
	}
	r.steps = append(r.steps, s)
	return &r.steps[len(r.steps)-1]
}

// divide divides the response into steps. Each ends at the time of the next one.
func (r *response) divide(around surroundings, p *threads.Passages) {
	first := r.First
	if r.Launch() {
		r.divideStages(around, p)
		if first == nil {
			return
		}
	} else {
		r.divideInput(around)
	}
	stage := func(name string) string {
		if !r.Launch() {
			return ""
		}
		return name
	}
	shown := r.FirstShown
	if first != r.render {
		name := stage(analyzer.FirstFrameApplication)
		r.add(why.StepApplication, name, min(first.Actual.End, r.render.Actual.Start), first.TID)
	}
	begun := r.render.Actual.Start
	if !r.Launch() && r.render.Expected.Start.Known() { // the frame includes its own delay
		begun = min(begun, r.render.Expected.Start)
	}
	r.add(why.StepPickUp, stage(analyzer.FirstFrameApplication), begun, r.render.TID)
	from := r.Span().Start
	if n := len(r.steps); n > 0 {
		from = r.steps[n-1].End()
	}
	name := stage(analyzer.FirstFrameRender)
	way := marks(r.render, from, min(max(r.render.Actual.Start, from), shown), shown)
	drawing, committing := p.Drawing(r.render.Draw.Start), p.Committing(r.render.Commit.Start)
	for i, tid := range [...]trace.TID{r.render.TID, drawing, committing, committing, 0} {
		if s := r.add(why.ShownSteps[i], name, way[i+1], tid); s != nil && s.Name == why.StepDisplay {
			for _, g := range r.render.GPU {
				s.gpu = max(s.gpu, min(g.End, shown))
			}
		}
	}
}

// divideInput adds the steps of a scene before its first frame.
func (r *response) divideInput(around surroundings) {
	// The first frame begins with its vsync, unless the scene began later.
	frame := r.First.Actual.Start
	if v := r.First.Expected.Start; v.Known() {
		frame = min(frame, v)
	}
	begin := around.of(r.ui, r.Begin)
	begins := max(r.Begin, begin.End) // the slice goes on after the begin
	handled := cmp.Or(r.handled, r.Begin)
	if s := around.of(r.handler, handled); s.Start.Known() {
		handled = s.Start
	}
	if !r.InputAt.Known() { // the response counts from the begin
		handled = r.From()
	}
	tid := r.handler
	r.add(why.StepDispatch, "", min(handled, frame), tid)
	if begins.Known() {
		r.add(why.StepHandling, "", min(begins, frame), tid)
	}
	waits := r.ui
	if r.First == r.render {
		return // the pick-up has the wait
	}
	r.add(why.StepVsync, "", frame, waits)
}

// divideStages adds the stages of a launch before its first frame. Other processes begin a
// new process until its main thread takes over.
func (r *response) divideStages(around surroundings, p *threads.Passages) {
	for _, s := range r.Stages {
		if s.Name == analyzer.FirstFrameApplication {
			return
		}
		tid := p.Launching(s.Begin)
		end := cmp.Or(s.End, around.of(tid, s.Begin).End)
		if step := r.add(why.StepLaunch, s.Name, end, tid, r.ui); step != nil {
			step.Open = !s.End.Known()
		}
	}
}

// examine adds what the threads of a step are examined for to the work of each thread.
func (s *step) examine(r *threads.Record, work map[trace.TID][]*account.Account) {
	list := s.threads[:0]
	for _, t := range s.threads {
		from, ok := r.LoggedFrom(t.tid, s.Start, s.End())
		if !ok {
			continue
		}
		t.pid = r.PID(t.tid)
		t.Account = account.Stretch(&analyzer.Process{PID: t.pid}, from, s.End())
		work[t.tid] = append(work[t.tid], t.Account)
		list = append(list, t)
	}
	s.threads = list
}

// bounded leaves out accounts of a thread of which too many others cover the same time. They
// stay empty.
func bounded(list []*account.Account) []*account.Account {
	slices.SortStableFunc(list, func(a, b *account.Account) int { return cmp.Compare(a.Start, b.Start) })
	var open, kept []*account.Account
	for _, a := range list {
		open = slices.DeleteFunc(open, func(b *account.Account) bool { return b.End <= a.Start })
		if len(open) < maxOverlapping {
			open, kept = append(open, a), append(kept, a)
		}
	}
	return kept
}

// respond returns the steps as an explanation, each with what its threads did.
func (j *judge) respond(r *response) *why.Explanation {
	answer := &why.Explanation{Interaction: r.Interaction, Start: r.Span().Start}
	for i := range r.steps {
		s := &r.steps[i]
		for n, t := range s.threads {
			if w := j.workOf(t); w != nil && (n == 0 || len(w.Waits) > 0) {
				s.Work = append(s.Work, *w)
			}
		}
		if s.Name == why.StepDisplay {
			s.Work = append(s.Work, displayWork(s))
		}
		answer.Steps, answer.End = append(answer.Steps, s.Step), s.End()
	}
	return answer
}

// workOf returns what a thread did; nil if nothing is known.
func (j *judge) workOf(t *thread) *why.Work {
	var times [why.WaitCount]trace.Duration
	var in [why.WaitCount][]why.NamedSlices
	sum := t.Idle()
	known := sum > 0
	for c := range t.Cells() {
		sum += c.Time
		times[c.Wait] += c.Time
		if name, _, _ := j.book.Slice(&c); name != "" {
			in[c.Wait] = append(in[c.Wait], why.NamedSlices{Slice: name, Value: c.Time, Calls: int(c.Calls)})
		}
		known = known || c.Wait != why.WaitUnknown || c.Key != 0
	}
	if !known || sum != t.End.Sub(t.Start) {
		return nil
	}
	name := j.book.Thread(t.pid, t.tid, t.Start)
	w := &why.Work{PID: name.PID, TID: t.tid, Process: name.Process, Thread: name.Thread, Start: t.Start, End: t.End, Idle: t.Idle()}
	for wait, d := range times {
		if d > 0 {
			w.Waits = append(w.Waits, j.workWaits(t, why.Wait(wait), d, in[wait])...)
		}
	}
	slices.SortStableFunc(w.Waits, func(a, b why.WaitTime) int { return cmp.Compare(b.Value, a.Value) })
	w.Slices = j.book.SliceTimes(t.Account)
	w.Slices = w.Slices[:min(len(w.Slices), why.MaxWorkSlices)]
	return w
}

// workWaits returns the time d that a thread spent in one way, in the given slices: one for each kind of
// threads that it waited for a quarter of that or more, and one for the rest.
func (j *judge) workWaits(t *thread, wait why.Wait, d trace.Duration, in []why.NamedSlices) (list []why.WaitTime) {
	add := func(d trace.Duration, in []why.NamedSlices, who []*account.WaitedFor) {
		x := why.WaitTime{Wait: wait, Value: d}
		if len(in) > 0 {
			most, others := account.MostOf(slices.Values(in), d)
			x.Slice, x.SliceTime, x.Calls, x.OtherSlices = most.Slice, most.Value, most.Calls, others
			for _, s := range in {
				x.OtherTime += s.Value
			}
			x.OtherTime -= most.Value
			x.Arguments = j.argumentsOf(t.Account, &most)
		}
		if len(who) > 0 {
			x.Culprit, x.Function, x.Interrupt = who[0].Kept(), who[0].Function, who[0].Interrupt
		}
		list = append(list, x)
	}
	waits := j.book.Waits(t.Account, account.Match{Component: functions.Component{Wait: wait}})
	n := 0
	for n < len(waits) && waits[n].Culprit != nil && waits[n].Time*leading >= d {
		n++
	}
	if n == 0 || wait.Explains() || waits[0].Time*10 >= d*9 {
		add(d, in, waits)
		return list
	}
	rest := d
	for i := range waits[:n] {
		rest -= waits[i].Time
		add(waits[i].Time, j.book.In(waits[i:i+1]), waits[i:i+1])
	}
	if rest > 0 {
		add(rest, j.book.In(waits[n:]), waits[n:])
	}
	return list
}

// argumentsOf returns the arguments that slices of a stretch have for nearly all of their time.
func (j *judge) argumentsOf(a *account.Account, of *why.NamedSlices) (list []why.Argument) {
	var all trace.Duration
	var arguments []why.Argument
	times := map[why.Argument]trace.Duration{}
	for i, name := range j.book.Instances(a) {
		if !account.IsOf(of, name) {
			continue
		}
		d := min(i.End, a.End).Sub(max(i.Start, a.Start))
		all += d
		for _, x := range place.Arguments(j.book.Label(i)) {
			if _, ok := times[x]; !ok {
				arguments = append(arguments, x)
			}
			times[x] += d
		}
	}
	for _, x := range arguments {
		if 10*times[x] >= 9*max(all, of.Value) {
			list = append(list, x)
		}
	}
	return list
}

// displayWork returns how long the display waited for the GPU, and for its next refresh.
func displayWork(s *step) why.Work {
	w := why.Work{PID: trace.UnknownPID, Start: s.Start, End: s.End()}
	drawn := max(s.gpu, s.Start)
	for _, x := range []why.WaitTime{{Wait: why.WaitGPU, Value: drawn.Sub(s.Start)}, {Wait: why.WaitFence, Value: s.End().Sub(drawn)}} {
		if x.Value > 0 {
			w.Waits = append(w.Waits, x)
		}
	}
	slices.SortStableFunc(w.Waits, func(a, b why.WaitTime) int { return cmp.Compare(b.Value, a.Value) })
	return w
}
