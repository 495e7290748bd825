package report

import (
	"io"
	"iter"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/causes"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// document is the JSON form.
type document struct {
	Inputs  []documentInput     `json:"inputs"`
	Skipped []view.SkippedInput `json:"skipped"`
	FailOn  []documentCheck     `json:"fail_on"`
}

// documentCheck is a condition for a process of an input, as in other formats.
type documentCheck struct {
	Condition string           `json:"condition"`
	Input     string           `json:"input"`
	Process   string           `json:"process"`
	Status    condition.Status `json:"status"`
	Text      string           `json:"text"`
}

type documentInput struct {
	Name           string                       `json:"name"`
	Recording      *Recording                   `json:"recording"`
	Quality        *quality.Quality             `json:"quality"`
	Span           *stats.Span                  `json:"span"`
	Processes      iter.Seq[documentProcess]    `json:"processes"`
	Interactions   iter.Seq[*stats.Interaction] `json:"interactions"`
	Hangs          []stats.Hang                 `json:"hangs"`
	Components     []stats.Component            `json:"components"`
	StateVariables []stats.StateVariable        `json:"state_variables"`
	Layers         iter.Seq[*stats.Layer]       `json:"layers"`
	Summaries      []stats.Summary              `json:"summaries"`
}

type documentProcess struct {
	*stats.Process
	Causes *causes.JSON `json:"causes"`
}

func writeJSON(w io.Writer, inputs []Input, o Options) error {
	d := document{Inputs: make([]documentInput, 0, len(inputs)), Skipped: view.SkippedInputs(o.Skipped), FailOn: []documentCheck{}}
	for _, c := range o.Checks {
		if c.Input == "" && len(inputs) == 1 {
			c.Input = inputs[0].Name
		}
		d.FailOn = append(d.FailOn, documentCheck{c.Condition, c.Input, c.Process, c.Status, c.Text})
	}
	for _, in := range inputs {
		known := in.causes()
		d.Inputs = append(d.Inputs, documentInput{in.Name, in.Recording, in.Quality, in.Stats.Span, func(yield func(documentProcess) bool) {
			for _, p := range in.Stats.Processes {
				if !yield(documentProcess{p, known(p).JSON()}) {
					return
				}
			}
		}, slices.Values(in.Stats.Interactions), in.Stats.Hangs, in.Stats.Components, in.Stats.StateVariables, slices.Values(in.Stats.Layers), in.Stats.Summaries})
	}
	return text.WriteJSON(w, d)
}
