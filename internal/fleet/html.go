package fleet

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/internal/text"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is the template's input.
type page struct {
	Title, Summary string
	Warnings       []string
	Legend         []string
	WorstTitle     string
	By             []string
	Devices        bool // the dataset has the dimension device
	Measures       []pageTitle
	Groups         []pageGroup
	Trend          string
	Charts         []chart
	Causes         []pageCause
	Worst          []pageWorst
}

type pageGroup struct{ Key, Cells []string }

// pageTitle is the title of a column, and the full name of its measure.
type pageTitle struct{ Text, Label string }

type pageCause struct{ Lost, Frames, Name string }

type pageWorst struct{ Late, Process, Open, Why string }

// chart is the jank rate of groups that differ in one dimension.
type chart struct {
	Name, Top, First, Last, Points string
	Marks                          []mark
	frames                         int64
}

type mark struct {
	X, Y  string
	Title string
}

// trends are dimensions whose order means time, the best first.
var trends = []string{recordedDay, "day", "date", "week", "month", "build", "version", "app_version", "os_version"}

// maxCharts is the number of charts: of the groups with the most frames.
const maxCharts = 24

func (r *Report) writeHTML(w io.Writer) error {
	p := page{Title: "Frames of " + r.Dataset.Dir, Summary: r.Dataset.summary(), Warnings: r.Dataset.Warnings(), By: r.By, Legend: r.legend(), WorstTitle: worstTitle}
	p.Devices = slices.ContainsFunc(r.Groups, func(g *Group) bool { return len(g.Devices) > 0 })
	for _, shown := range tableMeasures {
		p.Measures = append(p.Measures, pageTitle{shown.title, measure(shown.name).Label})
	}
	for _, g := range r.Groups {
		row := pageGroup{Key: keyTexts(g.Key), Cells: []string{strconv.Itoa(g.Traces)}}
		perUnit := [][]Rate{g.Rates}
		if p.Devices {
			row.Cells = append(row.Cells, strconv.Itoa(len(g.Devices)))
			perUnit = append(perUnit, g.Devices)
		}
		row.Cells = append(row.Cells, strconv.FormatInt(g.sum("frames"), 10))
		for _, shown := range tableMeasures {
			m := measure(shown.name)
			row.Cells = append(row.Cells, numberText(m, m.Of(&g.Totals)))
		}
		for _, rates := range perUnit {
			if d := newDistribution(rates); d != nil {
				row.Cells = append(row.Cells, percentText(d.P50), percentText(d.P90))
			} else {
				row.Cells = append(row.Cells, unknownText, unknownText)
			}
		}
		p.Groups = append(p.Groups, row)
	}
	for _, name := range trends {
		if i := slices.Index(r.By, name); i >= 0 {
			p.Trend, p.Charts = name, r.charts(i)
			break
		}
	}
	for _, c := range r.causes() {
		p.Causes = append(p.Causes, pageCause{text.Milliseconds(c.Lost), strconv.FormatInt(c.Frames, 10), text.Printable(c.Name)})
	}
	for _, f := range r.worst() {
		p.Worst = append(p.Worst, pageWorst{text.Number(f.Overrun.Milliseconds(), 1), keyText(&f.Process), text.Line(f.OpenCommand()), text.Line(f.WhyCommand())})
	}
	return pageTemplate.Execute(w, p)
}

func keyTexts(key []*string) (list []string) {
	for _, value := range key {
		list = append(list, keyText(value))
	}
	return list
}

func percentText(share float64) string { return text.Number(100*share, 2) + " %" }

// charts returns a chart for each set of groups that differ in nothing but the given
// part of their keys. The groups are in the order of their keys.
func (r *Report) charts(trend int) (charts []chart) {
	series := map[string][]*Group{}
	var names []string
	jank := measure("jank_rate")
	for _, g := range r.Groups {
		if g.Key[trend] == nil || jank.Of(&g.Totals) == nil {
			continue
		}
		name := strings.Join(keyTexts(slices.Delete(slices.Clone(g.Key), trend, trend+1)), " · ")
		if series[name] == nil {
			names = append(names, name)
		}
		series[name] = append(series[name], g)
	}
	const left, width, bottom, height = 40.0, 270.0, 120.0, 105.0
	for _, name := range names {
		groups := series[name]
		if len(groups) < 2 {
			continue
		}
		top := 0.0
		for _, g := range groups {
			top = max(top, *jank.Of(&g.Totals))
		}
		c := chart{Name: name, Top: percentText(top), First: keyText(groups[0].Key[trend]), Last: keyText(groups[len(groups)-1].Key[trend])}
		var points []string
		for i, g := range groups {
			rate := *jank.Of(&g.Totals)
			x := left + width*float64(i)/float64(len(groups)-1)
			y := bottom
			if top > 0 {
				y -= height * rate / top
			}
			m := mark{text.Number(x, 1), text.Number(y, 1), fmt.Sprintf("%s: %s of %s", keyText(g.Key[trend]), percentText(rate), text.Count(int(g.sum("frames")), "frame"))}
			points = append(points, m.X+","+m.Y)
			c.Marks = append(c.Marks, m)
			c.frames += g.sum("frames")
		}
		c.Points = strings.Join(points, " ")
		charts = append(charts, c)
	}
	slices.SortStableFunc(charts, func(a, b chart) int { return int(min(1, max(-1, b.frames-a.frames))) })
	return charts[:min(maxCharts, len(charts))]
}
