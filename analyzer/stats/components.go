package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// LeastBuilt is the number of items of a component from which on Component.NeverReused is set.
// HapRay measures the same share of reused items.
const LeastBuilt = 20

// Component is how often ArkUI made items of a component of an application, and how often it reused
// one instead. Times have those of components inside. Percentiles are those of Durations.
type Component struct {
	// Source is the process.
	Source      *analyzer.Process `json:"-"`
	PID         trace.PID         `json:"pid"`          // process id of the application
	Process     string            `json:"process"`      // its name
	Name        *string           `json:"component"`    // name of the component; nil if the trace does not have it
	Built       int               `json:"built"`        // items that were built
	Reused      int               `json:"reused"`       // items that were reused instead
	ReusedShare float64           `json:"reused_share"` // reused items / all items
	Build       *Latency          `json:"build"`        // times to build an item, with the components inside; nil without any
	Reuse       *Latency          `json:"reuse"`        // times to reuse an item, with the components inside; nil without any
	// time of all items, without those inside another item of the component
	Total       trace.Duration `json:"total_ns"`
	NeverReused bool           `json:"never_reused"` // 20 items or more were built, and none was reused
}

// StateVariable is how often a state variable of a component changed, and how many nodes that made
// dirty.
type StateVariable struct {
	// Source is the process.
	Source    *analyzer.Process `json:"-"`
	PID       trace.PID         `json:"pid"`        // process id of the application
	Process   string            `json:"process"`    // its name
	Component string            `json:"component"`  // name of the component
	Variable  string            `json:"variable"`   // name of the state variable
	Changes   int               `json:"changes"`    // how often it changed
	Nodes     int               `json:"nodes"`      // nodes that this made dirty
	Most      int               `json:"most_nodes"` // the most nodes of one change
}

// components returns those of the chosen processes, the ones with the most time first.
func components(t *analyzer.Timeline, o Options) []Component {
	type key struct {
		process *analyzer.Process
		name    string
	}
	type times struct {
		built, reused []trace.Duration
		total         trace.Duration
		until         trace.Time // the end of the last item that is in no other one
	}
	of := map[key]*times{}
	for i := range t.Builds {
		b := &t.Builds[i]
		if o.Process != nil && !o.Process(b.Process) {
			continue
		}
		k := key{b.Process, b.Component}
		x := of[k]
		if x == nil {
			x = &times{}
			of[k] = x
		}
		d := b.End.Sub(b.Start)
		if b.Reused {
			x.reused = append(x.reused, d)
		} else {
			x.built = append(x.built, d)
		}
		if b.End > x.until { // items are in order of their start
			x.total += b.End.Sub(max(b.Start, x.until))
			x.until = b.End
		}
	}
	list := []Component{}
	for k, x := range of {
		built, reused := len(x.built), len(x.reused)
		list = append(list, Component{
			Source: k.process, PID: k.process.PID, Process: k.process.Name, Name: optionalText(k.name), Built: built, Reused: reused, ReusedShare: float64(reused) / float64(built+reused),
			Build: quantilesOf[Latency](x.built), Reuse: quantilesOf[Latency](x.reused), Total: x.total, NeverReused: built >= LeastBuilt && reused == 0,
		})
	}
	slices.SortFunc(list, func(a, b Component) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Built+b.Reused, a.Built+a.Reused), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Source.Alive.Start, b.Source.Alive.Start), cmp.Compare(deref(a.Name), deref(b.Name)))
	})
	return list
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// stateVariables returns those of the chosen processes, the ones that made the most nodes dirty
// first.
func stateVariables(t *analyzer.Timeline, o Options) []StateVariable {
	type key struct {
		process             *analyzer.Process
		component, variable string
	}
	at := map[key]int{}
	list := []StateVariable{}
	for i := range t.StateChanges {
		c := &t.StateChanges[i]
		if o.Process != nil && !o.Process(c.Process) {
			continue
		}
		k := key{c.Process, c.Component, c.Variable}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, StateVariable{Source: c.Process, PID: c.Process.PID, Process: c.Process.Name, Component: c.Component, Variable: c.Variable})
		}
		v := &list[n]
		v.Changes++
		v.Nodes += c.Nodes
		v.Most = max(v.Most, c.Nodes)
	}
	slices.SortStableFunc(list, func(a, b StateVariable) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Component, b.Component), cmp.Compare(a.Variable, b.Variable))
	})
	return list
}
