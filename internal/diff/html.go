package diff

import (
	"embed"
	"html/template"
	"io"

	"ohframe/analyzer/stats"
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
}).ParseFS(assets, "assets/page.html"))

// pageView is the template's input.
type pageView struct {
	*Diff
	Title             string
	Pairs             []pagePair
	More              int // pairs that are not shown
	OnlyBase, OnlyNew pageOnly
	Missing           []Outcome    // of processes that are not in the new trace
	Style             template.CSS // from assets, never from a trace
	Chart             pageChart
	Method            []string
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
	Measures     []pageMeasure
	Overview     []pageMeasure
	Outcomes     []Outcome
}

// pageMeasure is a measure with formatted values.
type pageMeasure struct {
	Label, Base, New, Change, Relative string
	Judgement                          Judgement
	Main                               bool
}

// pageChart is the geometry of the charts, in SVG units.
type pageChart struct{ Left, Top, Right, Bottom, Middle, Width, Height int }

func writeHTML(w io.Writer, d *Diff) error {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	v := pageView{
		Diff: d, Style: template.CSS(style),
		Method: d.methodText(),
		Title:  text.Printable(d.Base.Name) + " → " + text.Printable(d.New.Name) + " – frame comparison",
		Chart: pageChart{
			chartLeft, chartTop, chartLeft + chartWidth, chartTop + chartHeight, chartTop + chartHeight/2,
			chartLeft + chartWidth + 16, chartTop + chartHeight + 30,
		},
	}
	base, new := stats.NewFrames(d.Base.Timeline), stats.NewFrames(d.New.Timeline)
	outcomes := map[*Pair][]Outcome{}
	for _, o := range d.Outcomes {
		if o.Missing != nil {
			v.Missing = append(v.Missing, o)
			continue
		}
		outcomes[o.Pair] = append(outcomes[o.Pair], o)
	}
	v.OnlyBase, v.OnlyNew = newPageOnly(d.OnlyBase), newPageOnly(d.OnlyNew)
	shown := d.shown()
	v.More = len(d.Pairs) - len(shown)
	for _, p := range shown {
		pp := newPagePair(p)
		pp.Charts, pp.Outcomes = p.charts(base, new), outcomes[p]
		v.Pairs = append(v.Pairs, pp)
	}
	return pageTemplate.Execute(w, v)
}

func newPagePair(p *Pair) pagePair {
	pp := pagePair{Pair: p, Title: p.title(), About: p.about(), Findings: p.findings()}
	pp.Verdict, pp.Judgement = p.verdict()
	for _, m := range p.shown() {
		pp.Measures = append(pp.Measures, newPageMeasure(&m))
	}
	for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
		pp.Overview = append(pp.Overview, newPageMeasure(p.measure(name)))
	}
	return pp
}

func newPageMeasure(m *Measure) pageMeasure {
	return pageMeasure{
		m.definition.Label, valueText(m.Unit, m.Base), valueText(m.Unit, m.New), changeText(m.Unit, m.Delta), relativeChange(m.Relative),
		m.Judgement, m.definition.Main,
	}
}
