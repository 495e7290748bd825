package report

import (
	"fmt"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/locate"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// maxDrawn is the number of frames in the charts of a page. A browser opens such a
// page in seconds.
const maxDrawn = 1 << 20

// pageData is what the charts of a page share. assets/frame.js of package view reads it.
type pageData struct {
	Marks     []string          `json:"marks"`     // style classes
	Names     []string          `json:"names"`     // displayed names of the marks
	Processes []*frameColumns   `json:"processes"` // null for a process without charts
	Periods   [][]float64       `json:"periods"`   // refresh periods of each process, in ms
	Info      []processData     `json:"info"`      // of each process
	Stages    map[string]string `json:"stages"`    // displayed names

	frames int // in Processes
}

// processData is what the script needs to know of a process.
type processData struct {
	Name    string    `json:"name"`
	PID     trace.PID `json:"pid"`
	Render  bool      `json:"render"`  // a render service
	Service int       `json:"service"` // the process of the render service that picked up its frames, or -1
	From    *string   `json:"from"`    // start of the trace, nanoseconds of trace time
	// Open makes the command that shows a frame; null if no command can name the input.
	Open    *locate.Opener `json:"open"`
	Length  float64        `json:"length"` // of the moments, in seconds
	Moments []momentRow    `json:"moments"`
	// Percentiles are those of the durations that are known.
	Percentiles []int `json:"percentiles"`
}

// momentRow is a moment for the page's script: late frames, judged frames, FPS or
// null, refresh rate or 0. Without jankKnown no frame counts as judged.
type momentRow struct {
	moment    stats.Moment
	jankKnown bool
}

// MarshalJSON implements json.Marshaler.
func (m momentRow) MarshalJSON() ([]byte, error) {
	fps := "null"
	if m.moment.FPS != nil {
		fps = text.Number(*m.moment.FPS, 1)
	}
	late, judged := m.moment.Late, m.moment.Judged
	if !m.jankKnown {
		late, judged = 0, 0
	}
	return fmt.Appendf(nil, "[%d,%d,%s,%d]", late, judged, fps, m.moment.Refresh), nil
}

func newPageData() pageData {
	d := pageData{Processes: []*frameColumns{}, Periods: [][]float64{}, Info: []processData{}, Stages: map[string]string{}}
	for _, m := range markInfo {
		d.Marks = append(d.Marks, m.ID)
		d.Names = append(d.Names, m.Name)
	}
	for s := stats.Receive; s <= stats.ToPresent; s++ {
		d.Stages[s.String()] = s.Label()
	}
	return d
}

// frameChart is the data of a chart of frames.
type frameChart struct {
	Process int        `json:"process"`
	Marks   []markData `json:"marks"`
}

// markData is a mark that frames of a process can have.
type markData struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Term  string `json:"term"`
	Count int    `json:"count"`
}

// chart returns the chart of the frames of a process, or a note if there are too many.
func (b *builder) chart(in *Input, p *process) view.Block {
	d, number := &b.shared, len(b.shared.Processes)
	list := b.frames.Of(p.Process)
	undrawn := 0
	if d.frames+len(list) > maxDrawn {
		list, undrawn = nil, len(list)
	}
	d.frames += len(list)
	reasons := map[*analyzer.Frame]string{}
	if p.causes != nil {
		for _, e := range p.causes.Late {
			reasons[e.Frame] = text.Line(causes.Sentence(in.Causes, e, false))
		}
	}
	columns := newFrameColumns(list, reasons, b.timed)
	info := processData{
		Name: text.Printable(p.Name), PID: p.PID, Render: p.Kind == stats.RenderService, Service: b.service, Open: in.opener(p.Process),
		Moments: []momentRow{}, Percentiles: knownPercentiles(p.Durations),
	}
	if in.Stats.Span != nil {
		from := strconv.FormatInt(int64(in.origin()), 10)
		info.From = &from
	}
	if columns != nil {
		moments := b.moments.Of(p.Process)
		info.Length = seconds(moments[0].To.Sub(moments[0].From))
		for _, m := range moments {
			info.Moments = append(info.Moments, momentRow{m, p.JankRate != nil})
		}
	}
	periods := []float64{}
	for _, r := range p.Refresh {
		periods = append(periods, r.Period.Milliseconds())
	}
	d.Processes, d.Info, d.Periods = append(d.Processes, columns), append(d.Info, info), append(d.Periods, periods)
	switch {
	case columns != nil:
		return view.Section{Title: "Frames over time", About: "one bar per frame, height = duration; lines are deadlines", Blocks: []view.Block{
			view.Chart{Kind: "frames", Data: frameChart{number, countMarks(p.Kind, columns.Marks)}},
		}}
	case undrawn > 0:
		return view.Note{Text: text.Count(undrawn, "frame") + ": too many to draw on one page; --from and --to select a window."}
	}
	return view.Note{}
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

func countMarks(kind stats.Kind, list []marks) (counted []markData) {
	var counts [markCount]int
	for _, m := range list {
		for x := range markCount {
			if m.has(x) {
				counts[x]++
			}
		}
	}
	for _, x := range marksOfKind(kind) {
		counted = append(counted, markData{markInfo[x].ID, markInfo[x].Name, define(markInfo[x].Term), counts[x]})
	}
	return counted
}
