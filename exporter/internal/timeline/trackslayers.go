package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/annotation"
	"ohframe/internal/perfettopb"
)

const (
	// maxLayerTracks is the number of layers with tracks of their own. The UI needs time for
	// each track, even for those that are out of sight.
	maxLayerTracks = 100
	// maxBufferRows is the number of buffers of a layer that a track shows side by side.
	// Queues have room for fewer.
	maxBufferRows = 64
)

// layerTracks are the tracks of layers.
type layerTracks struct {
	w       *trackWriter
	tokens  Tokens
	causes  *why.Causes   // nil if they were not looked for
	own     []*layerTrack // with tracks of their own, the worst first
	others  []*layerTrack
	ofFrame map[*analyzer.Frame][]bufferStages
}

// layerTrack is a layer with tracks of its own.
type layerTrack struct {
	measured *stats.Layer
	name     string
	buffers  []bufferStages
	shown    []bufferStages // by the time at which they were shown
}

// bufferStages are a buffer and what is shown of it.
type bufferStages struct {
	*analyzer.Buffer
	queue analyzer.Interval
	// shown is until the next buffer is shown. It is unknown for buffers that are not.
	shown analyzer.Interval
}

// newLayerTracks chooses the layers with tracks of their own: those with the most late buffers,
// then the most that were dropped, then the most in all.
func newLayerTracks(w *trackWriter, t *analyzer.Timeline, layers []*stats.Layer, tokens Tokens, causes *why.Causes) *layerTracks {
	late := func(l *stats.Layer) int {
		if l.Late == nil {
			return 0
		}
		return *l.Late
	}
	layers = slices.DeleteFunc(slices.Clone(layers), func(l *stats.Layer) bool {
		return !slices.ContainsFunc(l.Source.Buffers, func(b *analyzer.Buffer) bool { return b.At().Known() })
	})
	slices.SortStableFunc(layers, func(a, b *stats.Layer) int {
		return cmp.Or(late(b)-late(a), b.Dropped-a.Dropped, b.Buffers-a.Buffers)
	})
	tracks := &layerTracks{w: w, tokens: tokens, causes: causes, ofFrame: map[*analyzer.Frame][]bufferStages{}}
	names := map[string]int{}
	for i, l := range layers {
		track := &layerTrack{measured: l, name: layerName(l.Source)}
		track.setStages(t)
		if i >= maxLayerTracks {
			tracks.others = append(tracks.others, track)
			continue
		}
		names[track.name]++
		tracks.own = append(tracks.own, track)
		for _, b := range track.buffers {
			if b.Frame != nil {
				tracks.ofFrame[b.Frame] = append(tracks.ofFrame[b.Frame], b)
			}
		}
	}
	for _, track := range tracks.own {
		if names[track.name] > 1 {
			track.name += " #" + strconv.Itoa(track.measured.ID)
		}
	}
	return tracks
}

// layerName returns the name of a layer with its producer.
func layerName(l *analyzer.Layer) string {
	name, p := cmp.Or(l.Name, "layer"), l.Process
	switch {
	case p == nil:
		return name
	case p.NoPID:
		return name + " (" + p.Name + ")"
	}
	return fmt.Sprintf("%s (%s %d)", name, cmp.Or(p.Name, "process"), p.PID)
}

// setStages finds when each buffer was in the queue, and when it was shown.
func (l *layerTrack) setStages(t *analyzer.Timeline) {
	layer := l.measured.Source
	next := trace.Time(0) // when the compositor took a later buffer
	presented := slices.ContainsFunc(layer.Buffers, func(b *analyzer.Buffer) bool { return b.Present.Known() })
	for _, b := range slices.Backward(layer.Buffers) {
		s := bufferStages{Buffer: b}
		if s.queue.Start = cmp.Or(b.Queued, b.Acquired, b.Present, b.At()); !s.queue.Start.Known() {
			continue
		}
		s.queue.End = b.Acquired
		switch {
		case b.Fate == analyzer.Shown:
			if s.shown.Start = b.Present; !presented {
				s.shown.Start = b.Acquired
			}
		case b.Acquired.Known():
		case b.Fate == analyzer.Discarded:
			s.queue.End = next
		case b.Queued.Known():
			s.queue.End = t.EndOf(s.queue.Start)
		}
		s.queue.End = max(s.queue.Start, s.queue.End)
		next = cmp.Or(b.Acquired, next)
		l.buffers = append(l.buffers, s)
	}
	slices.Reverse(l.buffers)
	var shown []*bufferStages
	for i := range l.buffers {
		if l.buffers[i].shown.Start.Known() {
			shown = append(shown, &l.buffers[i])
		}
	}
	slices.SortStableFunc(shown, func(a, b *bufferStages) int { return cmp.Compare(a.shown.Start, b.shown.Start) })
	for i, b := range shown {
		end := t.EndOf(b.shown.Start)
		if last := i+1 == len(shown); last || shown[i+1].shown.Start > end {
			end = min(end, b.shown.Start.Add(layer.CadenceOf(b.Buffer)))
		} else {
			end = shown[i+1].shown.Start
		}
		b.shown.End = max(b.shown.Start, end)
		l.shown = append(l.shown, *b)
	}
}

// arrowsFrom appends the flows from a frame to the buffers that it drew: each to the first of the
// buffer's stages that begins after the frame has ended.
func (t *layerTracks) arrowsFrom(flows []uint64, f *analyzer.Frame, arrows arrows) []uint64 {
	for _, b := range t.ofFrame[f] {
		switch {
		case f.Actual.End <= b.queue.Start:
			flows = append(flows, arrows.toStage(t.w, stageOf{buffer: b.Buffer, track: queueTrack}))
		case b.shown.Known() && f.Actual.End <= b.shown.Start:
			flows = append(flows, arrows.toStage(t.w, stageOf{buffer: b.Buffer, track: layersTrack}))
		}
	}
	return flows
}

func (t *layerTracks) write(arrows arrows) {
	if len(t.own) == 0 {
		return
	}
	group := t.w.describe(&perfettopb.TrackDescriptor{
		StaticOrDynamicName:  &perfettopb.TrackDescriptor_Name{Name: layersTrack},
		Description:          proto.String("Queues of buffers that the compositor shows, those with the most late buffers first. The slices are late buffers of all layers, each until the next one of its layer was shown; where several overlap, the one that lost most."),
		ChildOrdering:        perfettopb.TrackDescriptor_EXPLICIT.Enum(),
		SiblingMergeBehavior: perfettopb.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE.Enum(),
	})
	t.writeLate(group)
	for i, l := range t.own {
		rank := int32(i)
		track := t.w.describe(&perfettopb.TrackDescriptor{
			ParentUuid: &group, SiblingOrderRank: &rank,
			StaticOrDynamicName:  &perfettopb.TrackDescriptor_Name{Name: l.name},
			Description:          proto.String("The buffers of the layer that were shown, each until the next one was."),
			ChildOrdering:        perfettopb.TrackDescriptor_EXPLICIT.Enum(),
			SiblingMergeBehavior: perfettopb.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE.Enum(),
		})
		t.writeLayer(l, track, arrows)
	}
	if len(t.others) > 0 {
		t.writeOthers(group)
	}
}

// writeLate writes late buffers of all layers on the track that has the others below it: the UI shows them
// when it is collapsed, too.
func (t *layerTracks) writeLate(group uint64) {
	var list []finding
	for _, l := range slices.Concat(t.own, t.others) {
		for _, b := range l.shown {
			if b.Pace == analyzer.Late {
				late := lateBuffer(b.Buffer, t.causes, 0)
				late.Interval, late.process = b.shown, l.name
				list = append(list, late)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.Start, b.Start) })
	var s slice
	for _, late := range worstOf(list) {
		s = slice{Interval: late.Interval, name: joined(late.title, late.process, late.cause), colour: late.colour, late: true, annotations: s.annotations[:0]}
		t.noteBuffer(&s.annotations, late.buffer)
		t.w.slice(group, &s)
	}
}

// writeLayer writes the tracks of a layer.
func (t *layerTracks) writeLayer(l *layerTrack, track uint64, arrows arrows) {
	rank := int32(0)
	below := func(name, description string, counter *perfettopb.CounterDescriptor) func() uint64 {
		rank++
		at := rank
		return func() uint64 {
			return t.w.describe(&perfettopb.TrackDescriptor{
				ParentUuid: &track, SiblingOrderRank: &at, Counter: counter,
				StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: name},
				Description:         proto.String(description),
			})
		}
	}
	queue := &lanes{more: below(queueTrack, "From when a buffer was queued to when the compositor took it; of a dropped one, to when it took a later one.", nil)}
	request := &lanes{more: below(requestTrack, "While the producer asked for a free buffer.", nil)}
	gpu := &lanes{more: below(producerGPUTrack, "From when a buffer was queued to when the GPU of the producer was done with it.", nil)}
	span := analyzer.Interval{}
	extend := func(i analyzer.Interval) {
		if span.Start = cmp.Or(min(span.Start, i.Start), i.Start); i.End > span.End {
			span.End = i.End
		}
	}
	var s slice
	for _, b := range byStart(l.buffers, func(b bufferStages) trace.Time { return b.queue.Start }) {
		t.setQueued(&s, b, arrows)
		extend(b.queue)
		t.w.slice(queue.limited(&s.Interval, maxBufferRows), &s)
	}
	s = slice{colour: requestColour}
	for _, b := range byStart(l.buffers, func(b bufferStages) trace.Time { return b.Requested.Start }) {
		if s.Interval = b.Requested; inOrder(s.Interval) {
			s.name = appendSequence(s.name[:0], b.Buffer)
			extend(s.Interval)
			t.w.slice(request.limited(&s.Interval, maxBufferRows), &s)
		}
	}
	s = slice{colour: gpuColour}
	for _, b := range byStart(l.buffers, func(b bufferStages) trace.Time { return b.Queued }) {
		if s.Interval = (analyzer.Interval{Start: b.Queued, End: b.Ready}); inOrder(s.Interval) {
			s.name = appendSequence(s.name[:0], b.Buffer)
			extend(s.Interval)
			t.w.slice(gpu.limited(&s.Interval, maxBufferRows), &s)
		}
	}
	if list := buffersInQueue(l.buffers); len(list) > 0 {
		unit := "buffers"
		counter := below(queuedTrack, "Buffers that wait for the compositor.", &perfettopb.CounterDescriptor{UnitName: &unit})()
		for _, sample := range list {
			t.w.count(counter, sample.at, sample.value)
		}
	}
	for _, b := range l.shown {
		extend(b.shown)
	}
	whole := t.summary(l.measured)
	whole.Interval = span
	t.w.begin(track, &whole)
	for _, b := range l.shown {
		s = slice{Interval: b.shown, name: s.name, terminates: arrows[stageOf{buffer: b.Buffer, track: layersTrack}], colour: unpacedColour}
		s.name, s.late = appendSequence(s.name[:0], b.Buffer), b.Pace == analyzer.Late
		switch b.Pace {
		case analyzer.Late:
			s.name, s.colour = fmt.Appendf(s.name, " late %.1f ms", b.Overrun().Milliseconds()), lateBufferColour
		case analyzer.Early:
			s.name, s.colour = append(s.name, " early"...), earlyColour
		case analyzer.Long:
			s.name, s.colour = append(s.name, " long"...), longColour
		case analyzer.Even:
			s.colour = evenColour
		}
		t.noteBuffer(&s.annotations, b.Buffer)
		t.w.slice(track, &s)
	}
	t.w.end(track, span.End)
}

// writeOthers writes the layers without tracks of their own, and their buffers, on one track. None
// has a length.
func (t *layerTracks) writeOthers(group uint64) {
	rank := int32(maxLayerTracks)
	track := t.w.describe(&perfettopb.TrackDescriptor{
		ParentUuid: &group, SiblingOrderRank: &rank,
		StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: otherLayersTrack},
		Description:         proto.String("Layers without a track of their own, and their buffers, each where it begins."),
	})
	for _, l := range t.others {
		whole := t.summary(l.measured)
		for i, b := range l.buffers {
			if i == 0 || b.At() < whole.Start {
				whole.Start = b.At()
			}
		}
		whole.name = append(append(whole.name, " of "...), l.name...)
		whole.End = whole.Start
		t.w.slice(track, &whole)
		var s slice
		for _, b := range l.buffers {
			t.setQueued(&s, b, nil)
			s.End = s.Start
			t.w.slice(track, &s)
		}
	}
}

// summary returns a slice with the measures of a layer.
func (t *layerTracks) summary(l *stats.Layer) slice {
	s := slice{colour: layerColour}
	s.name = fmt.Appendf(nil, "%d shown", l.Shown)
	if l.FPS != nil {
		s.name = fmt.Appendf(s.name, ", %.1f fps", *l.FPS)
	}
	if l.Dropped > 0 {
		s.name = fmt.Appendf(s.name, ", %d dropped", l.Dropped)
	}
	if l.Late != nil && *l.Late > 0 {
		s.name = fmt.Appendf(s.name, ", %d late", *l.Late)
	}
	s.annotations.tree(t.w, annotation.Layer, l)
	return s
}

// setQueued sets the fields of the slice of a buffer in the queue, which every buffer has. Without
// arrows, it has no flows.
func (t *layerTracks) setQueued(s *slice, b bufferStages, arrows arrows) {
	*s = slice{Interval: b.queue, name: appendSequence(s.name[:0], b.Buffer), colour: queueColour, annotations: s.annotations[:0], further: s.further[:0]}
	switch b.Fate {
	case analyzer.Discarded:
		s.name, s.colour = append(s.name, " dropped"...), droppedColour
	case analyzer.Waiting:
		s.name, s.colour = append(s.name, " waiting"...), waitingColour
	}
	a := &s.annotations
	a.number(annotation.LayerID, int64(b.Layer.ID))
	t.noteBuffer(a, b.Buffer)
	if arrows == nil {
		return
	}
	s.terminates = arrows[stageOf{buffer: b.Buffer, track: queueTrack}]
	if r := t.shownFrame(b.Render); r != nil {
		if b.queue.End <= r.Actual.Start {
			s.flow = arrows.to(t.w, r, framesTrack)
		} else {
			s.flow = arrows.from(t.w, r, b.queue.End, commitTrack, presentTrack)
		}
	}
	if b.shown.Known() && b.queue.End <= b.shown.Start {
		s.further = append(s.further, arrows.toStage(t.w, stageOf{buffer: b.Buffer, track: layersTrack}))
	}
}

// shownFrame returns a frame if it has a slice.
func (t *layerTracks) shownFrame(f *analyzer.Frame) *analyzer.Frame {
	if f == nil || f.Facts.Has(analyzer.Truncated) {
		return nil
	}
	return f
}

// noteBuffer adds the facts of a buffer.
func (t *layerTracks) noteBuffer(a *annotations, b *analyzer.Buffer) {
	text := func(name annotation.Key, value string) {
		if value != "" {
			a.interned(name, t.w.text(value))
		}
	}
	if b.Sequence != 0 {
		a.number(annotation.Sequence, b.Sequence)
	}
	if b.TID != 0 {
		a.number(annotation.TID, int64(b.TID))
	}
	text(annotation.Fate, b.Fate.String())
	text(annotation.Pace, b.Pace.String())
	if b.Interval != 0 {
		a.milliseconds(annotation.BufferInterval, b.Interval)
	}
	if b.Pace != analyzer.Unpaced {
		a.milliseconds(annotation.Overrun, b.Excess())
	}
	a.at(annotation.DeadlineAt, b.Deadline)
	a.interval(annotation.RequestAt, annotation.Request, b.Requested)
	a.at(annotation.QueuedAt, b.Queued)
	a.at(annotation.ReadyAt, b.Ready)
	a.at(annotation.AcquiredAt, b.Acquired)
	a.at(annotation.PresentAt, b.Present)
	a.mark(annotation.PresentEstimated, b.PresentEstimated)
	if f := t.shownFrame(b.Frame); f != nil {
		a.at(annotation.FrameAt, f.Actual.Start)
		a.number(annotation.FrameTID, int64(f.TID))
		a.number(annotation.FrameToken, t.tokens[f])
	}
	if r := t.shownFrame(b.Render); r != nil {
		a.at(annotation.RenderAt, r.Actual.Start)
		a.number(annotation.RenderToken, t.tokens[r])
	}
}

// appendSequence appends what a buffer's slices are named after: its id, if it is known.
func appendSequence(to []byte, b *analyzer.Buffer) []byte {
	if b.Sequence != 0 {
		return strconv.AppendInt(to, b.Sequence, 10)
	}
	return append(to, "buffer"...)
}

// byStart returns buffers in order of a time, so that few rows are needed.
func byStart(list []bufferStages, at func(bufferStages) trace.Time) []bufferStages {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b bufferStages) int { return cmp.Compare(at(a), at(b)) })
	return list
}

// buffersInQueue samples how many buffers were queued and not yet taken.
func buffersInQueue(buffers []bufferStages) []sample {
	type change struct {
		at trace.Time
		by int
	}
	var changes []change
	for _, b := range buffers {
		if b.Queued.Known() && b.queue.End > b.queue.Start {
			changes = append(changes, change{b.queue.Start, 1}, change{b.queue.End, -1})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var list []sample
	n := 0
	for i, c := range changes {
		if n += c.by; i+1 == len(changes) || changes[i+1].at > c.at {
			list = appendChange(list, c.at, float64(n))
		}
	}
	return list
}
