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

// counts is the column of sums that says what a row counts: frames or buffers.
func (t table) counts() int {
	if t == ofLayers {
		return columnIndex["buffers"]
	}
	return columnIndex["frames"]
}

// histograms returns the first histogram of a table, and the number of all.
func (t table) histograms() (first, count int) {
	if t == ofLayers {
		return firstLayerHistogram, histograms - firstLayerHistogram
	}
	return 0, firstLayerHistogram
}
