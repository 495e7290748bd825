// Package timeline writes the frames of a Timeline as packets: Perfetto's frame timeline,
// and tracks with the facts that do not fit into it. The packets are a pure function of
// the Timeline.
package timeline

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
)

// Write writes the frames of t, whose tokens NewTokens returned, and the tracks with causes:
// those of late frames, or nil if they were not looked for.
func Write(w *packet.Writer, t *analyzer.Timeline, tokens Tokens, causes *why.Causes) {
	writeFrames(w, t, tokens)
	writeTracks(&trackWriter{packets: w}, t, tokens, causes)
}

// Perfetto's own frame timeline has room for Android's facts only. So each process with
// frames gets tracks with all facts:
//
//	application      Frames                      a slice for each frame
//	                 ├ Why                       what the thread did in late frames
//	                 ├ Waited for                what those did that it waited for
//	                 ├ Interactions              what the user did, and how it was shown
//	                 ├ Frames (worker 207)       those of another thread than the leading one, with Why and Waited for
//	                 ├ FPS                       counter
//	                 ├ Lost time                 counter, ms
//	                 ├ Report                    a slice with all measures
//	                 ├ Hitches
//	                 ├ Never began               vsyncs on which no frame began, as the thread was busy
//	                 ├ Hangs                     what a main thread did for too long
//	                 ├ Components                a slice with how often items were built and reused
//	                 ├ Vsyncs                    a slice with the vsyncs that led to nothing
//	                 ├ Draw, GPU                 of frames that a framework draws on other threads
//	                 ├ Whole frame actual        from the application's begin to the end of rendering
//	                 └ Whole frame expected      from its vsync
//	render_service   Frames
//	                 ├ Why, Waited for
//	                 ├ GPU (Frame queued)        each piece of work
//	                 ├ Commit                    layers on their way to the display
//	                 ├ Present                   from one present to the next
//	                 ├ FPS, Refresh rate         counters
//	                 ├ Refresh rate              states, if it changes
//	                 └ Lost time, Report, Hitches
//
// A process without frames has Interactions, Hangs and Components below itself. Two tracks belong
// to no process:
//
//	Late frames                  late frames and hangs of all processes, and late buffers of those without frames
//	 └ Late frames (name)         those of one
//	Layers                       late buffers of all layers
//	 └ name (process 200)        buffers that were shown, in the summary of the layer
//	    ├ Queue                  from when a buffer was queued to when it was taken
//	    ├ Waiting for a buffer   until the producer got a free one
//	    ├ GPU                    from when a buffer was queued to when the GPU was done with it
//	    └ Buffers in the queue   counter
//
// Arrows join slices of frames and of stages in the order of the work, and what a thread
// was waited for with what the waiting thread did next. Work on the GPU begins within its
// frame, so no arrow leads to it.
//
// The order of tracks is only a request. Perfetto v57.0 and later put processes and threads
// with a negative rank first: applications with late frames, then render services, then
// other applications; and in each process the threads that make frames, the main thread
// first. Earlier versions ignore these ranks. All versions order the tracks below another one by rank, but
// those of a process by name, and below its threads. Therefore one track of a process is
// the parent of all others.

// trackNames are the names of tracks, which queries select them by.
const (
	lateTrack          = "Late frames"
	framesTrack        = "Frames"
	whyTrack           = "Why"
	waitedForTrack     = "Waited for"
	wholeExpectedTrack = "Whole frame expected"
	wholeActualTrack   = "Whole frame actual"
	fpsTrack           = "FPS"
	gpuTrack           = "GPU (Frame queued)"
	commitTrack        = "Commit"
	presentTrack       = "Present"
	refreshTrack       = "Refresh rate"
	lostTrack          = "Lost time"
	reportTrack        = "Report"
	hitchesTrack       = "Hitches"
	interactionsTrack  = "Interactions"
	hangsTrack         = "Hangs"
	neverBeganTrack    = "Never began"
	componentsTrack    = "Components"
	vsyncsTrack        = "Vsyncs"
	drawTrack          = "Draw"
	producerGPUTrack   = "GPU"
	layersTrack        = "Layers"
	otherLayersTrack   = "Other layers"
	queueTrack         = "Queue"
	requestTrack       = "Waiting for a buffer"
	queuedTrack        = "Buffers in the queue"
)

// writeTracks writes the tracks of all complete frames, of interactions and of layers. An arrow
// starts from the slice that is written first if times are equal, so interactions come before
// applications, then come layers and render services, and the stages of a frame are in order.
func writeTracks(w *trackWriter, t *analyzer.Timeline, tokens Tokens, causes *why.Causes) {
	list := processesToShow(t)
	if len(list) == 0 && len(t.Interactions) == 0 && len(t.Layers) == 0 {
		return
	}
	w.orderByRank()
	w.start = t.Span.Start
	pipelines := make([]*pipeline, len(list))
	byProcess := map[*analyzer.Process]*pipeline{}
	for i, p := range list {
		pipelines[i] = newPipeline(w, p, tokens, causes, int32(i-len(list)))
		byProcess[p.process] = pipelines[i]
	}
	report := stats.Compute(t, stats.Options{})
	arrows := arrows{}
	writeLate(w, t, pipelines, causes, arrows)
	writeInteractions(w, report.Interactions, byProcess, arrows)
	layers := newLayerTracks(w, t, report.Layers, tokens, causes)
	for _, p := range pipelines {
		p.writeApplicationFrames(layers, arrows)
		p.writeWhy(p.applications, p.hangs)
	}
	layers.write(arrows)
	for _, p := range pipelines {
		p.writeRenderFrames(arrows)
		p.writeWhy(p.renders, nil)
		p.writeFrameworkStages(arrows)
		p.writeStages(t, arrows)
	}
	for _, p := range pipelines {
		p.writeFPS(t.Span.End)
		p.writeRefreshRate()
		p.writeLost()
	}
	writeReports(t, report.Processes, byProcess)
	for _, p := range pipelines {
		p.writeNeverBegan()
	}
	writeHangs(t, report.Hangs, byProcess)
	writeRefreshRates(report.RefreshRates, byProcess)
	writeComponents(t, report, byProcess)
	writeVsyncs(t, report, byProcess)
	for _, p := range pipelines {
		p.writeWholeFrames() // below all others, as they need several rows
	}
}

// processFrames are the complete frames of a process, by start. It may have none.
type processFrames struct {
	process      *analyzer.Process
	applications []*analyzer.Frame
	renders      []*analyzer.Frame
	hangs        []analyzer.Hang
	late         int // of the applications' frames
}

// place returns the place of a process among all: applications with late frames are
// first, then come render services, then other applications.
func (p *processFrames) place() int {
	switch {
	case p.late > 0:
		return 0
	case len(p.renders) > 0:
		return 1
	}
	return 2
}

// processesToShow returns the processes with frames, interactions, hangs or components in the
// order in which they are to be shown: by place, those with the most late frames first, then those
// with the most frames.
func processesToShow(t *analyzer.Timeline) []*processFrames {
	byProcess := map[*analyzer.Process]*processFrames{}
	var list []*processFrames
	of := func(process *analyzer.Process) *processFrames {
		p := byProcess[process]
		if p == nil {
			p = &processFrames{process: process}
			byProcess[process] = p
			list = append(list, p)
		}
		return p
	}
	for f := range t.Complete() {
		p := of(f.Process)
		if f.Kind == analyzer.RenderFrame {
			p.renders = append(p.renders, f)
		} else {
			p.applications = append(p.applications, f)
			if f.Late() {
				p.late++
			}
		}
	}
	for _, i := range t.Interactions {
		if i.Process.PID != trace.UnknownPID {
			of(i.Process)
		}
	}
	for _, h := range t.Hangs {
		p := of(h.Process)
		p.hangs = append(p.hangs, h)
	}
	for i := range t.Builds {
		of(t.Builds[i].Process)
	}
	for i := range t.StateChanges {
		of(t.StateChanges[i].Process)
	}
	slices.SortFunc(list, func(a, b *processFrames) int {
		return cmp.Or(
			a.place()-b.place(),
			b.late-a.late,
			len(b.applications)-len(a.applications),
			cmp.Compare(a.process.PID, b.process.PID),
			cmp.Compare(a.process.Alive.Start, b.process.Alive.Start))
	})
	return list
}

// pipeline writes the tracks of one process.
type pipeline struct {
	*processFrames
	w       *trackWriter
	tokens  Tokens
	causes  *why.Causes // nil if they were not looked for
	frames  uint64      // the track that has the others below it
	lead    trace.TID   // the thread whose frames are on that track
	ranks   int32       // given below it
	threads map[trace.TID]*lanes
	why     map[trace.TID]whyLanes
	entries entries // scratch

	interactions *lanes
}

func newPipeline(w *trackWriter, frames *processFrames, tokens Tokens, causes *why.Causes, rank int32) *pipeline {
	process := w.describeAt(w.since(frames.process, 0), &perfettopb.TrackDescriptor{
		Process:          &perfettopb.ProcessDescriptor{Pid: proto.Int32(int32(frames.process.PID))},
		SiblingOrderRank: &rank,
	})
	w.rankThreads(frames)
	p := &pipeline{processFrames: frames, w: w, tokens: tokens, causes: causes, lead: frames.leader(), threads: map[trace.TID]*lanes{}, why: map[trace.TID]whyLanes{}}
	if len(frames.applications)+len(frames.renders) == 0 {
		p.frames = process
		p.why[p.lead] = p.whyLanes(p.lead)
		p.interactions = p.lanes(interactionsTrack, interactionsDescription)
		return p
	}
	description := framesDescription
	main := trace.TID(frames.process.PID)
	if p.lead != main {
		description += " The frames are those of the thread " + p.threadName(p.lead) + "."
	}
	p.frames = w.describe(&perfettopb.TrackDescriptor{
		ParentUuid:           &process,
		StaticOrDynamicName:  &perfettopb.TrackDescriptor_Name{Name: framesTrack},
		Description:          proto.String(description),
		ChildOrdering:        perfettopb.TrackDescriptor_EXPLICIT.Enum(),
		SiblingMergeBehavior: perfettopb.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE.Enum(),
	})
	// A track with others below it must not be merged: where frames of one
	// thread overlap, as they do in dumps from Android, there is another one.
	overlapping := p.lanes(framesTrack+" (overlapping)", framesDescription)
	p.threads[p.lead] = &lanes{list: []lane{{uuid: p.frames}}, more: overlapping.more}
	p.why[p.lead] = p.whyLanes(p.lead)
	p.interactions = p.lanes(interactionsTrack, interactionsDescription)
	for _, tid := range frames.tids() {
		if tid != p.lead {
			p.threads[tid] = p.lanes(p.trackOf(framesTrack, tid), framesDescription)
			p.why[tid] = p.whyLanes(tid)
		}
	}
	if p.lead != main && len(p.hangs) > 0 {
		p.why[main] = p.whyLanes(main)
	}
	return p
}

// leader returns the thread whose frames are on the track that has the others below it: the main
// thread, or if it has no frames that with the most late ones, then that with the most.
func (p *processFrames) leader() trace.TID {
	leader := trace.TID(p.process.PID)
	late, frames := map[trace.TID]int{}, map[trace.TID]int{}
	for _, f := range slices.Concat(p.applications, p.renders) {
		frames[f.TID]++
		if f.Late() {
			late[f.TID]++
		}
	}
	if frames[leader] > 0 {
		return leader
	}
	for _, tid := range p.tids() {
		if cmp.Or(late[tid]-late[leader], frames[tid]-frames[leader]) > 0 {
			leader = tid
		}
	}
	return leader
}

// tids returns the threads that make frames: the main thread, then others by number.
func (p *processFrames) tids() []trace.TID {
	var tids []trace.TID
	for _, list := range [][]*analyzer.Frame{p.applications, p.renders} {
		for _, f := range list {
			tids = append(tids, f.TID)
		}
	}
	slices.Sort(tids)
	tids = slices.Compact(tids)
	if i := slices.Index(tids, trace.TID(p.process.PID)); i > 0 {
		tids = slices.Insert(slices.Delete(tids, i, i+1), 0, trace.TID(p.process.PID))
	}
	return tids
}

// rankThreads ranks the threads that make frames. A thread that is not known to be of the process has
// no rank: Perfetto would make it two.
func (w *trackWriter) rankThreads(p *processFrames) {
	tids := slices.DeleteFunc(p.tids(), func(tid trace.TID) bool { return p.process.Thread(tid) == nil })
	for i, tid := range tids {
		rank := int32(i - len(tids))
		w.thread(p.process, tid, &rank)
	}
}

const framesDescription = "A slice for each frame, named after its vsync id. The name of a late frame says by how much it missed its deadline."

// below describes a new track below that of the leading thread's frames, or below the process if
// it has none.
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

// trackOf returns the name of a thread's track: of the leading thread, the bare name.
func (p *pipeline) trackOf(track string, tid trace.TID) string {
	if tid == p.lead {
		return track
	}
	return track + " (" + p.threadName(tid) + ")"
}

// threadName returns the name of a thread with its id.
func (p *pipeline) threadName(tid trace.TID) string {
	name := strconv.Itoa(int(tid))
	if t := p.process.Thread(tid); t != nil && t.Name != "" {
		name = t.Name + " " + name
	}
	return name
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

// room reports whether there are not more than most tracks with one for the interval.
func (l *lanes) room(i analyzer.Interval, most int) bool {
	return len(l.list) < most || slices.ContainsFunc(l.list, func(t lane) bool { return t.until <= i.Start })
}

// limited returns a track for an interval. If there are already most tracks and none has room,
// it takes the length from the interval: damaged traces may have any number at once.
func (l *lanes) limited(i *analyzer.Interval, most int) uint64 {
	if l.room(*i, most) {
		return l.track(*i)
	}
	i.End = i.Start
	return l.list[0].uuid
}

// track returns a track whose last interval ends before i. Few tracks are needed if the
// intervals are passed in order of start.
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
