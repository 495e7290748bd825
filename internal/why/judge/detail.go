package judge

import (
	"cmp"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/why/account"
	"ohframe/internal/why/place"
)

// detail finds the slice and the culprit of a cause. The pieces are those of the frame; nil if its
// instances are not asked for.
func (j *judge) detail(a *account.Account, u *usual, x excess, values sums, usuals []expected, pieces []why.Piece) why.Share {
	s := why.Share{Stage: x.stage, Wait: x.wait, Value: x.value, Usual: x.usual, Share: x.share}
	wait := x.wait
	if wait == why.RunSlow {
		wait = why.Run
	}
	if wait == why.Variation {
		return s
	}
	if s.Wait == why.RunSlow {
		s.Frequency, s.UsualFrequency, s.Cores = x.frequency, x.usualFrequency, j.cores(a, u)
		if limit, highest, since := j.book.Limit(a); s.Cores == nil && isCapped(limit, highest, &s) {
			s.FrequencyLimit, s.HighestFrequency, s.LimitReason = limit, highest, j.limiters.reason(since, a.Done())
		}
	}
	var best account.Cell
	most := trace.Duration(-1)
	for c := range a.Cells() {
		if c.Wait != wait || x.stage != why.NoStage && c.Stage != x.stage {
			continue
		}
		usual := trace.Duration(0)
		if wait != why.EarlierFrame {
			of := component{c.Stage, c.Wait}
			usual = u.cell(c.ID, values.of(of).time, expectedOf(usuals, of).time)
		}
		if over := c.Time - usual; over > most {
			best, most = c, over
			s.SliceValue, s.SliceUsual = c.Time, usual
		}
	}
	if most < 0 {
		return s
	}
	if wait == why.EarlierFrame {
		s.Earlier = a.EarlierFrame(&best)
		return s
	}
	if s.Wait == why.RunSlow && most*5 < (x.value-x.usual)*3 {
		// The whole frame was slower: no single slice is the cause.
		s.SliceValue, s.SliceUsual = 0, 0
		s.Advice = j.advice(a, &s, place.Place{})
		return s
	}
	var in place.Place
	s.Slice, in, s.Reason = j.book.Slice(&best)
	if s.Stage == why.NoStage {
		in.Stage = best.Stage
	} else if in.Stage == why.NoStage {
		in.Stage = s.Stage
	}
	waited := j.book.Waited(a, s.Stage, wait)
	s.Instances = j.instances(a, &s, wait, pieces)
	if waited.Culprit != nil && waited.Label != "" {
		waited.Culprit.Arguments = place.Arguments(waited.Label)
	}
	s.Culprit, s.Function, s.Interrupt, s.Reason = waited.Culprit, waited.Function, waited.Interrupt, cmp.Or(s.Reason, waited.Reason)
	if s.Stage == why.StageDisplay && wait == why.WaitFence {
		return s // nobody can do anything about the display
	}
	if wait == why.WaitRender {
		s.Earlier = a.Drawn()
	}
	s.Advice = j.advice(a, &s, in)
	return s
}

// isCapped reports whether the limit of the frequency, in kHz, made a frame slower: it ran at the limit,
// and usually runs faster than that.
func isCapped(limit, highest int64, s *why.Share) bool {
	return limit > 0 && limit*103 <= highest*100 && s.Frequency*100 >= limit*80 && s.Frequency*100 <= limit*102 && s.UsualFrequency*100 > limit*102
}

// advice returns the advice for a cause of a frame in a slice that means in.
func (j *judge) advice(a *account.Account, s *why.Share, in place.Place) why.Advice {
	c := place.Cause{Wait: s.Wait, Place: in, Reason: s.Reason, Interrupt: s.Interrupt, Scheduled: !a.OnlySlices(), OthersScheduled: j.causes.Scheduled, Own: j.causes.Own}
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
	c.WaitedFor(s.Culprit, a.Frame.Process.PID)
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
