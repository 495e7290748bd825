package causes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

const (
	fewFrames = 20 // below it, no P95 is reported either
	weakShare = 0.4
)

const unsureCulprit = "the thread that ended the wait is of another process and served no call: it may only have been interrupted"

// against returns what speaks against the causes of a process: how little is known.
func (p *ExplainedProcess) against(q *quality.Quality) (list []string) {
	r := p.Ranking
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if r.Unmeasured > 0 {
		add("the overrun of %d of %s is unknown", r.Unmeasured, text.Count(r.Late, "late frame"))
	}
	for _, c := range r.Costs {
		if c.Missing != why.NothingMissing {
			add("the cause of %s is unknown: %s", text.Count(len(c.Late), "late frame"), causetext.Missing(c.Missing))
		}
	}
	if r.Unknown > 0 {
		add("the cause of %s ms, %s of the lost time, is unknown", text.Milliseconds(r.Unknown), text.Percent(r.Unknown, r.Lost))
	}
	if n := p.Frames.Complete - p.Frames.Judged; n > 0 {
		add("%s of %d not judged: whether they were late is unknown", text.Count(n, "frame"), p.Frames.Complete)
	}
	if n := p.Frames.Judged; n > 0 && n < fewFrames {
		add("only %s", text.Count(n, "judged frame"))
	}
	if len(r.Costs) > 1 && float64(r.Costs[0].Lost) < weakShare*float64(r.Lost) {
		add("no cause has more than %s of the lost time", text.Percent(r.Costs[0].Lost, r.Lost))
	}
	if q != nil && q.ClockAccuracy != nil {
		within := 0
		for _, e := range p.Late {
			if e.Lost > 0 && e.Lost < *q.ClockAccuracy {
				within++
			}
		}
		if within > 0 {
			add("%d of %s late by less than the accuracy of the clock offset, %s", within, text.Count(r.Late, "late frame"), *q.ClockAccuracy)
		}
	}
	return list
}

// weakBases says what late frames are compared with if frames on time are missing.
var weakBases = map[why.Basis]string{
	why.AnyPeriod:     "frames on time at other refresh rates",
	why.FewFrames:     "fewer than 8 frames on time",
	why.FastestFrames: "the fastest frames, because fewer than 3 were on time",
	why.Budget:        "the budget alone, because other frames are missing",
}

// againstCause returns what speaks against a cause of a process, or of one frame.
func (p *ExplainedProcess) againstCause(c *why.Cost, oneFrame bool) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var shares []*why.Share
	medium, low, places, unsure := 0, 0, 0, 0
	several := map[string]int{}
	weak := map[why.Basis]int{}
	frames := map[*analyzer.Frame]bool{}
	for _, f := range c.Late {
		frames[f.Frame] = true
	}
	var slowdowns []float64
	for _, e := range p.Late {
		if !frames[e.Frame] {
			continue
		}
		switch e.Confidence.String() {
		case "medium":
			medium++
		case "low":
			low++
		}
		weak[e.Basis]++
		if e.Slowdown > 0 && c.Wait == why.Run {
			slowdowns = append(slowdowns, e.Slowdown)
		}
		switch e.Outcome {
		case why.Mixed:
			several[tooSmall(e)]++
		case why.PlaceOnly:
			places++
		}
		if s := shareOf(e.Shares, c); s != nil {
			shares = append(shares, s)
			if s.Culprit != nil && !s.Culprit.Sure {
				unsure++
			}
		}
	}
	n := len(c.Late)
	if c.Outcome == why.NeverBegan {
		if n == 1 && !oneFrame {
			add("only 1 frame has it")
		}
		return list
	}
	of := func(k int) string { return fmt.Sprintf("%d of %s", k, text.Count(n, "frame")) }
	if n == 1 && !oneFrame {
		add("only 1 late frame has it")
	}
	if k := len(slowdowns); k > 0 {
		in := ""
		if k < n {
			in = " in " + of(k)
		}
		add("%s%s", causetext.Slowdown(slices.Min(slowdowns), slices.Max(slowdowns)), in)
	}
	if low > 0 {
		add("confidence is low in %s", of(low))
	}
	if medium > 0 {
		add("confidence is medium in %s", of(medium))
	}
	if places > 0 {
		add("whether the thread ran or waited is unknown in %s", of(places))
	}
	for _, why := range slices.Sorted(maps.Keys(several)) {
		add("%s in %s", why, of(several[why]))
	}
	for _, basis := range []why.Basis{why.AnyPeriod, why.FewFrames, why.FastestFrames, why.Budget} {
		if weak[basis] > 0 {
			add("what is usual is that of %s, for %s", weakBases[basis], of(weak[basis]))
		}
	}
	if unsure > 0 {
		add("%s", unsureCulprit)
	}
	if len(shares) > 0 {
		slices.SortStableFunc(shares, func(a, b *why.Share) int { return cmp.Compare(a.Value, b.Value) })
		if s := shares[(len(shares)-1)/2]; s.Compared > 0 && s.AsLong*20 >= s.Compared {
			add("%d of %s on time took as long in this, %s, %s ms or more", s.AsLong, text.Count(s.Compared, "frame"), causetext.CostTitle(c)+causetext.InStages(c), text.Milliseconds(s.Value))
		}
	}
	return list
}

// tooSmall says why no share of a frame is its cause.
func tooSmall(e *why.Explanation) string {
	switch first := &e.Shares[0]; {
	case first.Share*5 < e.Lost*2:
		return "no cause has 40 % of the overrun"
	case first.Wait == why.WaitUnknown:
		return "what the thread did in most of the overrun is unknown"
	case e.Lost < trace.Millisecond:
		return "no cause has half of an overrun below 1 ms"
	}
	return "no cause has 0.5 ms of the overrun"
}
