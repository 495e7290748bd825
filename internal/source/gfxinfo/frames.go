package gfxinfo

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// timeline returns the frames of the rows.
func timeline(d *Dump) *analyzer.Timeline {
	t := &analyzer.Timeline{Dump: true}
	b := builder{timeline: t, taken: map[trace.PID]bool{}, shown: map[trace.Time]*analyzer.Frame{}}
	for _, p := range d.Processes {
		b.taken[p.PID] = true
	}
	for _, p := range d.Processes {
		b.process(p)
	}
	slices.SortFunc(t.Processes, func(x, y *analyzer.Process) int { return cmp.Compare(x.PID, y.PID) })
	slices.SortStableFunc(t.Frames, func(x, y *analyzer.Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
	for i, f := range t.Frames {
		if i == 0 {
			t.Span.Start = f.Actual.Start
		}
		t.Span.End = max(t.Span.End, f.Actual.End)
	}
	return t
}

type builder struct {
	timeline *analyzer.Timeline
	taken    map[trace.PID]bool
	free     trace.PID // the last id that was assigned to a process without one
	renderer *analyzer.Process
	shown    map[trace.Time]*analyzer.Frame
}

// addProcess adds a process with its main thread.
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

// process adds the frames of a process.
func (b *builder) process(p *Process) {
	owner := b.addProcess(p.PID, p.Name)
	p.PID = owner.PID
	var index int64
	for _, w := range p.Windows {
		classes := w.classes()
		for i := range w.rows {
			index++
			r := &w.rows[i]
			f := w.frame(r, owner, index)
			f.Android.Stats.Jank = classes[i]
			b.timeline.Frames = append(b.timeline.Frames, f)
			if at := r.time(displayPresentTime); at >= f.Actual.Start {
				b.show(f, at)
			}
		}
	}
}

// frame returns the frame of a row.
func (w *Window) frame(r *row, owner *analyzer.Process, index int64) *analyzer.Frame {
	f := &analyzer.Frame{
		Kind: analyzer.ApplicationFrame, Process: owner, TID: trace.TID(owner.PID), VsyncID: max(0, r[frameTimelineVsyncID]),
		Vsync: r.time(intendedVsync), Actual: analyzer.Interval{Start: r.time(intendedVsync), End: r.time(frameCompleted)},
		Period:       w.intervalOf(r),
		Transactions: []analyzer.Sent{{Index: index, At: r.time(frameCompleted)}},
		Android: &analyzer.Android{Stats: &analyzer.FrameStats{
			Window: w.Name, Vsync: r.time(vsync), HandleInputStart: r.time(handleInputStart), AnimationStart: r.time(animationStart),
			PerformTraversalsStart: r.time(performTraversalsStart), DrawStart: r.time(drawStart),
			SyncQueued: r.time(syncQueued), SyncStart: r.time(syncStart), IssueDrawCommandsStart: r.time(issueDrawCommandsStart),
			SwapBuffers: r.time(swapBuffers), GPUCompleted: r.time(gpuCompleted),
			DequeueBuffer: trace.Duration(r.time(dequeueBufferDuration)), QueueBuffer: trace.Duration(r.time(queueBufferDuration)),
		}},
	}
	switch deadline := r.time(frameDeadline); {
	case deadline > f.Vsync:
		f.Deadline = deadline
	case f.Period > 0:
		f.Deadline = f.Vsync.Add(f.Period)
	default:
		return f
	}
	f.Expected = analyzer.Interval{Start: f.Vsync, End: f.Deadline}
	if f.Actual.End > f.Deadline {
		f.Facts = analyzer.MainLate
	}
	return f
}

// show links the frame to the render frame of its present time.
func (b *builder) show(f *analyzer.Frame, at trace.Time) {
	if b.renderer == nil {
		b.renderer = b.addProcess(trace.UnknownPID, analyzer.SurfaceFlinger)
	}
	render := b.shown[at]
	if render == nil {
		render = &analyzer.Frame{
			Kind: analyzer.RenderFrame, Process: b.renderer, TID: trace.TID(b.renderer.PID), Period: f.Period,
			Actual: analyzer.Interval{Start: at, End: at}, Present: at, Android: &analyzer.Android{Stats: &analyzer.FrameStats{}},
		}
		b.shown[at] = render
		b.timeline.Frames = append(b.timeline.Frames, render)
	}
	start := min(f.Actual.End, at) // it started when the last of its frames was done
	if len(render.Applications) > 0 {
		start = max(start, render.Actual.Start)
	}
	render.Actual.Start = start
	render.Applications = append(render.Applications, f)
	f.Render, f.Transactions[0].AppliedBy = render, render
}
