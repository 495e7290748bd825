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
	"number":    words.Number,
	"refresh":   refreshText,
	"relative":  relativeChange,
	"frames":    frames,
	"more":      words.More,
}).ParseFS(assets, "assets/page.html"))

// pageView is what the template shows.
type pageView struct {
	*Diff
	Title             string
	Pairs             []pagePair
	More              int // pairs that are not shown
	OnlyBase, OnlyNew pageOnly
	Style             template.CSS // of the project, not of a trace
	Chart             pageChart
}

// pageOnly are the processes of one trace alone.
type pageOnly struct {
	List []*stats.Process
	More int // that are not shown
}

func newPageOnly(list []*stats.Process) pageOnly {
	shown := words.Largest(list, complete)
	return pageOnly{shown, len(list) - len(shown)}
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
	base, new := stats.NewFrames(d.Base.Timeline), stats.NewFrames(d.New.Timeline)
	outcomes := map[*Pair][]Outcome{}
	for _, o := range d.Outcomes {
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
		m.kind.Label, valueText(m.Unit, m.Base), valueText(m.Unit, m.New), changeText(m.Unit, m.Delta), relativeChange(m.Relative),
		m.Judgement, m.kind.Main,
	}
}
