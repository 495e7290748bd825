package report

import (
	"io"
	"math"

	"ohframe/analyzer/stats"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/view"
)

// identityColumns are the columns before the measures, which are named after their paths.
var identityColumns = []string{"input", "kind", "pid", "name", "fps.event", "refresh.rates_hz"}

// writeCSV writes a row for each process of each input, or for each interaction or layer.
func writeCSV(w io.Writer, inputs []Input, o Options) error {
	switch {
	case len(inputs) == 1 && inputs[0].Pool != nil:
		return writePooledCSV(w, &inputs[0], o)
	case o.Interactions:
		return writeItems(w, inputs, func(r *stats.Report) []*stats.Interaction { return r.Interactions })
	case o.Layers:
		return writeItems(w, inputs, func(r *stats.Report) []*stats.Layer { return r.Layers })
	}
	names := identityColumns[:len(identityColumns):len(identityColumns)]
	for i := range stats.Measures {
		names = append(names, stats.Measures[i].Path)
	}
	names = append(names, "causes.lost_ns", "causes.top.title", "causes.top.lost_ns", "causes.top.share", "quality.verdict")
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, in := range inputs {
			known := in.causes()
			for _, p := range in.Stats.Processes {
				var event stats.Event
				if p.FPS != nil {
					event = p.FPS.Event
				}
				var rates []float64
				for _, r := range p.Refresh {
					rates = append(rates, math.Round(r.Rate*1000)/1000) // periods are whole nanoseconds
				}
				row := []any{in.Name, p.Kind, p.PID, p.Name, event, rates}
				for i := range stats.Measures {
					row = append(row, stats.Measures[i].Of(p))
				}
				causes := [4]any{}
				if c := known(p); c != nil {
					causes[0] = c.Ranking.Lost
					if len(c.Ranking.Costs) > 0 {
						top := c.Ranking.Costs[0]
						causes = [4]any{c.Ranking.Lost, causetext.CostTitle(top), top.Lost, float64(top.Lost) / float64(c.Ranking.Lost)}
					}
				}
				if !yield(append(append(row, causes[:]...), quality.Cell(in.Quality))) {
					return
				}
			}
		}
	})
}

// writeItems writes a row for each item of each input, with the names of JSON.
func writeItems[T any](w io.Writer, inputs []Input, of func(*stats.Report) []T) error {
	type record struct {
		Trace string `json:"trace"` // name of the input
		Item  T      `json:",inline"`
	}
	return view.Records[record](func(yield func(record) bool) {
		for _, in := range inputs {
			for _, x := range of(in.Stats) {
				if !yield(record{in.Name, x}) {
					return
				}
			}
		}
	}).WriteCSV(w)
}
