package diff

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/ci"
	"ohframe/internal/text"
)

//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"printable": text.Printable,
	"process":   text.Process,
	"kind":      text.Kind,
	"number":    text.Number,
	"refresh":   refreshText,
	"count":     text.Count,
	"more":      text.More,
	"judgement": Judgement.text,
	"measures":  func(list []pageMeasure, runs bool) pageMeasures { return pageMeasures{list, runs} },
	"level":     func() string { return text.Number(100*(1-stats.Level), 0) },
}).ParseFS(assets, "assets/page.html"))

// pageView is the template's input.
type pageView struct {
	*Diff
	Title             string
	Pairs             []pagePair
	More              int // pairs that are not shown
	OnlyBase, OnlyNew pageOnly
	// Failed and Unknown are the conditions that failed or could not be checked. Passed
	// counts the others.
	Failed, Unknown []Outcome
	Passed          int
	Style           template.CSS // from assets, never from a trace
	Method          []string
	Skipped         []string
}

// pageOnly lists the processes in one trace only.
type pageOnly struct {
	List []*stats.Process
	More int // processes that are not shown
}

func newPageOnly(list []*stats.Process) pageOnly {
	shown := text.Largest(list, complete)
	return pageOnly{shown, len(list) - len(shown)}
}

// pagePair is a pair as the page shows it.
type pagePair struct {
	*Pair
	Title, About string
	Findings     []finding
	Charts       []*chart
	Verdict      string
	Judgement    Judgement
	// Changed are the measures with a significant change, the worse first, and Rest all
	// others.
	Changed, Rest []pageMeasure
	Zero          int    // measures that are zero on both sides and are not listed
	LeftOut       string // what else is not listed
	Overview      []pageMeasure
	Runs          bool // there are several runs
	Costs         []causeTable
}

// pageMeasure is a measure with formatted values.
type pageMeasure struct {
	Label, Meaning, Base, New, Change, Relative string
	Judgement                                   Judgement
	Main                                        bool
	Interval                                    *interval // nil if it was not tested
	Dots                                        *dots     // nil if it was not tested
}

// pageMeasures is a table of measures.
type pageMeasures struct {
	List []pageMeasure
	Runs bool // with a column of the runs
}

// interval is the confidence interval of a change, and the changes that do not count, in
// percent of the width of a drawing, whose middle is no change.
type interval struct {
	Low, Width, Change   string
	Ignored, IgnoredWide string
	Text, P              string
}

// dots are the values of a measure in each run, as paths of an SVG that is 100 wide.
type dots struct{ Base, New, Text string }

func writeHTML(w io.Writer, d *Diff, o WriteOptions) error {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	v := pageView{
		Diff: d, Style: template.CSS(style), Method: d.methodText(), Skipped: ci.Lines(o.Skipped),
		Title:  text.Printable(d.Base.Name) + " → " + text.Printable(d.New.Name) + " – frame comparison",
		Failed: d.Failed(), Unknown: d.Unknown(),
	}
	v.Passed = len(d.Outcomes) - len(v.Failed) - len(v.Unknown)
	v.OnlyBase, v.OnlyNew = newPageOnly(d.OnlyBase), newPageOnly(d.OnlyNew)
	shown := d.shown()
	v.More = len(d.Pairs) - len(shown)
	for _, p := range shown {
		pp := newPagePair(p)
		pp.Charts = p.charts()
		v.Pairs = append(v.Pairs, pp)
	}
	return pageTemplate.Execute(w, v)
}

func newPagePair(p *Pair) pagePair {
	pp := pagePair{Pair: p, Title: p.title(), About: p.about(), Findings: p.findings(), Costs: p.causeTables(), LeftOut: p.leftOut(), Runs: len(p.base) > 1 || len(p.new) > 1}
	pp.Verdict, pp.Judgement = p.verdict()
	var better []pageMeasure
	for _, m := range p.shown() {
		row := newPageMeasure(&m)
		if m.P != nil {
			row.Interval, row.Dots = newInterval(&m), newDots(&m, p)
		}
		switch m.Judgement {
		case Worsened:
			pp.Changed = append(pp.Changed, row)
		case Improved:
			better = append(better, row)
		default:
			if !row.Main && m.Base != nil && m.New != nil && *m.Base == 0 && *m.New == 0 {
				pp.Zero++
				continue
			}
			pp.Rest = append(pp.Rest, row)
		}
	}
	pp.Changed = append(pp.Changed, better...)
	for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
		pp.Overview = append(pp.Overview, newPageMeasure(p.measure(name)))
	}
	return pp
}

func newPageMeasure(m *Measure) pageMeasure {
	return pageMeasure{
		Label: m.definition.Label, Meaning: strings.ReplaceAll(m.definition.Meaning, "`", ""), Base: text.Value(m.Unit, m.Base), New: text.Value(m.Unit, m.New),
		Change: text.Change(m.Unit, m.Delta), Relative: text.RelativeChange(m.Relative), Judgement: m.Judgement, Main: m.definition.Main,
	}
}

// newInterval returns the interval of a tested measure.
func newInterval(m *Measure) *interval {
	limit := 1.05 * max(math.Abs(*m.Low), math.Abs(*m.High), *m.MinEffect)
	at := func(x float64) float64 {
		if limit == 0 {
			return 50
		}
		return 50 + 50*x/limit
	}
	return &interval{
		Low: text.Number(at(*m.Low), 1), Width: text.Number(at(*m.High)-at(*m.Low), 1), Change: text.Number(at(*m.Delta), 1),
		Ignored: text.Number(at(-*m.MinEffect), 1), IgnoredWide: text.Number(at(*m.MinEffect)-at(-*m.MinEffect), 1),
		Text: text.Change(m.Unit, m.Low) + " to " + text.Change(m.Unit, m.High), P: strings.TrimPrefix(probability(*m.P), "p = "),
	}
}

// newDots returns the values of each run, nil if there is one on each side.
func newDots(m *Measure, p *Pair) *dots {
	base, new := values(m.definition, p.base), values(m.definition, p.new)
	if len(base) < 2 && len(new) < 2 {
		return nil
	}
	all := slices.Concat(base, new)
	least, most := slices.Min(all), slices.Max(all)
	path := func(list []float64, y int) string {
		var b strings.Builder
		for _, x := range list {
			at := 50.0
			if most > least {
				at = 4 + 92*(x-least)/(most-least)
			}
			fmt.Fprintf(&b, "M%s %dh0", text.Number(at, 1), y)
		}
		return b.String()
	}
	return &dots{path(base, 5), path(new, 13), text.Value(m.Unit, &least) + " to " + text.Value(m.Unit, &most)}
}
