package causes

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// overall is the causes of the processes with one name over several inputs.
type overall struct {
	Name string
	Kind stats.Kind
	// Inputs are the names of the inputs that have frames of it.
	Inputs []string
	// Frames are the counts that Counts.Add adds.
	Frames  stats.Counts
	Ranking *why.Ranking
	// Shown is the ranking of the frames that were shown late.
	Shown    *why.Ranking
	pictures bool // as of Process
	input    map[*analyzer.Process]string
	parts    []part
}

// part is a process of an input.
type part struct {
	*Process
	in *Input
}

// overallOf returns the causes by the names of processes: those that lost the most time
// first. A process without a name is one of its own.
func overallOf(inputs []Input) []*overall {
	type id struct {
		name string
		kind stats.Kind
		// Set for processes without a name.
		input int
		pid   trace.PID
	}
	var list []*overall
	by := map[id]*overall{}
	rankings, shown := map[*overall][]*why.Ranking{}, map[*overall][]*why.Ranking{}
	for i := range inputs {
		in := &inputs[i]
		for _, p := range in.Processes {
			key := id{name: p.Name, kind: p.Kind}
			if p.Name == "" {
				key.input, key.pid = i, p.PID
			}
			o := by[key]
			if o == nil {
				o = &overall{Name: p.Name, Kind: p.Kind, pictures: p.Pictures, input: map[*analyzer.Process]string{}}
				by[key] = o
				list = append(list, o)
			}
			if !slices.Contains(o.Inputs, in.Name) {
				o.Inputs = append(o.Inputs, in.Name)
			}
			o.Frames.Add(&p.Frames)
			o.parts = append(o.parts, part{p, in})
			rankings[o], shown[o] = append(rankings[o], p.Ranking), append(shown[o], p.Shown)
			for _, c := range p.Ranking.Costs {
				o.input[c.Worst.Frame.Process] = in.Name
			}
		}
	}
	for _, o := range list {
		o.Ranking, o.Shown = why.Merge(rankings[o]), why.Merge(shown[o])
	}
	slices.SortStableFunc(list, func(a, b *overall) int { return a.subject().Compare(b.subject()) })
	return list
}

func (o *overall) subject() *Subject {
	return &Subject{Kind: o.Kind, Name: o.Name, PID: o.parts[0].PID, Frames: o.Frames, Lost: o.Ranking.Lost, pictures: o.pictures}
}
