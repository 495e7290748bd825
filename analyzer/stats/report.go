package stats

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Report has the measures of a trace. Without frames it is empty, not nil.
type Report struct {
	// Span is from the trace's first line to its last; nil without lines.
	Span *Span `json:"span"`
	// Processes are the applications with frames or hangs by process id, then the render services.
	Processes []*Process `json:"processes"`
	// Interactions are what the user did, by begin, and Hangs the times in which a main
	// thread did something else than frames for long.
	Interactions []*Interaction `json:"interactions"`
	Hangs        []Hang         `json:"hangs"`
	// RefreshRates are those of displays with several, in order of time.
	RefreshRates []RefreshRate `json:"refresh_rates"`
	// Components are the components of applications, those with the most time first, and
	// StateVariables those that made nodes dirty, the most nodes first.
	Components     []Component     `json:"components"`
	StateVariables []StateVariable `json:"state_variables"`
	// Layers are the queues of buffers that are shown, by id.
	Layers []*Layer `json:"layers"`
	// Requesters are the connections on which processes ask for vsyncs, those with the most
	// unused vsyncs first.
	Requesters []Requester `json:"requesters"`
	// Callbacks are the display syncs of applications, those with the most time first.
	Callbacks []Callback `json:"callbacks"`
	// Own are the measures that the user defined, in the order in which they were given.
	Own []*Own `json:"own_measures"`
	// Summaries are those that a dump of Android has, in its order.
	Summaries []Summary `json:"summaries"`
}

// Span is an interval of trace time. Seconds is its length, without the time between
// several traces in one input.
type Span struct {
	From    trace.Time     `json:"from_ns"` // times of the first line and of the last
	To      trace.Time     `json:"to_ns"`
	Seconds float64        `json:"seconds"`             // the time between, without gaps between traces
	Length  trace.Duration `json:"-" sum:"observed_ns"` // Seconds to the nanosecond
}

// newSpan returns nil if an end is unknown.
func newSpan(from, to trace.Time, p parts) *Span {
	if !from.Known() || !to.Known() {
		return nil
	}
	length := p.observed(from, to)
	return &Span{from, to, seconds(length), length}
}

func seconds(d trace.Duration) float64 { return float64(d) / float64(trace.Second) }

// Options select what is reported.
type Options struct {
	// Process, if not nil, reports whether a process belongs in the report.
	Process func(*analyzer.Process) bool
	// Own, if not nil, does so for measures of the user where Process is nil.
	Own func(*analyzer.Process) bool
	// Compare measures what comparisons of processes need. Lengths also keeps the lengths of frames for them.
	Compare, Lengths bool
}

// Compute measures the frames of a timeline, which may be in any order.
func Compute(t *analyzer.Timeline, o Options) *Report {
	c := collector{}
	for _, f := range t.Frames {
		if o.Process == nil || o.Process(f.Process) {
			c.add(f)
		}
	}
	parts, responses, activities := newParts(t), responses(t), activities(t)
	for key, p := range c {
		p.records.dump, p.records.parts, p.records.responses, p.records.activity = t.Dump, parts, responses[key], activities[key]
	}
	span, hangs := newSpan(t.Span.Start, t.Span.End, parts), hangs(t, o)
	c.setHangs(hangs, t, span)
	asking := requesters(t, o, span)
	c.setVsyncs(asking)
	refreshes := t.Refreshes()
	c.setDisplays(refreshes)
	r := c.report(span)
	r.Interactions, r.Hangs, r.Requesters, r.Callbacks = Interactions(t, o), hangs, asking, callbacks(t, o)
	r.RefreshRates = rates(t, refreshes)
	r.Components, r.StateVariables = components(t, o), stateVariables(t, o)
	r.Layers, r.Summaries = layers(t, o), summaries(t, o)
	r.Own = owns(t, o)
	for _, c := range r.Components {
		for _, p := range r.Processes {
			if p.Kind == Application && p.Source == c.Source {
				p.Built, p.Reused = p.Built+c.Built, p.Reused+c.Reused
			}
		}
	}
	if o.Compare {
		r.setCompared(o.Lengths)
	}
	for _, p := range r.Processes {
		p.records = records{}
	}
	return r
}

// collector gathers the records of each process.
type collector map[processKey]*Process

type processKey struct {
	kind  Kind
	pid   trace.PID
	start trace.Time // of a process whose id another one had before
	name  string     // of a process without an id
}

// keyOf returns the key of a process of a kind; the zero key for nil, as for one of several traces.
func keyOf(kind Kind, p *analyzer.Process) processKey {
	switch {
	case p == nil:
		return processKey{}
	case p.NoPID:
		return processKey{kind: kind, pid: trace.UnknownPID, name: p.Name}
	}
	return processKey{kind: kind, pid: p.PID, start: p.Alive.Start}
}

func (c collector) process(key processKey, source *analyzer.Process) *Process {
	p := c[key]
	if p == nil {
		p = &Process{Kind: key.kind, PID: key.pid, Source: source}
		c[key] = p
	}
	if source.Name != "" {
		p.Name = source.Name
	}
	return p
}

func (c collector) add(f *analyzer.Frame) {
	c.process(keyOf(kindOf(f), f.Process), f.Process).records.addFrame(f)
}

func (c collector) report(span *Span) *Report {
	r := &Report{Span: span, Processes: slices.SortedFunc(maps.Values(c), func(a, b *Process) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Source.Alive.Start, b.Source.Alive.Start), cmp.Compare(a.Name, b.Name))
	})}
	if r.Processes == nil {
		r.Processes = []*Process{}
	}
	for _, p := range r.Processes {
		p.measure()
	}
	return r
}
