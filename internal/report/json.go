package report

import (
	"io"

	"ohframe/analyzer/stats"
	"ohframe/internal/causes"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// document is the JSON form.
type document struct {
	Inputs []documentInput `json:"inputs"`
}

type documentInput struct {
	Name      string            `json:"name"`
	Recording *Recording        `json:"recording"`
	Quality   *quality.Quality  `json:"quality"`
	Span      *stats.Span       `json:"span"`
	Processes []documentProcess `json:"processes"`
}

type documentProcess struct {
	*stats.Process
	Causes *causes.JSON `json:"causes"`
}

func writeJSON(w io.Writer, inputs []Input) error {
	d := document{Inputs: make([]documentInput, 0, len(inputs))}
	for _, in := range inputs {
		input := documentInput{in.Name, in.Recording, in.Quality, in.Stats.Span, []documentProcess{}}
		known := in.causes()
		for _, p := range in.Stats.Processes {
			process := documentProcess{Process: p}
			if c := known[p]; c != nil {
				process.Causes = c.JSON()
			}
			input.Processes = append(input.Processes, process)
		}
		d.Inputs = append(d.Inputs, input)
	}
	return text.WriteJSON(w, d)
}
