package report

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/ci"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

// assets includes uPlot 1.6.32, https://github.com/leeoniya/uPlot, under the MIT
// licence.
//
//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"process":   text.Process,
	"pid":       pidText,
	"kind":      text.Kind,
	"stage":     stats.Stage.Label,
	"event":     func(e stats.Event) string { return eventNames[e] },
	"refresh":   refreshText,
	"noHitches": noHitches,
	"percent":   text.Share,
	"ms":        ms,
	"tenths":    text.Milliseconds,
	"msOrNot":   milliseconds,
	"number":    text.Number,
	"vsync":     vsync,
	"count":     text.Count,
	"share":     share,
	"estimated": func(f stats.Counts) string { return estimated(&f) },
	"at":        func(t trace.Time, p pageProcess) pageTime { return p.time(t) },
	"term":      define,
	"stageTerm": defineStage,
	"meaning":   meaning,
	"terms":     pageTerms,
	"seconds":   seconds,
	"more":      text.More,
}).ParseFS(assets, "assets/page.html"))

// pageView is the template's input.
type pageView struct {
	Title     string
	Skipped   []string
	Inputs    []pageInput
	Processes []pageProcess // of all inputs
	First     int           // the process that the page shows first
	Compared  []compared
	Data      pageData
	// Style and the scripts come from assets, never from a trace.
	Style         template.CSS
	UPlot, Script template.JS

	thresholds rating.Thresholds

	drawn  int // frames in charts, of all inputs
	listed int // late frames with their bars, of all inputs
}

// maxDrawn is the number of frames in the charts of a page. A browser opens such a
// page in seconds.
const maxDrawn = 1 << 20

type pageInput struct {
	Name      string
	Span      *stats.Span
	Recording *Recording
	Quality   *quality.Quality
	Processes []pageProcess
	More      int // processes that are not shown
}

// pageProcess is a process as the page shows it.
type pageProcess struct {
	*stats.Process
	ID     int    // index in pageView.Processes
	Input  string // empty if there is one input
	Span   *stats.Span
	origin trace.Time // from which the times of frames count
	Charts bool
	levels rating.Thresholds
	// Undrawn is the number of frames of a process that has no charts because the
	// page has too many frames.
	Undrawn int
	Strip   *strip // nil without charts
	// Marks are filters of the frames. Their counts overlap.
	Marks []group
	// Blame and Stutter divide the late frames.
	Blame, Stutter groups
	// StageScale is the longest P90 of a stage: a full bar.
	StageScale trace.Duration
	// Why is nil if no frame was late or the causes are unknown.
	Why *whyView
	// WorstCauses are what the list of worst frames says about each.
	WorstCauses explanations
}

// Colours says from which values on those of a threshold are coloured, and who says so.
func (p pageView) Colours(name string) string {
	for _, t := range p.thresholds {
		if t.Name == name {
			return fmt.Sprintf("%s: yellow from %g, red above %g (%s)", t.Label, t.Warning, t.Critical, t.Source)
		}
	}
	panic("no threshold " + name)
}

// pageTime is the start of a frame.
type pageTime struct {
	At     trace.Time
	Since  string // the time since the start of the trace, empty if that is unknown
	Charts bool   // it links to the frame
}

func (p *pageProcess) time(at trace.Time) pageTime {
	t := pageTime{At: at, Charts: p.Charts}
	if p.origin.Known() {
		t.Since = sinceText(at.Sub(p.origin))
	}
	return t
}

// group is a number of frames with the style and the name of what they share.
type group struct {
	ID, Name string
	Frames   int
	Term     string // of the glossary, may be empty
}

// groups divide frames.
type groups []group

// Any reports whether there are frames.
func (g groups) Any() bool {
	return slices.ContainsFunc(g, func(group group) bool { return group.Frames > 0 })
}

// pageData is the script's input.
type pageData struct {
	Marks     []string          `json:"marks"`     // style classes
	Names     []string          `json:"names"`     // displayed names of the marks
	Processes []*frameColumns   `json:"processes"` // null for a process without charts
	Periods   [][]float64       `json:"periods"`   // refresh periods of each process, in ms
	Info      []processData     `json:"info"`      // of each process
	Stages    map[string]string `json:"stages"`    // displayed names
}

// processData is what the script needs to know of a process.
type processData struct {
	Name    string      `json:"name"`
	PID     trace.PID   `json:"pid"`
	Render  bool        `json:"render"`  // a render service
	Service int         `json:"service"` // the process of the render service that picked up its frames, or -1
	From    *string     `json:"from"`    // start of the trace, nanoseconds of trace time
	File    string      `json:"file"`    // the input as a word of a shell command, empty if it has no name
	Length  float64     `json:"length"`  // of the moments, in seconds
	Moments []momentRow `json:"moments"`
	// Percentiles are those of the durations that are known.
	Percentiles []int `json:"percentiles"`
}

// knownPercentiles returns the percentiles of durations that are known. d may be nil.
func knownPercentiles(d *stats.Durations) []int {
	if d == nil {
		return []int{}
	}
	list := []int{50, 90}
	if d.P95 != nil {
		list = append(list, 95)
	}
	if d.P99 != nil {
		list = append(list, 99)
	}
	return list
}

func writeHTML(w io.Writer, inputs []Input, o Options) error {
	p := pageView{
		thresholds: *cmp.Or(o.Thresholds, &rating.Default),
		Title:      "Frame report",
		Skipped:    ci.Lines(o.Skipped),
		Data:       pageData{Processes: []*frameColumns{}, Periods: [][]float64{}, Info: []processData{}, Stages: map[string]string{}},
		Style:      template.CSS(asset("uPlot.min.css") + asset("page.css")),
		// uPlot's licence must be part of every copy.
		UPlot:  template.JS("/*\n" + asset("uPlot.LICENSE") + "*/\n" + asset("uPlot.min.js")),
		Script: template.JS(asset("charts.js") + asset("frame.js") + asset("timechart.js") + asset("distributions.js") + asset("page.js")),
	}
	for _, m := range markInfo {
		p.Data.Marks = append(p.Data.Marks, m.ID)
		p.Data.Names = append(p.Data.Names, m.Name)
	}
	for s := stats.Receive; s <= stats.ToPresent; s++ {
		p.Data.Stages[s.String()] = s.Label()
	}
	for _, in := range inputs {
		p.add(in, len(inputs) > 1)
	}
	p.Compared = compareInputs(inputs)
	if len(inputs) == 1 {
		p.Title = text.Printable(inputs[0].Name) + " – frame report"
	}
	return pageTemplate.Execute(w, p)
}

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // a misspelt name above
	}
	return strings.TrimRight(string(data), "\n") + "\n"
}

func (p *pageView) add(in Input, several bool) {
	input := pageInput{Name: text.Printable(in.Name), Span: in.Stats.Span, Recording: in.Recording, Quality: in.Quality}
	frames := stats.NewFrames(in.Timeline)
	moments := stats.NewMoments(in.Timeline)
	known := in.causes()
	shown := text.Largest(in.Stats.Processes, complete)
	input.More = len(in.Stats.Processes) - len(shown)
	service := slices.IndexFunc(shown, func(s *stats.Process) bool { return s.Kind == stats.RenderService })
	if service >= 0 {
		service += len(p.Processes)
	}
	for _, s := range shown {
		list := frames.Of(s)
		undrawn := 0
		if p.drawn+len(list) > maxDrawn {
			list, undrawn = nil, len(list)
		}
		p.drawn += len(list)
		columns := newFrameColumns(list, s.Frames.Empty != nil)
		pp := pageProcess{Process: s, ID: len(p.Processes), Span: in.Stats.Span, origin: in.origin(), Charts: columns != nil, Undrawn: undrawn, levels: p.thresholds}
		if several {
			pp.Input = input.Name
		}
		info := processData{Name: text.Printable(s.Name), PID: s.PID, Render: s.Kind == stats.RenderService, Service: service, File: in.file(), Moments: []momentRow{}, Percentiles: knownPercentiles(s.Durations)}
		if in.Stats.Span != nil {
			from := strconv.FormatInt(int64(pp.origin), 10)
			info.From = &from
		}
		if columns != nil {
			pp.Marks = countMarks(s.Kind, columns.Marks)
			base, ofTime := list[0].Actual.Start, moments.Of(s)
			pp.Strip = newStrip(ofTime, base.Add(trace.Duration(columns.Whole[0])), base.Add(trace.Duration(columns.Whole[1])))
			info.Length = seconds(ofTime[0].To.Sub(ofTime[0].From))
			for _, m := range ofTime {
				info.Moments = append(info.Moments, momentRow{m})
			}
		}
		causes := known(s)
		pp.WorstCauses = worstCauses(s, causes)
		if pp.Why = newWhyView(causes, in.Causes, in.Quality, &pp, maxLateOnPage-p.listed); pp.Why != nil {
			p.listed += len(pp.Why.Frames)
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
		if s.Kind == stats.Application { // the render service's whole frames are theirs
			pp.Blame = blameGroups(&s.WholeFrames.Blame)
		}
		pp.Stutter = groups{
			{"slight", "slight, < 2", st.Slight, ""}, {"medium", "medium, 2–6", st.Medium, ""},
			{"severe", "severe, > 6", st.Severe, ""}, {"no-deadline", "period unknown", st.Unknown, ""},
		}
		if s.Frames.Late > 0 && (len(p.Processes) == 0 || p.Processes[p.First].Frames.Late == 0) {
			p.First = len(p.Processes)
		}
		input.Processes = append(input.Processes, pp)
		p.Processes = append(p.Processes, pp)
		p.Data.Processes = append(p.Data.Processes, columns)
		p.Data.Info = append(p.Data.Info, info)
		p.Data.Periods = append(p.Data.Periods, periods)
	}
	p.Inputs = append(p.Inputs, input)
}

func countMarks(kind stats.Kind, list []marks) []group {
	var counts [markCount]int
	for _, m := range list {
		for x := range markCount {
			if m.has(x) {
				counts[x]++
			}
		}
	}
	var groups []group
	for _, x := range marksOfKind(kind) {
		groups = append(groups, group{markInfo[x].ID, markInfo[x].Name, counts[x], markInfo[x].Term})
	}
	return groups
}

// share returns d/whole in percent, for the width of a bar.
func share(d *trace.Duration, whole trace.Duration) string {
	if whole == 0 {
		return "0"
	}
	return text.Number(float64(*d)/float64(whole)*100, 2)
}

// JankLevel returns the class of the process's jank rate: that of the largest overrun.
func (p pageProcess) JankLevel() string { return p.level(rating.Overrun, largestOverrun(p.Process)) }

// HitchLevel returns the class of the process's hitch ratio.
func (p pageProcess) HitchLevel() string {
	if p.Hitches == nil {
		return ""
	}
	return p.level(rating.HitchRatio, &p.Hitches.Ratio)
}

func (p pageProcess) level(name string, value *float64) string {
	if value == nil {
		return ""
	}
	return [...]string{rating.None: "", rating.Warning: "warn", rating.Critical: "bad"}[p.levels.Of(name, *value)]
}
