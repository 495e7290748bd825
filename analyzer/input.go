package analyzer

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer/trace"
)

// Input makes the Timeline of an input, which is one trace or several that follow one
// another: Begin each trace, Track its events, Merge the names that all lines state,
// then take the Timeline once.
type Input struct {
	*shared
	named   map[trace.TID]*threadName
	current *Builder
	// builders are those of the traces that have ended: the first, and all others
	// that say anything about frames.
	builders []*Builder
	span     Interval
}

// shared is what the traces of an input have in common: one device, one set of limits
// and one account of what did not fit together.
type shared struct {
	options     Options
	threads     map[trace.TID]*thread
	trackers    map[string]string // names of fences, each once
	wall        WallClock
	kept        kept
	diagnostics Diagnostics
}

// kept counts the records of each kind that are remembered.
type kept struct {
	frames, sent, applied, draws, commits, waits, gpu, periods int
}

// NewInput returns an input without traces.
func NewInput(options Options) *Input {
	options.Limits = options.Limits.WithDefaults()
	return &Input{
		shared: &shared{
			options: options, threads: map[trace.TID]*thread{}, trackers: map[string]string{},
			diagnostics: Diagnostics{examples: options.Limits.Examples},
		},
		named: map[trace.TID]*threadName{},
	}
}

// Begin begins a trace and ends the one before it. It returns the builder that tracks
// the trace's events.
func (in *Input) Begin() *Builder {
	in.end()
	in.current = newBuilder(in.shared)
	return in.current
}

func (in *Input) end() {
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

// Timeline returns the timeline of all traces. At least one must have begun. The input
// must not be used afterwards.
func (in *Input) Timeline() *Timeline {
	in.end()
	processes := in.processes()
	list := make([]*Timeline, len(in.builders))
	for i, b := range in.builders {
		list[i] = b.assemble(processes)
	}
	t := join(list, &in.diagnostics)
	t.Span, t.Wall, t.Diagnostics = in.span, in.wall, in.diagnostics
	return t
}

// processes returns the processes and threads of the input.
func (in *Input) processes() []*Process {
	for _, t := range in.threads {
		// A marker's payload states the process if no line's column does.
		n := in.named[t.tid]
		if n == nil {
			n = &threadName{pid: trace.UnknownPID}
			in.named[t.tid] = n
		}
		if n.pid == trace.UnknownPID || t.pid != trace.UnknownPID {
			n.pid = t.pid
		}
	}
	dump := in.options.Dump
	byPID := map[trace.PID]*Process{}
	for _, tid := range slices.Sorted(maps.Keys(in.named)) {
		t := in.named[tid]
		name, pid := dump.Thread(tid)
		if t.pid == trace.UnknownPID {
			t.pid = pid
		}
		if t.pid == trace.UnknownPID {
			continue
		}
		p := byPID[t.pid]
		if p == nil {
			p = &Process{PID: t.pid}
			byPID[t.pid] = p
		}
		name = cmp.Or(t.name(), name)
		p.Threads = append(p.Threads, Thread{tid, name})
		if int32(tid) == int32(t.pid) {
			p.Name = name
		}
	}
	for _, b := range in.builders {
		for _, d := range b.drafts { // a thread may have been another process's before
			if byPID[d.pid] == nil {
				byPID[d.pid] = &Process{PID: d.pid}
			}
		}
	}
	for _, p := range byPID {
		// A process dump has full names; the kernel keeps 15 bytes of the main
		// thread's.
		main, _ := dump.Thread(trace.TID(p.PID))
		p.Name = cmp.Or(dump.Process(p.PID), p.Name, main)
	}
	in.diagnostics.addMany(NamesOver, dump.Over())
	return slices.SortedFunc(maps.Values(byPID), func(x, y *Process) int { return cmp.Compare(x.PID, y.PID) })
}
