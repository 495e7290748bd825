package sampling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

const (
	// leastHits is the share of samples that must be in running intervals of their threads.
	leastHits = 0.90
	// sureHits is the share at which a stated clock is right if no other offset is better, and
	// likelyHits that at which it is used with a warning if another one fits as well. Threads
	// that run periodically fit at many offsets.
	sureHits, likelyHits = 0.998, 0.98
	// neighbours is how far the offsets reach that a stated clock is compared with at first. If threads
	// run periodically, some of these fit as well.
	neighbours, anywhere = 125 * trace.Millisecond, trace.Duration(trace.MaxTime)
	// leastSkill is the share of the hits that chance leaves: if threads run 80 % of the time,
	// 90 % of the samples must be hits.
	leastSkill = 0.50
	// leastMisfit is the logarithm of the likelihood ratio of samples in a row to have nothing to do with
	// the trace rather than to fit, and threadMisfit that for samples of one thread. More shows that a
	// clock jumped. endMisfit is that of the first or last samples, few of which are wrong if
	// it jumped shortly after or before.
	leastMisfit, threadMisfit, endMisfit = 25 * nat, 40 * nat, 10 * nat
	// mostBeside is the share of samples which may be just before or after their threads ran,
	// unless chance explains more. More shows a repetition of the same work.
	mostBeside = 0.03
	// leastChecked is the number of samples that must be of threads of the trace.
	leastChecked = 50
	// leastScore is the logarithm of the likelihood ratio to chance that an offset needs. There are
	// some e¹⁵ offsets, and samples are not independent.
	leastScore = 40 * nat
	// leastLead is that by which an offset must be better than another one.
	leastLead = 8 * nat
)

// Align changes the times of samples to those of a trace, in which threads ran as r says. given, if
// not nil, is trace time minus the time of the samples. Otherwise the offset is that of the
// clock which the recording states, if the samples fit, or the only one at which they do.
// Samples outside of the trace are dropped. The error says why the samples do not fit the
// trace; the recording is then of no use.
func Align(rec *sample.Recording, r *Running, t *analyzer.Timeline, given *trace.Duration) error {
	r.finish()
	if len(rec.Samples) == 0 {
		a := aligner{rec: rec}
		a.warn("the recording has no samples")
		return nil
	}
	if r.overlap() {
		return &diag.Error{What: "the input has several traces of the same time, so that samples cannot be assigned to one of them"}
	}
	a := aligner{rec: rec, timeline: t, evidence: newEvidence(rec, r)}
	switch {
	case given != nil:
		return a.give(*given)
	case !r.switched:
		return a.unchecked("the trace has no sched_switch events, which show when threads ran")
	case !a.shared:
		return &diag.Error{What: "the samples are of another recording or device: none of their threads ran in the trace"}
	case len(a.lanes) == 0:
		return a.unchecked("the threads of the recording ran all the time")
	case a.waits():
		return a.unchecked("threads have samples also while they wait")
	}
	done, wrong := a.state()
	if done {
		return nil
	}
	unknown := a.findOffset()
	switch {
	case wrong == nil && unknown == nil:
		return nil
	case wrong == nil:
		return unknown
	case unknown == nil:
		a.warn("%s; another offset fits, and is used", wrong.What)
		return nil
	}
	return wrong
}

// aligner aligns the samples of one recording.
type aligner struct {
	*evidence
	rec      *sample.Recording
	timeline *analyzer.Timeline
}

func refuse(format string, values ...any) *diag.Error {
	return &diag.Error{What: fmt.Sprintf(format, values...), Hint: diag.SamplesOffset}
}

func (a *aligner) warn(format string, values ...any) {
	a.rec.Warnings = append(a.rec.Warnings, trace.Warning{Code: trace.WarnClock, Text: fmt.Sprintf(format, values...)})
}

// give uses the offset that the user states.
func (a *aligner) give(offset trace.Duration) error {
	l := line{offset: offset}
	if offset < -trace.MaxTime || offset > trace.MaxTime || !a.overlaps(a.raw, &l) {
		return &diag.Error{What: fmt.Sprintf("no sample is within the trace at the given offset of %v", time.Duration(offset)), Hint: "the offset is trace time minus the time of the samples"}
	}
	sum := a.count(a.raw, &l)
	a.use(sample.Given, a.raw, &l, sum)
	if sum.checked > 0 && sum.rate() < leastHits {
		a.warn("at the given offset, only %s of the samples are at moments when their threads ran", percent(sum.rate()))
	}
	return nil
}

// waits reports whether threads have samples also while they wait, as in profiles of ArkTS.
func (a *aligner) waits() bool {
	return slices.ContainsFunc(a.rec.Profile.Events, func(e sample.Event) bool { return e.Waiting })
}

// unchecked uses the stated clock of samples that cannot be compared with the trace, for a reason.
func (a *aligner) unchecked(reason string) error {
	times, certain := a.stated()
	switch {
	case !certain:
		return refuse("the offset of the samples to the trace is unknown: %s", reason)
	case !a.overlaps(times, &line{}):
		return a.elsewhere(times)
	}
	a.use(sample.Stated, times, &line{}, a.count(times, &line{}))
	if !a.waits() || !a.timeline.Clock.Source.IsStated() { // profiles of ArkTS are in the file of the trace
		a.warn("the clock of the samples could not be checked: %s", reason)
	}
	return nil
}

// elsewhere is the error of a recording of another time.
func (a *aligner) elsewhere(times []trace.Time) *diag.Error {
	first, last := extent(times)
	s := a.timeline.Span
	return &diag.Error{
		What: fmt.Sprintf("the samples are of another time, or of another boot of the device: from %s to %s s, the trace from %s to %s s", first, last, s.Start, s.End),
		Hint: diag.SamplesOffset,
	}
}

// state uses the clock that the recording states, and reports whether it could. The error is why
// not, nil if it states none of use.
func (a *aligner) state() (bool, *diag.Error) {
	times, certain := a.stated()
	if times == nil {
		return false, nil
	}
	if !a.overlaps(times, &line{}) {
		return false, a.elsewhere(times)
	}
	clock := a.rec.Profile.Clock.ID
	best, picks := a.near(times)
	// The offset of the trace may be inferred. It is changed only if another one is clearly better.
	used := line{}
	if a.clear(picks, &best.line, &used) {
		used = best.line
	}
	all := a.count(times, &used)
	switch {
	case all.checked < leastChecked:
		if certain {
			a.use(sample.Stated, times, &line{}, all)
			a.warn("the clock of the samples could not be checked: only %s %s of threads that ran in the trace", diag.Count(all.checked, "sample"), isAre(all.checked))
		}
		return certain, nil
	case all.rate() < leastHits:
		return false, refuse("the samples are of another recording or boot: at the stated clock, %s, %s of them are at moments when their threads ran", clock, percent(all.rate()))
	case best.score < leastScore || all.skill() < leastSkill:
		if certain {
			a.use(sample.Stated, times, &used, all)
			a.warn("the clock of the samples could hardly be checked: their threads ran nearly always")
		}
		return certain, nil
	}
	if e := misfits(&all); e != nil {
		return false, e
	}
	others, _ := a.search(times, neighbours)
	if all.rate() < sureHits || a.ambiguous(others, &best, picks) != nil {
		others, _ = a.search(times, anywhere)
	}
	for i := range others {
		o := &others[i]
		switch {
		case !a.apart(&o.line, &best.line) || a.clear(picks, &best.line, &o.line):
		case all.rate() >= sureHits && used == line{} && a.lead(picks, &best.line, &o.line) >= 0: // the best of several
		case all.rate() >= likelyHits && certain && !a.clear(picks, &o.line, &best.line):
			a.use(sample.Stated, times, &used, all)
			a.warn("the clock of the samples could hardly be checked: threads ran so regularly that an offset of %v more fits, too", time.Duration(o.offset))
			return true, nil
		default:
			return false, refuse("the samples may be of another recording or boot: at the stated clock, %s, %s of them are at moments when their threads ran, but other offsets fit as well", clock, percent(all.rate()))
		}
	}
	a.use(sample.Stated, times, &used, all)
	return true, nil
}

// near finds the best offset near that of the stated clock.
func (a *aligner) near(times []trace.Time) (candidate, []pick) {
	first, last := extent(times)
	picks := a.pick(times, maxPicks)
	var best candidate
	a.refine(&best, picks, first, last, a.slack(), 0)
	a.refine(&best, picks, first, last, 4*tolerance, 0)
	return best, picks
}

// slack is by how much the offset of the stated clock may be wrong.
func (a *aligner) slack() trace.Duration {
	if a.rec.Profile.Clock.ID == sample.ClockRealtime { // to the millisecond, and written later
		return 5 * trace.Millisecond
	}
	return 2 * trace.Millisecond
}

// stated returns the times of the samples by the clock that the recording states, nil if that has
// no known offset to the trace. It is not certain that these are right.
func (a *aligner) stated() (times []trace.Time, certain bool) {
	clock := &a.timeline.Clock
	var convert func(trace.Time) trace.Time
	switch profile := &a.rec.Profile.Clock; profile.ID {
	case sample.ClockMonotonic:
		convert, certain = a.monotonic, clock.Source != analyzer.ClockUnknown
	case sample.ClockBoot:
		// With an offset to CLOCK_MONOTONIC, the trace is in boot time. Without one, it may be in both.
		convert, certain = func(t trace.Time) trace.Time { return t }, clock.Source != analyzer.ClockUnknown && clock.Offset != 0
	case sample.ClockRealtime:
		wall := a.timeline.Wall
		if !wall.At.Known() || wall.Unix <= 0 || wall.Unix > trace.MaxTime {
			return nil, false
		}
		convert = func(t trace.Time) trace.Time { return t - trace.Time(wall.Unix) + wall.At }
	default:
		return nil, false
	}
	times = make([]trace.Time, len(a.raw))
	for i, t := range a.raw {
		if times[i] = -1; t > 0 && t <= trace.MaxTime {
			times[i] = convert(t)
		}
	}
	return times, certain
}

// monotonic converts a time of CLOCK_MONOTONIC.
func (a *aligner) monotonic(t trace.Time) trace.Time {
	return a.clock(t).Trace(trace.Monotonic(t))
}

// clock returns the clock of the part of the trace in which a time of CLOCK_MONOTONIC is, or of the
// closest one: after the last part, the device has slept as long as in it.
func (a *aligner) clock(t trace.Time) *analyzer.ClockOffset {
	clock, closest := &a.timeline.Clock, trace.Duration(math.MaxInt64)
	for i := range a.timeline.Parts {
		part := &a.timeline.Parts[i]
		c := part.Clock.Trace(trace.Monotonic(t))
		if distance := max(part.Span.Start.Sub(c), c.Sub(part.Span.End), 0); distance < closest {
			clock, closest = &part.Clock, distance
		}
	}
	return clock
}

// findOffset finds the only offset at which samples are in running intervals.
func (a *aligner) findOffset() *diag.Error {
	candidates, picks := a.search(a.raw, anywhere)
	clock := "the recording does not state its clock"
	if id := a.rec.Profile.Clock.ID; id.Known() {
		clock = fmt.Sprintf("the offset of the stated clock, %s, is unknown", id)
	}
	if len(picks) == 0 {
		return refuse("%s, and its threads run nearly always, so that any offset fits", clock)
	}
	if len(candidates) == 0 {
		return refuse("%s, and no offset fits", clock)
	}
	best := &candidates[0]
	all := a.count(a.raw, &best.line)
	switch {
	case all.checked < leastChecked:
		return refuse("%s, and only %s %s of threads that ran in the trace, too few to find it", clock, diag.Count(all.checked, "sample"), isAre(all.checked))
	case all.rate() < leastHits:
		return refuse("%s, and no offset fits: at the best one, %s of the samples are at moments when their threads ran", clock, percent(all.rate()))
	case best.score < leastScore || all.skill() < leastSkill:
		return refuse("%s, and the samples are too few, or of threads that run nearly always, to find it", clock)
	}
	if e := misfits(&all); e != nil {
		return e
	}
	if o := a.ambiguous(candidates[1:], best, picks); o != nil {
		return refuse("%s, and several offsets fit, such as %v and %v", clock, time.Duration(best.offset), time.Duration(o.offset))
	}
	if !a.exact(picks, best) {
		return refuse("%s, and the samples are too few to find it to a sampling period", clock)
	}
	a.use(sample.Found, a.raw, &best.line, all)
	return nil
}

// apart reports whether lines differ by more than a sampling period.
func (a *aligner) apart(l, m *line) bool {
	return (l.at(m.from).Sub(m.at(m.from))).Abs() > a.precision()
}

// exact reports whether a line is better than those that are a sampling period beside it, or differ as
// much at the ends of the recording.
func (a *aligner) exact(picks []pick, best *candidate) bool {
	first, last := extent(a.raw)
	from, to := a.common(&best.line, first, last)
	step := a.precision()
	for _, sign := range []trace.Duration{-1, 1} {
		moved, turned := best.line, best.line
		moved.offset += sign * step
		if !a.clear(picks, &best.line, &moved) {
			return false
		}
		drift := float64(sign) * float64(step) * 2e9 / float64(max(to.Sub(from), 1))
		turned.drift += drift
		if drift < maxDrift && -drift < maxDrift && !a.clear(picks, &best.line, &turned) {
			return false
		}
	}
	return true
}

// clear reports whether samples fit clearly better with one line than with another: by more than
// those that fit only one of them do by chance.
func (a *aligner) clear(picks []pick, better, worse *line) bool {
	var lead, squares int64
	for i := range picks {
		by := int64(a.weigh(&picks[i], better) - a.weigh(&picks[i], worse))
		lead += by
		squares += by * by
	}
	return lead >= leastLead && float64(lead)*float64(lead) >= 16*float64(squares)
}

// lead returns by how much samples fit better with one line than with another.
func (a *aligner) lead(picks []pick, better, worse *line) int64 {
	var lead int64
	for i := range picks {
		lead += int64(a.weigh(&picks[i], better) - a.weigh(&picks[i], worse))
	}
	return lead
}

// ambiguous returns a candidate that is apart from the best one and not clearly worse, or nil.
func (a *aligner) ambiguous(candidates []candidate, best *candidate, picks []pick) *candidate {
	for i := range candidates {
		if o := &candidates[i]; a.apart(&o.line, &best.line) && !a.clear(picks, &best.line, &o.line) {
			return o
		}
	}
	return nil
}

// misfits returns an error if samples in a row do not fit, or those that do not are just
// beside the times at which their threads ran.
func misfits(t *tally) *diag.Error {
	switch beside := float64(t.beside); {
	case t.row.worst > leastMisfit || t.row.prefix > endMisfit || t.row.suffix > endMisfit || t.thread > threadMisfit:
		return refuse("the samples fit only a part of the trace: the clock of one of them jumps, or events were lost")
	case beside > mostBeside*float64(t.checked) && beside > t.besideChance+4*math.Sqrt(t.besideChance):
		return refuse("the samples are of another recording, which is similar: %s of them are just before or after the times at which their threads ran", percent(beside/float64(t.checked)))
	}
	return nil
}

// overlaps reports whether a sample is within the trace.
func (a *aligner) overlaps(times []trace.Time, l *line) bool {
	return slices.ContainsFunc(times, func(t trace.Time) bool { return a.within(l.at(t)) })
}

func (a *aligner) within(t trace.Time) bool {
	return t > 0 && t <= trace.MaxTime && a.timeline.Span.Start <= t && t <= a.timeline.Span.End
}

// use changes the times of samples. sum is how well they fit.
func (a *aligner) use(source sample.Source, times []trace.Time, l *line, sum tally) {
	rec := a.rec
	rec.Alignment = sample.Alignment{Source: source, Checked: sum.checked, Hits: sum.hits}
	kept := rec.Samples[:0]
	known := Interval{Start: trace.Time(math.MinInt64), End: trace.Time(math.MaxInt64)}
	if source == sample.Found {
		known = a.steady(sum.first, sum.last)
	}
	for i, s := range rec.Samples {
		if s.Time = l.at(times[i]); times[i] < 0 || !a.within(s.Time) || s.Time < known.Start || s.Time > known.End {
			rec.Alignment.Outside++
			continue
		}
		if len(kept) == 0 {
			rec.Alignment.From, rec.Alignment.Offset = a.raw[i], s.Time.Sub(a.raw[i])
		}
		kept = append(kept, s)
	}
	clear(rec.Samples[len(kept):])
	rec.Samples = kept
	sortByTime(kept) // the clock of the trace may go back
	if rec.Alignment.Drift = l.drift; source == sample.Stated && rec.Profile.Clock.ID == sample.ClockMonotonic {
		rec.Alignment.Drift += a.clock(rec.Alignment.From).Drift
	}
}

func byTime(a, b sample.Sample) int { return cmp.Compare(a.Time, b.Time) }

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// percent rounds down: what is too little must not look like enough.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share*100)) }
