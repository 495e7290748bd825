package fleet

import (
	"slices"

	"ohframe/internal/diag"
)

// table is what the rows of a folder are of. Traces, interactions and layers have different
// columns of Row.
type table int

const (
	ofFrames       table = iota // of a process of a trace
	ofInteractions              // of an interaction
	ofLayers                    // of a layer
	tables
)

// tableFolders are the folders of the tables.
var tableFolders = [tables]string{tracesFolder, interactionsFolder, layersFolder}

// The dimensions of interactions and of layers.
const (
	sceneDim = "scene"
	pageDim  = "page"
	layerDim = "layer"
)

// tableOf returns the table whose rows groups by these dimensions are of.
func tableOf(by []string) (table, error) {
	interactions, layers := slices.Contains(by, sceneDim) || slices.Contains(by, pageDim), slices.Contains(by, layerDim)
	switch {
	case interactions && layers:
		return 0, &diag.Error{What: "groups are of interactions or of layers, not of both", Hint: "--by scene,page or --by layer"}
	case interactions:
		return ofInteractions, nil
	case layers:
		return ofLayers, nil
	}
	return ofFrames, nil
}

// name is what the rows are of.
func (t table) name() string { return [tables]string{"processes", "interactions", "layers"}[t] }

// counts returns what a row counts, as a column of sums, with its name.
func (t table) counts() (column int, noun string) {
	if t == ofLayers {
		return columnIndex["buffers"], "buffer"
	}
	return columnIndex["frames"], "frame"
}

// histograms returns the first histogram of a table, and the number of all.
func (t table) histograms() (first, count int) {
	if t == ofLayers {
		return firstLayerHistogram, histograms - firstLayerHistogram
	}
	return 0, firstLayerHistogram
}
