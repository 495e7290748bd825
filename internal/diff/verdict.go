package diff

import (
	"fmt"
	"strconv"

	"ohframe/analyzer/stats"
)

// Significance is the p-value below which a change is taken for more than
// chance. It is stricter than the customary 0.05: there are several tests, and
// as frames are not quite independent of each other, p-values come out too small.
const Significance = 0.01

// Verdict is what a test says of a change.
type Verdict string

// The verdicts.
const (
	// NotTested: one of the traces has none of the frames in question.
	NotTested Verdict = "not_tested"
	// TooFewFrames: a side has fewer than stats.MinFrames.
	TooFewFrames Verdict = "too_few_frames"
	// NoClearChange: what change there is may be chance. That does not prove that
	// there is none.
	NoClearChange Verdict = "no_clear_change"
	// More and Less: frames are longer and shorter, or late more and less often.
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

// finding is a test in words.
type finding struct {
	Name    string // of what was tested
	Verdict Verdict
	Short   string // the verdict
	Text    string // and the numbers behind it
	// Judgement tells whether the change is for the better; empty if that is not
	// clear.
	Judgement Judgement
}

// findings returns the tests of the pair. Where refresh rates differ, durations
// are tested in periods as well, and only then for better or worse.
func (p *Pair) findings() []finding {
	durations := durationsFinding(p.Tests.Durations)
	if !p.Tests.RefreshDiffers {
		return []finding{durations, jankFinding(p.Tests.JankRate)}
	}
	durations.Judgement = ""
	return []finding{durations, periodsFinding(p.Tests.DurationsInPeriods), jankFinding(p.Tests.JankRate)}
}

// judgement returns what a verdict means: with all that is tested, more is worse.
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

// shift says how much longer frames typically are.
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
		f.Short, f.Text = unknown, "not tested: one of the traces has no such frames"
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
		f.Short, f.Text = unknown, "not tested: one of the traces has no frames with a deadline"
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
	return fmt.Sprintf("too few frames to tell: %d and %d, of %d that each trace must have", base, new, stats.MinFrames)
}

// probability prints a p-value.
func probability(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return "p = " + strconv.FormatFloat(p, 'g', 2, 64)
}
