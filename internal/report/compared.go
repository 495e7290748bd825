package report

import (
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// comparedMeasures are the measures in the comparison of several inputs.
var comparedMeasures = []string{"fps", "jank_rate", "hitch_ratio", "p50_ms", "p95_ms", "max_ms"}

// maxCompared is the number of processes in the comparison.
const maxCompared = 20

// compared is a process that several inputs have.
type compared struct {
	Name string
	Rows []comparedRow
}

// comparedRow has the values of a measure in each input.
type comparedRow struct {
	Label, Meaning string
	Values         []string
}

// compareInputs returns the processes that are in several inputs, by name and kind:
// applications first, and those with the most frames first. If an input has several processes
// with one name, the first counts.
func compareInputs(inputs []Input) (list []compared) {
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
	slices.SortStableFunc(all, func(a, b *process) int {
		switch {
		case a.kind == b.kind:
			return cmp.Compare(b.frames, a.frames)
		case a.kind == stats.Application:
			return -1
		}
		return 1
	})
	for _, p := range all[:min(len(all), maxCompared)] {
		c := compared{}
		for _, name := range comparedMeasures {
			m := measure(name)
			row := comparedRow{Label: m.Label, Meaning: meaning(name)}
			for _, s := range p.of {
				if s == nil {
					row.Values = append(row.Values, unknown)
					continue
				}
				c.Name = text.Process(s)
				row.Values = append(row.Values, measureText(m, m.Of(s)))
			}
			c.Rows = append(c.Rows, row)
		}
		list = append(list, c)
	}
	return list
}

// measureText formats a value of a measure.
func measureText(m *stats.Measure, x *float64) string {
	switch {
	case x == nil:
		return unknown
	case m.Unit == stats.Share:
		return text.Share(x)
	case m.Unit == stats.Count:
		return text.Number(*x, 0)
	case strings.HasSuffix(m.Path, "_ns"):
		return text.Number(*x/1e6, 2)
	}
	return text.Number(*x, 1)
}
