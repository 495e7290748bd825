package diff

import (
	"embed"
	"html/template"
	"io"

	"ohframe/analyzer/stats"
	"ohframe/internal/words"
)

//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"printable": words.Printable,
	"process":   words.Process,
	"kind":      func(k stats.Kind) string { return words.Kinds[k] },
	"number":    number,
	"refresh":   refreshText,
	"relative":  relativeChange,
	"frames":    frames,
}).ParseFS(assets, "assets/page.html"))

// pageView is what the template shows.
type pageView struct {
	*Diff
	Title string
	Pairs []pagePair
	Style template.CSS // of the project, not of a trace
	Chart pageChart
}

// pagePair is a pair, with what the template would have to work out.
type pagePair struct {
	*Pair
	Title, About string
	Findings     []finding
	Charts       []*chart
	Measures     []pageMeasure
	Overview     []pageMeasure
	Outcomes     []Outcome
}

// pageMeasure is a measure in words.
type pageMeasure struct {
	Label, Base, New, Change, Relative string
	Judgement                          Judgement
	Main                               bool
}

// pageChart is where the charts' area is.
type pageChart struct{ Left, Top, Right, Bottom, Middle, Width, Height int }

func writeHTML(w io.Writer, d *Diff) error {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	v := pageView{
		Diff: d, Style: template.CSS(style),
		Title: words.Printable(d.Base.Name) + " → " + words.Printable(d.New.Name) + " – frame comparison",
		Chart: pageChart{
			chartLeft, chartTop, chartLeft + chartWidth, chartTop + chartHeight, chartTop + chartHeight/2,
			chartLeft + chartWidth + 16, chartTop + chartHeight + 30,
		},
	}
	for _, p := range d.Pairs {
		v.Pairs = append(v.Pairs, d.newPagePair(p))
	}
	return pageTemplate.Execute(w, v)
}

func (d *Diff) newPagePair(p *Pair) pagePair {
	pp := pagePair{Pair: p, Title: p.title(), About: p.about(), Findings: p.findings(), Charts: d.charts(p)}
	for _, m := range p.shown() {
		pp.Measures = append(pp.Measures, newPageMeasure(&m))
	}
	for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
		pp.Overview = append(pp.Overview, newPageMeasure(p.measure(name)))
	}
	for _, o := range d.Outcomes {
		if o.Pair == p {
			pp.Outcomes = append(pp.Outcomes, o)
		}
	}
	return pp
}

func newPageMeasure(m *Measure) pageMeasure {
	return pageMeasure{
		m.kind.label, m.Unit.value(m.Base), m.Unit.value(m.New), m.Unit.change(m.Delta), relativeChange(m.Relative),
		m.Judgement, m.kind.main,
	}
}
