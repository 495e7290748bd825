package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// figures are the figures that both the report and the device have.
var figures = []struct {
	title, name  string
	ours, device func(*stats.Interaction) *float64
	// tolerance is the largest difference that the resolution of the device explains.
	tolerance func(*stats.Interaction) float64
	shown     func(*float64) string // the device's
	why       func(*drawn, *stats.Interaction) string
}{
	{"Response ms", "Response", func(i *stats.Interaction) *float64 { return i.Response }, func(i *stats.Interaction) *float64 { return i.Device.ResponseMS }, wholeMS, whole,
		func(d *drawn, i *stats.Interaction) string {
			return d.endOfDrawing(i, i.Source.First, *i.Device.ResponseMS, analyzer.ReasonBeginCut)
		}},
	{"Completion ms", "Completion", func(i *stats.Interaction) *float64 { return i.Completion }, func(i *stats.Interaction) *float64 { return i.Device.CompletionMS }, wholeMS, whole,
		func(d *drawn, i *stats.Interaction) string {
			return d.endOfDrawing(i, i.Source.Last, *i.Device.CompletionMS, analyzer.ReasonBeginCut|analyzer.ReasonEndCut)
		}},
	{"Hitch ms/s", "Hitch ratio", func(i *stats.Interaction) *float64 { return i.HitchRatio }, func(i *stats.Interaction) *float64 { return i.Device.HitchRatio },
		func(i *stats.Interaction) float64 { return devicePeriod / shownSeconds(i) }, number, (*drawn).hitches},
	{"FPS", "FPS", func(i *stats.Interaction) *float64 { return i.FPS }, func(i *stats.Interaction) *float64 { return i.Device.FPS },
		func(i *stats.Interaction) float64 { return 1 / shownSeconds(i) }, number, (*drawn).rate},
}

// devicePeriod is the refresh period of the device's counters in ms, at every refresh rate.
const devicePeriod = 16.6

// wholeMS is the resolution of times: the device rounds both ends down to milliseconds.
func wholeMS(*stats.Interaction) float64 { return 1 }

// whole formats a time of the device, which has whole milliseconds.
func whole(ms *float64) string { return strings.TrimSuffix(number(ms), ".0") }

// shownSeconds returns the time in which frames of an interaction were shown.
func shownSeconds(i *stats.Interaction) float64 {
	return max(0, i.Source.SeenTo.Sub(cmp.Or(i.Source.FirstShown, i.Source.Observed.Start)).Milliseconds()/1000)
}

// device returns the device's own figures beside those of the report, and why they differ.
// It is empty if the device reports none.
func (b *builder) device(in *Input, list []*stats.Interaction) view.Section {
	t := view.Table{Label: "The device's own figures", Columns: []view.Column{{Title: "#", Number: true}, {Title: "Interaction"}}}
	for n, f := range figures {
		t.Columns = append(t.Columns, view.Column{Title: f.title, Number: true, Drop: []int{0, 2, 0, 1}[n]})
	}
	t.Columns = append(t.Columns, view.Column{Title: "Longest frame ms", Number: true, Drop: 3})
	d := newDrawn(in.Timeline)
	type reason struct {
		figure int
		text   string
	}
	var order []reason
	same := map[reason][]int{}
	for _, i := range list {
		if i.Device == nil {
			continue
		}
		row := []view.Cell{{Text: fmt.Sprint(i.ID)}, {Text: text.Shorten(text.Interaction(i.Source), maxName)}}
		for n, f := range figures {
			ours, device := f.ours(i), f.device(i)
			row = append(row, view.Cell{Text: number(ours), About: "device " + f.shown(device)})
			if ours == nil || device == nil || math.Abs(*ours-*device) <= f.tolerance(i) {
				continue
			}
			r := reason{n, cmp.Or(f.why(d, i), "why the device differs is unknown")}
			if same[r] == nil {
				order = append(order, r)
			}
			same[r] = append(same[r], i.ID)
		}
		t.Rows = append(t.Rows, view.Row{Cells: append(row, view.Cell{About: "device " + whole(i.Device.MaxFrameMS)})})
	}
	s := view.Section{}
	if len(t.Rows) == 0 {
		return s
	}
	widen(&t)
	s.Title, s.Meaning = "The device's own figures", "what render_service measured and wrote into the trace"
	s.Blocks = append(s.Blocks, t)
	slices.SortStableFunc(order, func(a, b reason) int { return cmp.Compare(a.figure, b.figure) })
	for _, r := range order {
		s.Blocks = append(s.Blocks, view.Note{Label: figures[r.figure].name + " of " + text.IDs(same[r]), Text: r.text, Level: view.Soft})
	}
	return s
}

// drawn are the render frames of a trace by start, as the device counts them.
type drawn struct{ list []*analyzer.Frame }

func newDrawn(t *analyzer.Timeline) *drawn {
	d := &drawn{}
	if t == nil {
		return d
	}
	for f := range t.Complete() {
		if f.Kind == analyzer.RenderFrame {
			d.list = append(d.list, f)
		}
	}
	slices.SortStableFunc(d.list, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	return d
}

// end returns when the drawing of a render frame ended.
func (d *drawn) end(f *analyzer.Frame) trace.Time { return cmp.Or(f.Draw.End, f.Actual.End) }

// of returns the number of the render frame of a frame, or -1.
func (d *drawn) of(f *analyzer.Frame) int {
	if f == nil {
		return -1
	}
	if f.Render != nil {
		f = f.Render
	}
	at, _ := slices.BinarySearchFunc(d.list, f.Actual.Start, func(f *analyzer.Frame, at trace.Time) int { return cmp.Compare(f.Actual.Start, at) })
	for ; at < len(d.list) && d.list[at].Actual.Start == f.Actual.Start; at++ {
		if d.list[at] == f {
			return at
		}
	}
	return -1
}

// maxFramesApart is the number of frames by which the device may choose another frame than the
// report.
const maxFramesApart = 3

// endOfDrawing explains a time of the device: it measures to the end of drawing of the
// frame, or of another one nearby. An interaction that is cut as given has only a part of the
// time.
func (d *drawn) endOfDrawing(i *stats.Interaction, shown *analyzer.Frame, device float64, cut analyzer.Reasons) string {
	if i.Source.Reasons&cut != 0 {
		return partOnly
	}
	at := d.of(shown)
	if at < 0 {
		return ""
	}
	matches := func(n int) bool {
		if n < 0 || n >= len(d.list) {
			return false
		}
		return math.Abs(d.end(d.list[n]).Sub(i.Source.From()).Milliseconds()-device) <= wholeMS(i)
	}
	for apart := 0; apart <= maxFramesApart; apart++ {
		switch {
		case apart == 0 && matches(at):
			return "the device measures to the end of drawing, the report to the present"
		case apart > 0 && matches(at+apart):
			return fmt.Sprintf("the device measures to the end of drawing, %s after the one that this report counts", text.Count(apart, "frame"))
		case apart > 0 && matches(at-apart):
			return fmt.Sprintf("the device measures to the end of drawing, %s before the one that this report counts", text.Count(apart, "frame"))
		}
	}
	return ""
}

const partOnly = "the device measured the whole interaction, this report only a part of it"

// span returns the render frames that the device counts: those after the first up to the last.
func (d *drawn) span(i *stats.Interaction) (list []*analyzer.Frame, seconds float64) {
	first, last := d.of(i.Source.First), d.of(i.Source.Last)
	if first < 0 || last <= first {
		return nil, 0
	}
	return d.list[first+1 : last+1], d.end(d.list[last]).Sub(d.end(d.list[first])).Milliseconds() / 1000
}

// explains reports whether a figure that is computed as the device does is nearer to the
// device's than ours by far.
func explains(computed, ours, device float64) bool {
	return math.Abs(computed-device) < math.Abs(ours-device)/4
}

// hitches explains the hitch ratio of the device.
func (d *drawn) hitches(i *stats.Interaction) string {
	list, seconds := d.span(i)
	switch {
	case i.Truncated:
		return partOnly
	case seconds <= 0:
		return ""
	}
	var beyond trace.Duration
	for _, f := range list {
		if f.Period > 0 {
			beyond += max(0, d.end(f).Sub(f.Actual.Start)-f.Period)
		}
	}
	if !explains(beyond.Milliseconds()/seconds, *i.HitchRatio, *i.Device.HitchRatio) {
		return ""
	}
	return "the device counts how long render_service draws beyond a period, and not what the application sends late"
}

// rate explains the frame rate of the device.
func (d *drawn) rate(i *stats.Interaction) string {
	list, seconds := d.span(i)
	switch {
	case i.Truncated:
		return partOnly
	case seconds <= 0 || !explains(float64(len(list))/seconds, *i.FPS, *i.Device.FPS):
		return ""
	}
	fresh := map[*analyzer.Frame]bool{}
	for _, f := range i.Source.Frames {
		fresh[cmp.Or(f.Render, f)] = true
	}
	old := slices.ContainsFunc(list, func(f *analyzer.Frame) bool { return !fresh[f] })
	switch {
	case i.Source.Explicit && old:
		return "the device counts all frames that render_service draws, also those without a new frame of the application"
	case i.Source.Tail.Known():
		return "the device counts the slow end of the fling, too"
	case !i.Source.Begin.Known() || !i.Source.End.Known():
		return "the device counts idle time, too"
	}
	return ""
}
