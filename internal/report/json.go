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
	Inputs  []documentInput     `json:"inputs"`  // the inputs that were not skipped, in the order given
	Skipped []view.SkippedInput `json:"skipped"` // inputs that cannot be read, or have no frames
	// "failed" if a condition failed (exit code 2), "unknown" if that cannot be told (3), "passed"; empty if nothing was
	// to be checked
	Result condition.Status `json:"result"`
	// each condition of "--fail-on" and "--budgets" for each process of each input
	FailOn []documentCheck `json:"fail_on"`
	// what several traces have together, which then are no inputs: with "--by", and of a dataset
	Pooled *documentPool `json:"pooled,omitempty"`
}

// documentCheck is a condition for a process of an input, as in other formats.
type documentCheck struct {
	Condition string `json:"condition"` // the condition without blanks
	// names of the input and the process; "process" is empty if the input has no complete frames
	Input   string           `json:"input"`
	Process string           `json:"process"`
	Status  condition.Status `json:"status"` // "failed", "passed" or "unknown"
	Text    string           `json:"text"`   // the value, or why the status is unknown
}

type documentInput struct {
	Name string `json:"name"` // name of the input, usually a file name
	// how the trace was recorded; nil without NAME.meta.json (docs/record.md)
	Recording *Recording       `json:"recording"`
	Quality   *quality.Quality `json:"quality"` // data quality (docs/trouble.md)
	Span      *stats.Span      `json:"span"`    // from the first line to the last
	// applications by process id, then render services; only those with frames or hangs
	Processes    iter.Seq[documentProcess]    `json:"processes"`
	Interactions iter.Seq[*stats.Interaction] `json:"interactions"` // what the user did (docs/frames.md 15), by begin
	// times of 250 ms or more in which a main thread was busy outside of complete frames, by start
	Hangs []stats.Hang `json:"hangs"`
	// refresh rates of displays that had several, by display, each in order of time
	RefreshRates []stats.RefreshRate `json:"refresh_rates"`
	// components of applications (docs/frames.md 17), those with the most time first
	Components []stats.Component `json:"components"`
	// state variables whose changes made nodes dirty, those with the most nodes first
	StateVariables []stats.StateVariable  `json:"state_variables"`
	Layers         iter.Seq[*stats.Layer] `json:"layers"` // queues of buffers that are shown (docs/frames.md 16), by id
	// connections on which processes ask for vsyncs (docs/frames.md 19), those with the most unused vsyncs first, render_service's own last
	Requesters []stats.Requester `json:"requesters"`
	// display syncs of applications (docs/frames.md 19.6), those with the most time first
	Callbacks []stats.Callback `json:"callbacks"`
	// measures of "--measure" (docs/frames.md 20), in the order in which they were given
	Own []*stats.Own `json:"own_measures,omitempty"`
	// what Android counted of the frames of processes (docs/frames.md 18), in the order of the dump
	Summaries []stats.Summary `json:"summaries"`
}

type documentProcess struct {
	*stats.Process
	*causes.Causes `json:",omitzero"` // nil for dumps of Android, and with --no-causes
}

func writeJSON(w io.Writer, inputs []Input, o Options) error {
	d := document{Inputs: make([]documentInput, 0, len(inputs)), Skipped: view.SkippedInputs(o.Skipped), Result: o.Gate.Status(), FailOn: []documentCheck{}}
	for _, c := range o.Gate.Checks {
		if c.Input == "" && len(inputs) == 1 {
			c.Input = inputs[0].Name
		}
		d.FailOn = append(d.FailOn, documentCheck{c.Condition, c.Input, c.Process, c.Status, c.Text})
	}
	for i := range inputs {
		in := &inputs[i]
		if in.Pool != nil {
			d.Pooled = newDocumentPool(in)
			continue
		}
		known := in.causes()
		d.Inputs = append(d.Inputs, documentInput{in.Name, in.Recording, in.Quality, in.Stats.Span, func(yield func(documentProcess) bool) {
			for _, p := range in.Stats.Processes {
				if !yield(documentProcess{p, known(p).Document(in.Causes)}) {
					return
				}
			}
		}, slices.Values(in.Stats.Interactions), in.Stats.Hangs, in.Stats.RefreshRates, in.Stats.Components, in.Stats.StateVariables, slices.Values(in.Stats.Layers), in.Stats.Requesters, in.Stats.Callbacks, in.Stats.Own, in.Stats.Summaries})
	}
	return text.WriteJSON(w, d)
}
