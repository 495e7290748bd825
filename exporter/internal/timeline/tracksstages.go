package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/exporter/internal/annotation"
)

// stage is a part of a frame's way, or all of it.
type stage struct {
	frame *analyzer.Frame
	analyzer.Interval
}

// inOrder reports whether an interval can be shown. In damaged traces the end may precede
// the start.
func inOrder(i analyzer.Interval) bool { return i.Known() && i.Start <= i.End }

// writeStage writes a track of stages. note adds annotations, and may change the name and
// the colour.
func (p *pipeline) writeStage(track, description string, colour colour, list []stage, note func(*slice, *analyzer.Frame)) {
	lanes := p.lanes(track, description)
	var s slice
	for i := range list {
		if !inOrder(list[i].Interval) {
			continue
		}
		f := list[i].frame
		s.Interval, s.annotations = list[i].Interval, s.annotations[:0]
		s.flow, s.terminates = 0, nil
		s.setName(p.label(f), false, 0, false)
		s.colour = colour
		note(&s, f)
		p.w.slice(lanes.track(s.Interval), &s)
	}
}

// writeStages writes the stages of render frames after render_service's main thread.
// Arrows lead from work on the GPU, and from the commit, to what it made possible.
func (p *pipeline) writeStages(t *analyzer.Timeline, arrows arrows) {
	var gpu, commits []stage
	for _, f := range p.renders {
		for _, work := range f.GPU {
			gpu = append(gpu, stage{f, work})
		}
		commits = append(commits, stage{f, f.Commit})
	}
	p.writeStage(gpuTrack, "The render frames' work on the GPU, from when it was queued to when it had ended.", gpuColour, gpu,
		func(s *slice, f *analyzer.Frame) {
			s.flow = arrows.from(p.w, f, s.End, commitTrack, presentTrack)
			p.judgeStage(s, f)
		})
	p.writeStage(commitTrack, "The layers of a render frame on their way to the display.", commitColour, commits,
		func(s *slice, f *analyzer.Frame) {
			s.flow = arrows.from(p.w, f, s.End, presentTrack)
			s.terminates = arrows.atFrame(f, commitTrack)
		})
	p.writeStage(presentTrack, "From when the display showed a render frame to when it showed the next one.", presentColour, presented(p.renders, t),
		func(s *slice, f *analyzer.Frame) { s.terminates = arrows.atFrame(f, presentTrack) })
	p.writeScreens(t)
}

// writeScreens writes a track for each screen that showed frames beside the main one.
func (p *pipeline) writeScreens(t *analyzer.Timeline) {
	shown := map[int64][]stage{}
	beside := map[int64]bool{}
	for _, f := range p.renders {
		for _, s := range f.Screens {
			if s.Present.Known() {
				shown[s.ID] = append(shown[s.ID], stage{f, analyzer.Interval{Start: s.Present}})
				beside[s.ID] = beside[s.ID] || s.Commit != f.Commit
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(beside)) {
		if beside[id] {
			p.writeStage(fmt.Sprintf("%s (screen %d)", presentTrack, id), "The same for this screen, which is not the main one.", presentColour,
				untilNext(shown[id], t), func(*slice, *analyzer.Frame) {})
		}
	}
}

// judgeStage adds whether a stage ended after the frame's deadline.
func (p *pipeline) judgeStage(s *slice, f *analyzer.Frame) {
	if f.Deadline.Known() && s.End > f.Deadline {
		s.setName(p.label(f), true, s.End.Sub(f.Deadline), false)
		s.colour = lateColour
		s.annotations.milliseconds(annotation.Overrun, s.End.Sub(f.Deadline))
	}
	s.annotations.at(annotation.DeadlineAt, f.Deadline)
}

// writeFrameworkStages writes the stages of application frames that a framework draws on
// another thread.
func (p *pipeline) writeFrameworkStages(arrows arrows) {
	var draw, gpu []stage
	for _, f := range p.applications {
		draw = append(draw, stage{f, f.Draw})
		for _, work := range f.GPU {
			gpu = append(gpu, stage{f, work})
		}
	}
	p.writeStage(drawTrack, "What the thread did that draws frames of a framework.", drawColour, draw, func(s *slice, f *analyzer.Frame) {
		s.terminates = arrows.atFrame(f, drawTrack)
		p.judgeStage(s, f)
	})
	p.writeStage(producerGPUTrack, "From when the buffer of a framework's frame was queued to when the GPU was done with it.", gpuColour, gpu, p.judgeStage)
}

// presented returns how long each render frame was shown.
func presented(renders []*analyzer.Frame, t *analyzer.Timeline) []stage {
	var list []stage
	for _, f := range renders {
		if f.Present.Known() {
			list = append(list, stage{f, analyzer.Interval{Start: f.Present}})
		}
	}
	return untilNext(list, t)
}

// untilNext ends each stage where the next one begins, the last one where the trace ends.
func untilNext(list []stage, t *analyzer.Timeline) []stage {
	for i := range list {
		list[i].End = max(list[i].Start, t.EndOf(list[i].Start))
	}
	slices.SortStableFunc(list, func(a, b stage) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(list); i++ {
		if len(t.Parts) < 2 || list[i].Start < list[i-1].End { // else another trace begins in between
			list[i-1].End = list[i].Start
		}
	}
	return list
}
