package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
)

// explainRest gives every late frame an explanation of all of its overrun. What the work of its
// threads does not explain has no cause, because the trace lacks what would show it: the slices
// of the threads of a frame of Android, or what happened after them.
func (j *judge) explainRest(t *analyzer.Timeline) {
	for f := range t.Complete() {
		judged := f.Judgement()
		if judged.Late != analyzer.Yes {
			continue
		}
		e := j.causes.Frames[f]
		switch {
		case e == nil:
			start := f.Actual.Start
			if f.Expected.Start.Known() {
				start = min(start, f.Expected.Start)
			}
			if f.Deadline.Known() {
				start = min(start, f.Deadline)
			}
			e = &why.Explanation{Frame: f, Start: start, End: start, Basis: why.Budget, Confidence: lowest}
			j.causes.Frames[f] = e
			j.addRest(e, judged, j.missingSlices(f))
		case e.Late() && e.Lost == judged.Lost():
		case !judged.OverrunKnown:
			j.addRest(e, judged, why.MissingDeadline)
		default:
			j.addRest(e, judged, why.MissingWork)
		}
	}
}

// missingSlices returns what the trace lacks for the threads of a frame.
func (j *judge) missingSlices(f *analyzer.Frame) why.Missing {
	switch {
	case j.record.Limited:
		return why.MissingStates
	case f.Kind == analyzer.RenderFrame:
		return why.MissingComposition
	}
	return why.MissingSlices
}

// addRest adds the part of a frame's overrun without a cause. Its time is that from the end of the
// threads to the end of the frame.
func (j *judge) addRest(e *why.Explanation, judged analyzer.Judgement, missing why.Missing) {
	rest := why.Share{Stage: why.StageFrame, Wait: why.WaitUnknown, Share: judged.Lost() - e.Lost, Missing: missing}
	if len(e.Parts) > 0 {
		rest.Stage = why.StageDisplay
	}
	if after := e.Frame.End().Sub(e.End); after > 0 {
		e.Parts = append(slices.Clip(e.Parts), why.Part{Stage: rest.Stage, Wait: rest.Wait, Time: after})
		e.End, e.Unknown = e.Frame.End(), e.Unknown+after
		rest.Value = after
	}
	e.Lost = judged.Lost()
	e.Shares = append(e.Shares, rest)
	slices.SortStableFunc(e.Shares, func(a, b why.Share) int { return cmp.Compare(b.Share, a.Share) })
	if e.Shares[0].Missing != why.NothingMissing {
		e.Outcome = why.NotKnown
	}
}
