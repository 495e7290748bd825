package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// judged is a cause under examination: a component of the frame of an account with an excess, beside
// what is usual.
type judged struct {
	*account.Account
	excess
	of     *usual
	values sums       // of the frame
	usuals []expected // for it
	// late is by how much the frame, or the buffer, was late.
	late trace.Duration
	// saved returns by how much less the display would show a frame late if it were ready earlier by a time;
	// nil of other frames, which gain that time itself.
	saved func(trace.Duration) trace.Duration
}

// allDetails divides the causes of a frame, or of a buffer, among what had their excess: slices and, in
// them, the threads that were waited for. The largest share comes first.
func (j *judge) allDetails(x *judged, causes []excess) (list []why.Share) {
	j.book.Reuse()
	list = j.shares[:0]
	for _, cause := range causes {
		x.excess = cause
		if cause.Wait == why.Variation {
			list = append(list, why.Share{
				Wait: cause.Wait, Value: cause.value, Usual: cause.usual, Share: cause.share, Gain: x.gain(&causePart{portion: cause.portion}),
			})
			continue
		}
		if cause.Wait == why.EarlierWork {
			if tasks := j.tasks(x); tasks != nil {
				list = append(list, tasks...)
				continue
			}
		}
		places := j.divideBySlice(x)
		if isOfFrame(cause.Wait) {
			places = mostOrAll(places)
		}
		places = large(places, cause.share)
		divide(places, cause.share)
		for i := range places {
			culprits := j.divideByThreads(x, &places[i])
			divide(culprits, places[i].share)
			for n := range culprits {
				list = append(list, j.share(x, &culprits[n], culprits[n].value*10 >= places[i].value*9))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b why.Share) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Stage, b.Stage))
	})
	j.shares = list
	return append([]why.Share(nil), list...)
}

// gain returns by how much less the frame would be late without an excess of its component.
func (x *judged) gain(p *causePart) trace.Duration {
	gain := p.excess
	if x.atUsual > 0 { // the frequency stays as it was
		gain = trace.Duration(min(float64(gain)*(float64(x.value)/float64(x.atUsual)), float64(p.value)))
	} else if all := x.value - x.usual; x.excess.excess < all { // another cause has the rest of it
		gain = scale(gain, x.excess.excess, all)
	}
	if x.saved != nil && (x.Stage != why.StageDisplay || x.Wait != why.WaitFence) {
		return x.saved(gain)
	}
	return min(max(gain, p.share), max(x.late, p.share))
}

// share returns a part of a cause as a share. It has instances, and is compared with frames on time, if it
// has nearly all that the thread did in its slice.
func (j *judge) share(x *judged, p *causePart, all bool) why.Share {
	s := why.Share{Stage: x.Stage, Wait: x.Wait, Value: p.value, Usual: p.usual, Share: p.share, Gain: x.gain(p), Several: p.several}
	if all {
		s.AsLong, s.Compared = x.asLong(p)
	}
	if s.Wait == why.RunSlow {
		s.Frequency, s.UsualFrequency, s.Cores = x.frequency, x.usualFrequency, j.cores(x.Account, x.of)
		if limit, highest, since := j.book.Limit(x.Account); s.Cores == nil && isCapped(limit, highest, &s) {
			s.FrequencyLimit, s.HighestFrequency, s.LimitReason = limit, highest, j.limiters.reason(since, x.Done())
		}
	}
	if s.Wait == why.EarlierFrame {
		s.Earlier = x.EarlierFrame(p.cell)
		return s
	}
	in := p.Place
	s.Slice = p.name
	if s.Stage == why.NoStage {
		in.Stage = p.cell.Stage
	} else if in.Stage == why.NoStage {
		in.Stage = s.Stage
	}
	if all {
		if s.Slice != "" && !isOfFrame(s.Wait) && p.calls > 0 {
			s.Calls = p.calls
			if x.of.basis != why.Budget {
				s.UsualCalls = new(p.usualCalls)
			}
		}
		s.Instances, s.Repeats = j.instances(x.Account, &s, x.cellWait())
	}
	p.setWaited(&s)
	if s.Stage == why.StageDisplay && s.Wait == why.WaitFence {
		return s // nobody can do anything about the display
	}
	if c := s.Culprit; s.Wait == why.WaitRender && (c == nil || c.Wait != why.WaitSleep) {
		s.Earlier = x.Drawn()
	}
	s.Advice = j.advice(x.Account, &s, in)
	return s
}

// isCapped reports whether the limit of the frequency, in kHz, made a frame slower: it ran at the limit,
// and usually runs faster than that.
func isCapped(limit, highest int64, s *why.Share) bool {
	return limit > 0 && limit*103 <= highest*100 && s.Frequency*100 >= limit*80 && s.Frequency*100 <= limit*102 && s.UsualFrequency*100 > limit*102
}

// advice returns the advice for a cause of a frame in a slice that means in.
func (j *judge) advice(a *account.Account, s *why.Share, in place.Place) why.Advice {
	c := place.Cause{Wait: s.Wait, Place: in, GCReason: s.GCReason, Interrupt: s.Interrupt, Scheduled: !a.OnlySlices(), OthersScheduled: j.causes.Scheduled, Own: j.causes.Own}
	if s.Wait == why.WaitUnknown && j.causes.Limited {
		return why.NoAdvice // the sentence says which limit to raise
	}
	switch {
	case a.Frame.Kind == analyzer.RenderFrame:
		c.Reader = place.System
	case a.Frame.Android != nil:
		c.Reader = place.Android
	case a.Frame.Framework != analyzer.Platform || s.Stage == why.StageProduce:
		c.Reader = place.Producer
	}
	c.Capped = s.FrequencyLimit > 0
	culprit := s.Culprit
	if culprit == nil && s.Several != nil {
		culprit = s.Several.Culprit
	}
	c.WaitedFor(culprit, a.Frame.Process.PID)
	return c.Advice()
}

// moreOnLittle is how much more of its time on processors a frame must have run on clusters
// with a low frequency for the cores to be the reason, in per mille.
const moreOnLittle = 300

// cores returns the processors on which a frame ran more than usual, if they are of a cluster
// with a lower highest frequency; nil for other frames.
func (j *judge) cores(a *account.Account, u *usual) *why.Cores {
	if len(u.references) == 0 {
		return nil
	}
	low := j.book.LowClusters()
	if u.onLow == nil {
		for i := range low {
			var shares []int64
			for _, b := range u.references {
				shares = append(shares, j.book.UpToCluster(b, i))
			}
			u.onLow = append(u.onLow, quantile(shares, len(shares), 1, 2))
		}
	}
	for i := range low {
		if j.book.UpToCluster(a, i)-u.onLow[i] >= moreOnLittle {
			return &why.Cores{Little: i == 0, CPUs: j.book.Cluster(i)}
		}
	}
	return nil
}
