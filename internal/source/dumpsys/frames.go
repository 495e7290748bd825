package dumpsys

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// timeline returns the frames of the rows, and the summaries.
func (d *Dump) timeline() *analyzer.Timeline {
	taken := map[trace.PID]bool{}
	for _, p := range d.Processes {
		taken[p.PID] = true
	}
	b := newBuilder(taken)
	var summaries []*analyzer.Summary
	for _, p := range d.Processes {
		owner := b.addProcess(p.PID, p.Name)
		for _, s := range p.summaries {
			s.Process = owner
			summaries = append(summaries, s)
		}
		var index int64
		for _, w := range p.Windows {
			classes := w.classes()
			for i := range w.rows {
				index++
				f := w.frame(&w.rows[i], owner, index)
				f.Android.Stats.Jank = classes[i]
				present := w.rows[i].time(displayPresentTime)
				if present < f.Actual.Start {
					present = 0
				}
				b.addFrame(f, present, analyzer.Android{Stats: &analyzer.FrameStats{}})
			}
		}
	}
	t := b.finish()
	t.Summaries = summaries
	return t
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

// intervalOf returns the frame interval of a row.
func (w *Window) intervalOf(r *row) trace.Duration {
	if n := r[frameInterval]; n > 0 && n <= int64(longestInterval) {
		return trace.Duration(n)
	}
	return w.Interval
}
