package analyzer

import (
	"iter"

	"ohframe/analyzer/trace"
)

// Timeline is the result of reading an input: its frames and processes.
type Timeline struct {
	// Frames are all frames, truncated ones too, by actual start; frames that
	// start at the same time are in the order in which they were seen.
	Frames []*Frame
	// Processes are all processes seen, by id and, of one id, by start.
	Processes []*Process
	// Span is from the first line's time to the last one's.
	Span Interval
	// Clock is how vsync times were converted to trace time, in the first part.
	Clock ClockOffset
	// Parts are the traces that follow one another in a text input, mostly one, and the
	// pieces of a trace in which the clock jumps. Other inputs have none.
	Parts []Part
	// ClockChanges are the changes of the clock offset within parts, in order of lines.
	ClockChanges []ClockChange
	// Coverage is what a text trace lacks.
	Coverage Coverage
	// Wall relates trace time to the time of day.
	Wall WallClock
	// Diagnostics counts inconsistencies in the trace.
	Diagnostics Diagnostics
	// Interactions are what the user did, by begin, and Hangs the times in which a main
	// thread did something else than frames for long, by start.
	Interactions []*Interaction
	Hangs        []Hang
	// Blocks are shorter than hangs, by start.
	Blocks []Block
	// Builds are the items of components that were made or reused, by start, and StateChanges the
	// changes of their state variables, by time.
	Builds       []Build
	StateChanges []StateChange
	// Layers are the queues of buffers that are shown, by id.
	Layers []*Layer
	// Requesters are the connections on which processes ask for vsyncs, by name and, of one name, by process.
	Requesters []*Requester
	// Decisions are what votes on the refresh rate resulted in, by time.
	Decisions []Decision
	// OwnMeasures are those that the user defined, in the order in which they were given.
	OwnMeasures []OwnMeasure
	// Summaries are what Android counted of the frames of processes, in the order of the dump.
	Summaries []*Summary
	// Dump is set if the frames come from a text dump of Android. A render frame is then
	// no more than a present time.
	Dump bool

	origin trace.Time // Span.Start before Cut; zero without it
}

// Origin returns the first line's time, before Cut: that from which offsets such as
// +1.5s of a window count.
func (t *Timeline) Origin() trace.Time {
	if t.origin.Known() {
		return t.origin
	}
	return t.Span.Start
}

// Part is one of several traces in one input, or a piece of one.
type Part struct {
	Span  Interval
	Clock ClockOffset
}

// WallClock is the time of day at a point of trace time; zero if unknown.
type WallClock struct {
	At   trace.Time
	Unix int64 // nanoseconds since 1970, to the millisecond
}

// TraceTime returns the trace time of a time of day, in nanoseconds since 1970. w must not be zero.
func (w WallClock) TraceTime(unix int64) trace.Time { return w.At.Add(trace.Duration(unix - w.Unix)) }

// KernelName is the number of bytes that kernels keep of a name; of an application's,
// the last ones.
const KernelName = 15

// Process is a process and its threads, by id.
type Process struct {
	PID trace.PID
	// NoPID is set if the input does not have the process id. PID is then a number that
	// no other process has.
	NoPID bool
	// Name is the full name if a process dump or Options.FullNames has it, else the
	// main thread's, at most 15 bytes; empty if not known.
	Name    string
	Threads []Thread
	// Alive is from when to when the process had its id, as far as a text trace has it: Start is zero
	// unless another process had the id before, End unless the trace has the free of
	// the main thread.
	Alive Interval
}

// Thread returns the thread with an id, nil if the process is not known to have it.
func (p *Process) Thread(tid trace.TID) *Thread {
	for i := range p.Threads {
		if p.Threads[i].TID == tid {
			return &p.Threads[i]
		}
	}
	return nil
}

// Thread is a thread of a process.
type Thread struct {
	TID  trace.TID
	Name string // at most 15 bytes; empty if not known
	// Since is when the id became that of this thread; zero if it is not known to have been
	// one of another process before.
	Since trace.Time
}

// EndOf returns the end of the part that contains at, or of the timeline if none does.
func (t *Timeline) EndOf(at trace.Time) trace.Time {
	for i := range t.Parts {
		if span := t.Parts[i].Span; span.Start <= at && at <= span.End {
			return span.End
		}
	}
	return t.Span.End
}

// Complete returns the frames that begin and end within the trace: those that
// statistics count and timelines show.
func (t *Timeline) Complete() iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		for _, f := range t.Frames {
			if !f.Facts.Has(Truncated) && !yield(f) {
				return
			}
		}
	}
}
