package dumpsys

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// builder makes the timeline of a dump.
type builder struct {
	timeline *analyzer.Timeline
	taken    map[trace.PID]bool // process ids that the dump states
	free     trace.PID          // the last id that was assigned to a process without one
	renderer *analyzer.Process
	shown    map[trace.Time]*analyzer.Frame
}

// newBuilder returns a builder for a dump with the given process ids.
func newBuilder(taken map[trace.PID]bool) *builder {
	return &builder{timeline: &analyzer.Timeline{Dump: true}, taken: taken, shown: map[trace.Time]*analyzer.Frame{}}
}

// addProcess adds a process with its main thread. If its id is unknown, it gets the first free
// one from 1 on.
func (b *builder) addProcess(pid trace.PID, name string) *analyzer.Process {
	unknown := pid == trace.UnknownPID
	if unknown {
		for b.free++; b.taken[b.free]; b.free++ {
		}
		pid = b.free
	}
	p := &analyzer.Process{PID: pid, NoPID: unknown, Name: name, Threads: []analyzer.Thread{{TID: trace.TID(pid), Name: name}}}
	b.timeline.Processes = append(b.timeline.Processes, p)
	return p
}

// surfaceFlinger returns the process that represents SurfaceFlinger, and adds it if necessary.
func (b *builder) surfaceFlinger() *analyzer.Process {
	if b.renderer == nil {
		b.renderer = b.addProcess(trace.UnknownPID, analyzer.SurfaceFlinger)
	}
	return b.renderer
}

// addFrame adds an application frame, which has one transaction, and links it to the render
// frame of its present time. That starts when the last of its applications' frames ended.
// A present time of 0 is unknown; then there is no render frame.
func (b *builder) addFrame(f *analyzer.Frame, present trace.Time, source analyzer.Android) {
	if present.Known() {
		render := b.shown[present]
		if render == nil {
			render = &analyzer.Frame{
				Kind: analyzer.RenderFrame, Process: b.surfaceFlinger(), TID: trace.TID(b.surfaceFlinger().PID),
				Actual: analyzer.Interval{End: present}, Present: present, Period: f.Period, Android: &source,
			}
			b.shown[present] = render
			b.timeline.Frames = append(b.timeline.Frames, render)
		}
		render.Actual.Start = max(render.Actual.Start, min(f.Actual.End, present))
		render.Applications = append(render.Applications, f)
		f.Render, f.Transactions[0].AppliedBy = render, render
	}
	b.timeline.Frames = append(b.timeline.Frames, f)
}

// finish returns the timeline with all frames.
func (b *builder) finish() *analyzer.Timeline {
	t := b.timeline
	slices.SortFunc(t.Processes, func(x, y *analyzer.Process) int { return cmp.Compare(x.PID, y.PID) })
	slices.SortStableFunc(t.Frames, func(x, y *analyzer.Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
	for _, f := range t.Frames {
		t.Span.End = max(t.Span.End, f.Actual.End)
	}
	if len(t.Frames) > 0 {
		t.Span.Start = t.Frames[0].Actual.Start
	}
	return t
}
