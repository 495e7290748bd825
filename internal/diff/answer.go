package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// maxNamed is the number of processes, of interactions and of layers, that the answer names for each word.
const maxNamed = 3

// maxValues is the number of measures with values in the answer.
const maxValues = 3

// answer says what changed: in a headline in the process, interaction or layer that changed most, with its values and
// whether that is significant, and in sentences elsewhere, and what else differs.
func (d *Diff) answer() (a text.Answer) {
	say := func(format string, args ...any) {
		a.Sentences = append(a.Sentences, capital(fmt.Sprintf(format, args...)))
	}
	of := map[Verdict]int{}
	for _, p := range d.Pairs {
		of[p.verdict()]++
	}
	changed, ranked := d.changed(), d.ranked()
	anyChanged := len(changed)
	unclear := d.counts(of[Unclear], func(g *Group) bool { return worst(g.Measures) == Unclear })
	switch {
	case len(changed) > 0:
		first := changed[0]
		a.Summary = fmt.Sprintf("%s is %s: %s", first.title, first.verdict.word(), &first)
		changed = changed[1:]
		if i := slices.IndexFunc(changed, func(c changeOf) bool { return c.verdict != first.verdict && c.measures[0] == first.measures[0] }); i >= 0 {
			a.Summary += fmt.Sprintf(", but %s: %s", changed[i].verdict.word(), &changed[i])
			changed = slices.Delete(changed, i, i+1)
		} else if m := opposite(first.leading, first.verdict); m != nil {
			a.Summary += fmt.Sprintf(", but %s (%s)", m.words(), cmp.Or(m.Verdict.word(), notTested))
		}
		for _, v := range []Verdict{Worse, Better} {
			var names []string
			for _, c := range changed {
				if c.verdict == v {
					names = append(names, c.title+" ("+strings.Join(labels(c.measures, v), ", ")+")")
				}
			}
			if len(names) > 0 {
				also := ""
				if v == first.verdict {
					also = "also "
				}
				say("%s%s: %s", also, v.word(), strings.Join(firstOf(names), ", "))
			}
		}
		if unclear != "" {
			say("no significant change in %s", unclear)
		}
	case unclear != "":
		a.Summary = "No significant change in " + unclear
		if i := slices.IndexFunc(ranked, func(p *Pair) bool { return p.verdict() == Unclear }); i >= 0 {
			a.Summary += "; " + ranked[i].title() + ": " + ranked[i].values()
		}
	case len(ranked) > 0:
		a.Summary = fmt.Sprintf("%s: %s; %s, so not tested", ranked[0].title(), cmp.Or(ranked[0].values(), "no value is known on both sides"), d.whyNotTested())
	default:
		a.Summary = fmt.Sprintf("%s compared, no frames; %s, so not tested", d.counts(0, func(*Group) bool { return true }), d.whyNotTested())
	}
	switch main := d.mainOnOneSide(); {
	case main == "":
	case anyChanged > 0:
		a.Sentences = append(a.Sentences, main)
	default:
		a.Summary, a.Sentences = main, slices.Insert(a.Sentences, 0, a.Summary)
	}
	if n := of[NotTested]; n > 0 && anyChanged+len(unclear) > 0 {
		say("%s not tested: %s", text.Count(n, "process"), d.whyNotTested())
	}
	for side, name := range []string{"base", "new"} {
		if list := firstOf(d.hangsOnlyIn(side)); len(list) > 0 {
			say("hangs only in %s: %s", name, strings.Join(list, ", "))
		}
	}
	for _, display := range d.slowerDisplays() {
		say("%s", display)
	}
	return a
}

// whyNotTested says in a few words what is missing for a test.
func (d *Diff) whyNotTested() string {
	switch {
	case d.oneRunEach():
		return "one run each"
	case !d.enoughUnits():
		return "too few " + d.unit + "s"
	}
	return "too few frames"
}

// verdict is the answer in one paragraph.
func (d *Diff) verdict() string {
	a := d.answer()
	return strings.Join(append([]string{a.Summary}, a.Sentences...), ". ")
}

// changeOf is what changed significantly in one direction in a process, an interaction or a layer.
type changeOf struct {
	title    string
	measures []*Measure
	verdict  Verdict
	leading  []*Measure // of a process
}

// changed returns what changed significantly: the worse first, processes before interactions and layers.
func (d *Diff) changed() (list []changeOf) {
	for _, v := range []Verdict{Worse, Better} {
		add := func(title string, measures, leading []*Measure) {
			if len(labels(measures, v)) > 0 {
				list = append(list, changeOf{title, measures, v, leading})
			}
		}
		for _, p := range d.ranked() {
			add(p.title(), p.tested, p.leading())
		}
		for _, groups := range d.groups() {
			for _, g := range groups.worstFirst() {
				add(g.words(), g.Measures, nil)
			}
		}
	}
	return list
}

// String has the measures with their values: "jank rate 5.0 % → 10.0 %, duration P95 19.0 → 39.0 ms".
func (c *changeOf) String() string {
	var list []*Measure
	for _, m := range c.measures {
		if m.Verdict == c.verdict {
			list = append(list, m)
		}
	}
	var words []string
	for _, m := range list[:min(len(list), maxValues)] {
		words = append(words, m.words())
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// words is the measure with its values: "jank rate 5.0 % → 10.0 %".
func (m *Measure) words() string { return m.name() + " " + m.values() + text.UnitAfter(m.Unit) }

// name is that of the measure within a sentence, without its unit.
func (m *Measure) name() string {
	if m.definition == nil {
		return "lost time"
	}
	return text.Label(m.definition)
}

// lost is the lost time per second, or the hitch ratio if the causes are unknown.
func (p *Pair) lost() *Measure {
	if p.Causes == nil || p.RulesDiffer || p.Causes.Lost.Delta == nil {
		return p.measure("hitch_ratio")
	}
	return p.Causes.Lost.Measure
}

// leading are the measures that matter most in a process: the jank rate, the lost time, or the hitches where its causes are
// unknown, the frame rate and the duration of frames. Those that do not compare are left out.
func (p *Pair) leading() (list []*Measure) {
	for _, name := range comparableNames(stats.Leading, p.RefreshDiffers) {
		m := p.measure(name)
		if name == "hitch_ratio" {
			m = p.lost()
		}
		if m.Delta != nil && m.incomparable == "" {
			list = append(list, m)
		}
	}
	return list
}

// direction returns Better or Worse for a change that is large enough to count, whether or not it may be chance; otherwise the zero value.
func (m *Measure) direction() Verdict {
	switch {
	case m.equal() || m.Better == stats.Neither || math.Abs(*m.Delta) < m.smallest(nil):
		return ""
	case (*m.Delta < 0) == (m.Better == stats.Lower):
		return Better
	}
	return Worse
}

// opposite returns the first measure that went the other way than v; nil without one.
func opposite(list []*Measure, v Verdict) *Measure {
	other := map[Verdict]Verdict{Better: Worse, Worse: Better}[v] // empty for other verdicts
	if i := slices.IndexFunc(list, func(m *Measure) bool { return other != "" && m.direction() == other }); i >= 0 {
		return list[i]
	}
	return nil
}

// values are the first two of the leading measures that changed, and one that went the other way than both. It is empty if
// none is known on both sides.
func (p *Pair) values() string {
	var changed, equal []string
	var all []*Measure
	for _, m := range p.leading() {
		if m.equal() {
			equal = append(equal, m.name()+" "+text.Value(m.Unit, m.Base)+text.UnitAfter(m.Unit))
		} else {
			changed, all = append(changed, m.words()), append(all, m)
		}
	}
	if len(changed) == 0 && len(equal) > 0 {
		return strings.Join(equal[:min(2, len(equal))], ", ") + " on both sides"
	}
	words := strings.Join(changed[:min(2, len(changed))], ", ")
	if len(all) > 2 && opposite(all[:2], all[0].direction()) == nil {
		if m := opposite(all[2:], cmp.Or(all[0].direction(), all[1].direction())); m != nil {
			words += ", but " + m.words()
		}
	}
	return words
}

// mainOnOneSide says which applications that have the most frames of their side are not on the other; empty if both are.
func (d *Diff) mainOnOneSide() string {
	var words []string
	for side, only := range [][]*stats.Process{d.OnlyBase, d.OnlyNew} {
		p := largestApplication(only)
		if p == nil || slices.ContainsFunc(d.Pairs, func(q *Pair) bool {
			of := [2]*stats.Process{q.Base, q.New}[side]
			return of.Kind == stats.Application && frames(of) >= frames(p)
		}) {
			continue
		}
		words = append(words, text.Process(p)+" is only in "+[2]string{"base", "new"}[side])
	}
	return strings.Join(words, ", ")
}

// ranked returns the pairs that are shown: those that became worse first, of those with the same
// verdict those whose lost time changed most, then those with a known jank rate and those with the most late frames.
func (d *Diff) ranked() []*Pair {
	list := slices.Clone(text.Largest(d.Pairs, func(p *Pair) int { return frames(p.Base) + frames(p.New) }))
	change := func(p *Pair) float64 {
		if lost := p.lost(); lost.Delta != nil {
			return math.Abs(*lost.Delta)
		}
		return 0
	}
	late := func(p *Pair) int { return p.Base.Frames.Late + p.New.Frames.Late }
	known := func(p *Pair) int {
		if p.measure("jank_rate").Delta == nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *Pair) int {
		return cmp.Or(
			cmp.Compare(a.verdict().rank(), b.verdict().rank()), cmp.Compare(change(b), change(a)), cmp.Compare(known(b), known(a)),
			cmp.Compare(late(b), late(a)),
		)
	})
	return list
}
