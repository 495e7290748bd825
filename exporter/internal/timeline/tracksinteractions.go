package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/annotation"
	"ohframe/internal/causetext"
	"ohframe/internal/perfettopb"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

const interactionsDescription = "What the user did: from the input, or the begin without one, to the last frame that shows it. " +
	"Below it are the response, up to the first frame shown, and the animation, or the stages of a launch."

// maxInteractionRows is the number of interactions of a process that the track shows side by
// side. Further ones have no length.
const maxInteractionRows = 64

// writeInteractions writes the interactions of each process, and arrows to the frames that
// show them. Those of a process that is not in the trace are on a track of no process.
func writeInteractions(w *trackWriter, list []*stats.Interaction, pipelines map[*analyzer.Process]*pipeline, arrows arrows) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *stats.Interaction) int {
		return cmp.Compare(a.Source.Span().Start, b.Source.Span().Start)
	})
	others := &lanes{more: func() uint64 {
		return w.describe(&perfettopb.TrackDescriptor{
			StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: interactionsTrack},
			Description:         proto.String(interactionsDescription),
		})
	}}
	for _, i := range list {
		lanes := others
		if p := pipelines[i.Source.Process]; p != nil {
			lanes = p.interactions
		}
		w.writeInteraction(lanes, i, arrows)
	}
}

// writeInteraction writes an interaction, and its parts nested in it.
func (w *trackWriter) writeInteraction(lanes *lanes, measured *stats.Interaction, arrows arrows) {
	i := measured.Source
	whole := i.Span()
	whole.Start = max(whole.Start, i.Process.Alive.Start) // before, Perfetto has another process with the id
	track := lanes.limited(&whole, maxInteractionRows)
	slow, janked := rating.Misses(measured)
	s := slice{Interval: whole, colour: interactionColour, flow: arrows.toPresent(w, i.Last, whole.End)}
	if slow || janked {
		s.colour = missedLimitColour
	}
	s.name = fmt.Appendf(nil, "%s #%d", text.InteractionName(i), i.ID)
	if measured.Late != nil && *measured.Late > 0 {
		s.name = fmt.Appendf(s.name, ", %d late", *measured.Late)
	}
	s.annotations.tree(w, annotation.Interaction, measured)
	w.begin(track, &s)
	if i.Launch() {
		w.writeLaunchStages(track, whole, measured, arrows)
	} else {
		w.writeSceneParts(track, whole, i, slow, janked, arrows)
	}
	w.end(track, whole.End)
}

// writeSceneParts writes the response of a scene, and the animation after it.
func (w *trackWriter) writeSceneParts(track uint64, whole analyzer.Interval, i *analyzer.Interaction, slow, janked bool, arrows arrows) {
	if d, ok := i.Response(); ok && d >= 0 && i.FirstShown <= whole.End {
		s := slice{Interval: analyzer.Interval{Start: whole.Start, End: i.FirstShown}, colour: responseColour}
		s.name, s.flow = fmt.Appendf(nil, "response %s ms", text.Milliseconds(d)), arrows.toPresent(w, i.First, s.End)
		if slow {
			s.colour = slowResponseColour
		}
		w.begin(track, &s)
		if begun := i.First.Actual.Start; begun > whole.Start && begun <= s.End {
			before := slice{Interval: analyzer.Interval{Start: whole.Start, End: begun}, colour: beforeFrameColour}
			before.name, before.flow = []byte("before the first frame"), arrows.toFrame(w, i.First, begun)
			w.slice(track, &before)
		}
		w.end(track, s.End)
	}
	if begun := cmp.Or(i.FirstShown, whole.Start); begun >= whole.Start && begun < i.SeenTo && i.SeenTo <= whole.End {
		s := slice{Interval: analyzer.Interval{Start: begun, End: i.SeenTo}, colour: animationColour}
		s.name = []byte("animation ")
		if i.First == nil || i.Last == nil { // the trace has a part of it
			s.name = append(s.name, "≥ "...)
		}
		s.name = fmt.Appendf(s.name, "%s ms", text.Milliseconds(s.Duration()))
		if janked {
			s.colour = hitchesColour
		}
		w.slice(track, &s)
	}
}

// writeLaunchStages writes the stages of a launch. Arrows lead from the last stage before each
// of its frames to the frame.
func (w *trackWriter) writeLaunchStages(track uint64, whole analyzer.Interval, measured *stats.Interaction, arrows arrows) {
	i := measured.Source
	clip := func(t trace.Time) trace.Time { return min(max(t, whole.Start), whole.End) }
	for n, stage := range i.Stages {
		s := slice{name: []byte(stage.Name), colour: stageColour}
		s.Interval = analyzer.Interval{Start: clip(stage.Begin), End: clip(cmp.Or(stage.End, whole.End))}
		if n+1 < len(i.Stages) && i.First != nil {
			switch i.Stages[n+1].Name {
			case analyzer.FirstFrameApplication:
				s.flow = arrows.toFrame(w, i.First, s.End)
			case analyzer.FirstFrameRender:
				s.flow = arrows.toFrame(w, i.First.Render, s.End)
			}
		}
		s.annotations.tree(w, annotation.LaunchStage, measured.Stages[n])
		w.slice(track, &s)
	}
}

// toFrame returns a new flow from a slice that ends at end to a frame on its track Frames; 0
// if the frame begins earlier.
func (a arrows) toFrame(w *trackWriter, f *analyzer.Frame, end trace.Time) uint64 {
	if f == nil || end > f.Actual.Start {
		return 0
	}
	return a.to(w, f, framesTrack)
}

// toPresent returns a new flow from a slice that ends at end to when the display showed a
// frame; 0 if that is unknown or earlier.
func (a arrows) toPresent(w *trackWriter, f *analyzer.Frame, end trace.Time) uint64 {
	if f != nil && f.Kind == analyzer.ApplicationFrame {
		f = shownRenderFrame(f)
	}
	if f == nil || !f.Present.Known() || end > f.Present {
		return 0
	}
	return a.to(w, f, presentTrack)
}

// writeNeverBegan writes the vsyncs on which an application began no frame, each time up to the next one.
func (p *pipeline) writeNeverBegan() {
	var track *lanes
	for _, f := range p.applications {
		if f.NotBegun == 0 {
			continue
		}
		if track == nil {
			track = p.lanes(neverBeganTrack, "Vsyncs on which no frame began, because the main thread was busy with something else.")
		}
		found := p.neverBegan(f)
		s := slice{Interval: found.Interval, name: []byte(found.title), colour: found.colour}
		s.annotations.number(annotation.VsyncID, f.VsyncID)
		if e := p.causes.Of(f); e != nil && e.NotBegun != nil {
			s.annotations.text(annotation.Cause, found.cause)
			if len(e.NotBegun.Shares) > 0 {
				p.noteText(&s.annotations, annotation.Advice, causetext.Advice(e.NotBegun.Shares[0].Advice))
			}
		}
		p.w.slice(track.track(s.Interval), &s)
	}
}

// writeHangs writes the hangs of each process.
func writeHangs(t *analyzer.Timeline, list []stats.Hang, pipelines map[*analyzer.Process]*pipeline) {
	tracks := map[*pipeline]*lanes{}
	for n, h := range list {
		p, hang := pipelines[t.Hangs[n].Process], t.Hangs[n]
		if tracks[p] == nil {
			tracks[p] = p.lanes(hangsTrack, "What a main thread did outside of frames for so long that events had to wait.")
		}
		s := slice{Interval: hang.Interval, colour: hangColour}
		if h.Severe {
			s.name = append(s.name, "severe "...)
		}
		s.name = fmt.Appendf(s.name, "hang %s ms", text.HangMS(&hang))
		if e := p.causes.OfHang(hang); e != nil {
			s.annotations.text(annotation.Cause, causetext.Hang(e))
			p.noteText(&s.annotations, annotation.Advice, causetext.HangAdvice(&hang, e))
		}
		s.annotations.tree(p.w, annotation.Hang, h)
		p.w.slice(tracks[p].track(s.Interval), &s)
	}
}

// writeRefreshRates writes the refresh rates of displays that had several, as states with who decided them.
func writeRefreshRates(list []stats.RefreshRate, pipelines map[*analyzer.Process]*pipeline) {
	tracks := map[*pipeline]*lanes{}
	for i := range list {
		r := &list[i]
		p := pipelines[r.Source.Process]
		if p == nil {
			continue
		}
		if tracks[p] == nil {
			tracks[p] = p.lanes(refreshTrack, "The display's refresh rate, and whose vote decided it.")
		}
		s := slice{Interval: r.Source.Interval, colour: highestRateColour}
		if r.Lowered {
			s.colour = loweredRateColour
		}
		s.name = fmt.Appendf(s.name, "%.0f Hz", r.Rate)
		if r.Voter != nil {
			s.name = fmt.Appendf(s.name, " · %s", text.RateDecided(r))
		}
		s.annotations.tree(p.w, annotation.RefreshRate, r)
		p.w.slice(tracks[p].track(s.Interval), &s)
	}
}
