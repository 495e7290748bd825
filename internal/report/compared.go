package report

import (
	"cmp"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// comparedMeasures are the measures in the comparison of several inputs.
var comparedMeasures = []string{"fps", "jank_rate", "hitch_ratio", "p50_ms", "p95_ms", "max_ms"}

// maxCompared is the number of processes in the comparison.
const maxCompared = 20

// compared is the measures of processes that several inputs have.
type compared struct{ view.Table }

func (c compared) section() view.Section {
	return view.Section{Title: "Inputs compared", About: "processes that several inputs have; ohframe diff tests differences", Blocks: []view.Block{c.Table}}
}

// compareInputs returns the processes that are in several inputs, by name and kind:
// applications first, and those with the most frames first. If an input has several processes
// with one name, the first counts.
func compareInputs(inputs []Input) compared {
	type id struct {
		kind stats.Kind
		name string
	}
	type process struct {
		id
		inputs, frames int
		of             []*stats.Process // nil where an input does not have it
	}
	known := map[id]*process{}
	var all []*process
	for i, in := range inputs {
		for _, s := range in.Stats.Processes {
			key := id{s.Kind, s.Name}
			p := known[key]
			if p == nil {
				p = &process{id: key, of: make([]*stats.Process, len(inputs))}
				known[key] = p
				all = append(all, p)
			}
			if p.of[i] == nil && complete(s) > 0 {
				p.of[i] = s
				p.inputs++
				p.frames += complete(s)
			}
		}
	}
	all = slices.DeleteFunc(all, func(p *process) bool { return p.inputs < 2 })
	slices.SortStableFunc(all, func(a, b *process) int { // "app" is before "render_service"
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(b.frames, a.frames))
	})
	c := compared{view.Table{Label: "Inputs compared", Columns: []view.Column{{Title: "Process"}, {Title: "Measure"}}}}
	for _, in := range inputs {
		c.Columns = append(c.Columns, view.Column{Title: text.Printable(in.Name), Number: true})
	}
	for _, p := range all[:min(len(all), maxCompared)] {
		for i, name := range comparedMeasures {
			m := measure(name)
			row := view.Row{Cells: []view.Cell{{}, {Text: m.Label}}}
			if i == 0 {
				row.Strong = true
				row.Cells[0].Text = text.ProcessName(p.name)
			}
			for _, s := range p.of {
				value := text.Unknown
				if s != nil {
					value = text.Value(m.Unit, m.Value(s))
				}
				row.Cells = append(row.Cells, view.Cell{Text: value})
			}
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}
