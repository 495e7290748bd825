package diff

import (
	"fmt"
	"strconv"

	"ohframe/analyzer/stats"
)

// Significance is the p-value below which a change counts as more than chance. It
// is stricter than the usual 0.05 because there are several tests, and because
// successive frames are not independent, which makes p-values too small.
const Significance = 0.01

// Verdict is the result of a test.
type Verdict string

// The verdicts.
const (
	// NotTested: one of the traces has no such frames.
	NotTested Verdict = "not_tested"
	// TooFewFrames: a side has fewer than stats.MinFrames.
	TooFewFrames Verdict = "too_few_frames"
	// NoClearChange: the change may be chance. That does not prove that nothing
	// changed.
	NoClearChange Verdict = "no_clear_change"
	// More and Less: frames are longer or shorter, or late more or less often.
	More Verdict = "more"
	Less Verdict = "less"
)

// rankVerdict returns the verdict of a test on durations, which may be nil.
func rankVerdict(t *stats.RankTest) Verdict {
	if t == nil {
		return NotTested
	}
	return verdict(t.TooFewFrames, t.P, t.CliffsDelta)
}

// rateVerdict returns the verdict of a test on rates, which may be nil.
func rateVerdict(t *stats.RateTest) Verdict {
	if t == nil {
		return NotTested
	}
	return verdict(t.TooFewFrames, t.P, &t.Difference)
}

func verdict(tooFew bool, p, effect *float64) Verdict {
	switch {
	case tooFew:
		return TooFewFrames
	case *p >= Significance:
		return NoClearChange
	case *effect > 0:
		return More
	}
	return Less
}

// finding is the result of a test in words.
type finding struct {
	Name    string // what was tested
	Verdict Verdict
	Short   string // the verdict
	Text    string // the verdict with its numbers
	// Judgement is empty if no change is clear.
	Judgement Judgement
}

// findings returns the results of the pair's tests. If the refresh rates differ,
// durations are tested in periods too, and only that test is judged.
func (p *Pair) findings() []finding {
	durations := durationsFinding(p.Tests.Durations)
	if !p.Tests.RefreshDiffers {
		return []finding{durations, jankFinding(p.Tests.JankRate)}
	}
	durations.Judgement = ""
	return []finding{durations, periodsFinding(p.Tests.DurationsInPeriods), jankFinding(p.Tests.JankRate)}
}

// judgement returns the judgement of a verdict. For everything tested, more is
// worse.
func (v Verdict) judgement() Judgement {
	switch v {
	case More:
		return Worsened
	case Less:
		return Improved
	}
	return ""
}

func durationsFinding(t *stats.DurationTest) finding {
	if t == nil {
		return rankFinding("Durations", nil, "")
	}
	return rankFinding("Durations", &t.RankTest, shift(t.Shift, "ms"))
}

func periodsFinding(t *stats.DurationInPeriodsTest) finding {
	if t == nil {
		return rankFinding("In periods", nil, "")
	}
	return rankFinding("In periods", &t.RankTest, shift(t.Shift, "periods"))
}

// shift formats the typical change of a frame's duration.
func shift(x *float64, unit string) string {
	if x == nil {
		return ""
	}
	return signed(*x, 2) + " " + unit
}

func rankFinding(name string, t *stats.RankTest, shift string) finding {
	f := finding{Name: name, Verdict: rankVerdict(t)}
	f.Judgement = f.Verdict.judgement()
	switch f.Verdict {
	case NotTested:
		f.Short, f.Text = unknown, "not tested: a trace has no such frames"
	case TooFewFrames:
		f.Short, f.Text = "too few frames", tooFew(t.BaseFrames, t.NewFrames)
	default:
		f.Short = map[Verdict]string{NoClearChange: "no clear change", More: "longer", Less: "shorter"}[f.Verdict]
		f.Text = fmt.Sprintf("%s: typically %s (Mann–Whitney U test, %s, Cliff's delta %s; %d and %d frames)",
			f.Short, shift, probability(*t.P), signed(*t.CliffsDelta, 2), t.BaseFrames, t.NewFrames)
	}
	return f
}

var rateMethods = map[stats.RateMethod]string{
	stats.FisherExact:    "Fisher's exact test",
	stats.TwoProportionZ: "two-proportion z-test",
}

func jankFinding(t *stats.RateTest) finding {
	f := finding{Name: "Jank rate", Verdict: rateVerdict(t)}
	f.Judgement = f.Verdict.judgement()
	switch f.Verdict {
	case NotTested:
		f.Short, f.Text = unknown, "not tested: a trace has no frames with a deadline"
	case TooFewFrames:
		f.Short, f.Text = "too few frames", tooFew(t.BaseFrames, t.NewFrames)
	default:
		f.Short = map[Verdict]string{NoClearChange: "no clear change", More: "late more often", Less: "late less often"}[f.Verdict]
		f.Text = fmt.Sprintf("%s: %s (%s, %s; %d of %d and %d of %d frames late)", f.Short, changeText(stats.Share, &t.Difference),
			rateMethods[t.Method], probability(*t.P), t.BaseLate, t.BaseFrames, t.NewLate, t.NewFrames)
	}
	return f
}

func tooFew(base, new int) string {
	return fmt.Sprintf("too few frames to test: %d and %d; each trace needs %d", base, new, stats.MinFrames)
}

// probability formats a p-value.
func probability(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return "p = " + strconv.FormatFloat(p, 'g', 2, 64)
}
