package report

import (
	"embed"
	"html/template"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/words"
)

// The page's template, style and script are the project's; uPlot is
// https://github.com/leeoniya/uPlot, version 1.6.32, under the MIT licence.
//
//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"printable": words.Printable,
	"process":   words.Process,
	"kind":      func(k stats.Kind) string { return words.Kinds[k] },
	"stage":     stats.Stage.Label,
	"longest":   stageName,
	"event":     func(e stats.Event) string { return eventNames[e] },
	"refresh":   refreshText,
	"noHitches": noHitches,
	"percent":   words.Share,
	"ms":        ms,
	"msOrNot":   milliseconds,
	"number":    words.Number,
	"vsync":     vsync,
	"whole":     whole,
	"count":     count,
	"share":     share,
	"at":        func(t trace.Time, p pageProcess) pageTime { return pageTime{t, p.Charts} },
	"seconds":   seconds,
	"more":      words.More,
}).ParseFS(assets, "assets/page.html"))

// pageView is what the template shows.
type pageView struct {
	Title     string
	Inputs    []pageInput
	Processes []pageProcess // of all inputs
	Data      pageData
	// Of the project and uPlot, not of a trace.
	Style         template.CSS
	UPlot, Script template.JS

	drawn int // frames in charts, of all inputs
}

// maxDrawn is how many frames a page has charts of. A browser opens a page of as
// many in seconds.
const maxDrawn = 1 << 20

type pageInput struct {
	Name      string
	Span      *stats.Span
	Processes []pageProcess
	More      int // processes that are not shown
	Gfxinfo   []gfxinfoSummary
}

// pageProcess is a process, with what the template would have to work out.
type pageProcess struct {
	*stats.Process
	ID     int    // its place among all
	Input  string // empty if there is one input
	Charts bool
	// Undrawn counts the frames of a process that has no charts because there are
	// too many frames on the page.
	Undrawn int
	Marks   []part
	// Blame and Stutter divide late frames.
	Blame, Stutter parts
	// StageScale is the longest P90 of a stage, to draw all in relation to it.
	StageScale trace.Duration
}

// pageTime is when a frame begins, and whether there is a chart to show it in.
type pageTime struct {
	At     trace.Time
	Charts bool
}

// part is some of a process's frames, by the look and the name that they have.
type part struct {
	ID, Name string
	Frames   int
}

// parts divide frames.
type parts []part

// Sum returns how many frames there are in all parts.
func (p parts) Sum() (sum int) {
	for _, x := range p {
		sum += x.Frames
	}
	return sum
}

// pageData is what the script draws.
type pageData struct {
	Marks     []string        `json:"marks"`     // by number
	Names     []string        `json:"names"`     // of the marks, for people
	Processes []*frameColumns `json:"processes"` // null where there is nothing to draw
	Periods   [][]float64     `json:"periods"`   // of each process, in ms
}

func writeHTML(w io.Writer, inputs []Input) error {
	p := pageView{
		Title: "Frame report",
		Data:  pageData{Processes: []*frameColumns{}, Periods: [][]float64{}},
		Style: template.CSS(asset("uPlot.min.css") + asset("page.css")),
		// Its licence asks to be part of every copy.
		UPlot:  template.JS("/*\n" + asset("uPlot.LICENSE") + "*/\n" + asset("uPlot.min.js")),
		Script: template.JS(asset("charts.js") + asset("timechart.js") + asset("distributions.js") + asset("page.js")),
	}
	for _, m := range markInfo {
		p.Data.Marks = append(p.Data.Marks, m.ID)
		p.Data.Names = append(p.Data.Names, m.Name)
	}
	for _, in := range inputs {
		p.add(in, len(inputs) > 1)
	}
	if len(inputs) == 1 {
		p.Title = words.Printable(inputs[0].Name) + " – frame report"
	}
	return pageTemplate.Execute(w, p)
}

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // a name misspelt above
	}
	return strings.TrimRight(string(data), "\n") + "\n"
}

func (p *pageView) add(in Input, several bool) {
	input := pageInput{Name: words.Printable(in.Name), Span: in.Stats.Span, Gfxinfo: gfxinfoSummaries(in.Gfxinfo, false)}
	frames := stats.NewFrames(in.Timeline)
	shown := words.Largest(in.Stats.Processes, complete)
	input.More = len(in.Stats.Processes) - len(shown)
	for _, s := range shown {
		list := frames.Of(s)
		undrawn := 0
		if p.drawn+len(list) > maxDrawn {
			list, undrawn = nil, len(list)
		}
		p.drawn += len(list)
		columns := newFrameColumns(list)
		pp := pageProcess{Process: s, ID: len(p.Processes), Charts: columns != nil, Undrawn: undrawn}
		if several {
			pp.Input = input.Name
		}
		if columns != nil {
			pp.Marks = countMarks(s.Kind, columns.Mark)
		}
		for _, t := range s.Stages {
			if t.P90 != nil {
				pp.StageScale = max(pp.StageScale, *t.P90)
			}
		}
		periods := []float64{}
		for _, r := range s.Refresh {
			periods = append(periods, r.Period.Milliseconds())
		}
		st := s.Stutter
		pp.Blame = blameParts(&s.WholeFrames.Blame)
		pp.Stutter = parts{
			{"slight", "slight, < 2", st.Slight}, {"medium", "medium, 2–6", st.Medium},
			{"severe", "severe, > 6", st.Severe}, {"no-deadline", "period not known", st.Unknown},
		}
		input.Processes = append(input.Processes, pp)
		p.Processes = append(p.Processes, pp)
		p.Data.Processes = append(p.Data.Processes, columns)
		p.Data.Periods = append(p.Data.Periods, periods)
	}
	p.Inputs = append(p.Inputs, input)
}

func countMarks(kind stats.Kind, marks []mark) []part {
	var counts [marksCount]int
	for _, m := range marks {
		counts[m]++
	}
	var list []part
	for _, m := range marksOf(kind) {
		list = append(list, part{markInfo[m].ID, markInfo[m].Name, counts[m]})
	}
	return list
}

// share returns the part of a whole in percent, for the width of a bar.
func share(part *trace.Duration, whole trace.Duration) string {
	if whole == 0 {
		return "0"
	}
	return words.Number(float64(*part)/float64(whole)*100, 2)
}
