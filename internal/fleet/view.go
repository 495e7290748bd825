package fleet

import (
	"io"

	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Formats are the formats of trends.
var Formats = []string{"table", "json", "csv", "html"}

// written is a result in all formats, for people and for programs.
type written interface {
	document() *view.Document
	writeJSON(io.Writer) error
	writeCSV(io.Writer) error
}

func write(w io.Writer, s written, format string, style text.Style) error {
	switch format {
	case "json":
		return s.writeJSON(w)
	case "csv":
		return s.writeCSV(w)
	}
	return view.Write(w, s.document(), format, style)
}

// mostShown is the number of causes of a group, and of causes and frames of a report.
const mostShown = 10

// Of dimensions and their values.
var (
	keyColumns = view.KeyColumns
	keyCells   = view.KeyCells
	titleOf    = view.KeyTitle
	keyText    = view.KeyText
	groupText  = view.GroupText
)

// line is the jank rates of groups that differ in the dimension of the x axis only. Its JSON
// is the input of lines.js.
type line struct {
	Name   string    `json:"name"`
	X      []int     `json:"x"`
	Y      []float64 `json:"y"`
	Dots   bool      `json:"dots"`
	Titles []string  `json:"titles"`
}

// band is the area between two lines, mark a vertical line. Their JSON is the input of lines.js.
type (
	band struct {
		Colour   string    `json:"colour"`
		Straight bool      `json:"straight"`
		X        []int     `json:"x"`
		Low      []float64 `json:"low"`
		High     []float64 `json:"high"`
	}
	mark struct {
		X    int    `json:"x"`
		Text string `json:"text"`
	}
)

// linesChart returns a chart over named values.
func linesChart(names []string, unit string, series []*line, bands []band, marks []mark) view.Chart {
	data := map[string]any{"x": map[string]any{"names": names}, "y": map[string]any{"unit": unit}, "series": series}
	if len(bands) > 0 {
		data["bands"] = bands
	}
	if len(marks) > 0 {
		data["marks"] = marks
	}
	return view.Chart{Kind: "lines", Data: data}
}
