package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// figures are the measures that the device has, too.
var figures = []struct {
	*stats.Measure
	// tolerance is the largest difference that the resolution of the device explains.
	tolerance func(*stats.Interaction) float64
	shown     func(*float64) string // the device's
	differs   string                // what the device counts otherwise
}{
	{stats.InteractionMeasures.Named("response_ms"), wholeMS, whole, toPresent},
	{stats.InteractionMeasures.Named("completion_ms"), wholeMS, whole, toPresent},
	{stats.InteractionMeasures.Named("hitch"), func(i *stats.Interaction) float64 { return devicePeriod / shownSeconds(i) }, number,
		"the device counts how long render_service draws beyond a period, and not what the application sends late"},
	{stats.InteractionMeasures.Named("fps"), func(i *stats.Interaction) float64 { return 1 / shownSeconds(i) }, number,
		"the device counts all frames that render_service draws, idle time, and the slow end of a fling"},
}

// toPresent is why times differ.
const toPresent = "the device measures to the end of drawing, the report to the present"

// partOnly is why figures of an interaction differ that an edge of the trace cuts.
const partOnly = "the device measured the whole interaction, this report only a part of it"

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

// device returns the device's own figures beside those of the report, and what it counts otherwise.
// It is empty if the device reports none.
func (b *builder) device(list []*stats.Interaction) view.Section {
	t := view.Table{Label: "The device's own figures", Cards: true, Columns: []view.Column{{Title: "#", Number: true}, {Title: "Interaction"}}}
	for _, f := range figures {
		ours := measured[*stats.Interaction](stats.InteractionMeasures, f.Name).Column
		t.Columns = append(t.Columns, ours, view.Column{Title: "Device", Number: true, Meaning: "the device's " + text.Label(f.Measure), Drop: f.Drop})
	}
	t.Columns = append(t.Columns, view.Column{Title: "Device's longest frame ms", Short: "Longest\nframe ms", Number: true, Drop: 5})
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
			ours, device := f.Value(i), stats.DeviceMeasures.At(f.Path).Value(i.Device)
			row = append(row, view.Cell{Text: number(ours)}, view.Cell{Text: f.shown(device)})
			if ours == nil || device == nil || math.Abs(*ours-*device) <= f.tolerance(i) {
				continue
			}
			r := reason{n, f.differs}
			if i.Truncated && (n > 0 || i.Source.Reasons&analyzer.ReasonBeginCut != 0) { // the response has no end to cut
				r.text = partOnly
			}
			if same[r] == nil {
				order = append(order, r)
			}
			same[r] = append(same[r], i.ID)
		}
		t.Rows = append(t.Rows, view.Row{Cells: append(row, view.Cell{Text: whole(i.Device.MaxFrameMS)})})
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
		s.Blocks = append(s.Blocks, view.Note{Label: strings.Split(figures[r.figure].Label, ",")[0] + " of " + text.IDs(same[r]), Text: r.text, Level: view.Soft})
	}
	return s
}
