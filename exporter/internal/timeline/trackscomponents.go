package timeline

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/exporter/internal/annotation"
	"ohframe/internal/diag"
)

// maxComponents is the number of components, and that of state variables, of a process that its slice lists.
// The UI shows each as a list of arguments.
const maxComponents = 256

// writeComponents writes what the report says of the components of each process: a slice from the
// first item or change of a state variable to the end of the last one.
func writeComponents(t *analyzer.Timeline, report *stats.Report, pipelines map[*analyzer.Process]*pipeline) {
	components := map[*analyzer.Process][]stats.Component{}
	for _, c := range report.Components {
		components[c.Source] = append(components[c.Source], c)
	}
	variables := map[*analyzer.Process][]stats.StateVariable{}
	for _, v := range report.StateVariables {
		variables[v.Source] = append(variables[v.Source], v)
	}
	spans := map[*analyzer.Process]analyzer.Interval{}
	var processes []*analyzer.Process // in order of their first item
	extend := func(p *analyzer.Process, i analyzer.Interval) {
		span, ok := spans[p]
		if !ok {
			processes, span = append(processes, p), i
		}
		spans[p] = analyzer.Interval{Start: min(span.Start, i.Start), End: max(span.End, i.End)}
	}
	for i := range t.Builds {
		extend(t.Builds[i].Process, t.Builds[i].Interval)
	}
	for i := range t.StateChanges {
		c := &t.StateChanges[i]
		extend(c.Process, analyzer.Interval{Start: c.At, End: c.At})
	}
	for _, process := range processes {
		p, list := pipelines[process], components[process]
		s := slice{Interval: spans[process], colour: reportColour}
		s.name = append(s.name, diag.Count(len(list), "component")...)
		never := 0
		for _, c := range list {
			if c.NeverReused {
				never++
			}
		}
		if never > 0 {
			s.name = fmt.Appendf(s.name, ", %d never reused", never)
		}
		s.annotations.tree(p.w, annotation.Components, list[:min(len(list), maxComponents)])
		changed := variables[process]
		s.annotations.tree(p.w, annotation.StateVariables, changed[:min(len(changed), maxComponents)])
		p.w.slice(p.lanes(componentsTrack, "How often items of components were built and reused, and which state variables made nodes dirty.").track(s.Interval), &s)
	}
}
