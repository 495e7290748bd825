package report

import (
	"io"

	"ohframe/analyzer/stats"
	"ohframe/internal/view"
)

// layerRow is a row of CSV, with the names of JSON.
type layerRow struct {
	Trace string `json:"trace"` // name of the input
	stats.Layer
	Cadences struct{} `json:"-"`
	Drops    struct{} `json:"-"`
}

// writeLayersCSV writes a row for each layer of each input.
func writeLayersCSV(w io.Writer, inputs []Input) error {
	return view.Records[layerRow](func(yield func(layerRow) bool) {
		for _, in := range inputs {
			for _, l := range in.Stats.Layers {
				if !yield(layerRow{Trace: in.Name, Layer: *l}) {
					return
				}
			}
		}
	}).WriteCSV(w)
}
