package perfetto

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// addLayer adds a layer, which does not start before the layers that the frame has.
func (f *frame) addLayer(s *slice, end trace.Time) {
	l := analyzer.Layer{Name: s.layer, DisplayToken: s.display, Actual: s.Interval, Verdict: s.said.Verdict}
	if !l.Actual.End.Known() {
		l.Actual.End = end
		f.Facts |= analyzer.Truncated
	}
	f.said.Layers = append(f.said.Layers, l)
	f.said.GPUComposition = max(f.said.GPUComposition, s.said.GPUComposition)
	f.said.Buffer = max(f.said.Buffer, s.said.Buffer)
	if s.said.PresentDelayKnown && (!f.said.PresentDelayKnown || s.said.PresentDelay > f.said.PresentDelay) {
		f.said.PresentDelay, f.said.PresentDelayKnown = s.said.PresentDelay, true
	}
}

func (f *frame) lastLayer() *analyzer.Layer { return &f.said.Layers[len(f.said.Layers)-1] }

// combineLayers derives a frame's actual interval and verdict from its layers. The
// frame ends when the last layer ends that was shown. What is worst of any layer
// counts for the frame, except that a frame is dropped only if all its layers are:
// otherwise the end, the present type and on_time_finish are those of the layers
// that were shown.
func (f *frame) combineLayers() {
	said := f.said
	if f.Kind == analyzer.RenderFrame {
		if said.Dropped() {
			f.Facts |= analyzer.Dropped
		}
		return
	}
	dropped := true
	for i := range said.Layers {
		dropped = dropped && said.Layers[i].Dropped()
	}
	if dropped {
		f.Facts |= analyzer.Dropped
	}
	said.Verdict = analyzer.Verdict{}
	f.Actual.End = f.Actual.Start
	for i := range said.Layers {
		l := &said.Layers[i]
		said.Jank |= l.Jank
		said.Severity = max(said.Severity, l.Severity)
		if said.Prediction == 0 || l.Prediction != 0 && l.Prediction < said.Prediction {
			said.Prediction = l.Prediction
		}
		if l.Dropped() && !dropped {
			continue
		}
		if l.OnTimeFinish != analyzer.NotSaid && said.OnTimeFinish != analyzer.No {
			said.OnTimeFinish = l.OnTimeFinish
		}
		f.Actual.End = max(f.Actual.End, l.Actual.End)
		if presentRank[l.Present] > presentRank[said.Present] {
			said.Present = l.Present
		}
	}
	if said.Jank != analyzer.JankNone {
		said.Jank &^= analyzer.JankNone
	}
}

// presentRank orders present types: that of a frame is the highest of its layers'.
var presentRank = [...]int{
	analyzer.PresentUnspecified: 0, analyzer.PresentUnknown: 1, analyzer.PresentDropped: 2,
	analyzer.PresentOnTime: 3, analyzer.PresentEarly: 4, analyzer.PresentLate: 5,
}

// linkLayers finds the render frames that took the layers, and gives the frame one
// transaction for each of them, in the order in which they started. The packets
// have no number for what a frame sends: it is the frame's token.
func (a *assembly) linkLayers(f frame) {
	for i := range f.said.Layers {
		l := &f.said.Layers[i]
		if l.DisplayToken > 0 && !l.Dropped() {
			l.Render = tookAt(a.render[l.DisplayToken], f.Actual.Start)
		}
		sent := analyzer.Sent{Index: max(0, f.said.Token), At: l.Actual.End, Taken: l.Render}
		if same := slices.IndexFunc(f.Transactions, func(t analyzer.Sent) bool { return t.Taken == sent.Taken }); same >= 0 {
			f.Transactions[same].At = max(f.Transactions[same].At, sent.At)
			continue
		}
		f.Transactions = append(f.Transactions, sent)
	}
	slices.SortStableFunc(f.Transactions, func(x, y analyzer.Sent) int { return cmp.Compare(startOf(x.Taken), startOf(y.Taken)) })
}

// startOf returns when a render frame started, zero if there is none.
func startOf(r *analyzer.Frame) trace.Time {
	if r == nil {
		return 0
	}
	return r.Actual.Start
}

// layerThread returns the thread id in the name that ohframe gives a layer,
// "process#thread".
func layerThread(layer string) (trace.TID, bool) {
	i := strings.LastIndexByte(layer, '#')
	if i < 0 {
		return 0, false
	}
	tid, err := strconv.ParseInt(layer[i+1:], 10, 32)
	return trace.TID(tid), err == nil && tid >= 0
}
