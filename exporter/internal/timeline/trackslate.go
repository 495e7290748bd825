package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/perfettopb"
	"ohframe/internal/text"
)

const lateDescription = "Late frames, frames that never began and hangs of all processes, and late buffers of those without frames, with why they were late. Where several overlap, the worst; the tracks below have all."

// finding is a late frame, frames that never began, a late buffer or a hang.
type finding struct {
	analyzer.Interval
	process, title, cause string // of a late buffer it is the layer in place of the process
	rank                  int32  // of the process
	lost                  trace.Duration
	colour                colour
	frame                 *analyzer.Frame // nil for a hang and a buffer
	buffer                *analyzer.Buffer
	late                  bool // a frame or a buffer
	hidden                bool // on the track of all processes
}

// writeLate writes the track of what was late in all processes. It belongs to none and has others below
// it, so the UI shows it above all processes, without a click.
func writeLate(w *trackWriter, t *analyzer.Timeline, pipelines []*pipeline, causes *why.Causes, arrows arrows) {
	var list []finding
	frames, judged := 0, 0
	drew := map[*analyzer.Process]bool{}
	for rank, p := range pipelines {
		first := len(list)
		for _, f := range slices.Concat(p.applications, p.renders) {
			frames++
			if f.Judged() {
				judged++
			}
			if f.Late() {
				list = append(list, p.lateFrame(f))
			}
			if f.NotBegun > 0 {
				list = append(list, p.neverBegan(f))
			}
		}
		for i := range p.hangs {
			list = append(list, p.lateHang(&p.hangs[i]))
		}
		for i := range list[first:] {
			list[first+i].rank = int32(rank)
		}
		drew[p.process] = len(p.applications) > 0
	}
	for i, l := range t.Layers {
		for _, b := range l.Buffers {
			if b.Pace == analyzer.Late && (l.Process == nil || !drew[l.Process]) {
				list = append(list, lateBuffer(b, causes, int32(len(pipelines)+i)))
			}
		}
	}
	if len(list) == 0 {
		if frames == 0 {
			return
		}
		title := fmt.Sprintf("no late frame of %d", judged)
		if judged < frames {
			title += fmt.Sprintf("; of %d more it is unknown", frames-judged)
		}
		list = []finding{{Interval: t.Span, process: "all processes", title: title, colour: reportColour}}
	}
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.Start, b.Start) })
	root := w.describe(&perfettopb.TrackDescriptor{
		StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: lateTrack},
		Description:         proto.String(lateDescription),
		ChildOrdering:       perfettopb.TrackDescriptor_EXPLICIT.Enum(),
	})
	worst := worstOf(list)
	below := map[string]*lanes{}
	for i := range list {
		l := &list[i]
		if below[l.process] == nil {
			rank := l.rank
			below[l.process] = &lanes{more: func() uint64 {
				return w.describe(&perfettopb.TrackDescriptor{
					ParentUuid: &root, SiblingOrderRank: &rank,
					StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: lateTrack + " (" + l.process + ")"},
				})
			}}
		}
		w.finding(below[l.process].track(l.Interval), l, l.hidden, arrows, l.title, l.cause)
	}
	for _, l := range worst {
		w.finding(root, l, true, arrows, l.title, l.process, l.cause)
	}
}

// finding writes a finding, and an arrow to its frame if it leads there: one from each would be too many.
// Its name is the texts, joined.
func (w *trackWriter) finding(track uint64, f *finding, leads bool, arrows arrows, texts ...string) {
	s := slice{Interval: f.Interval, colour: f.colour, late: f.late, name: joined(texts...)}
	if leads && f.frame != nil {
		s.flow = arrows.to(w, f.frame, framesTrack)
	}
	w.slice(track, &s)
}

// joined returns those texts that are not empty as the name of a slice.
func joined(texts ...string) (name []byte) {
	for _, t := range texts {
		if len(name) > 0 && t != "" {
			name = append(name, " · "...)
		}
		name = append(name, t...)
	}
	return name
}

func (p *pipeline) lateFrame(f *analyzer.Frame) finding {
	var s slice
	s.setName(p.label(f), true, f.Overrun(), f.Facts.Has(analyzer.Unfinished))
	l := finding{Interval: f.Actual, process: text.ProcessName(p.process.Name), title: string(s.name), lost: f.Overrun(), colour: lateColour, frame: f, late: true}
	if e := p.causes.Of(f); e != nil {
		l.cause = causetext.Brief(p.causes, e)
	}
	return l
}

// lateBuffer returns a late buffer from when it should have been shown until it was.
func lateBuffer(b *analyzer.Buffer, causes *why.Causes, rank int32) finding {
	l := finding{Interval: analyzer.Interval{Start: b.Present.Add(-b.Overrun()), End: b.Present}, process: layerName(b.Layer), lost: b.Overrun(), colour: lateBufferColour, buffer: b, late: true, rank: rank}
	if b.Layer.Framework == analyzer.OutsideFrames {
		l.process = b.Layer.Name // it has that of the process
	}
	l.title = fmt.Sprintf("%s late %.1f ms", appendSequence(nil, b), b.Overrun().Milliseconds())
	if e := causes.LateBuffer(b); e != nil {
		l.cause = causetext.Buffer(causes, e)
	}
	return l
}

// neverBegan returns the frames before one that never began.
func (p *pipeline) neverBegan(f *analyzer.Frame) finding {
	l := finding{Interval: analyzer.Interval{Start: f.Vsync.Add(-f.Missed()), End: f.Vsync}, process: text.ProcessName(p.process.Name),
		title: text.Count(f.NotBegun, "frame") + " never began", lost: f.Missed(), colour: hitchColour, frame: f}
	if e := p.causes.Of(f); e != nil && e.NotBegun != nil {
		l.cause = causetext.NotBegun(p.causes, e)
	}
	return l
}

func (p *pipeline) lateHang(h *analyzer.Hang) finding {
	l := finding{Interval: h.Interval, process: text.ProcessName(p.process.Name), title: "hang " + text.HangMS(h) + " ms", lost: h.Duration(), colour: hangColour}
	l.cause = causetext.HangSlice(h)
	if e := p.causes.OfHang(*h); e != nil {
		l.cause = causetext.Hang(e)
	}
	return l
}

// worstOf returns those findings that do not overlap: of two that do, the one that lost more time. The list is
// in order of time.
func worstOf(list []finding) (worst []*finding) {
	for i := range list {
		l, last := &list[i], len(worst)-1
		switch {
		case last < 0 || worst[last].End <= l.Start:
			worst = append(worst, l)
		case worst[last].lost < l.lost:
			worst[last].hidden = true
			worst[last] = l
		default:
			l.hidden = true
		}
	}
	return worst
}
