package fleet

import (
	"io"
	"slices"

	"ohframe/internal/condition"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// The documents in JSON.
type (
	datasetDocument struct {
		Name       string         `json:"name"`
		Version    string         `json:"version"`
		Shards     int            `json:"shards"`
		Missing    []int          `json:"missing_shards"`
		Traces     int            `json:"traces"`
		Unreliable int            `json:"unreliable_traces"`
		Failures   map[Reason]int `json:"failures"`
		Events     map[string]int `json:"events"`
	}
	comparisonDocument struct {
		Base     datasetDocument     `json:"base"`
		New      datasetDocument     `json:"new"`
		Unit     string              `json:"unit"`
		Level    float64             `json:"level"`
		Power    float64             `json:"power"`
		Warnings []string            `json:"warnings"`
		Compared []comparedDocument  `json:"compared"`
		FailOn   []conditionDocument `json:"fail_on"`
	}
	comparedDocument struct {
		Of       string               `json:"of"`
		By       []string             `json:"by"`
		Method   significance.Method  `json:"method"`
		Changes  int                  `json:"changes"`
		Pairs    []pairDocument       `json:"pairs"`
		OnlyBase []map[string]*string `json:"only_in_base"`
		OnlyNew  []map[string]*string `json:"only_in_new"`
	}
	pairDocument struct {
		Key       map[string]*string `json:"key"`
		BaseUnits int                `json:"base_units"`
		NewUnits  int                `json:"new_units"`
		Measures  []*diff.Measure    `json:"measures"`
	}
	conditionDocument struct {
		Key       map[string]*string `json:"key"`
		Condition string             `json:"condition"`
		Status    condition.Status   `json:"status"`
		Undecided bool               `json:"undecided"`
		Text      string             `json:"text"`
		condition.Tested
	}
)

func (d *Dataset) json() datasetDocument {
	return datasetDocument{d.Dir, d.Version, d.Shards, append([]int{}, d.Missing...), d.Traces, d.Unreliable, d.Failures, d.Events}
}

// keyDocument returns nil for no group.
func keyDocument(by []string, key []*string) map[string]*string {
	if key == nil {
		return nil
	}
	d := map[string]*string{}
	for i, name := range by {
		d[name] = key[i]
	}
	return d
}

func keyDocuments(by []string, groups []*Pair) []map[string]*string {
	list := []map[string]*string{}
	for _, p := range groups {
		list = append(list, keyDocument(by, p.Key))
	}
	return list
}

func anys[T any](list []T) (values []any) {
	for _, x := range list {
		values = append(values, x)
	}
	return values
}

func (c *Comparison) writeJSON(w io.Writer) error {
	d := comparisonDocument{
		Base: c.Base.json(), New: c.New.json(), Unit: c.Unit, Level: significance.Level, Power: significance.Power, Warnings: append([]string{}, c.warnings...), FailOn: []conditionDocument{},
	}
	for _, x := range c.Tables {
		compared := comparedDocument{x.table.name(), x.By, x.Test.Method, x.Test.Tested, []pairDocument{}, keyDocuments(x.By, x.OnlyBase), keyDocuments(x.By, x.OnlyNew)}
		for _, p := range x.Pairs {
			compared.Pairs = append(compared.Pairs, pairDocument{keyDocument(x.By, p.Key), p.Units[0], p.Units[1], p.Changes})
		}
		d.Compared = append(d.Compared, compared)
	}
	for _, o := range c.Outcomes {
		d.FailOn = append(d.FailOn, conditionDocument{keyDocument(o.By, o.Key), o.Condition, o.Status, o.Undecided, o.Text, o.Change.Tested()})
	}
	return text.WriteJSON(w, d)
}

// writeCSV writes a line for each measure. A dimension of another table is empty.
func (c *Comparison) writeCSV(w io.Writer) error {
	var by []string
	for _, x := range c.Tables {
		for _, dim := range x.By {
			if !slices.Contains(by, dim) {
				by = append(by, dim)
			}
		}
	}
	names := append(slices.Clone(by), "of", "base_units", "new_units", "measure", "base", "new", "delta", "delta_low", "delta_high", "p_value", "detectable", "units_needed", "verdict")
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, x := range c.Tables {
			for _, p := range x.Pairs {
				key := keyDocument(x.By, p.Key)
				var values []*string
				for _, dim := range by {
					values = append(values, key[dim])
				}
				for _, m := range p.Changes {
					if !yield(append(anys(values), x.table.name(), p.Units[0], p.Units[1], m.Name, m.Base, m.New, m.Delta, m.Low, m.High, m.P, m.Detectable, m.UnitsNeeded, m.Verdict)) {
						return
					}
				}
			}
		}
	})
}
