package timeline

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/annotation"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/causetext"
)

// noteFinding notes why a frame was late, what to do about it and by how much it was late,
// and the same of one that was shown late or picked up late. The explanation may be nil.
func (p *pipeline) noteFinding(a *annotations, f *analyzer.Frame, e *why.Explanation) {
	if e != nil && e.Outcome != why.NotLate {
		a.text(annotation.Cause, causetext.Sentence(p.causes, e))
		if s := e.Cause(); s != nil {
			p.noteText(a, annotation.Advice, causetext.Advice(s.Advice))
		}
	}
	if f.Late() {
		a.milliseconds(annotation.Overrun, f.Overrun())
	}
	if e == nil {
		return
	}
	if s := e.Shown; s != nil && s.Lost > 0 {
		a.text(annotation.ShownCause, causetext.Shown(p.causes, e))
		a.milliseconds(annotation.ShownLate, s.Lost)
	}
	if e.NotBegun != nil {
		a.text(annotation.NotBegunCause, causetext.NotBegun(p.causes, e))
	}
	if e.PickUp != nil {
		a.text(annotation.PickUpCause, causetext.PickUp(p.causes, e))
		a.milliseconds(annotation.PickedUpLate, e.PickUp.Lost)
	}
}

// noteText notes a text that other slices have too, if it is not empty.
func (p *pipeline) noteText(a *annotations, name annotation.Key, text string) {
	if text != "" {
		a.interned(name, p.w.text(text))
	}
}

// noteCauses notes what else is known about why a frame was late, and where its time went.
func (p *pipeline) noteCauses(a *annotations, e *why.Explanation) {
	if e.Outcome != why.NotLate {
		p.noteVerdict(a, e)
	}
	if e.PickUp != nil {
		p.noteText(a, annotation.PickUpReason, e.PickUp.Outcome.String())
	}
	var shares []byte
	for i := range e.Shares {
		shares = packet.AppendBytes(shares, annotationArrayElement, p.share(&e.Shares[i]))
	}
	if len(shares) > 0 {
		a.add(annotation.Causes, shares)
	}
	if e.Outcome == why.NotLate {
		return // the times of frames on time would be a third of all annotations
	}
	p.entries = p.entries[:0]
	for _, part := range e.Parts {
		name := p.w.annotationName(annotation.StageWait(part.Stage.String(), part.Wait.String()))
		p.entries.number(name, int64(part.Time))
	}
	if len(p.entries) > 0 {
		a.add(annotation.Waits, p.entries)
	}
}

func (p *pipeline) noteVerdict(a *annotations, e *why.Explanation) {
	text := func(name annotation.Key, text string) { p.noteText(a, name, text) }
	text(annotation.Verdict, e.Outcome.String())
	text(annotation.Confidence, e.Confidence.String())
	text(annotation.Basis, e.Basis.String())
	if s := e.Cause(); s != nil {
		text(annotation.CauseWait, s.Wait.String())
		text(annotation.CauseStage, s.Stage.String())
		text(annotation.CauseSlice, s.Slice)
		a.milliseconds(annotation.CauseTime, s.Value)
		a.milliseconds(annotation.CauseUsual, s.Usual)
		a.milliseconds(annotation.CauseShare, s.Share)
		if len(s.Instances) > 0 {
			text(annotation.CauseArguments, causetext.Arguments(s.Instances[0].Arguments))
		}
		if f := e.FunctionOf(s); f != nil {
			text(annotation.CauseFunction, causetext.Function(&f.Function))
			a.number(annotation.CauseSamples, int64(f.Samples))
		}
		if s.Culprit != nil {
			text(annotation.Culprit, causetext.Culprit(s.Culprit))
		}
	}
	if e.Root != nil && e.Root.VsyncID != 0 {
		a.number(annotation.KnockOnOf, e.Root.VsyncID)
	}
}

// share encodes a cause of a late frame.
func (p *pipeline) share(s *why.Share) []byte {
	p.entries = p.entries[:0]
	text := func(name annotation.Key, text string) {
		if text != "" {
			p.entries.interned(name, p.w.text(text))
		}
	}
	number := func(name annotation.Key, value int64) { p.entries.number(uint64(name), value) }
	known := func(name annotation.Key, value int64) {
		if value != 0 {
			number(name, value)
		}
	}
	text(annotation.EntryTitle, causetext.Title(s))
	text(annotation.EntryWait, s.Wait.String())
	text(annotation.EntryStage, s.Stage.String())
	text(annotation.EntrySlice, s.Slice)
	text(annotation.EntryFunction, s.Function)
	text(annotation.EntryGCReason, s.GCReason)
	if len(s.Instances) > 0 {
		text(annotation.EntryArguments, causetext.Arguments(s.Instances[0].Arguments))
	}
	text(annotation.EntryCores, causetext.Cores(s.Cores))
	known(annotation.EntryFrequency, s.Frequency)
	known(annotation.EntryUsualFrequency, s.UsualFrequency)
	known(annotation.EntryLimit, s.FrequencyLimit)
	known(annotation.EntryHighest, s.HighestFrequency)
	text(annotation.EntryLimitReason, s.LimitReason)
	number(annotation.EntryValue, int64(s.Value))
	number(annotation.EntryUsual, int64(s.Usual))
	number(annotation.EntryShare, int64(s.Share))
	if s.Earlier != nil {
		number(annotation.EntryEarlierAt, int64(s.Earlier.Actual.Start))
	}
	if c := s.Culprit; c != nil {
		text(annotation.Culprit, causetext.Culprit(c))
		if c.PID != trace.UnknownPID {
			number(annotation.CulpritPID, int64(c.PID))
		}
		number(annotation.CulpritTID, int64(c.TID))
		text(annotation.CulpritWait, c.Wait.String())
		text(annotation.CulpritSlice, c.Slice)
		text(annotation.CulpritArguments, causetext.Arguments(c.Arguments))
		number(annotation.CulpritTime, int64(c.Time))
		p.entries.mark(annotation.CulpritUnsure, !c.Sure)
	}
	text(annotation.Advice, causetext.Advice(s.Advice))
	return p.entries
}

// whyLanes are the tracks of a thread's late frames and hangs.
type whyLanes struct{ pieces, others *lanes }

func (p *pipeline) whyLanes(tid trace.TID) whyLanes {
	return whyLanes{
		pieces: p.lanes(p.trackOf(whyTrack, tid), "What the thread of a late frame did or waited for, from when the frame should have begun, and in hangs."),
		others: p.lanes(p.trackOf(waitedForTrack, tid), "What the threads did that the thread of a late frame, or in a hang, waited for. "+
			"Of waits for a CPU, the order is not that of the trace."),
	}
}

// leastShown is the least time that another thread needs to have been waited for to be
// shown. Below it nobody is looked for either, except on processors.
const leastShown = 50 * trace.Microsecond

// writeWhy writes what the threads of late frames and of hangs did, and those that they waited for.
// An arrow leads from the thread that a wait was due to most of the time to what the
// waiting thread did next.
func (p *pipeline) writeWhy(frames []*analyzer.Frame, hangs []analyzer.Hang) {
	type explained struct {
		tid trace.TID
		*why.Explanation
	}
	var list []explained
	for _, f := range frames {
		list = append(list, explained{f.TID, p.causes.Of(f)})
	}
	for _, h := range hangs {
		list = append(list, explained{trace.TID(h.Process.PID), p.causes.OfHang(h)})
	}
	list = slices.DeleteFunc(list, func(e explained) bool { return e.Explanation == nil || len(e.Pieces) == 0 })
	slices.SortStableFunc(list, func(a, b explained) int { return cmp.Compare(a.Start, b.Start) })
	var s, other slice
	for _, e := range list {
		lanes := p.why[e.tid]
		span := analyzer.Interval{Start: e.Start, End: e.End}
		track := lanes.pieces.track(span)
		for i := range e.Pieces {
			piece := &e.Pieces[i]
			s.Interval = analyzer.Interval{Start: piece.Start, End: piece.End}
			s.nameID, s.colour = p.w.sliceName(causetext.PieceTitle(piece)), waitColours[piece.Wait]
			p.w.slice(track, &s)
			s.terminates = s.terminates[:0]
			longest := piece.Longest()
			for _, o := range shownActivities(piece) {
				other.Interval = analyzer.Interval{Start: o.Start, End: o.End}
				other.nameID, other.colour, other.flow = p.w.sliceName(causetext.ActivityTitle(o)), waitColours[o.Wait], 0
				if o == longest && i+1 < len(e.Pieces) {
					other.flow = p.w.newFlow()
					s.terminates = append(s.terminates, other.flow)
				}
				p.w.slice(lanes.others.track(other.Interval), &other)
			}
		}
	}
}

// shownActivities returns the activities that are long enough to be shown.
func shownActivities(p *why.Piece) []*why.Activity {
	var list []*why.Activity
	for i := range p.Others {
		if o := &p.Others[i]; o.Time >= leastShown {
			list = append(list, o)
		}
	}
	return list
}
