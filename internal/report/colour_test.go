package report

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/view"
)

// A larger number never has a calmer colour than a smaller one of the same column, in the first tables of a report:
// the colour of a number says nothing else.
func TestColoursOfNumbers(t *testing.T) {
	b := &builder{}
	var processes []*process
	var layers []*stats.Layer
	var interactions []*stats.Interaction
	values := []float64{0, .5, 3, 4.9, 5, 7, 10, 11, 15.9, 16, 24, 25.1, 60, 700.1, 2000}
	for i := range values {
		// What is not in the cell goes the other way.
		up, down := values[i], values[len(values)-1-i]
		frames, share := 1000, min(1, up/100)
		late := int(share * float64(frames))
		p := gallery()
		p.Frames.Judged, p.Frames.Late, p.JankRate = frames, late, &share
		p.Hitches = &stats.Hitches{Ratio: &up}
		p.Durations.Max = trace.Duration(up * 1e6)
		p.Worst = []stats.WorstFrame{{OverrunPeriods: &down}}
		processes = append(processes, &process{Process: p})
		layers = append(layers, &stats.Layer{Late: &late, LateRate: &share, Judged: frames, Source: screen().Timeline.Layers[0]})
		interactions = append(interactions, &stats.Interaction{Source: flings().Timeline.Interactions[i%2], Late: &late, Frames: &frames, JankRate: &share, HitchRatio: &up})
	}
	in := flings()
	for _, table := range []view.Table{
		tableOf("Processes", b.processColumns(processes), processes), tableOf("Layers", b.layerColumns(nil), layers), tableOf("Interactions", b.interactionColumns(&in), interactions),
	} {
		coloured := ""
		for i, c := range table.Columns {
			if c.Title == "Response ms" { // the limit depends on the interaction; its grade is in the cell
				continue
			}
			levels := map[view.Level]bool{}
			for _, x := range table.Rows {
				levels[x.Cells[i].Level] = true
				for _, y := range table.Rows {
					small, ok := cellNumber(x.Cells[i].Text)
					large, ok2 := cellNumber(y.Cells[i].Text)
					if ok && ok2 && small < large && x.Cells[i].Level > y.Cells[i].Level {
						t.Errorf("%s, %s: %s is calmer than %s", table.Label, c.Title, y.Cells[i].Text, x.Cells[i].Text)
					}
				}
			}
			if len(levels) == 3 {
				coloured += c.Title + " "
			}
		}
		must.Equal(t, coloured, map[string]string{"Processes": "Jank Hitch ms/s Max ms ", "Layers": "Late ", "Interactions": "Late Hitch ms/s "}[table.Label], "%s: columns of three colours", table.Label)
	}
}

// cellNumber returns the number in a cell: "10.8 %", "12", or the share of "2 of 39".
func cellNumber(s string) (float64, bool) {
	var part, whole float64
	if n, _ := fmt.Sscanf(s, "%g of %g", &part, &whole); n == 2 {
		return part / whole, true
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, " %"), 64)
	return n, err == nil
}
