package report

import (
	"encoding/json"
	"io"

	"ohframe/analyzer/stats"
)

// document is the JSON form.
type document struct {
	Inputs []documentInput `json:"inputs"`
}

type documentInput struct {
	Name string `json:"name"`
	*stats.Report
}

func writeJSON(w io.Writer, inputs []Input) error {
	d := document{Inputs: make([]documentInput, 0, len(inputs))}
	for _, in := range inputs {
		d.Inputs = append(d.Inputs, documentInput{in.Name, in.Stats})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(d)
}
