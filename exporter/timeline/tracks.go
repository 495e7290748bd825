package timeline

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
)

// Beside Perfetto's own frame timeline, which has room for Android's facts only,
// each process with frames has tracks that show all there is to know of them:
//
//	application      Frames                      a slice for each frame
//	                 ├ Frames (worker 207)       those of another UI thread
//	                 ├ Whole frame expected      from the application's vsync …
//	                 ├ Whole frame actual        … to the end of rendering
//	                 └ FPS                       counter
//	render_service   Frames
//	                 ├ GPU (Frame queued)        each piece of work
//	                 ├ Commit                    layers on their way to the display
//	                 ├ Present                   from one picture to the next
//	                 └ Refresh rate              counter, Hz
//
// All slices but whole frames are joined by arrows, in the order of the work.
//
// How the tracks are ordered is a request. Perfetto v57.0 and later put processes
// with a rank below zero first, applications by their number of frames; earlier
// versions know no such rank. All versions order the tracks below another one by
// rank, but those of a process itself by name, and below its threads: hence one
// track of a process has the others below it.

// trackNames are the names of tracks, which queries select them by.
const (
	framesTrack        = "Frames"
	wholeExpectedTrack = "Whole frame expected"
	wholeActualTrack   = "Whole frame actual"
	fpsTrack           = "FPS"
	gpuTrack           = "GPU (Frame queued)"
	commitTrack        = "Commit"
	presentTrack       = "Present"
	refreshTrack       = "Refresh rate"
)

// writeTracks writes the tracks of all frames that begin and end within the
// trace. Of slices of equal time the one written first is the one that an arrow
// starts from: applications come before render services, and the stages of a
// frame in their order.
func writeTracks(w *trackWriter, t *analyzer.Timeline, tokens Tokens) {
	list := processesWithFrames(t)
	if len(list) == 0 {
		return
	}
	w.orderProcesses()
	pipelines := make([]*pipeline, len(list))
	for i, p := range list {
		pipelines[i] = newPipeline(w, p, tokens, int32(i-len(list)))
	}
	arrows := arrows{}
	for _, p := range pipelines {
		p.writeApplicationFrames(arrows)
		p.writeWholeFrames()
	}
	for _, p := range pipelines {
		p.writeRenderFrames(arrows)
		p.writeStages(t, arrows)
	}
	for _, p := range pipelines {
		p.writeFPS(t.Span.End)
		p.writeRefreshRate()
	}
}

// processFrames are the complete frames of a process, by start.
type processFrames struct {
	process      *analyzer.Process
	applications []*analyzer.Frame
	renders      []*analyzer.Frame
}

// processesWithFrames returns the processes in the order in which they are to be
// shown: applications, those with the most frames first, then render services.
func processesWithFrames(t *analyzer.Timeline) []*processFrames {
	byProcess := map[*analyzer.Process]*processFrames{}
	var list []*processFrames
	for f := range t.Complete() {
		p := byProcess[f.Process]
		if p == nil {
			p = &processFrames{process: f.Process}
			byProcess[f.Process] = p
			list = append(list, p)
		}
		if f.Kind == analyzer.RenderFrame {
			p.renders = append(p.renders, f)
		} else {
			p.applications = append(p.applications, f)
		}
	}
	slices.SortFunc(list, func(a, b *processFrames) int {
		return cmp.Or(
			min(len(a.renders), 1)-min(len(b.renders), 1),
			len(b.applications)-len(a.applications),
			cmp.Compare(a.process.PID, b.process.PID))
	})
	return list
}

// pipeline writes the tracks of one process.
type pipeline struct {
	*processFrames
	w       *trackWriter
	tokens  Tokens
	frames  uint64 // the track that has the others below it
	ranks   int32  // given below it
	threads map[trace.TID]*lanes
}

func newPipeline(w *trackWriter, frames *processFrames, tokens Tokens, rank int32) *pipeline {
	process := w.describe(&perfettopb.TrackDescriptor{
		Process:          &perfettopb.ProcessDescriptor{Pid: proto.Int32(int32(frames.process.PID))},
		SiblingOrderRank: &rank,
	})
	p := &pipeline{processFrames: frames, w: w, tokens: tokens, threads: map[trace.TID]*lanes{}}
	p.frames = w.describe(&perfettopb.TrackDescriptor{
		ParentUuid:           &process,
		StaticOrDynamicName:  &perfettopb.TrackDescriptor_Name{Name: framesTrack},
		Description:          proto.String(framesDescription),
		ChildOrdering:        perfettopb.TrackDescriptor_EXPLICIT.Enum(),
		SiblingMergeBehavior: perfettopb.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE.Enum(),
	})
	// A track with others below it must not be merged: where frames of the main
	// thread overlap, as they do in dumps from Android, there is another one.
	overlapping := p.lanes(framesTrack+" (overlapping)", framesDescription)
	p.threads[trace.TID(frames.process.PID)] = &lanes{list: []lane{{uuid: p.frames}}, more: overlapping.more}
	return p
}

const framesDescription = "A slice for each frame, named after its vsync id. The name of a late frame says by how much it missed its deadline."

// below describes a new track below that of the main thread's frames.
func (p *pipeline) below(name, description string, rank int32, counter *perfettopb.CounterDescriptor) uint64 {
	return p.w.describe(&perfettopb.TrackDescriptor{
		ParentUuid: &p.frames, SiblingOrderRank: &rank, Counter: counter,
		StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: name},
		Description:         proto.String(description),
	})
}

// nextRank returns a place after all those given before.
func (p *pipeline) nextRank() int32 {
	p.ranks++
	return p.ranks
}

// thread returns the tracks of the frames that a thread makes.
func (p *pipeline) thread(tid trace.TID) *lanes {
	l, ok := p.threads[tid]
	if !ok {
		name := strconv.Itoa(int(tid))
		for _, t := range p.process.Threads {
			if t.TID == tid && t.Name != "" {
				name = t.Name + " " + name
			}
		}
		l = p.lanes(framesTrack+" ("+name+")", framesDescription)
		p.threads[tid] = l
	}
	return l
}

// lanes are the tracks of slices that may overlap, which Perfetto shows as one
// as they have one name.
type lanes struct {
	list []lane
	more func() uint64 // describes another one
}

type lane struct {
	uuid  uint64
	until trace.Time // where its last slice ends
}

func (p *pipeline) lanes(name, description string) *lanes {
	rank := p.nextRank()
	return &lanes{more: func() uint64 { return p.below(name, description, rank, nil) }}
}

// track returns a track on which there is room for the interval, after all that
// are there. Few tracks are needed if intervals come about in the order of start.
func (l *lanes) track(i analyzer.Interval) uint64 {
	for k := range l.list {
		if t := &l.list[k]; t.until <= i.Start {
			t.until = i.End
			return t.uuid
		}
	}
	uuid := l.more()
	l.list = append(l.list, lane{uuid, i.End})
	return uuid
}
