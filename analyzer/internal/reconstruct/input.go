package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// input builds the Timeline of an input, which is one trace or several in a row. Call
// Begin for each trace, Track its events, Merge the names of all lines, and then call
// Timeline once.
type input struct {
	*shared
	named   map[trace.TID]*threadName
	current *builder
	// builders are those of the traces that have ended: the first, and all others with
	// frame data.
	builders []*builder
	span     analyzer.Interval
}

// shared is the state that all traces of an input share: they come from one device and
// have one set of limits and one set of diagnostics.
type shared struct {
	options     Options
	threads     hitrace.Threads[thread]
	trackers    map[string]string // names of fences, each once
	texts       map[string]string // names of scenes, pages and bundles, each once
	knownIDs    knownIDs
	frees       map[trace.TID][]stamp
	starts      []newOwner // of the current block
	lives       lives      // when all events are read
	wall        analyzer.WallClock
	kept        kept
	diagnostics diagnostics
	overwritten bool // the buffers kept only the last lines
}

// kept counts the stored records of each kind.
type kept struct {
	frames, sent, applied, draws, commits, waits, gpu, periods, interactions, queues, buffers, syncs, builds, requests, votes int
}

func newInput(options Options) *input {
	options.Limits = options.Limits.WithDefaults()
	return &input{
		shared: &shared{
			options: options, trackers: map[string]string{}, texts: map[string]string{}, frees: map[trace.TID][]stamp{},
			diagnostics: diagnostics{examples: options.Limits.Examples},
		},
		named: map[trace.TID]*threadName{},
	}
}

// begin begins a trace and ends the one before it. It returns the builder that tracks
// the trace's events.
func (in *input) begin() *builder {
	in.end()
	in.current = newBuilder(in.shared)
	return in.current
}

func (in *input) end() {
	b := in.current
	if b == nil {
		return
	}
	in.current = nil
	b.finish()
	if len(in.builders) == 0 || b.hasFrameData() {
		in.builders = append(in.builders, b)
	}
	if b.span.Start.Known() && (!in.span.Start.Known() || b.span.Start < in.span.Start) {
		in.span.Start = b.span.Start
	}
	in.span.End = max(in.span.End, b.span.End)
}

// timeline returns the timeline of all traces. At least one must have begun. The input
// must not be used afterwards.
func (in *input) timeline() *analyzer.Timeline {
	in.end()
	in.nameThreads()
	in.lives = in.findLives()
	in.setThreads()
	t := &analyzer.Timeline{Processes: in.lives.list(), Span: in.span}
	for _, b := range in.builders {
		b.assemble(t)
	}
	if len(in.builders) > 1 {
		slices.SortStableFunc(t.Frames, func(x, y *analyzer.Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
		truncateOverlaps(t, &in.diagnostics)
	}
	in.setAlive(t)
	numberInteractions(t)
	for i, l := range t.Layers {
		l.ID = i + 1
	}
	t.JudgeLayers()
	if !in.wall.At.Known() {
		in.wall = in.options.Wall
	}
	t.Clock, t.Wall, t.Diagnostics = t.Parts[0].Clock, in.wall, in.diagnostics.result()
	return t
}

// truncateOverlaps truncates frames that overlap frames of another trace, as checkOrder
// does within a trace. Traces whose lines are out of order may overlap.
func truncateOverlaps(t *analyzer.Timeline, diagnostics *diagnostics) {
	byThread := map[trace.TID][]*analyzer.Frame{}
	for f := range t.Complete() {
		byThread[f.TID] = append(byThread[f.TID], f)
	}
	for _, list := range byThread {
		var last *analyzer.Frame
		for i, f := range list {
			over := i+2 < len(list) && f.Actual.End > list[i+2].Actual.Start
			if over || last != nil && f.Actual.Start < last.Actual.End {
				diagnostics.add(analyzer.FrameAstray, 0)
				f.Facts, f.GPU, f.CPUTime = analyzer.Truncated, nil, 0
				continue
			}
			last = f
		}
	}
}

// nameThreads adds threads that have no names, because of limits.
func (in *input) nameThreads() {
	for _, t := range in.threads.All() {
		if in.named[t.tid] == nil {
			in.named[t.tid] = &threadName{owners: []*owner{{pid: t.pid}}}
		}
	}
}
