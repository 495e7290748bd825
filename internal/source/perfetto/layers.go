package perfetto

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// addLayer adds a layer. Layers are added in order of start.
func (f *frame) addLayer(s *slice, end trace.Time) {
	l := analyzer.SurfaceFrame{Name: s.layer, DisplayToken: s.display, Buffer: s.timeline.Buffer, Actual: s.Interval, Verdict: s.timeline.Verdict}
	if !l.Actual.End.Known() {
		l.Actual.End = end
		f.Facts |= analyzer.Truncated
	}
	f.timeline.Surfaces = append(f.timeline.Surfaces, l)
	f.timeline.GPUComposition = max(f.timeline.GPUComposition, s.timeline.GPUComposition)
	f.timeline.Buffer = max(f.timeline.Buffer, s.timeline.Buffer)
	if s.timeline.PresentDelayKnown && (!f.timeline.PresentDelayKnown || s.timeline.PresentDelay > f.timeline.PresentDelay) {
		f.timeline.PresentDelay, f.timeline.PresentDelayKnown = s.timeline.PresentDelay, true
	}
}

func (f *frame) lastLayer() *analyzer.SurfaceFrame {
	return &f.timeline.Surfaces[len(f.timeline.Surfaces)-1]
}

// combineLayers derives a frame's actual interval and verdict from its layers. The
// worst value of any layer counts for the frame. A frame is dropped only if all its
// layers are. Otherwise the end, the present type and on_time_finish come from the
// layers that were shown.
func (f *frame) combineLayers() {
	timeline := f.timeline
	if f.Kind == analyzer.RenderFrame {
		f.setDropped(timeline.Dropped())
		return
	}
	dropped := true
	for i := range timeline.Surfaces {
		dropped = dropped && timeline.Surfaces[i].Dropped()
	}
	f.setDropped(dropped)
	timeline.Verdict = analyzer.Verdict{}
	f.Actual.End = f.Actual.Start
	for i := range timeline.Surfaces {
		l := &timeline.Surfaces[i]
		timeline.Jank |= l.Jank
		if i == 0 || severityRank[l.Severity] > severityRank[timeline.Severity] {
			timeline.Severity = l.Severity
		}
		if timeline.Prediction == 0 || l.Prediction != 0 && l.Prediction < timeline.Prediction {
			timeline.Prediction = l.Prediction
		}
		if l.Dropped() && !dropped {
			continue
		}
		if l.OnTimeFinish != analyzer.NotSaid && timeline.OnTimeFinish != analyzer.No {
			timeline.OnTimeFinish = l.OnTimeFinish
		}
		f.Actual.End = max(f.Actual.End, l.Actual.End)
		if presentRank[l.Present] > presentRank[timeline.Present] {
			timeline.Present = l.Present
		}
	}
	timeline.Jank = reasons(timeline.Jank)
}

// setDropped marks a frame that was never shown. A truncated frame has no other facts.
func (f *frame) setDropped(dropped bool) {
	if dropped && !f.Facts.Has(analyzer.Truncated) {
		f.Facts |= analyzer.Dropped
	}
}

// presentRank orders present types. A frame has the type of its layer with the highest.
var presentRank = [...]int{
	analyzer.PresentUnspecified: 0, analyzer.PresentUnknown: 1, analyzer.PresentDropped: 2,
	analyzer.PresentOnTime: 3, analyzer.PresentEarly: 4, analyzer.PresentLate: 5,
}

// severityRank orders severities. Unknown is that of a jank type without a severity, so
// it counts more than None.
var severityRank = [...]int{
	analyzer.SeverityNone: 0, analyzer.SeverityUnknown: 1, analyzer.SeverityPartial: 2, analyzer.SeverityFull: 3,
}

// linkLayers finds the render frames that picked the layers up, and adds one transaction
// to the frame for each of them, in order of start. Packets have no transactions, so the
// index is the frame's token.
func (a *assembly) linkLayers(f frame) {
	for i := range f.timeline.Surfaces {
		l := &f.timeline.Surfaces[i]
		if l.DisplayToken > 0 && !l.Dropped() {
			l.Render = renderAt(a.render[l.DisplayToken], f.Actual.Start)
		}
		sent := analyzer.Sent{Index: max(0, f.timeline.Token), At: l.Actual.End, AppliedBy: l.Render}
		if same := slices.IndexFunc(f.Transactions, func(t analyzer.Sent) bool { return t.AppliedBy == sent.AppliedBy }); same >= 0 {
			f.Transactions[same].At = max(f.Transactions[same].At, sent.At)
			continue
		}
		f.Transactions = append(f.Transactions, sent)
	}
	slices.SortStableFunc(f.Transactions, func(x, y analyzer.Sent) int { return cmp.Compare(startOf(x.AppliedBy), startOf(y.AppliedBy)) })
}

// startOf returns a render frame's start, zero for nil.
func startOf(r *analyzer.Frame) trace.Time {
	if r == nil {
		return 0
	}
	return r.Actual.Start
}
